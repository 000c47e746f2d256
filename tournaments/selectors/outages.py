"""Reads of the outages of the server: for the desk, and the spans that other clocks leave out."""

from __future__ import annotations

from dataclasses import dataclass

from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.selectors import names
from tournaments.domain.away import Span
from tournaments.domain.event import UNDER_WAY
from tournaments.domain.outage import minutes_offered
from tournaments.models import DoorRow, EntrantRow, EventRow, MatchRow, OutageRow
from tournaments.selectors.rounds import PairingLine, line
from tournaments.selectors.sides import readable, sides

READ = "tournaments.desk_use"
DEADLINES = ("closes_at", "check_in_closes")


@dataclass(frozen=True, slots=True)
class OutageView:
    """An outage: `offered` minutes for all tables (0: none to offer), `by_name` who decided,
    `passed` the deadlines that fell into it as (code, UTC text), `now`: its round is on."""

    row: OutageRow
    offered: int
    by_name: str
    passed: tuple[tuple[str, str], ...]
    now: bool

    @property
    def waits(self) -> bool:
        """Whether the desk still has to decide."""
        return self.now and not self.row.settled_at

    @property
    def minutes(self) -> int:
        """The length in minutes as it is said: the nearest, 1 at least."""
        return max(1, ((self.row.seconds or 0) + 30) // 60)

    @property
    def doubtful(self) -> bool:
        """Whether the clock of the server cannot say how long it was."""
        return self.row.seconds is None

    @property
    def clock_set(self) -> bool:
        """Whether the server was there, and only its clock was set."""
        return self.row.seconds == 0


@dataclass(frozen=True, slots=True)
class OutagesView:
    """The outages of an event, newest first, and the open tables of the round that is on: those
    whose slips are to be checked where the log is a copy."""

    event: EventRow
    outages: tuple[OutageView, ...]
    tables: tuple[PairingLine, ...]


def spans_of(event_id: str) -> tuple[Span, ...]:
    """Return when the server was away while the event was under way, for clocks that stood still
    then, for who has asked for the right already: one query."""
    rows = OutageRow.objects.filter(event_id=event_id).values_list("since", "until")
    return tuple((since, until) for since, until in rows if since < until)


def outages_open(viewer: Actor, event_id: str) -> list[OutageView]:
    """Return the outages that wait for the desk, newest first: at most four queries. Raises
    NotAllowed."""
    return [one for one in outages(viewer, event_id) if one.waits]


def outages(viewer: Actor, event_id: str) -> list[OutageView]:
    """Return the outages of an event, newest first: two queries without any, four at most. Raises
    NotAllowed."""
    event = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, READ, Subject(event_id))
    rows = list(OutageRow.objects.filter(event_id=event_id).order_by("-since"))
    if not rows:
        return []
    known = names(one.settled_by for one in rows if one.settled_by)
    door = DoorRow.objects.filter(pk=event_id).values_list("policy", flat=True).first() or {}
    ends = [(name, str(door.get(name) or "")) for name in DEADLINES]
    ends.append(("deck_deadline", event.deck_deadline))
    on = event.round if event.status in UNDER_WAY else 0
    return [
        OutageView(
            row,
            minutes_offered(row.seconds) if row.seconds and row.ran else 0,
            known.get(row.settled_by, ""),
            tuple((name, at) for name, at in ends if at and row.since < at <= row.until),
            0 < on == row.round,
        )
        for row in rows
    ]


def outage_desk(viewer: Actor, event_id: str) -> OutagesView:
    """Return the outages of an event with the open tables of its round: eight queries at most.
    Raises NotAllowed."""
    found = outages(viewer, event_id)
    event = EventRow.objects.get(pk=event_id)
    if not any(one.now for one in found):
        return OutagesView(event, tuple(found), ())
    rows = list(
        MatchRow.objects.filter(event_id=event_id, round=event.round, winner="")
        .exclude(state="draft")
        .order_by("table")
    )
    named = sides(EntrantRow.objects.filter(pk__in={e for row in rows for e in (row.p1, row.p2)}))
    return OutagesView(event, tuple(found), tuple(line(row, named, True) for row in rows))
