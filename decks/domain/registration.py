"""A deck list handed in for an event: versions, paper, lock and unlock. Stream `deck-<id>`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

from decks.domain.decklist import DeckList
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
)
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

MOST_PHOTOS = 6


class Source(StrEnum):
    """Where a version comes from: the player, staff who typed the paper in, a judge's repair."""

    PLAYER = "player"
    PAPER = "paper"
    JUDGE = "judge"


class ListState(StrEnum):
    """How far a list is. A list that its player typed is entered at once."""

    NONE = "none"
    PAPER = "paper"
    PHOTOGRAPHED = "photographed"
    ENTERED = "entered"
    CHECKED = "checked"


@dataclass(frozen=True, slots=True)
class Registration:
    """The list in force (None before the first), whose it is, and whether it is locked; the
    paper that was received, the photos of it that are kept, and the version that was checked.
    `moved`: it came to another entrant, or its player to another id."""

    submitted: ListSubmitted | None = None
    locked: bool = False
    paper: PaperReceived | None = None
    photos: tuple[PaperPhotographed, ...] = ()
    confirmed: int = 0
    moved: ListMoved | None = None

    @property
    def event_id(self) -> str:
        """The event of the list; empty before it is there."""
        held = self.submitted or self.paper
        return held.event_id if held else ""

    @property
    def entrant_id(self) -> str:
        """The entrant whose list it is; empty before it is there."""
        held = self.moved or self.submitted or self.paper
        return held.entrant_id if held else ""

    @property
    def persons(self) -> tuple[str, ...]:
        """The ids of its player, the one that counts first; empty before it is there."""
        if self.moved is not None:
            return self.moved.persons
        held = self.submitted or self.paper
        return (held.person_id,) if held else ()

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

    @property
    def state(self) -> ListState:
        """How far the list is."""
        if self.submitted is not None:
            return ListState.CHECKED if self.confirmed == self.number else ListState.ENTERED
        if self.paper is None:
            return ListState.NONE
        return ListState.PHOTOGRAPHED if self.photos else ListState.PAPER

    @property
    def shown_state(self) -> ListState:
        """The state as the player may know it: photos are the business of staff."""
        return ListState.PAPER if self.state is ListState.PHOTOGRAPHED else self.state

    @property
    def fixed(self) -> bool:
        """Whether its player cannot replace it: locked, on paper, or repaired by a judge."""
        repaired = self.submitted is not None and self.submitted.source == Source.JUDGE
        return self.locked or self.paper is not None or repaired

    @property
    def legal(self) -> bool:
        """Whether the list in force has no errors."""
        return self.submitted is not None and not self.submitted.errors


NEW = Registration()


def _other_entrant(state: Registration, offered: ListSubmitted | PaperReceived) -> Refusal | None:
    held = state.submitted or state.paper
    if held is not None:
        whose = (held.deck_id, held.event_id, state.entrant_id, state.persons[0])
        names = ("deck_id", "event_id", "entrant_id", "person_id")
        for name, value in zip(names, whose, strict=True):
            if value != getattr(offered, name):
                return Refusal("decks.not_this_entrant", {"field": name})
    return None


def decide_move(
    state: Registration, *, entrant_id: str, persons: tuple[str, ...], same: tuple[str, ...]
) -> list[DomainEvent] | Refusal:
    """Let the list be that of an entrant with these persons, of whom `same` are ids of one human.
    Its player is the first of them, with the ids of the same human; nobody else of a team. No
    events where it is theirs already. Refused: `decks.no_list`."""
    held = state.submitted or state.paper
    if held is None:
        return Refusal("decks.no_list")
    kin = {*state.persons, *(same if persons[0] in same else ())}
    ids = tuple(dict.fromkeys((persons[0], *(one for one in persons if one in kin))))
    if (entrant_id, ids) == (state.entrant_id, state.persons):
        return []
    return [ListMoved(held.deck_id, held.event_id, entrant_id, ids)]


def _same(held: ListSubmitted | None, offered: ListSubmitted) -> bool:
    frozen = ("deck_hash", "preset", "banlist_id", "banlist_hash", "catalogue_hash", "errors")
    return held is not None and all(getattr(held, one) == getattr(offered, one) for one in frozen)


def decide_submit(state: Registration, offered: ListSubmitted) -> list[DomainEvent] | Refusal:
    """Take a legal list as the next version. The same list checked against the same things is
    no new version: no events. Refused: `decks.list_locked`, `decks.not_this_entrant`,
    `decks.paper_there` (what was handed in on paper is not replaced), `decks.list_repaired`."""
    wrong = _other_entrant(state, offered)
    if wrong is not None:
        return wrong
    if state.locked:
        return Refusal("decks.list_locked", {"number": state.number})
    if state.paper is not None:
        return Refusal("decks.paper_there", {"found": state.paper.at})
    if state.submitted is not None and state.submitted.source == Source.JUDGE:
        return Refusal("decks.list_repaired", {"number": state.number})
    if _same(state.submitted, offered):
        return []
    return [_numbered(offered, state.number + 1)]


def _numbered(offered: ListSubmitted, number: int) -> ListSubmitted:
    values = {name: getattr(offered, name) for name in offered.__struct_fields__}
    return ListSubmitted(**{**values, "number": number})


def decide_receive(state: Registration, offered: PaperReceived) -> list[DomainEvent] | Refusal:
    """Take a list on paper; a second tap changes nothing. Refused: `decks.not_this_entrant`,
    `decks.list_there` (a list is in already), `decks.list_locked`."""
    wrong = _other_entrant(state, offered)
    if wrong is not None:
        return wrong
    if state.paper is not None:
        return []
    if state.submitted is not None:
        return Refusal("decks.list_there", {"number": state.number})
    if state.locked:
        return Refusal("decks.list_locked", {"number": state.number})
    return [offered]


def decide_return(state: Registration, by: str) -> list[DomainEvent] | Refusal:
    """Take the mark of a paper list back. Refused: `decks.no_paper`, `decks.list_locked`,
    `decks.paper_used` (it was photographed or typed in)."""
    if state.paper is None:
        return Refusal("decks.no_paper")
    if state.locked:
        return Refusal("decks.list_locked", {"number": state.number})
    if state.submitted is not None or state.photos:
        return Refusal("decks.paper_used", {"found": state.state.value})
    return [PaperReturned(state.paper.deck_id, state.paper.event_id, by)]


def decide_enter(state: Registration, offered: ListSubmitted) -> list[DomainEvent] | Refusal:
    """Type in what stands on the paper, legal or not; again, to put a slip of the pen right.
    A lock does not matter: the list was fixed when the paper was handed in. Refused:
    `decks.no_paper`, `decks.list_confirmed`, `decks.list_repaired`."""
    if state.paper is None:
        return Refusal("decks.no_paper")
    held = state.submitted
    if held is not None and held.source == Source.JUDGE:
        return Refusal("decks.list_repaired", {"number": state.number})
    if state.state is ListState.CHECKED:
        return Refusal("decks.list_confirmed", {"number": state.number})
    if _same(held, offered) and not offered.errors:
        return []
    return [_numbered(offered, state.number + 1)]


def decide_confirm(state: Registration, number: int, by: str) -> list[DomainEvent] | Refusal:
    """Mark version `number` as checked; again: no events. Refused: `decks.no_list`,
    `decks.other_version` (another is in force), `decks.repair_first` (it is illegal)."""
    held = state.submitted
    if held is None:
        return Refusal("decks.no_list")
    if number != state.number:
        return Refusal("decks.other_version", {"found": number, "allowed": state.number})
    if held.errors:
        return Refusal("decks.repair_first", {"found": list(held.errors)})
    if state.confirmed == number:
        return []
    return [ListConfirmed(held.deck_id, held.event_id, number, by)]


def decide_photo(state: Registration, offered: PaperPhotographed) -> list[DomainEvent] | Refusal:
    """Keep a photo of the paper. Refused: `decks.no_paper`, `decks.photos_many`."""
    if state.paper is None:
        return Refusal("decks.no_paper")
    if any(one.sha256 == offered.sha256 for one in state.photos):
        return []
    if len(state.photos) >= MOST_PHOTOS:
        return Refusal("decks.photos_many", {"found": len(state.photos), "allowed": MOST_PHOTOS})
    return [offered]


def decide_photo_erase(state: Registration, photo_id: str, by: str) -> list[DomainEvent] | Refusal:
    """Erase a photo. Refused: `decks.photo_gone`."""
    held = next((one for one in state.photos if one.photo_id == photo_id), None)
    if held is None:
        return Refusal("decks.photo_gone")
    return [PhotoErased(held.deck_id, held.event_id, photo_id, by)]


def decide_repair(state: Registration, offered: ListSubmitted) -> list[DomainEvent] | Refusal:
    """Take a judge's repair as the next version, whatever the lock. Refused: `decks.no_list`,
    `decks.nothing_repaired`."""
    if state.submitted is None:
        return Refusal("decks.no_list")
    if state.submitted.deck_hash == offered.deck_hash and not state.submitted.errors:
        return Refusal("decks.nothing_repaired", {"number": state.number})
    return [_numbered(offered, state.number + 1)]


def decide_lock(state: Registration) -> list[DomainEvent] | Refusal:
    """Lock the list in force, or the paper; no events when it is locked. Refused:
    `decks.no_list`."""
    held = state.submitted or state.paper
    if held is None:
        return Refusal("decks.no_list")
    if state.locked:
        return []
    return [ListLocked(held.deck_id, held.event_id, state.number)]


def decide_unlock(
    state: Registration, author_id: str, sealed_reason: str
) -> list[DomainEvent] | Refusal:
    """Open the list again. Refused: `decks.no_list`, `decks.list_not_locked`."""
    held = state.submitted or state.paper
    if held is None:
        return Refusal("decks.no_list")
    if not state.locked:
        return Refusal("decks.list_not_locked", {"number": state.number})
    return [ListUnlocked(held.deck_id, held.event_id, author_id, sealed_reason)]


def evolve(state: Registration, event: DomainEvent) -> Registration:
    """Take one event into the state."""
    match event:
        case ListSubmitted():
            return replace(state, submitted=event)
        case ListLocked():
            return replace(state, locked=True)
        case ListUnlocked():
            return replace(state, locked=False)
        case ListMoved():
            return replace(state, moved=event)
        case PaperReceived():
            return replace(state, paper=event)
        case PaperReturned():
            return replace(state, paper=None)
        case PaperPhotographed():
            return replace(state, photos=(*state.photos, event))
        case PhotoErased():
            left = tuple(one for one in state.photos if one.photo_id != event.photo_id)
            return replace(state, photos=left)
        case ListConfirmed():
            return replace(state, confirmed=event.number)
        case _:
            return state


@dataclass(frozen=True, slots=True)
class Change:
    """How many copies of a card a version has more (or fewer, negative) in a section."""

    section: str
    key: str
    copies: int


def difference(before: DeckList, after: DeckList) -> tuple[Change, ...]:
    """Return what changed between two versions: sections in their order, what went first."""
    found: list[Change] = []
    for (section, old), (_, new) in zip(before.sections(), after.sections(), strict=True):
        had, has = Counter(old), Counter(new)
        found += [Change(section, key, -number) for key, number in (had - has).items()]
        found += [Change(section, key, number) for key, number in (has - had).items()]
    return tuple(found)
