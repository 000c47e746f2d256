"""A duel of the classic game: its table under the duel of all games (duels.domain.duel)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from duels.domain import duel as shared
from duels.domain.duel import Count as Count
from duels.domain.duel import Infraction as Infraction
from duels.domain.rewind import Trail
from duels.rules.yugioh import evolve as evolving
from duels.rules.yugioh import knowledge as knowing
from duels.rules.yugioh.state import EMPTY, Table
from eventstore.domain.registry import DomainEvent

Duel: TypeAlias = shared.Duel[Table]
NEW: Duel = shared.Duel(Trail(0, EMPTY, None, None))


def held(table: Table, player: str, zone: str) -> int:
    """Return how many cards a zone of a player holds; 0 for a zone that this game has not."""
    value = getattr(table.side(player), zone, ())
    if isinstance(value, int):
        return 1 if value else 0
    return sum(1 for card in value if card)


evolve = shared.evolving(evolving.step, knowing.after, held)


def fold(events: Iterable[DomainEvent], duel: Duel = NEW) -> Duel:
    """Return the duel after a log."""
    for event in events:
        duel = evolve(duel, event)
    return duel
