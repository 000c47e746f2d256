"""Deck checks (job J18): which tables, what was counted, what it amounts to.

The draw is a function of the seed and the tables, so that anybody can repeat it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from decks.domain.decklist import DeckList
from eventstore.domain.registry import DomainEvent
from judging.domain.policy import Pack
from judging.events import (
    DeckCounted,
    DeckPhotoErased,
    DeckPhotographed,
    DeckReturned,
    DecksTaken,
    SleevesMarked,
    TablesPicked,
)

SECTIONS = ("main", "extra", "side")
AMBER_S = 7 * 60
"""Seconds after which a check begins to cost the round."""
MOST = 99
MOST_PHOTOS = 4
"""Photos of one deck at one check."""
Deck = tuple[str, str]
"""A deck at a check: its match and its entrant."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in one deck so far. `counted` are the sections already counted."""

    counted: frozenset[str] = frozenset()
    missing: int = 0
    surplus: int = 0
    others: int = 0
    wrong_language: int = 0
    marked: int = 0

    @property
    def clean(self) -> bool:
        """Whether nothing was wrong in what was counted."""
        return not (
            self.missing or self.surplus or self.others or self.wrong_language or self.marked
        )

    @property
    def kind(self) -> str:
        """The kind of infraction that the findings amount to, empty for none: a deck that is
        not its list weighs more than cards in a language that is not played here."""
        if self.missing or self.surplus or self.others:
            return "deck_and_list_differ"
        return "deck_illegal" if self.wrong_language else ""


@dataclass(frozen=True, slots=True)
class DeckChecks:
    """All checks of an event: picks per round, the latest count per (match, entrant, section);
    and by deck (match, entrant): when it was taken and returned, its photos, its sleeves."""

    picks: Mapping[int, tuple[TablesPicked, ...]] = field(default_factory=dict)
    counts: Mapping[tuple[str, str, str], DeckCounted] = field(default_factory=dict)
    taken: Mapping[Deck, DecksTaken] = field(default_factory=dict)
    returned: Mapping[Deck, DeckReturned] = field(default_factory=dict)
    photos: Mapping[Deck, tuple[DeckPhotographed, ...]] = field(default_factory=dict)
    sleeves: Mapping[Deck, SleevesMarked] = field(default_factory=dict)

    @property
    def checked(self) -> frozenset[str]:
        """The entrants of whom at least a part was counted."""
        return frozenset(entrant for _, entrant, _ in self.counts)

    def out(self, match_id: str, entrant: str) -> bool:
        """Whether a deck is in the hands of staff now."""
        return (match_id, entrant) in self.taken and (match_id, entrant) not in self.returned

    def photos_left(self, photo_id: str) -> DeckPhotographed | None:
        """Return a photo that is kept, by its id."""
        kept = (one for held in self.photos.values() for one in held)
        return next((one for one in kept if one.photo == photo_id), None)

    def found(self, match_id: str, entrant: str) -> Found:
        """Add up what was found in one deck."""
        held = [
            one
            for (match, who, _), one in self.counts.items()
            if (match, who) == (match_id, entrant)
        ]
        return Found(
            frozenset(one.section for one in held),
            sum(len(one.missing) for one in held),
            sum(len(one.surplus) for one in held),
            sum(one.others for one in held),
            sum(one.wrong_language for one in held),
            sum(one.marked for one in held),
        )


NEW = DeckChecks()


def evolve(state: DeckChecks, event: DomainEvent) -> DeckChecks:
    """Take one event into the state."""
    if isinstance(event, TablesPicked):
        held = (*state.picks.get(event.round, ()), event)
        return replace(state, picks={**state.picks, event.round: held})
    if isinstance(event, DeckCounted):
        key = (event.match, event.entrant, event.section)
        return replace(state, counts={**state.counts, key: event})
    return _handled(state, event)


def _handled(state: DeckChecks, event: DomainEvent) -> DeckChecks:
    """Take in what happened to the cards themselves."""
    if isinstance(event, DecksTaken):
        decks = {(event.match, one): event for one in event.entrants}
        left = {key: one for key, one in state.returned.items() if key not in decks}
        return replace(state, taken={**state.taken, **decks}, returned=left)
    if isinstance(event, DeckReturned):
        return replace(state, returned={**state.returned, (event.match, event.entrant): event})
    if isinstance(event, DeckPhotographed):
        deck = (event.match, event.entrant)
        held = (*state.photos.get(deck, ()), event)
        return replace(state, photos={**state.photos, deck: held})
    if isinstance(event, DeckPhotoErased):
        kept = {
            deck: tuple(one for one in held if one.photo != event.photo)
            for deck, held in state.photos.items()
        }
        return replace(state, photos=kept)
    if isinstance(event, SleevesMarked):
        return replace(state, sleeves={**state.sleeves, (event.match, event.entrant): event})
    return state


def conflicts(
    own: Collection[str], clubs: Mapping[str, str], apart: Collection[Sequence[str]]
) -> frozenset[str]:
    """Return the entrants whom somebody should not check who plays as `own` in the event: those
    of the same club, those of a pair that is kept apart, and itself."""
    mine = {clubs[one] for one in own if clubs.get(one)}
    found = {one for one, club in clubs.items() if club in mine}
    for pair in apart:
        if set(pair) & set(own):
            found |= set(pair)
    return frozenset(found) | frozenset(own)


def draw(
    tables: Mapping[str, Collection[str]], checked: Collection[str], count: int, seed: str
) -> tuple[str, ...]:
    """Draw `count` of the tables {match id: entrants}: those first whose players were checked
    least, among these in the order of the hash of seed and match id."""

    def rank(match_id: str) -> tuple[int, str]:
        seen = sum(one in checked for one in tables[match_id])
        return seen, hashlib.sha256(f"{seed}:{match_id}".encode()).hexdigest()

    return tuple(sorted(tables, key=rank)[: max(0, count)])


def compare(
    expected: Sequence[str], counted: Mapping[str, int]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (missing, surplus) copies of a section. A card without a count is as listed."""
    wanted = Counter(expected)
    there = Counter({key: counted.get(key, number) for key, number in wanted.items()})
    return tuple((wanted - there).elements()), tuple((there - wanted).elements())


def section_of(deck: DeckList, section: str) -> tuple[str, ...]:
    """Return the cards of a section; raises KeyError for another word."""
    return dict(deck.sections())[section]


def candidate(found: Found, pack: Pack) -> tuple[str, str] | None:
    """Return (infraction of the pack, kind) that the findings suggest; None where nothing is
    wrong, or the pack has no such kind. A judge decides."""
    for code, one in pack.infractions.items():
        if found.kind and found.kind in one.kinds:
            return code, found.kind
    return None
