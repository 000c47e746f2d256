"""The walked log of this game, and what the instruments ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duels.domain import walk as walking
from duels.domain.duel import Duel
from duels.domain.walk import Card as Card
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import knowledge as knowing
from duels.rules.yugioh import refs
from duels.rules.yugioh.duel import NEW, evolve
from eventstore.domain.registry import DomainEvent

DECISIONS = (
    "duels.attack_declared",
    "duels.card_activated",
    "duels.duel_conceded",
    "duels.effect_declared",
    "duels.monster_set",
    "duels.monster_summoned",
    "duels.payment_decided",
    "duels.phase_entered",
    "duels.position_changed",
    "duels.spell_trap_set",
    "duels.turn_end_announced",
)
"""Events that are somebody's choice, as far as `Step.decided` does not say otherwise."""


class Step(walking.Step):
    """One event with the duel before and after it."""

    __slots__ = ()

    @staticmethod
    def sees(duel: Duel[Any], viewer: str, instance: int) -> bool:
        """Say whether a viewer knows what a card is."""
        return knowing.sees(duel.table, duel.knowledge, viewer, instance)

    @staticmethod
    def place_of(table: Any, instance: int) -> str:
        """Return the place of a card as text."""
        return refs.place_of(table, instance)

    def decided(self) -> bool:
        """Say whether the event is somebody's choice."""
        event = self.event
        match event:
            case ev.PositionChanged():
                return event.cause == "choice"
            case ev.MonsterSummoned():
                return event.how != "special"
            case ev.PhaseEntered():
                return event.phase != "end"  # the end of the turn is announced beside it
            case ev.CardsMoved():
                return event.cause == "discard"
            case _:
                return self.code in DECISIONS


def walk(raw: Sequence[DomainEvent]) -> list[Step]:
    """Return every step of a log; raises LookupError for a rewind to no event."""
    return walking.steps(raw, NEW, evolve, Step)
