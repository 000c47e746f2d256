"""Commands on deck lists on paper: received at the desk, typed in later. They belong to the
event, which says what a list is checked against and whose it is."""

from __future__ import annotations

from decks import services as decks
from eventstore.commands import Unit, accept, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from tournaments.domain import enrolment
from tournaments.services.loading import load_entrant


@command("tournaments.paper_receive")
def paper_receive(
    unit: Unit, *, event_id: str, entrant_id: str, deck_id: str | None = None
) -> decks.PaperState:
    """Take a list on paper from an entrant: it counts as handed in now, and lets it check in.

    `deck_id` names the stream of a first list. Raises Refused (`tournaments.entrant_out`,
    `tournaments.wrong_state`, `decks.list_there`, `decks.*`), NotAllowed.
    """
    loaded, entrant = load_entrant(unit, event_id, entrant_id, "decks.paper_handle", stands=True)
    refused = enrolment.paper_allowed(loaded.state, entrant_id=entrant_id)
    if refused is not None:
        raise Refused(refused)
    stream_id = entrant.deck_id or deck_id or new_id()
    kept = decks.paper_receive(
        unit,
        deck_id=stream_id,
        event_id=event_id,
        entrant_id=entrant_id,
        person_id=entrant.persons[0],
    )
    attached = accept(enrolment.attach_deck(loaded.state, entrant_id=entrant_id, deck_id=stream_id))
    if attached:
        unit.append(loaded.stream, loaded.version, attached)
    return kept


@command("tournaments.paper_return")
def paper_return(unit: Unit, *, event_id: str, entrant_id: str) -> decks.PaperState:
    """Take the mark of a paper list back, before anything was made of it.

    Raises Refused (`decks.no_paper`, `decks.paper_used`, `decks.list_locked`), NotAllowed.
    """
    loaded, entrant = load_entrant(unit, event_id, entrant_id, "decks.paper_handle", stands=True)
    kept = decks.paper_return(unit, deck_id=_deck_of(entrant.deck_id))
    unit.append(
        loaded.stream,
        loaded.version,
        accept(enrolment.detach_deck(loaded.state, entrant_id=entrant_id)),
    )
    return kept


@command("tournaments.paper_enter")
def paper_enter(unit: Unit, *, event_id: str, entrant_id: str, content: str) -> decks.PaperState:
    """Type in a list that was received on paper; an illegal one is kept with its errors.

    Raises Refused (`decks.no_paper`, `decks.*`), NotAllowed.
    """
    loaded, entrant = load_entrant(unit, event_id, entrant_id, "decks.paper_handle", stands=True)
    chosen = loaded.state.chosen
    return decks.paper_enter(
        unit,
        deck_id=_deck_of(entrant.deck_id),
        content=content,
        preset=chosen.preset,
        banlist_id=chosen.banlist_id,
    )


@command("tournaments.list_confirm")
def list_confirm(unit: Unit, *, event_id: str, entrant_id: str, number: int) -> decks.PaperState:
    """Mark version `number` of an entrant's list as checked. Raises Refused (`decks.no_list`,
    `decks.other_version`, `decks.repair_first`), NotAllowed."""
    _, entrant = load_entrant(unit, event_id, entrant_id, "decks.paper_handle", stands=True)
    return decks.list_confirm(unit, deck_id=_deck_of(entrant.deck_id), number=number)


def _deck_of(deck_id: str | None) -> str:
    if deck_id is None:
        raise Refused(Refusal("decks.no_list"))
    return deck_id
