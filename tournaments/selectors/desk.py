"""What the desk needs: how far the round is, open tables, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

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
from tournaments.models import EntrantRow, EventRow, RoundRow
from tournaments.selectors.results import (
    OpenTable,
    ResultsTally,
    clash_lines,
    open_lines,
    results_tally,
)
from tournaments.selectors.rounds import PairingLine
from tournaments.selectors.rules import Rules, rules_of
from tournaments.selectors.sides import Lines, Side, readable, sides

MOST_OPEN = 40
"""Open tables that the page of the desk lists, and conflicts; the page of results has them all."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The desk of an event. `next_action` names the command to run next, `wait_results` while
    tables are open, empty when there is nothing to do. `recommended` is (rounds, cut) for those
    now checked in, by `table` of the policy. `tally` counts the tables of the newest round that is
    out. Read where one looks at them: `open_tables` by number; `pressing`, the same with disputed
    ones first; `clashes`, reports that differ and then results that somebody entered otherwise,
    for which the next round waits as for open tables; `not_checked_in`."""

    event: EventRow
    next_action: str
    tally: ResultsTally
    open_tables: Sequence[OpenTable]
    pressing: Sequence[OpenTable]
    clashes: Sequence[PairingLine]
    not_checked_in: Sequence[Side]
    checked_in: int
    draft: RoundRow | None
    recommended: tuple[int, int]
    table: str
    rules: Rules

    @property
    def open_shown(self) -> Sequence[OpenTable]:
        """The open tables for a page: all of a few, by number; of many the first MOST_OPEN, the
        disputed ones before the others."""
        few = self.tally.open <= MOST_OPEN
        return (self.open_tables if few else self.pressing)[:MOST_OPEN]


def desk(viewer: Actor, event_id: str) -> Desk:
    """Return the desk data: five queries, and three for each list that is looked at. Raises
    NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.desk_use", Subject(event_id))
    tally = results_tally(viewer, event_id, event.round)
    # what a round says of each entrant is long, and the desk says none of it
    rounds = RoundRow.objects.filter(event_id=event_id).defer("points", "reasons")
    held = {one.number: one for one in rounds.filter(Q(published=False) | Q(number=event.round))}
    newest = held.get(event.round)
    entrants = EntrantRow.objects.filter(event_id=event_id)
    away = entrants.filter(status=ENROLLED)
    counted = entrants.aggregate(
        away=Count("pk", filter=Q(status=ENROLLED)), here=Count("pk", filter=Q(status=CHECKED_IN))
    )
    here: int = counted["here"]
    rules = rules_of(event_id)
    return Desk(
        event,
        _next_action(event, newest, bool(tally.open or tally.clashing), here),
        tally,
        open_lines(newest, tally, disputed_first=False) if newest and tally.open else (),
        open_lines(newest, tally, disputed_first=True) if newest and tally.open else (),
        clash_lines(event_id, event.round, tally) if tally.clashing else (),
        Lines(away.order_by("number"), lambda rows: [*sides(rows).values()], counted["away"]),
        here,
        next((one for one in held.values() if not one.published), None),
        rules.advised(here),
        rules.policy.policy,
        rules,
    )


def _next_action(event: EventRow, newest: RoundRow | None, tables_open: bool, here: int) -> str:
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
    if here < 2:
        return "event_finish"
    if event.status == CUT:
        over = newest is not None and newest.stage == "cut" and len(newest.slots) == 2
        return "event_finish" if over else "round_pair"
    if event.round < (event.rounds or 0):
        return "round_pair"
    return "cut_make" if event.cut else "event_finish"
