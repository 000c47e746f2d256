"""The door of an event as the fold of its stream: policy, waiting list, fees, merges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from eventstore.domain.registry import DomainEvent
from tournaments.domain import door_events as ev
from tournaments.domain.door_events import DoorPolicy

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody on the waiting list. `until` (UTC text): a seat is kept for them so long. `came`:
    the persons it joined with."""

    entrant_id: str
    place: int
    persons: tuple[str, ...]
    by_staff: bool = False
    until: str | None = None
    came: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fee:
    """What an entrant has paid less what it got back, in minor units; comped: owes nothing."""

    paid: int = 0
    comped: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """Two entrants made one: the kept entrant, its persons, state and fee before, state and
    fee of the one that is gone, the newest published round then, and the deck list of either."""

    kept: str
    persons: tuple[str, ...]
    status: str
    fee: Fee
    gone_fee: Fee
    gone_status: str
    after_round: int
    deck_id: str | None = None
    gone_deck_id: str | None = None


@dataclass(frozen=True, slots=True)
class Door:
    """State of the door; `waiting` is in order of places, `places` counts all who ever waited.
    `notices` are accepted versions by person, `merges` by the entrant that is gone."""

    policy: DoorPolicy = field(default_factory=DoorPolicy)
    waiting: tuple[Waiting, ...] = ()
    places: int = 0
    fees: Mapping[str, Fee] = field(default_factory=dict)
    eligible: Mapping[str, str] = field(default_factory=dict)
    notices: Mapping[str, str] = field(default_factory=dict)
    merges: Mapping[str, Merge] = field(default_factory=dict)

    @property
    def offered(self) -> int:
        """How many seats are kept for somebody."""
        return sum(one.until is not None for one in self.waiting)

    def waits(self, entrant_id: str) -> Waiting | None:
        """Return the place of an entrant on the waiting list."""
        return next((one for one in self.waiting if one.entrant_id == entrant_id), None)

    def waits_as(self, person_id: str) -> Waiting | None:
        """Return the place of a person on the waiting list."""
        return next((one for one in self.waiting if person_id in one.persons), None)

    def fee_of(self, entrant_id: str) -> Fee:
        """Return what an entrant has paid."""
        return self.fees.get(entrant_id, Fee())

    def owes(self, entrant_id: str) -> int:
        """Return what an entrant still has to pay, in minor units."""
        held = self.fee_of(entrant_id)
        return 0 if held.comped else max(0, self.policy.fee - held.paid)

    @property
    def money_taken(self) -> bool:
        """Whether somebody has paid something that is not paid back."""
        return any(one.paid for one in self.fees.values())


def _with(held: Mapping[str, V], key: str, value: V) -> dict[str, V]:
    return {**held, key: value}


def _gone(door: Door, entrant_id: str) -> Door:
    return replace(door, waiting=tuple(one for one in door.waiting if one.entrant_id != entrant_id))


def evolve(door: Door, event: DomainEvent) -> Door:
    """Apply one event; returns the same door for an event that is not about it."""
    match event:
        case ev.DoorSet():
            return replace(door, policy=event.policy)
        case ev.WaitingJoined():
            persons = event.persons
            made = Waiting(event.entrant_id, event.place, persons, event.by_staff, came=persons)
            return replace(door, waiting=(*door.waiting, made), places=event.place)
        case ev.SeatOffered():
            held = tuple(
                replace(one, until=event.until) if one.entrant_id == event.entrant_id else one
                for one in door.waiting
            )
            return replace(door, waiting=held)
        case ev.WaitingLeft() | ev.OfferDeclined() | ev.OfferExpired() | ev.OfferTaken():
            return _gone(door, event.entrant_id)
        case ev.FeePaid():
            before = door.fee_of(event.entrant_id)
            fee = replace(before, paid=before.paid + event.amount)
            return replace(door, fees=_with(door.fees, event.entrant_id, fee))
        case ev.FeeComped():
            fee = replace(door.fee_of(event.entrant_id), comped=True)
            return replace(door, fees=_with(door.fees, event.entrant_id, fee))
        case ev.FeeRefunded():
            before = door.fee_of(event.entrant_id)
            fee = Fee(before.paid - event.amount)
            return replace(door, fees=_with(door.fees, event.entrant_id, fee))
        case ev.EligibilitySeen():
            return replace(door, eligible=_with(door.eligible, event.entrant_id, event.seen))
        case ev.NoticeAccepted():
            return replace(door, notices=_with(door.notices, event.person_id, event.version))
        case ev.EntrantPersonsSet():
            held = tuple(
                replace(one, persons=event.persons) if one.entrant_id == event.entrant_id else one
                for one in door.waiting
            )
            return replace(door, waiting=held)
        case ev.EntrantsMerged():
            fees = _with(door.fees, event.entrant_id, Fee(event.paid, event.comped))
            return replace(door, fees=_with(fees, event.gone, Fee()))
        case ev.EntrantsUnmerged():
            fees = _with(door.fees, event.entrant_id, Fee(event.paid, event.comped))
            fees = _with(fees, event.gone, Fee(event.gone_paid, event.gone_comped))
            return replace(door, fees=fees)
        case _:
            return door


def held_longer(door: Door, since: str, until: str) -> Door:
    """Return the door after the server was away from `since` to `until` (UTC text): offers that
    stood then hold that much longer."""
    if until <= since or not any(one.until and one.until > since for one in door.waiting):
        return door
    return replace(
        door,
        waiting=tuple(
            replace(one, until=later(one.until, since, until))
            if one.until and one.until > since
            else one
            for one in door.waiting
        ),
    )


def later(moment: str, since: str, until: str) -> str:
    """Return a moment (UTC text) moved by the time from `since` to `until`."""
    away = datetime.fromisoformat(until) - datetime.fromisoformat(since)
    return (datetime.fromisoformat(moment) + away).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
