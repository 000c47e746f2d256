"""The body of a .yrp: what was agreed, the decks, and the answers an engine would need.

A path of a puzzle's script may stand in it. It is read over: nothing it names is ever opened.
"""

from __future__ import annotations

from dataclasses import dataclass

from duels.imports.replay import container
from duels.imports.replay.container import HAND_TEST, NEW, SINGLE, WIDE_FLAGS, Header
from duels.imports.replay.cursor import U8, U16, U32, U64, Cursor
from duels.imports.replay.faults import EMBEDDED, Damage, Fault
from duels.imports.replay.names import names

MOST_CARDS = 512
"""Most cards of one part of a deck: far more than any table has."""
MOST_RULE_CARDS = 512
MOST_ANSWERS = 100_000
MOST_EMBEDDED = 1024 * 1024
"""Largest body of an embedded replay: 250 times the largest seen."""


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck by passcode; `main` as it lay after the shuffle, from the bottom to the top."""

    main: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """What a .yrp holds: names of both teams, Life Points, opening hand and draw, duel flags,
    a deck for each person, how many answers follow, and bytes after the last one."""

    head: Header
    players: tuple[tuple[str, ...], tuple[str, ...]]
    life_points: int
    hand: int
    draw: int
    flags: int
    decks: tuple[Deck, ...]
    answers: int
    rest: int = 0
    damage: Damage | None = None


def script(data: bytes, head: Header, fault: Fault | None, part: str) -> Script:
    """Read the body of a .yrp. Damage among the answers is told and costs nothing else.

    Raises `Fault`: `short`, `count`.
    """
    cursor = Cursor(data)
    players = names(cursor, head)
    life_points, hand, draw = (cursor.number(U32) for _ in range(3))
    flags = cursor.number(U64 if head.flags & WIDE_FLAGS and head.flags & NEW else U32)
    if head.flags & SINGLE:
        cursor.take(cursor.number(U16))
    decks: tuple[Deck, ...] = ()
    if not head.flags & SINGLE or head.flags & HAND_TEST:
        decks = tuple(
            Deck(cursor.numbers(MOST_CARDS), cursor.numbers(MOST_CARDS))
            for team in players
            for _ in team
        )
    if head.flags & NEW and not head.flags & HAND_TEST:
        cursor.numbers(MOST_RULE_CARDS)
    damage = fault.damage(part) if fault is not None else None
    answers = 0
    while cursor.left:
        at = cursor.at
        size = cursor.number(U8)
        if not size:
            break
        if answers == MOST_ANSWERS or size > cursor.left:
            damage = damage or Fault("short", at, cursor.left, size).damage(part)
            break
        cursor.at += size
        answers += 1
    return Script(
        head, players, life_points, hand, draw, flags, decks, answers, cursor.left, damage
    )


def embedded(data: bytes) -> Script:
    """Read a complete .yrp that stands in a packet. Raises `Fault`, places counted in it."""
    head = container.header(data)
    if head.kind == "yrpX":
        raise Fault("not_a_replay", 0, head.kind)
    inner = container.body(data, head, MOST_EMBEDDED)
    return script(inner.data, head, inner.fault, EMBEDDED)
