"""Statements: what players say about the table. They are recorded and change nothing on it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, TypeAlias

import msgspec

from duels.domain import events as ev
from duels.domain.events import Seat
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

MAX_VALUE = 1_000_000
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
Zone = Literal[
    "hand", "deck", "graveyard", "banished", "fusion_deck", "monsters", "spells_traps",
    "shields", "mana", "battle",
]  # fmt: skip
"""Zones of all games: a table that has not the zone holds no card in it."""


class Statement(msgspec.Struct, frozen=True, tag_field="statement", forbid_unknown_fields=True):
    """Base of all statements. `player` is who makes it."""

    player: Seat


class DeclareLp(Statement, frozen=True, tag="lp_declared"):
    """A line of the player's pad."""

    about: Seat
    value: int
    pad_seq: int
    delta: int | None = None
    client_time: str | None = None


class AgreeLp(Statement, frozen=True, tag="lp_agreed"):
    """Both pads were compared and agree."""

    p1: int
    p2: int


class DeclareCount(Statement, frozen=True, tag="count_declared"):
    """A zone was counted."""

    about: Seat
    zone: Zone
    value: int


class MarkTurn(Statement, frozen=True, tag="turn_marked"):
    """A turn began."""

    turn: int
    active: Seat


class ShuffleHand(Statement, frozen=True, tag="hand_shuffled"):
    """The player shuffled the own hand."""


class DisputeLine(Statement, frozen=True, tag="line_disputed"):
    """A line of the log is not accepted. `reason` is sealed text by the time it gets here."""

    line: int
    reason: str | None = None


AnyStatement: TypeAlias = DeclareLp | AgreeLp | DeclareCount | MarkTurn | ShuffleHand | DisputeLine


def read(raw: object) -> AnyStatement | Refusal:
    """Make a statement of its plain form. Refused with `duels.statement_malformed`."""
    try:
        statement: AnyStatement = msgspec.convert(raw, type=AnyStatement)
    except (msgspec.ValidationError, RecursionError) as fault:
        return Refusal("duels.statement_malformed", {"found": str(fault)[:200]})
    return statement


def decide(
    statement: AnyStatement, *, lines: int, pad_lines: Collection[tuple[str, int]]
) -> list[DomainEvent] | Refusal:
    """Record a statement. `lines`: events of the log so far; `pad_lines`: (player, pad_seq)
    already taken in.

    Refused with `duels.statement_malformed` (a number or time out of range),
    `duels.pad_line_repeated` or `duels.no_such_line`.
    """
    match statement:
        case DeclareLp(about=about, value=value, pad_seq=pad_seq, delta=delta):
            if fault := _out_of_range(value=value, pad_seq=pad_seq, delta=abs(delta or 0)):
                return fault
            if statement.client_time is not None and not TIME.fullmatch(statement.client_time):
                return Refusal("duels.statement_malformed", {"found": "client_time"})
            if (statement.player, pad_seq) in pad_lines:
                return Refusal(
                    "duels.pad_line_repeated", {"found": pad_seq, "player": statement.player}
                )
            return [
                ev.LpDeclared(statement.player, about, value, delta, pad_seq, statement.client_time)
            ]
        case AgreeLp(p1=p1, p2=p2):
            if fault := _out_of_range(p1=p1, p2=p2):
                return fault
            return [ev.LpAgreed({"P1": p1, "P2": p2})]
        case DeclareCount(about=about, zone=zone, value=value):
            if fault := _out_of_range(value=value):
                return fault
            return [ev.CountDeclared(statement.player, about, zone, value)]
        case MarkTurn(turn=turn, active=active):
            if fault := _out_of_range(turn=turn):
                return fault
            return [ev.TurnMarked(statement.player, turn, active)]
        case ShuffleHand():
            return [ev.HandShuffled(statement.player)]
        case DisputeLine(line=line, reason=reason):
            if not 1 <= line <= lines:
                return Refusal("duels.no_such_line", {"found": line, "allowed": [1, lines]})
            return [ev.LineDisputed(statement.player, line, reason)]


def _out_of_range(**numbers: int) -> Refusal | None:
    for name, value in numbers.items():
        if not 0 <= value <= MAX_VALUE:
            return Refusal(
                "duels.statement_malformed",
                {"field": name, "found": str(value)[:40], "allowed": [0, MAX_VALUE]},
            )
    return None
