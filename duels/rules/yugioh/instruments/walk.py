"""One pass over a log: every event with the duel before and after it."""

from __future__ import annotations

from collections.abc import Sequence

from duels.domain.walk import Card as Card
from duels.domain.walk import Passage, passages
from duels.rules.yugioh import knowledge as knowing
from duels.rules.yugioh import refs
from duels.rules.yugioh.duel import NEW, Duel, evolve
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import Table
from eventstore.domain.registry import DomainEvent


class Step(Passage[Duel]):
    """One event with the duel before and after it."""

    __slots__ = ()

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
    return passages(raw, NEW, evolve, Step)


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
