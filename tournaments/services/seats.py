"""Commands on seats: the policy of the door, enrolment into a seat or onto the waiting list,
offers.

Writers take turns (eventstore.turns): a command reads the stream while nobody else can append, so
two desks that sell the last seat in the same second are two commands one after the other, and
the later one finds a waiting list instead of a seat. No user ever sees a conflict of versions.
"""

from __future__ import annotations

from typing import Any

import msgspec

from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from people.access import require
from people.domain.permissions import Subject
from tournaments.domain import door_policy, door_seats, enrolment
from tournaments.domain.door_events import DoorPolicy, SeatOffered
from tournaments.domain.event import Tournament
from tournaments.services.loading import load_event
from tournaments.suspended import refuse_suspended

EXPIRE = "tournaments.offers_settle"
"""Topic: look at the offers of an event once the first of them runs out."""


def settled(unit: Unit, loaded: Loaded[Tournament]) -> tuple[Loaded[Tournament], list[DomainEvent]]:
    """Return the event as it stands now: with the offers gone that ran out, and those events,
    which the command appends before its own."""
    due = door_seats.settle(loaded.state, unit.now)
    state = door_seats.folded(loaded.state, due)
    return Loaded(loaded.stream, loaded.version, state), due


def append_after(
    unit: Unit,
    loaded: Loaded[Tournament],
    due: list[DomainEvent],
    made: list[DomainEvent],
) -> Tournament:
    """Append what was due, what the command decided, and what follows for the seats (whatever
    was freed is offered to those who wait), as one write. Returns the state afterwards."""
    state = door_seats.folded(loaded.state, made)
    follows = door_seats.fill(state, unit.now)
    events = [*due, *made, *follows]
    if events:
        unit.append(loaded.stream, loaded.version, events)
    offered = [one.until for one in events if isinstance(one, SeatOffered)]
    if offered:
        unit.enqueue(EXPIRE, event_id=state.event_id, until=min(offered))
    return door_seats.folded(state, follows)


@command("tournaments.door_set")
def door_set(unit: Unit, *, event_id: str, changes: dict[str, Any]) -> None:
    """Change parts of the policy of the door by name (domain.door_events). More seats go to
    those who wait at once.

    Raises Refused (`tournaments.door_invalid`, `tournaments.capacity_below`,
    `tournaments.fees_taken`, `tournaments.nothing_changed`, `tournaments.wrong_state`),
    NotAllowed.
    """
    loaded, due = settled(unit, load_event(unit, event_id, "tournaments.event_run"))
    before: dict[str, Any] = msgspec.to_builtins(loaded.state.door.policy)
    unknown = sorted(changes.keys() - before.keys())
    if unknown:
        raise Refused(
            Refusal(
                "tournaments.door_invalid",
                {"field": unknown[0][:40], "found": "", "allowed": sorted(before)},
            )
        )
    values = before | changes
    for name in ("notice", "notice_version", "currency"):
        if isinstance(values[name], str):
            values[name] = canonical.text(values[name]).strip()
    try:
        policy = msgspec.convert(values, DoorPolicy, strict=True)
    except msgspec.ValidationError as fault:
        raise Refused(
            Refusal(
                "tournaments.door_invalid",
                {"field": "policy", "found": str(fault)[:200], "allowed": "docs/door.md"},
            )
        ) from fault
    made = accept(door_policy.set_policy(loaded.state, policy=policy))
    append_after(unit, loaded, due, made)


def _seat(unit: Unit, event_id: str, entrant_id: str) -> tuple[Loaded[Tournament], list[Any], bool]:
    """Load an event for an act on a place of the waiting list; its person owns it."""
    loaded = load_event(unit, event_id, "tournaments.event_read", stands=True)
    held = loaded.state.door.waits(entrant_id)
    persons = held.persons if held else ()
    subject = Subject(event_id, owners=frozenset(persons), public=False)
    require(unit.actor, "tournaments.offer_take", subject)
    now, due = settled(unit, loaded)
    return now, due, unit.actor.person_id in persons


@command("tournaments.offer_accept")
def offer_accept(unit: Unit, *, event_id: str, entrant_id: str) -> int:
    """Take the offered seat; returns the number of the entrant. Its person, or staff.

    Raises Refused (`tournaments.not_waiting`, `tournaments.no_offer`, `tournaments.too_late`,
    `tournaments.suspended`, `tournaments.see_desk`), NotAllowed.
    """
    loaded, due, own = _seat(unit, event_id, entrant_id)
    made = accept(enrolment.accept_offer(loaded.state, entrant_id=entrant_id))
    held = loaded.state.door.waits(entrant_id)
    # whoever was suspended while waiting
    refuse_suspended(held.persons if held else (), unit.now, by_staff=not own)
    after = append_after(unit, loaded, due, made)
    return after.entrants[entrant_id].number


@command("tournaments.offer_decline")
def offer_decline(unit: Unit, *, event_id: str, entrant_id: str) -> None:
    """Give the offered seat to the next. Raises Refused (`tournaments.not_waiting`,
    `tournaments.no_offer`), NotAllowed."""
    loaded, due, _ = _seat(unit, event_id, entrant_id)
    append_after(unit, loaded, due, accept(door_seats.decline(loaded.state, entrant_id=entrant_id)))


@command("tournaments.waiting_leave")
def waiting_leave(unit: Unit, *, event_id: str, entrant_id: str) -> None:
    """Go off the waiting list. Raises Refused (`tournaments.not_waiting`), NotAllowed."""
    loaded, due, own = _seat(unit, event_id, entrant_id)
    reason = door_seats.OWN if own else door_seats.STAFF
    made = accept(door_seats.leave(loaded.state, entrant_id=entrant_id, reason=reason))
    append_after(unit, loaded, due, made)


@command("tournaments.offers_settle")
def offers_settle(unit: Unit, *, event_id: str) -> str | None:
    """Let offers that ran out go on to the next; returns when the next one runs out, None: none.

    What the worker does. Every other command on seats does it first, and pages show the list
    as it would be after it, so nothing depends on a worker that runs.
    """
    loaded, due = settled(unit, load_event(unit, event_id, "tournaments.event_run"))
    after = append_after(unit, loaded, due, [])
    open_until = [one.until for one in after.door.waiting if one.until is not None]
    return min(open_until, default=None)
