"""Events of a Yu-Gi-Oh! table: each says what moved or changed, never why it was lawful.

`card`, `target` and `by` are instance ids; 0 stands for none. `place` is the space within a
zone, from 0. Zones: hand, deck, fusion_deck, graveyard, banished, monsters, spells_traps,
field.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from duels.domain.events import CardFacts, Seat
from eventstore.domain.registry import DomainEvent, event

Phase = Literal["draw", "standby", "main1", "battle", "main2", "end"]
Position = Literal["attack", "defence", "set"]


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


@event("duels.phase_entered")
class PhaseEntered(DomainEvent, frozen=True):
    """The turn player announced a phase; a Battle Phase begins in its Start Step."""

    player: Seat
    phase: Phase


@event("duels.step_entered")
class StepEntered(DomainEvent, frozen=True):
    """The Battle Phase went on to a step."""

    player: Seat
    step: Literal["start", "battle", "damage", "end"]


@event("duels.turn_end_announced")
class TurnEndAnnounced(DomainEvent, frozen=True):
    """The turn player announced the end of the turn."""

    player: Seat


@event("duels.monster_summoned")
class MonsterSummoned(DomainEvent, frozen=True):
    """A monster came face-up: from `source` to a space, or turned up there (`flip`)."""

    player: Seat
    card: int
    how: Literal["normal", "tribute", "flip", "special"]
    position: Literal["attack", "defence"]
    place: int
    source: str


@event("duels.monster_set")
class MonsterSet(DomainEvent, frozen=True):
    """A monster was put face-down in Defence from the hand."""

    player: Seat
    card: int
    place: int
    source: str


@event("duels.position_changed")
class PositionChanged(DomainEvent, frozen=True):
    """A monster's position changed: by choice, by an attack on it, or by an effect."""

    card: int
    position: Position
    cause: Literal["choice", "attack", "effect"]


@event("duels.spell_trap_set")
class SpellTrapSet(DomainEvent, frozen=True):
    """A Spell or Trap was put face-down in zone E, or a Field Spell in zone A."""

    player: Seat
    card: int
    zone: Literal["spells_traps", "field"]
    place: int
    source: str


@event("duels.card_placed")
class CardPlaced(DomainEvent, frozen=True):
    """A card lies at a place, as a log from elsewhere tells it; no rule is asked how it came
    there. `position`: attack, defence, up or set; in a pile only `set`: face-down among the
    removed cards, or in the hand of the player who does not own it. `cause`: activated, effect,
    control, turned, attached (`target` is the monster it is attached to), mixed (Set cards
    changed places unseen), token (a new instance comes into being: `key` is what it is)."""

    player: Seat
    card: int
    zone: Literal["monsters", "spells_traps", "field", "banished", "hand"]
    place: int
    position: str
    source: str
    cause: str
    target: int = 0
    by: int = 0
    key: str | None = None


@event("duels.card_activated")
class CardActivated(DomainEvent, frozen=True):
    """A card's effect was activated; a Spell or Trap is now face-up in `zone`."""

    player: Seat
    card: int
    zone: str
    place: int
    source: str
    targets: list[int]


@event("duels.activation_resolved")
class ActivationResolved(DomainEvent, frozen=True):
    """The effect of an activated card has been carried out as far as it could be."""

    player: Seat
    card: int


@event("duels.attack_declared")
class AttackDeclared(DomainEvent, frozen=True):
    """An attack; `target` 0 is the player directly."""

    player: Seat
    card: int
    target: int


@event("duels.battle_calculated")
class BattleCalculated(DomainEvent, frozen=True):
    """The values that were compared and the line of the damage table that applies."""

    card: int
    target: int
    rule: str
    value: int
    target_value: int | None


class LpChange(msgspec.Struct, frozen=True):
    """One player's change: `delta` as it was dealt, `life_points` what is left (0 or more)."""

    player: Seat
    delta: int
    life_points: int


@event("duels.lp_changed")
class LpChanged(DomainEvent, frozen=True):
    """Life Points changed in one moment. `cause`: battle, effect, cost; `by` the card."""

    changes: list[LpChange]
    cause: Literal["battle", "effect", "cost"]
    by: int
    key: str | None


class Move(msgspec.Struct, frozen=True):
    """One card to a zone of its owner; decks: deck_top or deck_bottom."""

    card: int
    to: Literal["hand", "deck_top", "deck_bottom", "fusion_deck", "graveyard", "banished"]


@event("duels.cards_moved")
class CardsMoved(DomainEvent, frozen=True):
    """Cards moved in one moment. `cause`: battle, effect, rule, tribute, material, cost,
    discard, used."""

    moves: list[Move]
    cause: str
    by: int = 0


@event("duels.values_modified")
class ValuesModified(DomainEvent, frozen=True):
    """ATK and DEF of monsters changed until the end of the turn."""

    cards: list[int]
    atk: int
    defence: int
    by: int


@event("duels.effect_declared")
class EffectDeclared(DomainEvent, frozen=True):
    """A player carried out the text of a card that the engine has no script for: which card,
    and which operations. Listed for the judge (YGO-0.1)."""

    player: Seat
    by: int
    key: str | None
    ops: list[dict[str, Any]]


@event("duels.card_identified")
class CardIdentified(DomainEvent, frozen=True):
    """An unknown card was seen to be this one. `facts` are given when the log had none."""

    card: int
    key: str
    facts: CardFacts | None
