"""Commands on entrants: enrol, hand in a deck, check in, drop, reinstate."""

from __future__ import annotations

import msgspec

from decks import services as decks
from eventstore import clock
from eventstore.commands import Loaded, Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import new_id
from people import selectors as people_read
from people import services as people
from people.access import may
from people.domain.names import clean_card_game_id
from people.domain.permissions import Subject
from people.models import Person
from tournaments import duplicates
from tournaments.domain import door_fees, door_seats, enrolment
from tournaments.domain.event import CHECKED_IN, ENROLLED, OPEN, Decision, Tournament
from tournaments.house_pack import refuse_staff
from tournaments.services.loading import checked_id, load_entrant, load_event
from tournaments.services.seats import append_after, settled
from tournaments.suspended import refuse_suspended


class Enrolled(msgspec.Struct, frozen=True):
    """An entrant that was enrolled: its ids and its number in the event. `waiting`: all seats are
    taken, and so many stand in the line with it; the number is 0 then, and the id that of the
    entrant it will be."""

    entrant_id: str
    person_id: str
    number: int
    waiting: int = 0


@command("tournaments.entrant_enrol")
def entrant_enrol(
    unit: Unit,
    *,
    event_id: str,
    entrant_id: str | None = None,
    person_id: str | None = None,
    display_name: str = "",
    sort_name: str = "",
    card_game_id: str = "",
    language: str = "en",
    other_person: bool = False,
) -> Enrolled:
    """Staff enrol a person: one already known, by id or by Card Game ID alone, or a new one by
    name and optional Card Game ID. Who dropped comes back as the same entrant; who finds no
    seat waits. `other_person`: somebody of the same name is in the event, and this is another.

    Raises Refused (`tournaments.duplicate_person`, `tournaments.already_enrolled`,
    `tournaments.already_waiting`, `tournaments.too_late`, `tournaments.suspended`,
    `tournaments.staff_plays`,
    `tournaments.wrong_state`, `tournaments.person_missing`, `people.*`), NotAllowed.
    """
    loaded, due = settled(unit, load_event(unit, event_id, "tournaments.entrant_enrol"))
    person = person_id
    if not display_name.strip():
        if person is None and card_game_id.strip():
            person = _by_card_game_id(card_game_id)
        if person is None or not people_read.names([person]):
            raise Refused(
                Refusal(
                    "tournaments.person_missing",
                    {"found": person_id or card_game_id[:20], "allowed": "a known person"},
                )
            )
        person = kept_id(person)
    else:
        known = duplicates.at_the_door(
            loaded.state,
            name=display_name,
            number=_number(card_game_id),
            other_person=other_person,
        )
        person = known or people.person_register(
            unit,
            person_id=checked_id(person or new_id()),
            display_name=display_name,
            sort_name=sort_name,
            card_game_id=card_game_id,
            language=language,
            event_id=event_id,
        )
    refuse_suspended((person,), unit.now, by_staff=True)
    refuse_staff(event_id, (person,))
    return seated(unit, loaded, due, entrant_id=entrant_id, person=person, by_staff=True)


def _number(text: str) -> str | None:
    number = clean_card_game_id(text)
    if isinstance(number, Refusal):
        raise Refused(number)
    return number


def _by_card_game_id(text: str) -> str | None:
    number = _number(text)
    return Person.objects.filter(card_game_id=number).values_list("pk", flat=True).first()


def kept_id(person_id: str) -> str:
    """Return the id that counts for a person: another one after a merge."""
    into = Person.objects.filter(pk=person_id).values_list("merged_into", flat=True).first()
    return into or person_id


@command("tournaments.entrant_enrol_self")
def entrant_enrol_self(
    unit: Unit, *, event_id: str, entrant_id: str | None = None, notice: str = ""
) -> Enrolled:
    """The actor enrols, or waits where there is no seat. `notice` is the version of the privacy
    notice that it accepts, where the event has one.

    Raises Refused (`tournaments.registration_closed`, `tournaments.registration_early`,
    `tournaments.registration_over`, `tournaments.notice_missing`, `tournaments.notice_other`,
    `tournaments.already_enrolled`, `tournaments.already_waiting`, `tournaments.see_desk`,
    `tournaments.staff_plays`), NotAllowed.
    """
    loaded, due = settled(unit, load_event(unit, event_id, "tournaments.entrant_enrol_self"))
    person = unit.actor.person_id
    if person is None:
        raise Refused(Refusal("tournaments.person_missing", {"found": unit.actor.ref}))
    policy = loaded.state.door.policy
    if loaded.state.status == OPEN:
        outside = door_seats.window(loaded.state, unit.now)
        if outside is not None:
            raise Refused(outside)
    refuse_suspended((person,), unit.now, by_staff=False)
    refuse_staff(event_id, (person,))
    if policy.notice_version:
        if not notice:
            allowed = {"allowed": policy.notice_version}
            raise Refused(Refusal("tournaments.notice_missing", allowed))
        noted = accept(
            door_fees.accept_notice(loaded.state, person_id=person, version=notice, by_staff=False)
        )
        due = [*due, *noted]
    return seated(unit, loaded, due, entrant_id=entrant_id, person=person, by_staff=False)


def seated(
    unit: Unit,
    loaded: Loaded[Tournament],
    due: list[DomainEvent],
    *,
    entrant_id: str | None,
    person: str,
    by_staff: bool,
) -> Enrolled:
    """Give a person a seat, or a place on the waiting list. Who dropped is the same entrant
    again. Raises Refused."""
    state = loaded.state
    before = door_seats.returning(state, person)
    held = state.door.waits_as(person)
    chosen = before.entrant_id if before else checked_id(entrant_id or new_id())
    made: Decision
    if held is not None and held.until is not None:
        chosen = held.entrant_id
        made = enrolment.accept_offer(state, entrant_id=chosen)
    elif before is not None:
        made = _returns(state, before.entrant_id, by_staff=by_staff)
    else:
        made = enrolment.enrol(state, entrant_id=chosen, persons=(person,), by_staff=by_staff)
    no_seat = isinstance(made, Refusal) and made.code == "tournaments.event_full"
    if held is not None and held.until is None:
        place = door_seats.place_of(state, held.entrant_id)
        raise Refused(
            Refusal("tournaments.already_waiting", {"entrant": held.entrant_id, "found": place})
        )
    if no_seat:
        persons = before.persons if before else (person,)
        made = door_seats.waits(state, entrant_id=chosen, persons=persons, by_staff=by_staff)
    after = append_after(unit, loaded, due, accept(made))
    one = after.entrants.get(chosen)
    in_play = one is not None and one.status in (ENROLLED, CHECKED_IN)
    return Enrolled(
        chosen,
        person,
        one.number if one is not None and in_play else 0,
        0 if in_play else door_seats.place_of(after, chosen),
    )


def _returns(state: Tournament, entrant_id: str, *, by_staff: bool) -> Decision:
    if not by_staff and state.status != OPEN:
        return Refusal("tournaments.registration_closed", {"found": state.status, "allowed": OPEN})
    return enrolment.reinstate(state, entrant_id=entrant_id)


@command("tournaments.deck_submit")
def deck_submit(
    unit: Unit,
    *,
    event_id: str,
    entrant_id: str,
    content: str,
    deck_id: str | None = None,
) -> decks.Submitted:
    """Hand in the deck list of an entrant, or replace it before the deadline.

    `content` is .ydk, ydke or text; `deck_id` names the stream of a first list. Raises Refused
    (`tournaments.deck_deadline_passed`, `tournaments.decks_locked`, `tournaments.entrant_out`,
    `decks.*`), NotAllowed.
    """
    loaded, entrant = load_entrant(unit, event_id, entrant_id, "decks.list_submit")
    state = loaded.state
    refused = enrolment.deck_allowed(state, entrant_id=entrant_id, now=clock.as_text(unit.now))
    if refused is not None:
        raise Refused(refused)
    stream_id = entrant.deck_id or deck_id or new_id()
    submitted = decks.list_submit(
        unit,
        deck_id=stream_id,
        event_id=event_id,
        entrant_id=entrant_id,
        person_id=entrant.persons[0],
        content=content,
        preset=state.chosen.preset,
        banlist_id=state.chosen.banlist_id,
    )
    attached = accept(enrolment.attach_deck(state, entrant_id=entrant_id, deck_id=stream_id))
    if attached:
        unit.append(loaded.stream, loaded.version, attached)
    return submitted


@command("tournaments.decks_lock_all")
def decks_lock_all(unit: Unit, *, event_id: str) -> int:
    """Lock every list in force; return how many there are. Raises Refused
    (`tournaments.wrong_state`), NotAllowed."""
    return _each_deck(unit, event_id, None)


@command("tournaments.decks_unlock_all")
def decks_unlock_all(unit: Unit, *, event_id: str, reason: str) -> int:
    """Open every locked list, with one reason; return how many. Raises Refused
    (`decks.reason_missing`, `decks.reason_too_long`), NotAllowed."""
    return _each_deck(unit, event_id, reason)


def _each_deck(unit: Unit, event_id: str, reason: str | None) -> int:
    loaded = load_event(unit, event_id, "tournaments.event_run", stands=True)
    done = 0
    for entrant in loaded.state.entrants.values():
        if entrant.deck_id is None:
            continue
        try:
            if reason is None:
                decks.list_lock(unit, deck_id=entrant.deck_id)
            else:
                decks.list_unlock(unit, deck_id=entrant.deck_id, reason=reason)
        except Refused as fault:
            # Refused before anything is appended: this one is open already.
            if fault.refusal.code != "decks.list_not_locked":
                raise
            continue
        done += 1
    return done


@command("tournaments.entrant_check_in")
def entrant_check_in(unit: Unit, *, event_id: str, entrant_id: str) -> None:
    """Check an entrant in; after round 1 is published it comes in late.

    Raises Refused (`tournaments.deck_missing`, `tournaments.already_checked_in`,
    `tournaments.too_late`, `tournaments.entrant_out`, `tournaments.check_in_early`,
    `tournaments.check_in_over`, `tournaments.eligibility_open`, `tournaments.suspended`,
    `tournaments.see_desk`, `tournaments.staff_plays`), NotAllowed.
    """
    loaded, one = load_entrant(unit, event_id, entrant_id, "tournaments.entrant_check_in")
    door = loaded.state.door
    by_staff = may(unit.actor, "tournaments.door_use", Subject(event_id))
    made = accept(enrolment.check_in(loaded.state, entrant_id=entrant_id))
    outside = door_seats.check_in_window(loaded.state, unit.now, by_staff=by_staff)
    if outside is None and door.policy.eligibility and entrant_id not in door.eligible:
        outside = Refusal("tournaments.eligibility_open", {"entrant": entrant_id})
    if outside is not None:
        raise Refused(outside)
    refuse_suspended(one.persons, unit.now, by_staff=by_staff)
    refuse_staff(event_id, one.persons)
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.entrant_drop")
def entrant_drop(unit: Unit, *, event_id: str, entrant_id: str) -> None:
    """Take an entrant out: itself, or staff. Raises Refused (`tournaments.entrant_out`,
    `tournaments.wrong_state`), NotAllowed."""
    found, entrant = load_entrant(unit, event_id, entrant_id, "tournaments.entrant_drop")
    loaded, due = settled(unit, found)
    own = unit.actor.person_id in entrant.persons
    made = accept(
        enrolment.drop(loaded.state, entrant_id=entrant_id, reason="own" if own else "staff")
    )
    append_after(unit, loaded, due, made)


@command("tournaments.entrant_reinstate")
def entrant_reinstate(unit: Unit, *, event_id: str, entrant_id: str) -> None:
    """Staff take a dropped entrant in again. Raises Refused (`tournaments.entrant_in`,
    `tournaments.entrant_disqualified`, `tournaments.entrant_merged`, `tournaments.event_full`,
    `tournaments.too_late`; before round 1 `tournaments.suspended`, as a check-in), NotAllowed."""
    loaded, due = settled(unit, load_event(unit, event_id, "tournaments.entrant_enrol"))
    made = accept(enrolment.reinstate(loaded.state, entrant_id=entrant_id))
    if not loaded.state.current:
        # who had checked in is ready again without another check-in
        refuse_suspended(loaded.state.entrants[entrant_id].persons, unit.now, by_staff=True)
    if loaded.state.door.waits(entrant_id) is not None:
        made = [
            *accept(door_seats.leave(loaded.state, entrant_id=entrant_id, reason="staff")),
            *made,
        ]
    append_after(unit, loaded, due, made)
