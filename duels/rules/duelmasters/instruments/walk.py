"""The walked log of this game, and what the instruments ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from duels.domain import walk as walking
from duels.domain.duel import Duel
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters import knowledge as knowing
from duels.rules.duelmasters import refs
from duels.rules.duelmasters.duel import NEW, evolve
from eventstore.domain.registry import DomainEvent

DECISIONS = (
    "duels.attack_begun",
    "duels.attack_blocked",
    "duels.duel_conceded",
    "duels.effect_declared",
    "duels.mana_charged",
    "duels.passed",
    "duels.shields_broken",
    "duels.spell_cast",
    "duels.step_begun",
    "duels.tap_ability_used",
)
"""Events that are somebody's choice, as far as `Step.decided` does not say otherwise."""


class Step(walking.Step):
    """One event with the duel before and after it."""

    __slots__ = ()
    HIDDEN: ClassVar[tuple[str, ...]] = ("deck", "shields")

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
            case ev.CreatureSummoned() | ev.CreatureEvolved():
                return event.how != "effect"
            case ev.AttackUnblocked():
                return event.cause == "declined"
            case _:
                return self.code in DECISIONS


def walk(raw: Sequence[DomainEvent]) -> list[Step]:
    """Return every step of a log; raises LookupError for a rewind to no event."""
    return walking.steps(raw, NEW, evolve, Step)
