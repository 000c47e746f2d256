"""Reads of the players who are not at their tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

from eventstore import clock
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from tournaments.domain.away import counted_from
from tournaments.domain.results import GAME_LOSS, MATCH_LOSS
from tournaments.domain.tardiness import minutes_between
from tournaments.house_pack import by_pack
from tournaments.models import AbsenceRow, DrawRow, MatchRow
from tournaments.selectors.outages import spans_of
from tournaments.selectors.rules import Rules, rules_of
from tournaments.selectors.sides import Side, event_sides, readable


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat of an open table. `missing_at` is empty for a player who is there; `due` is the
    loss that staff may confirm now, empty for none, and `due_in` the minutes to the next one."""

    seat: str
    side: Side
    missing_at: str
    game_loss: bool
    due: str
    due_in: int | None


@dataclass(frozen=True, slots=True)
class TardyTable:
    """An open table of the newest round with its two seats."""

    match_id: str
    table: int
    state: str
    seats: tuple[Seat, Seat]

    @property
    def missing(self) -> bool:
        """Whether a seat is empty."""
        return any(one.missing_at for one in self.seats)


@dataclass(frozen=True, slots=True)
class TardyView:
    """The timers of the newest round: `minutes` since it began (`started_at`; `by_clock`: its
    clock, else its publication), tables with an empty seat first."""

    number: int
    started_at: str
    by_clock: bool
    minutes: int
    rules: Rules
    tables: tuple[TardyTable, ...]


def tardy_tables(viewer: Actor, event_id: str) -> TardyView | None:
    """Return the open tables of the newest round, None before the first: ten queries, for
    staff. Raises NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.tardiness_mark", Subject(event_id))
    drawn = DrawRow.objects.filter(pk=f"{event_id}:{event.round}").first()
    if drawn is None or not drawn.published_at:
        return None
    rules = rules_of(event_id)
    rules = replace(rules, policy=by_pack(rules.policy, event_id))
    start = drawn.clock_at or drawn.published_at
    now = clock.as_text(clock.now())
    # nobody was late while the server could not say where to sit
    minutes = minutes_between(counted_from(spans_of(event_id), start, now), now)
    named = event_sides(event_id)
    absent = {
        (row.match_id, row.seat): row
        for row in AbsenceRow.objects.filter(event_id=event_id, round=event.round)
    }

    def seat(match: MatchRow, name: str, entrant: str) -> Seat:
        row = absent.get((match.pk, name))
        if row is None:
            return Seat(name, named[entrant], "", False, "", None)
        due, due_in = "", None
        if not row.match_loss and minutes >= rules.policy.match_loss_min:
            due = MATCH_LOSS
        elif not row.game_loss and minutes >= rules.policy.game_loss_min:
            due = GAME_LOSS
        if due != MATCH_LOSS:
            after = rules.policy.match_loss_min
            if not due and not row.game_loss:
                after = rules.policy.game_loss_min
            due_in = max(0, after - minutes)
        return Seat(name, named[entrant], row.at, row.game_loss, due, due_in)

    rows = MatchRow.objects.filter(event_id=event_id, round=event.round).exclude(
        state__in=["draft", "decided"]
    )
    tables = [
        TardyTable(
            match.pk,
            match.table,
            match.state,
            (seat(match, "P1", match.p1), seat(match, "P2", match.p2)),
        )
        for match in rows.order_by("table")
    ]
    tables.sort(key=lambda one: not one.missing)
    return TardyView(event.round, start, bool(drawn.clock_at), minutes, rules, tuple(tables))
