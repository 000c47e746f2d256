"""Reads of rounds and their pairings. A draft shows to staff only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from tournaments.domain.event import SWISS_STAGE
from tournaments.domain.pairing.explain import Why, explain
from tournaments.domain.pairing.field import Pairing, Player, Value
from tournaments.domain.round_clock import moment, text_of
from tournaments.models import EventRow, MatchRow, RoundRow
from tournaments.selectors.sides import Side, event_sides, is_staff, readable

PUBLIC_WORD = {"claimed": "playing", "disputed": "playing", "between": "playing"}
"""What a table is doing, as far as everybody may know."""


@dataclass(frozen=True, slots=True)
class PairingLine:
    """One table. `score` is (P1 wins, P2 wins, draws); `winner`, `reason` are empty while it is
    open. `corrected`: staff replaced the result. `duels` as in MatchRow, those with a log kept.
    `extension_s`: seconds the table has beyond the clock of the round; `ends_at`: its own end (UTC
    text), empty where no clock runs. `contested`: for staff, whether something was said against
    the result."""

    match_id: str
    table: int
    p1: Side
    p2: Side
    state: str
    winner: str
    score: tuple[int, int, int]
    reason: str
    corrected: bool
    duels: tuple[Mapping[str, Any], ...]
    extension_s: int = 0
    ends_at: str = ""
    contested: bool = False

    @property
    def extension_minutes(self) -> int:
        """The extension in minutes, rounded up, as it is said."""
        return -(-self.extension_s // 60)

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both players."""
        return self.p1, self.p2


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round with its tables in order and those who have a bye. `reasons` (entrant id to code)
    and `row` (seed, objective, bound, proof) explain the pairing."""

    row: RoundRow
    tables: Sequence[PairingLine]
    byes: tuple[Side, ...]
    late: tuple[Side, ...]
    reasons: Mapping[str, str]


def shown_state(state: str, staff: bool) -> str:
    """Return the state word of a match for staff, or what everybody may know of it."""
    return state if staff else PUBLIC_WORD.get(state, state)


def line(
    row: MatchRow, named: Mapping[str, Side], staff: bool, clock_ends_at: str = ""
) -> PairingLine:
    """Make the line of a match; `clock_ends_at` is the end of its round's clock, if it runs."""
    end = ""
    if clock_ends_at and not row.winner:
        end = text_of(moment(clock_ends_at) + timedelta(seconds=row.extension_s))
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
        tuple(one for one in row.duels if one["duel_id"]),
        row.extension_s,
        end,
        staff and bool(row.contests),
    )


def rounds_list(viewer: Actor, event_id: str) -> list[RoundRow]:
    """Return the rounds, the draft among them for staff: two queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.pairings_read")
    # what a round says of each entrant is long, and the list of rounds says none of it
    rows = RoundRow.objects.filter(event_id=event_id).order_by("number").defer("points", "reasons")
    return list(rows if is_staff(viewer, event_id) else rows.filter(published=True))


def pairings(viewer: Actor, event_id: str, number: int) -> RoundView:
    """Return a round: five queries. Raises NotAllowed, hidden for a draft and for none."""
    row, staff = _round(viewer, event_id, number)
    named = event_sides(event_id, row.points)
    matches = MatchRow.objects.filter(event_id=event_id, round=number).order_by("table")
    return RoundView(
        row,
        tuple(line(match, named, staff, row.clock_ends_at) for match in matches),
        tuple(named[one] for one in row.byes),
        tuple(named[one] for one in row.late),
        row.reasons,
    )


def tables_in(event_id: str, number: int) -> int:
    """Return how many tables a round has, for who has asked for the right already: one query."""
    return MatchRow.objects.filter(event_id=event_id, round=number).count()


def _round(viewer: Actor, event_id: str, number: int) -> tuple[RoundRow, bool]:
    readable(viewer, event_id, "tournaments.pairings_read")
    rows = RoundRow.objects.filter(event_id=event_id, number=number)
    return shown_round(viewer, event_id, rows), is_staff(viewer, event_id)


def shown_round(viewer: Actor, event_id: str, found: Iterable[RoundRow]) -> RoundRow:
    """Return the round that was looked for, if the viewer may see it. Raises NotAllowed, hidden for
    a draft and for none."""
    row = next(iter(found), None)
    if row is None:
        raise NotAllowed("tournaments.pairings_read", Verdict.HIDDEN)
    if not row.published:
        require(viewer, "tournaments.event_read_draft", Subject(event_id, public=False))
    return row


@dataclass(frozen=True, slots=True)
class WhyPaired:
    """Why an entrant has its opponent or the bye in a round (domain.pairing.explain)."""

    side: Side
    opponent: Side | None
    why: Why


def why_paired(viewer: Actor, event_id: str, number: int, entrant_id: str) -> WhyPaired | None:
    """Return why an entrant of a Swiss round has its opponent: eight queries; None for a round of
    the cut, a round from a file, or somebody who is not in it. Raises NotAllowed as pairings."""
    view = pairings(viewer, event_id, number)
    row = view.row
    if row.stage != SWISS_STAGE or not row.method:
        return None
    lines = {one.entrant_id: one for table in view.tables for one in (table.p1, table.p2)}
    lines |= {one.entrant_id: one for one in view.byes}
    side = lines.get(entrant_id)
    if side is None:
        return None
    met: dict[str, set[str]] = {one: set() for one in lines}
    before = MatchRow.objects.filter(event_id=event_id, stage=SWISS_STAGE, round__lt=number)
    for one, two in before.values_list("p1", "p2"):
        met.setdefault(one, set()).add(two)
        met.setdefault(two, set()).add(one)
    byes = dict.fromkeys(lines, 0)
    earlier = RoundRow.objects.filter(event_id=event_id, stage=SWISS_STAGE, number__lt=number)
    for held in earlier.values_list("byes", flat=True):
        for one in held:
            byes[one] = byes.get(one, 0) + 1
    plan = EventRow.objects.values_list("plan", flat=True).get(pk=event_id)
    free = {one for one, reason in row.reasons.items() if reason == "free_by_plan"}
    players = [
        Player(one, row.points.get(one, 0), frozenset(met[one]), byes[one])
        for one in lines
        if one not in free or one == entrant_id
    ]
    holder = next((one.entrant_id for one in view.byes if one.entrant_id not in free), None)
    made = Pairing(
        tuple((one.p1.entrant_id, one.p2.entrant_id) for one in view.tables),
        entrant_id if entrant_id in free else holder,
        Value(row.rematches or 0, row.bye_count or 0, row.bye_level or 0, row.cost or 0),
        row.lower_bound or 0,
        row.method,
        bool(row.proven),
        row.reasons,
    )
    forbidden = [(one, two) for one, two in plan.get("forbidden", ())]
    told = explain(players, made, entrant_id, forbidden)
    return WhyPaired(side, lines.get(told.opponent or ""), told)
