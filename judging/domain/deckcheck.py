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
from judging.events import DeckCounted, TablesPicked

SECTIONS = ("main", "extra", "side")
AMBER_S = 7 * 60
"""Seconds after which a check begins to cost the round."""
MOST = 99


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
    """All checks of an event: picks per round, and the latest count per (match, entrant,
    section)."""

    picks: Mapping[int, tuple[TablesPicked, ...]] = field(default_factory=dict)
    counts: Mapping[tuple[str, str, str], DeckCounted] = field(default_factory=dict)

    @property
    def checked(self) -> frozenset[str]:
        """The entrants of whom at least a part was counted."""
        return frozenset(entrant for _, entrant, _ in self.counts)

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
    return state


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
