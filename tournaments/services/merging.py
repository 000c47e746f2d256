"""Commands that make two persons one, in every event they take part in, and undo that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from decks import services as decks
from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from people import merging
from people.domain.actor import SYSTEM
from people.models import Person
from tournaments.domain import door_merge
from tournaments.domain import event as tournament
from tournaments.domain.event import Decision, Tournament
from tournaments.door_models import WaitingRow
from tournaments.models import EntrantPerson
from tournaments.services.loading import event_stream, load_event
from tournaments.services.seats import append_after, settled


def _takes_part(state: Tournament, person_id: str) -> bool:
    return state.entrant_of(person_id) is not None or state.door.waits_as(person_id) is not None


@command("tournaments.persons_merge")
def persons_merge(unit: Unit, *, event_id: str, keep: str, gone: str, lists: str = "") -> int:
    """Make `gone` the same human as `keep`, here and in every event either takes part in;
    returns in how many events something changed.

    Deck lists go along. `lists` (keep, gone) says whose counts in an event in which both have one
    and have not played with it. The desk of an event may do it for two who both take part there;
    the site's organiser for anybody. Raises Refused (`tournaments.not_both_here`,
    `tournaments.both_played`, `tournaments.both_lists`, `tournaments.list_played`,
    `tournaments.choice_unknown`, `tournaments.entrant_disqualified`, `people.merge_*`,
    `people.unknown_person`), NotAllowed; then nothing is changed anywhere.
    """
    loaded = load_event(unit, event_id, "people.person_merge")
    if not unit.actor.site_organiser:
        for person in (keep, gone):
            if not _takes_part(loaded.state, person):
                raise Refused(Refusal("tournaments.not_both_here", {"found": person}))
    if lists and lists not in door_merge.LISTS:
        params = {"found": lists[:20], "allowed": list(door_merge.LISTS)}
        raise Refused(Refusal("tournaments.choice_unknown", params))
    merging.person_merge(unit, keep=keep, gone=gone, event_id=event_id)

    def decide(state: Tournament) -> Decision:
        return door_merge.merge(state, keep=keep, gone=gone, lists=lists)

    return _each_event(unit, gone, (keep, gone), decide)


@command("tournaments.merge_undo")
def merge_undo(unit: Unit, *, event_id: str, gone: str) -> int:
    """Undo a merge in every event; returns in how many something changed.

    Raises Refused (`people.not_merged`, `tournaments.not_both_here`, `tournaments.event_full`),
    NotAllowed; then nothing is changed anywhere.
    """
    loaded = load_event(unit, event_id, "people.person_merge")
    keep = Person.objects.filter(pk=gone).values_list("merged_into", flat=True).first() or ""
    if keep and not unit.actor.site_organiser and not _takes_part(loaded.state, keep):
        raise Refused(Refusal("tournaments.not_both_here", {"found": keep}))
    merging.merge_undo(unit, gone=gone, event_id=event_id)

    def decide(state: Tournament) -> Decision:
        return door_merge.unmerge(state, keep=keep, gone=gone)

    return _each_event(unit, keep, (keep, gone), decide)


def _each_event(
    unit: Unit, person_id: str, same: tuple[str, str], decide: Callable[[Tournament], Decision]
) -> int:
    """Decide and append in every event that a person takes or took part in; the deck lists of who
    is there under one of the ids follow."""
    in_it = set(
        EntrantPerson.objects.filter(person_id=person_id).values_list("event_id", flat=True)
    )
    in_it |= set(WaitingRow.objects.filter(person_id=person_id).values_list("event_id", flat=True))
    changed = 0
    for one in sorted(in_it):
        found = unit.load(event_stream(one), Tournament(), tournament.evolve)
        loaded, due = settled(unit, found)
        made = accept(decide(loaded.state))
        if made:
            _lists_follow(unit, append_after(unit, loaded, due, made), same)
            changed += 1
    return changed


def _lists_follow(unit: Unit, state: Tournament, same: tuple[str, str]) -> None:
    """Hand each list to the entrant that has it now, one that is kept apart too. A desk may merge
    where it has no lists to handle, so the house does it."""
    house = Unit(replace(unit.context, actor=SYSTEM, source="system"))
    for one in state.entrants.values():
        theirs = one.merged_into or not set(same).isdisjoint(one.persons)
        if one.deck_id is not None and theirs:
            decks.list_move(
                house,
                deck_id=one.deck_id,
                entrant_id=one.entrant_id,
                persons=list(one.persons),
                same=list(same),
            )
