"""Reads of seats: what is free, who waits, what an offer still holds. As they are by the clock,
whether a worker has been there or not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import msgspec

from eventstore import clock
from people import selectors as people
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.models import Person
from tournaments.domain import door_policy, door_seats
from tournaments.domain.door_codes import code_of
from tournaments.domain.door_events import DoorPolicy
from tournaments.domain.door_policy import PrizeMoved
from tournaments.domain.door_seats import LAST_LATE_ROUND, OFFERED, WAITING
from tournaments.domain.event import CHECKED_IN, CLOSED, DRAFT, ENROLLED, OPEN, RUNNING
from tournaments.domain.round_clock import moment
from tournaments.models import (
    DoorEntrantRow,
    DoorRow,
    EntrantRow,
    EventRow,
    NoticeRow,
    WaitingRow,
)
from tournaments.selectors.rules import rules_of
from tournaments.selectors.sides import readable

LIVE = ("waiting", "offered")


@dataclass(frozen=True, slots=True)
class Place:
    """A place on the waiting list as it is now: `ahead` stand before it; `state` waiting, offered
    (`until`, UTC text, `left_s` seconds), or due: a seat is free, the offer comes with the next
    act of anybody."""

    entrant_id: str
    person_id: str
    persons: tuple[str, ...]
    ahead: int
    state: str
    until: str
    left_s: int
    by_staff: bool


@dataclass(frozen=True, slots=True)
class Seats:
    """Seats of an event. `free` None: no limit. `window`: whether players may enrol now by the
    window: early, open, over; `check_in` the same for the check-in."""

    policy: DoorPolicy
    started_with: int
    taken: int
    offered: int
    free: int | None
    line: tuple[Place, ...]
    window: str
    check_in: str
    enters: bool

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self.line)


def policy_of(event_id: str) -> tuple[DoorPolicy, int]:
    """Return the policy of the door and with how many players the event started: one query."""
    row = DoorRow.objects.filter(pk=event_id).first()
    if row is None:
        return DoorPolicy(), 0
    return msgspec.convert(row.policy, DoorPolicy), row.started_with


def _window(opens: str | None, closes: str | None, now: datetime) -> str:
    if opens is not None and now < moment(opens):
        return "early"
    return "over" if closes is not None and now >= moment(closes) else "open"


def seats_of(row: EventRow) -> Seats:
    """Return the seats of an event: three queries."""
    now = clock.now()
    policy, started_with = policy_of(row.pk)
    taken = EntrantRow.objects.filter(event_id=row.pk, status__in=[ENROLLED, CHECKED_IN]).count()
    rows = list(WaitingRow.objects.filter(event_id=row.pk, state__in=LIVE).order_by("place"))
    late = row.status == RUNNING and row.round <= LAST_LATE_ROUND
    enters = late or row.status in (DRAFT, OPEN, CLOSED)
    standing = door_seats.standing(
        [one.until if one.state == "offered" else None for one in rows],
        policy.capacity,
        taken,
        now,
        enters=enters,
    )
    line: list[Place] = []
    for one, state in zip(rows, standing, strict=True):
        if state is None:
            continue
        until = one.until if state == OFFERED else ""
        left = int((moment(until) - now).total_seconds()) if until else 0
        line.append(
            Place(
                one.entrant_id,
                one.person_id,
                tuple(one.persons),
                len(line),
                state,
                until,
                max(0, left),
                one.by_staff,
            )
        )
    offered = sum(one.state != WAITING for one in line)
    free = None if policy.capacity is None else max(0, policy.capacity - taken - offered)
    return Seats(
        policy,
        started_with,
        taken,
        offered,
        free,
        tuple(line),
        _window(policy.opens_at, policy.closes_at, now),
        _window(policy.check_in_opens, policy.check_in_closes, now),
        enters,
    )


def door_now(viewer: Actor, event_id: str) -> Seats:
    """Return the seats of an event for everybody who may know of it, the line without names:
    four queries. Raises NotAllowed."""
    return seats_of(readable(viewer, event_id, "tournaments.event_read"))


@dataclass(frozen=True, slots=True)
class WaitingLine:
    """A place on the waiting list with the registered name, for the desk."""

    place: Place
    name: str
    code: str


def waiting_list(viewer: Actor, event_id: str) -> list[WaitingLine]:
    """Return who waits, in order: five queries. Raises NotAllowed."""
    row = readable(viewer, event_id, "tournaments.event_read")
    require(viewer, "tournaments.door_use", Subject(event_id))
    line = seats_of(row).line
    names = people.registered_names(one.person_id for one in line)
    return [
        WaitingLine(one, names.get(one.person_id, "?"), code_of(one.entrant_id)) for one in line
    ]


@dataclass(frozen=True, slots=True)
class MySeat:
    """The viewer's way into an event: `state` none, in, out, waiting, offered, due, expired,
    declined, left; the place of one who waits; the entrant it is or will be."""

    state: str
    entrant_id: str
    place: Place | None = None


def my_seat(viewer: Actor, event: EventRow, held: Seats) -> MySeat:
    """Return where the viewer stands in an event: one query."""
    if viewer.person_id is None or not viewer.acts_in(event.pk):
        return MySeat("none", "")
    for one in held.line:
        if viewer.person_id in one.persons:
            return MySeat(one.state, one.entrant_id, one)
    ended = WaitingRow.objects.filter(event_id=event.pk, person_id=viewer.person_id)
    newest = ended.order_by("-place").first()
    if newest is None:
        return MySeat("none", "")
    # an offer whose time is over by the clock, noted or not
    state = "expired" if newest.state in LIVE else newest.state
    return MySeat("in" if state == "taken" else state, newest.entrant_id)


def my_waiting(viewer: Actor, besides: Collection[str]) -> list[EventRow]:
    """Return the events in which the viewer waits, newest first, without some: two queries."""
    if viewer.person_id is None:
        return []
    mine = WaitingRow.objects.filter(person_id=viewer.person_id, state__in=LIVE)
    held = [
        one
        for one in mine.values_list("event_id", flat=True)
        if viewer.acts_in(one) and one not in besides
    ]
    return list(EventRow.objects.filter(pk__in=held).order_by("-created_at", "id"))


@dataclass(frozen=True, slots=True)
class MyDoor:
    """What the door knows of the viewer: both names, money, what was accepted."""

    name: str
    public_name: str
    paid: int
    owes: int
    comped: bool
    notice: bool


def my_door(viewer: Actor, event_id: str, entrant_id: str) -> MyDoor:
    """Return what the door knows of the viewer itself: four queries. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.event_read")
    policy, _ = policy_of(event_id)
    person = Person.objects.filter(pk=viewer.person_id or "").first()
    if person is not None and person.merged_into:
        person = Person.objects.filter(pk=person.merged_into).first()
    note = DoorEntrantRow.objects.filter(pk=entrant_id, event_id=event_id).first()
    paid, comped = (note.paid, note.comped) if note is not None else (0, False)
    accepted = (
        bool(policy.notice_version)
        and NoticeRow.objects.filter(
            event_id=event_id, person_id=viewer.person_id or "", version=policy.notice_version
        ).exists()
    )
    return MyDoor(
        person.display_name if person is not None else "",
        person.public_name if person is not None else "",
        paid,
        0 if comped else max(0, policy.fee - paid),
        comped,
        accepted or not policy.notice_version,
    )


@dataclass(frozen=True, slots=True)
class FieldMoved:
    """What the number of players changes: those at the start, those now, late ones among them;
    what the policy advises for each as (rounds, cut); rounds and cut as they are; the prize of
    each place now, the same by neighbouring places (`now` of each), and what moved."""

    before: int
    now: int
    late: int
    advised_before: tuple[int, int]
    advised: tuple[int, int]
    rounds: int | None
    cut: int
    prizes: tuple[tuple[int, str], ...]
    prizes_now: tuple[PrizeMoved, ...]
    prizes_moved: tuple[PrizeMoved, ...]

    @property
    def moved(self) -> bool:
        """Whether late entries changed anything."""
        return bool(self.late) and (self.advised != self.advised_before or bool(self.prizes_moved))


def field_moved(viewer: Actor, event_id: str) -> FieldMoved:
    """Return what late entries changed since the start; before it, what holds for those checked
    in: five queries at most. Raises NotAllowed."""
    row = readable(viewer, event_id, "tournaments.event_read")
    return _field(row, *policy_of(event_id))


def _field(row: EventRow, policy: DoorPolicy, started_with: int) -> FieldMoved:
    entrants = EntrantRow.objects.filter(event_id=row.pk)
    late = entrants.filter(late=True).count() if started_with else 0
    now = started_with + late if started_with else entrants.filter(status=CHECKED_IN).count()
    before = started_with or now
    rules = rules_of(row.pk)
    return FieldMoved(
        before,
        now,
        late,
        rules.advised(before),
        rules.advised(now),
        row.rounds,
        row.cut,
        tuple(door_policy.prizes_for(policy.prizes, now).items()),
        tuple(door_policy.prizes_moved(policy.prizes, 0, now)),
        tuple(door_policy.prizes_moved(policy.prizes, before, now)),
    )
