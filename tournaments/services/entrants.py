"""Commands on entrants: enrol, hand in a deck, check in, drop, reinstate."""

from __future__ import annotations

import msgspec

from decks import services as decks
from eventstore import clock
from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people import selectors as people_read
from people import services as people
from people.domain.names import clean_card_game_id
from people.models import Person
from tournaments.domain import enrolment
from tournaments.events import EntrantEnrolled
from tournaments.services.loading import checked_id, load_entrant, load_event


class Enrolled(msgspec.Struct, frozen=True):
    """An entrant that was enrolled: its ids and its number in the event."""

    entrant_id: str
    person_id: str
    number: int


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
) -> Enrolled:
    """Staff enrol a person: one already known, by id or by Card Game ID alone, or a new one by
    name and optional Card Game ID.

    Raises Refused (`tournaments.already_enrolled`, `tournaments.too_late`,
    `tournaments.wrong_state`, `tournaments.person_missing`, `people.*`), NotAllowed.
    """
    loaded = load_event(unit, event_id, "tournaments.entrant_enrol")
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
    else:
        person = people.person_register(
            unit,
            person_id=checked_id(person or new_id()),
            display_name=display_name,
            sort_name=sort_name,
            card_game_id=card_game_id,
            language=language,
            event_id=event_id,
        )
    made = accept(
        enrolment.enrol(
            loaded.state,
            entrant_id=checked_id(entrant_id or new_id()),
            persons=(person,),
            by_staff=True,
        )
    )
    unit.append(loaded.stream, loaded.version, made)
    return _enrolled(made[0], person)


def _by_card_game_id(text: str) -> str | None:
    number = clean_card_game_id(text)
    if isinstance(number, Refusal):
        raise Refused(number)
    return Person.objects.filter(card_game_id=number).values_list("pk", flat=True).first()


@command("tournaments.entrant_enrol_self")
def entrant_enrol_self(unit: Unit, *, event_id: str, entrant_id: str | None = None) -> Enrolled:
    """The actor enrols. Raises Refused (`tournaments.registration_closed`,
    `tournaments.already_enrolled`), NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.entrant_enrol_self")
    person = unit.actor.person_id
    if person is None:
        raise Refused(Refusal("tournaments.person_missing", {"found": unit.actor.ref}))
    made = accept(
        enrolment.enrol(
            loaded.state,
            entrant_id=checked_id(entrant_id or new_id()),
            persons=(person,),
            by_staff=False,
        )
    )
    unit.append(loaded.stream, loaded.version, made)
    return _enrolled(made[0], person)


def _enrolled(event: object, person: str) -> Enrolled:
    assert isinstance(event, EntrantEnrolled)  # noqa: S101 - what enrol() returns
    return Enrolled(event.entrant_id, person, event.number)


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
    """Lock every list in force; return how many there are. Raises NotAllowed."""
    return _each_deck(unit, event_id, None)


@command("tournaments.decks_unlock_all")
def decks_unlock_all(unit: Unit, *, event_id: str, reason: str) -> int:
    """Open every locked list, with one reason; return how many. Raises Refused
    (`decks.reason_missing`, `decks.reason_too_long`), NotAllowed."""
    return _each_deck(unit, event_id, reason)


def _each_deck(unit: Unit, event_id: str, reason: str | None) -> int:
    loaded = load_event(unit, event_id, "tournaments.event_run")
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
    `tournaments.too_late`, `tournaments.entrant_out`), NotAllowed.
    """
    loaded, _ = load_entrant(unit, event_id, entrant_id, "tournaments.entrant_check_in")
    unit.append(
        loaded.stream,
        loaded.version,
        accept(enrolment.check_in(loaded.state, entrant_id=entrant_id)),
    )


@command("tournaments.entrant_drop")
def entrant_drop(unit: Unit, *, event_id: str, entrant_id: str) -> None:
    """Take an entrant out: itself, or staff. Raises Refused (`tournaments.entrant_out`,
    `tournaments.wrong_state`), NotAllowed."""
    loaded, entrant = load_entrant(unit, event_id, entrant_id, "tournaments.entrant_drop")
    own = unit.actor.person_id in entrant.persons
    made = accept(
        enrolment.drop(loaded.state, entrant_id=entrant_id, reason="own" if own else "staff")
    )
    unit.append(loaded.stream, loaded.version, made)


@command("tournaments.entrant_reinstate")
def entrant_reinstate(unit: Unit, *, event_id: str, entrant_id: str) -> None:
    """Staff take a dropped entrant in again. Raises Refused (`tournaments.entrant_in`,
    `tournaments.entrant_disqualified`, `tournaments.too_late`), NotAllowed."""
    loaded = load_event(unit, event_id, "tournaments.entrant_enrol")
    unit.append(
        loaded.stream,
        loaded.version,
        accept(enrolment.reinstate(loaded.state, entrant_id=entrant_id)),
    )
