"""Projection `decks.in_force`: the list in force per entrant."""

from __future__ import annotations

from decks.events import ListLocked, ListSubmitted, ListUnlocked
from decks.models import DeckInForce
from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection

in_force = Projection("decks.in_force", [DeckInForce])


@in_force.on(ListSubmitted)
def list_submitted(event: ListSubmitted, recorded: Recorded) -> None:
    """Put the version in force."""
    values = {
        "event_id": event.event_id,
        "entrant_id": event.entrant_id,
        "person_id": event.person_id,
        "number": event.number,
        "main": len(event.main),
        "extra": len(event.extra),
        "side": len(event.side),
        "deck_hash": event.deck_hash,
        "preset": event.preset,
        "banlist_id": event.banlist_id or "",
        "catalogue_hash": event.catalogue_hash,
        "warnings": len(event.findings),
        "submitted_at": recorded.recorded_at,
    }
    if not DeckInForce.objects.filter(pk=event.deck_id).update(**values):
        DeckInForce(deck_id=event.deck_id, **values).save(force_insert=True)


@in_force.on(ListLocked)
def list_locked(event: ListLocked, recorded: Recorded) -> None:
    """Mark the list as locked."""
    DeckInForce.objects.filter(pk=event.deck_id).update(locked=True)


@in_force.on(ListUnlocked)
def list_unlocked(event: ListUnlocked, recorded: Recorded) -> None:
    """Mark the list as open."""
    DeckInForce.objects.filter(pk=event.deck_id).update(locked=False)
