"""Projections `decks.in_force`, the list in force per entrant, and `decks.presets`, the presets
that organisers made."""

from __future__ import annotations

from django.db.models import F

from decks.domain.registration import ListState
from decks.events import (
    ListConfirmed,
    ListLocked,
    ListMoved,
    ListSubmitted,
    ListUnlocked,
    PaperPhotographed,
    PaperReceived,
    PaperReturned,
    PhotoErased,
    PresetPublished,
)
from decks.models import DeckInForce, PresetVersion
from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection

in_force = Projection("decks.in_force", [DeckInForce])
presets = Projection("decks.presets", [PresetVersion])


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
        "state": ListState.ENTERED.value,
        "source": event.source,
        "errors": len(event.errors),
    }
    if event.source == "player":
        values["handed_in_at"] = recorded.recorded_at
    if not DeckInForce.objects.filter(pk=event.deck_id).update(**values):
        DeckInForce(deck_id=event.deck_id, **values).save(force_insert=True)


@in_force.on(PaperReceived)
def paper_received(event: PaperReceived, recorded: Recorded) -> None:
    """The list is there, on paper alone so far."""
    DeckInForce(
        deck_id=event.deck_id,
        event_id=event.event_id,
        entrant_id=event.entrant_id,
        person_id=event.person_id,
        number=0,
        main=0,
        extra=0,
        side=0,
        warnings=0,
        state=ListState.PAPER.value,
        source="paper",
        received_by=event.by,
        handed_in_at=event.at,
    ).save(force_insert=True)


@in_force.on(ListMoved)
def list_moved(event: ListMoved, recorded: Recorded) -> None:
    """Of another entrant, or of the same player under another id."""
    DeckInForce.objects.filter(pk=event.deck_id).update(
        entrant_id=event.entrant_id, person_id=event.persons[0]
    )


@in_force.on(PaperReturned)
def paper_returned(event: PaperReturned, recorded: Recorded) -> None:
    """No list is there after all."""
    DeckInForce.objects.filter(pk=event.deck_id).delete()


def _photos(deck_id: str, by: int) -> None:
    row = DeckInForce.objects.filter(pk=deck_id)
    row.update(photos=F("photos") + by)
    on_paper = row.filter(number=0)
    on_paper.filter(photos=0).update(state=ListState.PAPER.value)
    on_paper.filter(photos__gt=0).update(state=ListState.PHOTOGRAPHED.value)


@in_force.on(PaperPhotographed)
def paper_photographed(event: PaperPhotographed, recorded: Recorded) -> None:
    """Count the photo."""
    _photos(event.deck_id, 1)


@in_force.on(PhotoErased)
def photo_erased(event: PhotoErased, recorded: Recorded) -> None:
    """Count the photo no more."""
    _photos(event.deck_id, -1)


@in_force.on(ListConfirmed)
def list_confirmed(event: ListConfirmed, recorded: Recorded) -> None:
    """Mark the version as checked."""
    DeckInForce.objects.filter(pk=event.deck_id).update(state=ListState.CHECKED.value)


@in_force.on(ListLocked)
def list_locked(event: ListLocked, recorded: Recorded) -> None:
    """Mark the list as locked."""
    DeckInForce.objects.filter(pk=event.deck_id).update(locked=True)


@in_force.on(ListUnlocked)
def list_unlocked(event: ListUnlocked, recorded: Recorded) -> None:
    """Mark the list as open."""
    DeckInForce.objects.filter(pk=event.deck_id).update(locked=False)


@presets.on(PresetPublished)
def preset_published(event: PresetPublished, recorded: Recorded) -> None:
    """Add the version; it is the newest of its preset."""
    PresetVersion.objects.filter(preset_id=event.preset_id, newest=True).update(newest=False)
    PresetVersion(
        id=f"{event.preset_id}@{event.version}",
        preset_id=event.preset_id,
        version=event.version,
        title=event.title,
        game=event.game,
        body=event.body,
        preset_hash=event.preset_hash,
        published_at=recorded.recorded_at,
    ).save(force_insert=True)
