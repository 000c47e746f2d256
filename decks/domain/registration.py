"""A deck list handed in for an event: versions, lock and unlock. Stream `deck-<id>`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from decks.domain.decklist import DeckList
from decks.events import ListLocked, ListSubmitted, ListUnlocked
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent


@dataclass(frozen=True, slots=True)
class Registration:
    """The list in force (None before the first), whose it is, and whether it is locked."""

    submitted: ListSubmitted | None = None
    locked: bool = False

    @property
    def number(self) -> int:
        """The version in force, 0 before the first."""
        return self.submitted.number if self.submitted else 0

    @property
    def deck(self) -> DeckList:
        """The list in force; empty before the first."""
        if self.submitted is None:
            return DeckList()
        return DeckList(self.submitted.main, self.submitted.extra, self.submitted.side)


NEW = Registration()


def decide_submit(state: Registration, offered: ListSubmitted) -> list[DomainEvent] | Refusal:
    """Take a legal list as the next version. The same list checked against the same things is
    no new version: no events. Refused: `decks.list_locked`, `decks.not_this_entrant`."""
    held = state.submitted
    if held is not None:
        for name in ("deck_id", "event_id", "entrant_id", "person_id"):
            if getattr(held, name) != getattr(offered, name):
                return Refusal("decks.not_this_entrant", {"field": name})
    if state.locked:
        return Refusal("decks.list_locked", {"number": state.number})
    frozen = ("deck_hash", "preset", "banlist_id", "banlist_hash", "catalogue_hash")
    if held is not None and all(getattr(held, one) == getattr(offered, one) for one in frozen):
        return []
    return [_numbered(offered, state.number + 1)]


def _numbered(offered: ListSubmitted, number: int) -> ListSubmitted:
    values = {name: getattr(offered, name) for name in offered.__struct_fields__}
    return ListSubmitted(**{**values, "number": number})


def decide_lock(state: Registration) -> list[DomainEvent] | Refusal:
    """Lock the list in force; no events when it is locked. Refused: `decks.no_list`."""
    if state.submitted is None:
        return Refusal("decks.no_list")
    if state.locked:
        return []
    return [ListLocked(state.submitted.deck_id, state.submitted.event_id, state.number)]


def decide_unlock(
    state: Registration, author_id: str, sealed_reason: str
) -> list[DomainEvent] | Refusal:
    """Open the list again. Refused: `decks.no_list`, `decks.list_not_locked`."""
    if state.submitted is None:
        return Refusal("decks.no_list")
    if not state.locked:
        return Refusal("decks.list_not_locked", {"number": state.number})
    held = state.submitted
    return [ListUnlocked(held.deck_id, held.event_id, author_id, sealed_reason)]


def evolve(state: Registration, event: DomainEvent) -> Registration:
    """Take one event into the state."""
    if isinstance(event, ListSubmitted):
        return replace(state, submitted=event)
    if isinstance(event, ListLocked):
        return replace(state, locked=True)
    if isinstance(event, ListUnlocked):
        return replace(state, locked=False)
    return state
