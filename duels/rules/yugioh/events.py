"""Events of a Yu-Gi-Oh! table: each says what moved or changed, never why it was lawful.

`card`, `target` and `by` are instance ids; 0 stands for none. `place` is the space within a
zone, from 0. Zones: hand, deck, fusion_deck, graveyard, banished, monsters, spells_traps,
field.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from duels.domain.events import CardFacts, Seat
from duels.domain.play import CardIdentified as CardIdentified
from duels.domain.play import CardsDrawn as CardsDrawn
from duels.domain.play import DeckShuffled as DeckShuffled
from duels.domain.play import EffectDeclared as EffectDeclared
from duels.domain.play import EffectDeclined as EffectDeclined
from duels.domain.play import EffectsTriggered as EffectsTriggered
from duels.domain.play import Passed as Passed
from duels.domain.play import Trigger as Trigger
from duels.domain.play import TurnBegun as TurnBegun
from eventstore.domain.registry import DomainEvent, event, upcaster

Phase = Literal["draw", "standby", "main1", "battle", "main2", "end"]
Position = Literal["attack", "defence", "set"]


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


@event("duels.material_attached")
class MaterialAttached(DomainEvent, frozen=True):
    """A card lies under another one as its material, as a log from elsewhere tells it; `place`
    counts the materials of `target` from 0, the lowest first. Materials are public."""

    player: Seat
    card: int
    target: int
    place: int
    source: str
    by: int = 0


@upcaster("duels.card_activated", 1)
def _activated_without_chain(values: dict[str, Any]) -> dict[str, Any]:
    """Version 2 says which link of a chain the activation is; version 1 knew no chains."""
    return values


@event("duels.card_activated", 2)
class CardActivated(DomainEvent, frozen=True):
    """A link was added to the chain: a card's effect was activated; a Spell or Trap is now
    face-up in `zone`. `effect` is its place in the card's script (-1: none), `speed` its Spell
    Speed; `named` the cards given for costs; `pieces` and `position` belong to the summon by
    this effect: first the monster, then materials or tributes."""

    player: Seat
    card: int
    zone: str
    place: int
    source: str
    targets: list[int]
    effect: int = 0
    speed: int = 1
    named: list[int] = []
    pieces: list[int] = []
    position: str = ""


@event("duels.window_closed")
class WindowClosed(DomainEvent, frozen=True):
    """The chance to answer was over although not both passed in words: play went on. `window`:
    chain (which then resolves), or what was to be answered."""

    window: Literal["chain", "summon", "attack", "start", "damage", "end"]


@event("duels.activation_negated")
class ActivationNegated(DomainEvent, frozen=True):
    """A link of the chain (from 1) was negated by a later one: it will do nothing."""

    link: int
    card: int
    by: int


@event("duels.summon_negated")
class SummonNegated(DomainEvent, frozen=True):
    """A summon was negated. `counted`: it spends the Normal Summon all the same."""

    player: Seat
    card: int
    how: str
    counted: bool
    by: int


@event("duels.attack_stopped")
class AttackStopped(DomainEvent, frozen=True):
    """An attack came to nothing. `counted`: it was the attack of its monster in this turn."""

    card: int
    target: int
    cause: Literal["negated", "attacker_gone", "target_gone"]
    counted: bool


@event("duels.attack_replayed")
class AttackReplayed(DomainEvent, frozen=True):
    """The attack was taken back: attacker and target are chosen anew (YGO-15.15)."""

    card: int
    target: int
    counted: bool


@event("duels.control_changed")
class ControlChanged(DomainEvent, frozen=True):
    """A monster went over to `player`, in the position it had. `until`: end_of_turn, lasting,
    or returned (control went back)."""

    player: Seat
    card: int
    place: int
    until: Literal["end_of_turn", "lasting", "returned"]
    by: int = 0


@event("duels.token_created")
class TokenCreated(DomainEvent, frozen=True):
    """A Monster Token came into being under this new instance id. `facts` are given when the
    log had none."""

    player: Seat
    card: int
    key: str
    position: Literal["attack", "defence"]
    place: int
    by: int
    facts: CardFacts | None = None


@event("duels.direct_attack_allowed")
class DirectAttackAllowed(DomainEvent, frozen=True):
    """An effect lets monsters attack directly in this turn."""

    cards: list[int]
    by: int


@event("duels.payment_decided")
class PaymentDecided(DomainEvent, frozen=True):
    """A player said whether the price of an effect is paid."""

    player: Seat
    card: int
    pay: bool


@event("duels.battle_end_announced")
class BattleEndAnnounced(DomainEvent, frozen=True):
    """The Battle Phase is left by its End Step: for the End Phase, or to end the turn."""

    player: Seat
    to: Literal["end", "turn_end"]


@event("duels.damage_owed")
class DamageOwed(DomainEvent, frozen=True):
    """Battle damage that is subtracted when the attacks are over (option damage.batching)."""

    losses: dict[str, int]
    by: int


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


@upcaster("duels.values_modified", 1)
def _until_the_end(values: dict[str, Any]) -> dict[str, Any]:
    """Version 1 knew changes until the end of the turn only: the default of version 2."""
    return values


@event("duels.values_modified", 2)
class ValuesModified(DomainEvent, frozen=True):
    """ATK and DEF of monsters changed: until the end of the turn, or with `while_up` as long
    as the card `by` lies face-up on the field."""

    cards: list[int]
    atk: int
    defence: int
    by: int
    while_up: bool = False
