"""Commands that make two persons one, in every event they take part in, and undo that."""

from __future__ import annotations

from collections.abc import Callable

from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from people import merging
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
def persons_merge(unit: Unit, *, event_id: str, keep: str, gone: str) -> int:
    """Make `gone` the same human as `keep`, here and in every event either takes part in;
    returns in how many events something changed.

    The desk of an event may do it for two who both take part there; the site's organiser for
    anybody. Raises Refused (`tournaments.not_both_here`, `tournaments.both_played`,
    `tournaments.entrant_disqualified`, `people.merge_*`, `people.unknown_person`), NotAllowed;
    then nothing is changed anywhere.
    """
    loaded = load_event(unit, event_id, "people.person_merge")
    if not unit.actor.site_organiser:
        for person in (keep, gone):
            if not _takes_part(loaded.state, person):
                raise Refused(Refusal("tournaments.not_both_here", {"found": person}))
    merging.person_merge(unit, keep=keep, gone=gone, event_id=event_id)
    return _each_event(unit, gone, lambda state: door_merge.merge(state, keep=keep, gone=gone))


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
    return _each_event(unit, keep, lambda state: door_merge.unmerge(state, keep=keep, gone=gone))


def _each_event(unit: Unit, person_id: str, decide: Callable[[Tournament], Decision]) -> int:
    """Decide and append in every event that a person takes or took part in."""
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
            append_after(unit, loaded, due, made)
            changed += 1
    return changed
