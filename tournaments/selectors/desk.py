"""What the desk needs: open tables, what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments.domain.event import (
    CHECKED_IN,
    CLOSED,
    CUT,
    DRAFT,
    ENROLLED,
    OPEN,
    RUNNING,
)
from tournaments.models import EventRow, MatchRow, RoundRow
from tournaments.selectors.rounds import PairingLine, line
from tournaments.selectors.rules import Rules, rules_of
from tournaments.selectors.sides import Side, event_sides, readable


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table without a result, with the claims side by side."""

    line: PairingLine
    claims: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Desk:
    """The desk of an event. `next_action` names the command to run next, `wait_results` while
    tables are open, empty when there is nothing to do. `recommended` is (rounds, cut) for those
    now checked in, by `table` of the policy. `contested`: tables whose result somebody entered
    otherwise; the next round waits for them as for open ones."""

    event: EventRow
    next_action: str
    open_tables: tuple[OpenTable, ...]
    not_checked_in: tuple[Side, ...]
    checked_in: int
    draft: RoundRow | None
    recommended: tuple[int, int]
    table: str
    rules: Rules
    playing: tuple[Side, ...]
    contested: tuple[PairingLine, ...]


def desk(viewer: Actor, event_id: str) -> Desk:
    """Return the desk data: six queries. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    named = event_sides(event_id)
    waiting = list(
        MatchRow.objects.filter(event_id=event_id)
        .exclude(state="draft")
        .exclude(state="decided", contests=[])
        .order_by("round", "table")
    )
    rounds = RoundRow.objects.filter(event_id=event_id)
    held = {one.number: one for one in rounds.filter(Q(published=False) | Q(number=event.round))}
    draft = next((one for one in held.values() if not one.published), None)
    ends = held[event.round].clock_ends_at if event.round in held else ""
    tables = tuple(
        OpenTable(line(row, named, True, ends), row.claims) for row in waiting if not row.winner
    )
    rules = rules_of(event_id)
    playing = [one for one in named.values() if one.status == CHECKED_IN]
    return Desk(
        event,
        _next_action(event, bool(waiting), named),
        tables,
        tuple(one for one in named.values() if one.status == ENROLLED),
        len(playing),
        draft,
        rules.advised(len(playing)),
        rules.policy.policy,
        rules,
        tuple(playing),
        tuple(line(row, named, True, ends) for row in waiting if row.winner),
    )


def _next_action(event: EventRow, tables_open: bool, named: Mapping[str, Side]) -> str:
    if event.status == DRAFT:
        return "registration_open"
    if event.status == OPEN:
        return "registration_close"
    if event.status == CLOSED:
        return "event_start"
    if event.status not in (RUNNING, CUT):
        return ""
    if tables_open:
        return "wait_results"
    if event.draft_round:
        return "round_publish"
    if sum(one.status == CHECKED_IN for one in named.values()) < 2:
        return "event_finish"
    if event.status == CUT:
        return "event_finish" if _cut_over(event) else "round_pair"
    if event.round < (event.rounds or 0):
        return "round_pair"
    return "cut_make" if event.cut else "event_finish"


def _cut_over(event: EventRow) -> bool:
    newest = RoundRow.objects.filter(event_id=event.pk, number=event.round).first()
    return newest is not None and newest.stage == "cut" and len(newest.slots) == 2
