"""Events of a deck list handed in for an event. Stream `deck-<id>`."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("decks.list_submitted")
class ListSubmitted(DomainEvent, frozen=True):
    """A version of a list was handed in and is legal. `number` counts versions from 1. The
    cards are keys of the catalogue, one per copy. `banlist` and the hashes say what the list
    was checked against; `findings` are the codes of the warnings it was accepted with."""

    deck_id: str
    event_id: str
    entrant_id: str
    person_id: str
    number: int
    main: tuple[str, ...]
    extra: tuple[str, ...]
    side: tuple[str, ...]
    format: str
    deck_hash: str
    preset: str
    banlist_id: str | None
    banlist_hash: str | None
    catalogue_hash: str
    findings: tuple[str, ...] = ()


@event("decks.list_locked")
class ListLocked(DomainEvent, frozen=True):
    """From here on the list can only be changed after an unlock."""

    deck_id: str
    event_id: str
    number: int


@event("decks.list_unlocked")
class ListUnlocked(DomainEvent, frozen=True):
    """Staff opened the list again. `reason` is sealed text of `author_id`."""

    deck_id: str
    event_id: str
    author_id: str
    reason: str
