"""Events of a deck list handed in for an event (stream `deck-<id>`), and of presets that an
organiser makes (stream `preset-<id>`)."""

from __future__ import annotations

from typing import Any

from eventstore.domain.registry import DomainEvent, event, upcaster


@event("decks.list_submitted", schema=2)
class ListSubmitted(DomainEvent, frozen=True):
    """A version of a list came in. `number` counts versions from 1. The cards are keys of the
    catalogue, one per copy. `banlist` and the hashes say what the list was checked against;
    `findings` are the codes of the warnings it was accepted with.

    `source` player (handed in as such), paper (typed in by staff) or judge (a repair). Only a
    paper list can have `errors` (codes): it is kept as handed in, and `text` is what was typed.
    A repair has its `reason`, and the infraction of the pack it belongs to, with the ruling
    where there was one. `text` and `reason` are sealed text of `author_id`."""

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
    source: str = "player"
    errors: tuple[str, ...] = ()
    author_id: str = ""
    text: str = ""
    reason: str = ""
    infraction: str = ""
    infraction_kind: str = ""
    ruling_id: str = ""


@upcaster("decks.list_submitted", 1)
def _by_the_player(values: dict[str, Any]) -> dict[str, Any]:
    """Lists of version 1 were handed in as such, and legal."""
    return {**values, "source": "player"}


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


@event("decks.list_moved")
class ListMoved(DomainEvent, frozen=True):
    """Two ids turned out to be one human, or were parted again: from here on the list is that of
    this entrant. `persons` are the ids of its player, the one that counts first."""

    deck_id: str
    event_id: str
    entrant_id: str
    persons: tuple[str, ...]


@event("decks.paper_received")
class PaperReceived(DomainEvent, frozen=True):
    """Staff took a list on paper at `at` (UTC text): that is when it was handed in."""

    deck_id: str
    event_id: str
    entrant_id: str
    person_id: str
    by: str
    at: str


@event("decks.paper_returned")
class PaperReturned(DomainEvent, frozen=True):
    """The mark was a mistake: no paper is there after all."""

    deck_id: str
    event_id: str
    by: str


@event("decks.paper_photographed")
class PaperPhotographed(DomainEvent, frozen=True):
    """A photo of the paper is kept outside the log (decks.models.Photo); `sha256` is the hash
    of the picture that is kept, `width` and `height` are pixels."""

    deck_id: str
    event_id: str
    photo_id: str
    sha256: str
    width: int
    height: int
    by: str


@event("decks.photo_erased")
class PhotoErased(DomainEvent, frozen=True):
    """A photo of the paper was erased; its hash stays."""

    deck_id: str
    event_id: str
    photo_id: str
    by: str


@event("decks.list_confirmed")
class ListConfirmed(DomainEvent, frozen=True):
    """Staff checked version `number` of the list (a paper one: against the paper)."""

    deck_id: str
    event_id: str
    number: int
    by: str


@event("decks.preset_published")
class PresetPublished(DomainEvent, frozen=True):
    """A version of a preset: from here on `preset_id@version` means this for ever. `body` is
    its data as TOML (decks.domain.preset_data), `preset_hash` the hex SHA-256 of that."""

    preset_id: str
    version: int
    title: str
    game: str
    body: str
    preset_hash: str
