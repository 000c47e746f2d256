"""Reads of rounds and their pairings. A draft shows to staff only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from tournaments.models import MatchRow, RoundRow
from tournaments.selectors.sides import Side, event_sides, is_staff, readable

PUBLIC_WORD = {"claimed": "playing", "disputed": "playing", "between": "playing"}
"""What a table is doing, as far as everybody may know."""


@dataclass(frozen=True, slots=True)
class PairingLine:
    """One table. `score` is (P1 wins, P2 wins, draws); `winner`, `reason` are empty while it is
    open. `corrected`: staff replaced the result."""

    match_id: str
    table: int
    p1: Side
    p2: Side
    state: str
    winner: str
    score: tuple[int, int, int]
    reason: str
    corrected: bool


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round with its tables in order and those who have a bye. `reasons` (entrant id to code)
    and `row` (seed, objective, bound, proof) explain the pairing."""

    row: RoundRow
    tables: tuple[PairingLine, ...]
    byes: tuple[Side, ...]
    late: tuple[Side, ...]
    reasons: Mapping[str, str]


def shown_state(state: str, staff: bool) -> str:
    """Return the state word of a match for staff, or what everybody may know of it."""
    return state if staff else PUBLIC_WORD.get(state, state)


def line(row: MatchRow, named: Mapping[str, Side], staff: bool) -> PairingLine:
    """Make the line of a match."""
    return PairingLine(
        row.pk,
        row.table,
        named[row.p1],
        named[row.p2],
        shown_state(row.state, staff),
        row.winner,
        (row.p1_wins, row.p2_wins, row.draws),
        row.reason,
        row.corrections > 0,
    )


def rounds_list(viewer: Actor, event_id: str) -> list[RoundRow]:
    """Return the rounds, the draft among them for staff: two queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.pairings_read")
    rows = RoundRow.objects.filter(event_id=event_id).order_by("number")
    return list(rows if is_staff(viewer, event_id) else rows.filter(published=True))


def pairings(viewer: Actor, event_id: str, number: int) -> RoundView:
    """Return a round: five queries. Raises NotAllowed, hidden for a draft and for none."""
    readable(viewer, event_id, "tournaments.pairings_read")
    row = RoundRow.objects.filter(event_id=event_id, number=number).first()
    if row is None:
        raise NotAllowed("tournaments.pairings_read", Verdict.HIDDEN)
    if not row.published:
        require(viewer, "tournaments.event_read_draft", Subject(event_id, public=False))
    staff = is_staff(viewer, event_id)
    named = event_sides(event_id, row.points)
    matches = MatchRow.objects.filter(event_id=event_id, round=number).order_by("table")
    return RoundView(
        row,
        tuple(line(match, named, staff) for match in matches),
        tuple(named[one] for one in row.byes),
        tuple(named[one] for one in row.late),
        row.reasons,
    )
