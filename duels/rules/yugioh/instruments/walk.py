"""One pass over a log: every event with the duel before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from duels.domain.events import Rewound
from duels.domain.rewind import struck
from duels.rules.yugioh import knowledge as knowing
from duels.rules.yugioh import refs
from duels.rules.yugioh.duel import NEW, Duel, evolve
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import Table
from eventstore.domain.registry import DomainEvent, name_of


@dataclass(frozen=True, slots=True)
class Step:
    """One event: its number, the duel before and after it, whether a rewind took it back."""

    seq: int
    event: DomainEvent
    before: Duel
    after: Duel
    struck: bool

    @property
    def code(self) -> str:
        """The type of the event."""
        return name_of(self.event)[0]

    @property
    def plays(self) -> bool:
        """Whether the event moves play on; a rewind sets it back instead."""
        return not isinstance(self.event, Rewound)

    def came(self, player: str) -> list[int]:
        """Return the cards that this event put into a hand, in the order of the hand."""
        had = set(self.before.table.side(player).hand)
        return [card for card in self.after.table.side(player).hand if card not in had]

    def went(self, player: str) -> list[int]:
        """Return the cards that this event took out of a hand."""
        has = set(self.after.table.side(player).hand)
        return [card for card in self.before.table.side(player).hand if card not in has]


def walk(raw: Sequence[DomainEvent]) -> list[Step]:
    """Return every step of a log; raises LookupError for a rewind to no event."""
    marks = struck(raw)
    steps: list[Step] = []
    duel = NEW
    for seq, event in enumerate(raw, 1):
        after = evolve(duel, event)
        steps.append(Step(seq, event, duel, after, marks[seq - 1]))
        duel = after
    return steps


@dataclass(frozen=True, slots=True)
class Card:
    """A card as a judge reads it: instance, key and name (None: not known to anybody), whose
    it is, where it lies (`P1.hand.3`, empty for a token that is gone)."""

    card: int
    key: str | None
    name: str | None
    owner: str
    place: str


def card(table: Table, instance: int) -> Card:
    """Return a card of a table as a judge reads it."""
    facts = table.facts_of(instance)
    return Card(
        instance,
        table.identities[instance],
        facts.name if facts is not None else None,
        table.owners[instance],
        refs.place_of(table, instance),
    )


def knowers(duel: Duel, instance: int) -> tuple[str, ...]:
    """Return who knows what a card is: of P1, P2 and public."""
    return tuple(
        one
        for one in (*PLAYERS, knowing.PUBLIC)
        if knowing.sees(duel.table, duel.knowledge, one, instance)
    )
