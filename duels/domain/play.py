"""Events of play that say the same in every game. Each says what moved or changed, never why
it was lawful.

`card` and `by` are instance ids; 0 stands for none.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from duels.domain.events import CardFacts, Seat
from eventstore.domain.registry import DomainEvent, event, upcaster


@event("duels.deck_shuffled")
class DeckShuffled(DomainEvent, frozen=True):
    """The Duel Deck of `player` got this order (top first), drawn from `seed`."""

    player: Seat
    order: list[int]
    seed: str


@event("duels.cards_drawn")
class CardsDrawn(DomainEvent, frozen=True):
    """Cards from the top of the Deck to the hand. `cause`: opening, normal or effect."""

    player: Seat
    cards: list[int]
    cause: Literal["opening", "normal", "effect"]
    by: int = 0


@event("duels.turn_begun")
class TurnBegun(DomainEvent, frozen=True):
    """A turn begins in its Draw Phase, the draw still to be made."""

    turn: int
    player: Seat


@event("duels.passed")
class Passed(DomainEvent, frozen=True):
    """A player declined to answer in the open window."""

    player: Seat


class Trigger(msgspec.Struct, frozen=True):
    """One effect whose event has happened: its controller, card, place in the script, event."""

    player: Seat
    card: int
    effect: int
    when: str
    optional: bool = False
    about: int = 0


@event("duels.effects_triggered")
class EffectsTriggered(DomainEvent, frozen=True):
    """Flip or Trigger effects will go on the chain at their moment."""

    effects: list[Trigger]


@event("duels.effect_declined")
class EffectDeclined(DomainEvent, frozen=True):
    """A triggered effect was left unused, or came to nothing."""

    player: Seat
    card: int
    effect: int


@event("duels.effect_declared")
class EffectDeclared(DomainEvent, frozen=True):
    """A player carried out the text of a card that the engine has no script for: which card,
    and which operations. Listed for the judge (YGO-0.1)."""

    player: Seat
    by: int
    key: str | None
    ops: list[dict[str, Any]]


@upcaster("duels.card_identified", 1)
def _facts_without_pieces(values: dict[str, Any]) -> dict[str, Any]:
    """The facts of version 2 may say materials and rituals."""
    return values


@event("duels.card_identified", 2)
class CardIdentified(DomainEvent, frozen=True):
    """An unknown card was seen to be this one. `facts` are given when the log had none."""

    card: int
    key: str
    facts: CardFacts | None
