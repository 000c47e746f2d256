"""One pass over a log: every event with the duel before and after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from duels.domain.duel import Duel
from duels.domain.events import Rewound
from duels.domain.knowledge import PUBLIC
from duels.domain.rewind import struck
from duels.domain.seats import PLAYERS
from eventstore.domain.registry import DomainEvent, name_of

KNOWERS = (*PLAYERS, PUBLIC)

S = TypeVar("S", bound="Step")


@dataclass(frozen=True, slots=True)
class Card:
    """A card as a judge reads it: instance, key and name (None: not known to anybody), whose
    it is, where it lies (`P1.hand.3`, empty for one that is gone)."""

    card: int
    key: str | None
    name: str | None
    owner: str
    place: str


@dataclass(frozen=True, slots=True)
class Step(ABC):
    """One event: its number, the duel before and after it, whether a rewind took it back. A game
    says in a subclass who sees what, where a card lies, and which events are decisions."""

    seq: int
    event: DomainEvent
    before: Duel[Any]
    after: Duel[Any]
    struck: bool

    HIDDEN: ClassVar[tuple[str, ...]] = ("deck",)
    """Zones in which nobody can tell cards apart."""

    @staticmethod
    @abstractmethod
    def sees(duel: Duel[Any], viewer: str, instance: int) -> bool:
        """Say whether a viewer (a seat, public, judge) knows what a card is."""

    @staticmethod
    @abstractmethod
    def place_of(table: Any, instance: int) -> str:
        """Return the place of a card as text, "" for one that is gone."""

    @abstractmethod
    def decided(self) -> bool:
        """Say whether the event is somebody's choice: not what rules or effects bring about by
        themselves, nor the draw of the turn."""

    def came(self, player: str) -> list[int]:
        """Return the cards that this event put into a hand, in the order of the hand."""
        had = set(self.before.table.side(player).hand)
        return [card for card in self.after.table.side(player).hand if card not in had]

    def went(self, player: str) -> list[int]:
        """Return the cards that this event took out of a hand."""
        has = set(self.after.table.side(player).hand)
        return [card for card in self.before.table.side(player).hand if card not in has]

    def card(self, table: Any, instance: int) -> Card:
        """Return a card of a table as a judge reads it."""
        facts = table.facts_of(instance)
        return Card(
            instance,
            table.identities[instance],
            facts.name if facts is not None else None,
            table.owners[instance],
            self.place_of(table, instance),
        )

    def knowers(self, duel: Duel[Any], instance: int) -> tuple[str, ...]:
        """Return who knows what a card is: of P1, P2 and public."""
        return tuple(one for one in KNOWERS if self.sees(duel, one, instance))

    @property
    def code(self) -> str:
        """The type of the event."""
        return name_of(self.event)[0]

    @property
    def plays(self) -> bool:
        """Whether the event moves play on; a rewind sets it back instead."""
        return not isinstance(self.event, Rewound)


def steps(
    raw: Sequence[DomainEvent],
    new: Duel[Any],
    evolve: Callable[[Duel[Any], DomainEvent], Duel[Any]],
    make: type[S],
) -> list[S]:
    """Return every step of a log; raises LookupError for a rewind to no event."""
    marks = struck(raw)
    made: list[S] = []
    duel = new
    for seq, event in enumerate(raw, 1):
        after = evolve(duel, event)
        made.append(make(seq, event, duel, after, marks[seq - 1]))
        duel = after
    return made
