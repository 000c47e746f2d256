"""Who could be one human under two names: equal Card Game IDs, or the same words of a name."""

from __future__ import annotations

from dataclasses import dataclass

from eventstore.domain.refusal import Refusal, Refused
from people.domain.names import name_words
from people.merging import same_person
from people.models import Person
from tournaments.domain.event import Tournament


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody known who could be meant: `why` id or name; `entrant_id` empty: not in the
    event, neither in nor waiting."""

    person: Person
    entrant_id: str
    why: str


def in_event(state: Tournament) -> dict[str, str]:
    """Return the persons of an event, in, dropped or waiting, with the entrant of each."""
    persons = {
        person: one.entrant_id
        for one in state.entrants.values()
        if not one.merged_into
        for person in one.persons
    }
    for held in state.door.waiting:
        persons |= dict.fromkeys(held.persons, held.entrant_id)
    return persons


def candidates(persons: dict[str, str], *, name: str, number: str | None) -> list[Candidate]:
    """Return who could be meant: whoever has this Card Game ID, and those of the event with the
    same words in their name. Two queries."""
    found: dict[str, Candidate] = {}
    if number:
        for person in Person.objects.filter(card_game_id=number, merged_into=""):
            found[person.pk] = Candidate(person, persons.get(person.pk, ""), "id")
    words = name_words(name)
    if words:
        # The database looks for the words, so that a full hall costs an enrolment no more than
        # an empty one; which of the few it finds has just these words is told here.
        alike = Person.objects.filter(merged_into="")
        for word in words:
            alike = alike.filter(folded__contains=word)
        for person in alike:
            why = same_person(person, name=name, card_game_id=number)
            if why and person.pk in persons and person.pk not in found:
                found[person.pk] = Candidate(person, persons[person.pk], why)
    return sorted(found.values(), key=lambda one: (one.why, one.person.folded))


def at_the_door(
    state: Tournament, *, name: str, number: str | None, other_person: bool
) -> str | None:
    """Return the known person that a name and a Card Game ID together mean; None: somebody new.

    Raises Refused `tournaments.duplicate_person{candidates}` where it could be somebody who is
    in the event already or has the same Card Game ID: staff then say that it is the one, or,
    for an equal name alone, that it is another (`other_person`).
    """
    alike = candidates(in_event(state), name=name, number=number)
    for one in alike:
        same_name = name_words(name) in (
            name_words(one.person.display_name),
            name_words(one.person.sort_name),
        )
        if one.why == "id" and same_name and not one.entrant_id:
            return one.person.pk
    asked = [one for one in alike if one.why == "id" or not other_person]
    if asked:
        raise Refused(
            Refusal(
                "tournaments.duplicate_person",
                {
                    "found": len(asked),
                    "candidates": [
                        {"person_id": one.person.pk, "entrant_id": one.entrant_id, "why": one.why}
                        for one in asked
                    ],
                },
            )
        )
    return None


def pairs(persons: dict[str, str], person_ids: tuple[str, ...]) -> list[Candidate]:
    """Return the others of an event who could be the human behind an entrant."""
    found: dict[str, Candidate] = {}
    mine = list(Person.objects.filter(pk__in=person_ids, merged_into=""))
    others = Person.objects.filter(pk__in=persons.keys() - set(person_ids), merged_into="")
    for other in others if mine else []:
        for me in mine:
            differ = other.card_game_id and me.card_game_id
            if not differ and (
                same_person(other, name=me.display_name, card_game_id=me.card_game_id)
                or same_person(other, name=me.sort_name, card_game_id=None)
            ):
                found[other.pk] = Candidate(other, persons[other.pk], "name")
    return list(found.values())
