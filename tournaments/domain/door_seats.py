"""Decisions about seats: who gets one, who waits, who is offered the next.

A seat is taken by an entrant who is in (enrolled or checked in) or by an offer that stands, so
entrants and offers together never exceed the capacity. The one rule of order: a free seat is
offered to whoever waits with the lowest place, and a newcomer gets one only when nobody waits.
Time is an argument; whatever ran out is settled before anything else is decided (`settle`), so
the outcome never depends on when a worker came by.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as main
from tournaments.domain import door_events as ev
from tournaments.domain import event as state_of
from tournaments.domain.door import Waiting
from tournaments.domain.event import (
    CHECKED_IN,
    CLOSED,
    DRAFT,
    DROPPED,
    ENROLLED,
    OPEN,
    RUNNING,
    Decision,
    Entrant,
    Tournament,
)
from tournaments.domain.round_clock import moment, text_of

LAST_LATE_ROUND = 1
"""Late entrants come in until round 2 is published; round 1 counts as lost for them."""
OWN, STAFF = "own", "staff"


def taken(state: Tournament) -> int:
    """Return how many seats entrants hold."""
    return sum(one.status in (ENROLLED, CHECKED_IN) for one in state.entrants.values())


def free(state: Tournament) -> int | None:
    """Return how many seats nobody holds and nobody is offered; None: no limit."""
    capacity = state.door.policy.capacity
    if capacity is None:
        return None
    return max(0, capacity - taken(state) - state.door.offered)


def full(state: Tournament) -> Refusal | None:
    """Refuse with `tournaments.event_full{found, allowed}` while there is no seat."""
    if free(state) == 0:
        return Refusal(
            "tournaments.event_full",
            {
                "found": taken(state) + state.door.offered,
                "allowed": state.door.policy.capacity,
                "waiting": len(state.door.waiting),
            },
        )
    return None


def may_enter(state: Tournament) -> bool:
    """Say whether a seat is of any use still: the event takes late entrants until round 2."""
    if state.status == RUNNING:
        return state.current <= LAST_LATE_ROUND
    return state.status in (DRAFT, OPEN, CLOSED)


def folded(state: Tournament, events: list[DomainEvent]) -> Tournament:
    """Return the state after some events."""
    for one in events:
        state = state_of.evolve(state, one)
    return state


def fill(state: Tournament, now: datetime) -> list[DomainEvent]:
    """Offer the free seats to those who wait, in order."""
    if not may_enter(state):
        return []
    waiting = [one for one in state.door.waiting if one.until is None]
    room = free(state)
    until = text_of(now + timedelta(minutes=state.door.policy.offer_minutes))
    return [
        ev.SeatOffered(state.event_id, one.entrant_id, until)
        for one in waiting[: len(waiting) if room is None else room]
    ]


def expired(state: Tournament, now: datetime) -> list[Waiting]:
    """Return the offers whose time is over."""
    return [one for one in state.door.waiting if one.until is not None and moment(one.until) <= now]


WAITING, OFFERED, DUE = "waiting", "offered", "due"


def standing(
    offers: Sequence[str | None],
    capacity: int | None,
    held: int,
    now: datetime,
    *,
    enters: bool,
) -> list[str | None]:
    """Say of each place of a line, in order, what `settle` would leave: waiting, offered, due (it
    would be offered a seat now) or None (its offer ran out). `offers` are until when a seat is
    kept, None for those without; `held` seats are entrants'; not `enters`: nobody gets one."""
    states: list[str | None] = [
        WAITING if until is None else OFFERED if moment(until) > now else None for until in offers
    ]
    room = len(states)
    if capacity is not None:
        room = max(0, capacity - held - states.count(OFFERED))
    for at, state in enumerate(states):
        if state == WAITING and room and enters:
            states[at], room = DUE, room - 1
    return states


def settle(state: Tournament, now: datetime) -> list[DomainEvent]:
    """Return what has happened by itself: offers that ran out, seats that go on to the next."""
    over: list[DomainEvent] = [
        ev.OfferExpired(state.event_id, one.entrant_id) for one in expired(state, now)
    ]
    return over + fill(folded(state, over), now)


def window(state: Tournament, now: datetime) -> Refusal | None:
    """Refuse a player who enrols outside the registration window, with when and the zone:
    `tournaments.registration_early`, `tournaments.registration_over`."""
    policy, zone = state.door.policy, state.chosen.zone
    if policy.opens_at is not None and now < moment(policy.opens_at):
        return Refusal("tournaments.registration_early", {"allowed": policy.opens_at, "zone": zone})
    if policy.closes_at is not None and now >= moment(policy.closes_at):
        return Refusal("tournaments.registration_over", {"allowed": policy.closes_at, "zone": zone})
    return None


def check_in_window(state: Tournament, now: datetime, *, by_staff: bool) -> Refusal | None:
    """Refuse a check-in outside its window, with when: `tournaments.check_in_early` to everybody,
    `tournaments.check_in_over` to players (who comes late goes to the desk)."""
    policy, zone = state.door.policy, state.chosen.zone
    opens = policy.check_in_opens
    if opens is not None and now < moment(opens):
        return Refusal("tournaments.check_in_early", {"allowed": opens, "zone": zone})
    closes = policy.check_in_closes
    if closes is not None and now >= moment(closes) and not by_staff:
        return Refusal("tournaments.check_in_over", {"allowed": closes, "zone": zone})
    return None


def waits(
    state: Tournament, *, entrant_id: str, persons: tuple[str, ...], by_staff: bool
) -> Decision:
    """Put somebody at the end of the waiting list. Refused with `tournaments.already_waiting`."""
    for person in persons:
        before = state.door.waits_as(person)
        if before is not None:
            return Refusal(
                "tournaments.already_waiting",
                {"entrant": before.entrant_id, "found": place_of(state, before.entrant_id)},
            )
    return [ev.WaitingJoined(state.event_id, entrant_id, state.door.places + 1, persons, by_staff)]


def place_of(state: Tournament, entrant_id: str) -> int:
    """Return how many stand in the line up to an entrant, itself among them; 0: not in it."""
    for at, one in enumerate(state.door.waiting, 1):
        if one.entrant_id == entrant_id:
            return at
    return 0


def _waiting(state: Tournament, entrant_id: str) -> Waiting | Refusal:
    held = state.door.waits(entrant_id)
    if held is None:
        return Refusal("tournaments.not_waiting", {"entrant": entrant_id})
    return held


def _offered(state: Tournament, entrant_id: str) -> Waiting | Refusal:
    held = _waiting(state, entrant_id)
    if isinstance(held, Waiting) and held.until is None:
        return Refusal("tournaments.no_offer", {"found": place_of(state, entrant_id)})
    return held


def accept(state: Tournament, *, entrant_id: str) -> Decision:
    """Take the seat that is offered: a new entrant, or a dropped one again.

    Refused with `tournaments.not_waiting`, `tournaments.no_offer`, `tournaments.too_late`.
    """
    held = _offered(state, entrant_id)
    if isinstance(held, Refusal):
        return held
    if not may_enter(state):
        return Refusal("tournaments.too_late", {"found": state.current, "allowed": LAST_LATE_ROUND})
    seated = ev.OfferTaken(state.event_id, entrant_id)
    before = state.entrants.get(entrant_id)
    if before is not None:
        return [seated, back(state, before)]
    number = len(state.entrants) + 1
    return [
        seated,
        main.EntrantEnrolled(state.event_id, entrant_id, number, held.persons, held.by_staff),
    ]


def back(state: Tournament, one: Entrant) -> main.EntrantReinstated:
    """The event that takes a dropped entrant in again, with the record it has."""
    late = one.late or (one.ready and one.dropped_after == 0 and state.current >= 1)
    return main.EntrantReinstated(state.event_id, one.entrant_id, one.ready, late)


def decline(state: Tournament, *, entrant_id: str) -> Decision:
    """Give the offered seat to the next. Refused with `tournaments.not_waiting`,
    `tournaments.no_offer`."""
    held = _offered(state, entrant_id)
    if isinstance(held, Refusal):
        return held
    return [ev.OfferDeclined(state.event_id, entrant_id)]


def leave(state: Tournament, *, entrant_id: str, reason: str) -> Decision:
    """Go off the waiting list. Refused with `tournaments.not_waiting`."""
    held = _waiting(state, entrant_id)
    if isinstance(held, Refusal):
        return held
    return [ev.WaitingLeft(state.event_id, entrant_id, reason)]


def returning(state: Tournament, person_id: str) -> Entrant | None:
    """Return the dropped entrant of a person who enrols again."""
    one = state.entrant_of(person_id)
    return one if one is not None and one.status == DROPPED else None
