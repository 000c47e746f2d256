"""Two ids that are one human, and the name that others see.

A merge maps one id to the other and can be undone; nothing in the log is rewritten. What it does
to the events that both take part in is told by a higher room, in the same command.
"""

from __future__ import annotations

from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import ANY
from people.access import require
from people.domain.names import clean_name, name_words
from people.domain.permissions import Subject
from people.events import MergeUndone, PersonEdited, PersonsMerged
from people.models import Account, Person, RoleRow

CARD_GAME_ID = "card_game_id"


def _found(person_id: str) -> Person:
    person = Person.objects.filter(pk=person_id).first()
    if person is None:
        raise Refused(Refusal("people.unknown_person", {"found": person_id}))
    return person


@command("people.person_merge")
def person_merge(unit: Unit, *, keep: str, gone: str, event_id: str | None = None) -> None:
    """Map one id to another: from now on the names of `keep` count for both. `event_id` is the
    event whose desk asks. A Card Game ID goes over where the kept id has none.

    Raises Refused: people.unknown_person, people.merge_same, people.merge_chain (one of them is
    merged already), people.merge_login (the one to go has a log-in or a role: keep that one),
    people.merge_ids_differ (two Card Game IDs are two humans), NotAllowed.
    """
    require(unit.actor, "people.person_merge", Subject(event_id=event_id))
    if keep == gone:
        raise Refused(Refusal("people.merge_same"))
    one, two = _found(keep), _found(gone)
    if one.merged_into or two.merged_into or Person.objects.filter(merged_into=gone).exists():
        raise Refused(Refusal("people.merge_chain"))
    roles = RoleRow.objects.filter(person_id=gone).exists()
    if roles or Account.objects.filter(person_id=gone).exists():
        raise Refused(Refusal("people.merge_login"))
    moved: tuple[str, ...] = ()
    if two.card_game_id:
        if one.card_game_id:
            raise Refused(
                Refusal(
                    "people.merge_ids_differ",
                    {"found": two.card_game_id, "allowed": one.card_game_id},
                )
            )
        moved = (CARD_GAME_ID,)
    two.merged_into = keep
    _move(two, one, moved)
    unit.append(f"person-{keep}", ANY, [PersonsMerged(keep, gone, moved, event_id)])


def _move(source: Person, target: Person, moved: tuple[str, ...]) -> None:
    if CARD_GAME_ID in moved:
        number, source.card_game_id = source.card_game_id, None
        source.save()
        target.card_game_id = number
    source.save()
    target.save()


def _merges(held: dict[str, tuple[str, ...]], event: object) -> dict[str, tuple[str, ...]]:
    if isinstance(event, PersonsMerged):
        return {**held, event.gone: event.moved}
    if isinstance(event, MergeUndone):
        return {key: moved for key, moved in held.items() if key != event.gone}
    return held


@command("people.merge_undo")
def merge_undo(unit: Unit, *, gone: str, event_id: str | None = None) -> str:
    """Undo the merge of an id; returns the one it was merged into. A Card Game ID that went over
    goes back. Raises Refused (people.unknown_person, people.not_merged), NotAllowed."""
    require(unit.actor, "people.person_merge", Subject(event_id=event_id))
    two = _found(gone)
    if not two.merged_into:
        raise Refused(Refusal("people.not_merged", {"found": gone}))
    one = _found(two.merged_into)
    loaded = unit.load(f"person-{one.pk}", dict[str, tuple[str, ...]](), _merges)
    moved = loaded.state.get(gone, ()) if one.card_game_id else ()
    two.merged_into = ""
    _move(one, two, moved)
    unit.append(loaded.stream, loaded.version, [MergeUndone(one.pk, gone, moved, event_id)])
    return one.pk


@command("people.public_name_set")
def public_name_set(unit: Unit, *, person_id: str, public_name: str, event_id: str) -> None:
    """Choose the name that others see; empty: the registered one. The desk goes on seeing both.
    The choice is the person's own, on a device bound to `event_id` too. Raises Refused
    (people.name_too_long, people.name_signs), NotAllowed."""
    subject = Subject(event_id, owners=frozenset({person_id}), public=False)
    require(unit.actor, "people.public_name_set", subject)
    person = _found(person_id)
    name = clean_name(public_name) if public_name.strip() else ""
    if isinstance(name, Refusal):
        raise Refused(name)
    if name == person.public_name:
        return
    person.public_name = name
    person.save()
    unit.append(f"person-{person_id}", ANY, [PersonEdited(person_id, ("public_name",))])


def same_person(person: Person, *, name: str, card_game_id: str | None) -> str:
    """Say why a known person could be the one who stands at the door: `id` for an equal Card
    Game ID, `name` for the same words of a name (marks, case and order aside), else empty."""
    if card_game_id and person.card_game_id == card_game_id:
        return "id"
    words = name_words(name)
    if words and words in (
        name_words(person.display_name),
        name_words(person.sort_name),
    ):
        return "name"
    return ""
