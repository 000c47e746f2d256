"""Events of a Duel Masters table: each says what moved or changed, never why it was lawful.

`card`, `target` and `by` are instance ids; 0 stands for none. Zones: deck, hand, shields, mana,
battle, graveyard, casting (a spell being cast).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from duels.domain.play import CardIdentified as CardIdentified
from duels.domain.play import CardsDrawn as CardsDrawn
from duels.domain.play import DeckShuffled as DeckShuffled
from duels.domain.play import EffectDeclared as EffectDeclared
from duels.domain.play import EffectDeclined as EffectDeclined
from duels.domain.play import EffectsTriggered as EffectsTriggered
from duels.domain.play import Passed as Passed
from duels.domain.play import Trigger as Trigger
from duels.domain.play import TurnBegun as TurnBegun
from duels.rules.duelmasters.cards import Card
from duels.rules.duelmasters.seats import Player
from eventstore.domain.registry import DomainEvent, event

Step = Literal["start", "draw", "charge", "main", "attack"]


@event("duels.cards_described")
class CardsDescribed(DomainEvent, frozen=True):
    """What the cards are whose keys this duel names: the facts the rules need, frozen."""

    cards: list[Card]


@event("duels.shields_laid")
class ShieldsLaid(DomainEvent, frozen=True):
    """Cards from the top of the deck were laid face-down as shields, unseen. `by`: the card
    whose effect it was; 0 at the start, or for a player defeated (DM-10.17)."""

    player: Player
    cards: list[int]
    by: int = 0


@event("duels.cards_untapped")
class CardsUntapped(DomainEvent, frozen=True):
    """Step 1: the tapped cards of the turn player were untapped."""

    player: Player
    cards: list[int]


@event("duels.step_begun")
class StepBegun(DomainEvent, frozen=True):
    """The turn player went on to a step."""

    player: Player
    step: Step


@event("duels.mana_charged")
class ManaCharged(DomainEvent, frozen=True):
    """Step 3: a card from the hand was put into the mana zone."""

    player: Player
    card: int


@event("duels.creature_summoned")
class CreatureSummoned(DomainEvent, frozen=True):
    """A creature came into the battle zone, untapped. `mana`: the cards tapped for it; `how`:
    summoned (paid for), trigger (a shield trigger, for nothing), effect (put there by `by`)."""

    player: Player
    card: int
    how: Literal["summoned", "trigger", "effect"]
    mana: list[int]
    source: str
    by: int = 0


@event("duels.creature_evolved")
class CreatureEvolved(DomainEvent, frozen=True):
    """An evolution creature was laid on the creature `onto`. `tapped`: it lies tapped, as that
    creature did. `how` and `mana` as for a summons."""

    player: Player
    card: int
    onto: int
    tapped: bool
    how: Literal["summoned", "trigger", "effect"]
    mana: list[int]
    source: str
    by: int = 0


@event("duels.spell_cast")
class SpellCast(DomainEvent, frozen=True):
    """A spell was cast: paid with `mana`, or for nothing as a shield trigger. `targets`: what
    its player chose."""

    player: Player
    card: int
    how: Literal["cast", "trigger"]
    mana: list[int]
    targets: list[int]
    source: str


@event("duels.tap_ability_used")
class TapAbilityUsed(DomainEvent, frozen=True):
    """A creature was tapped to use its tap ability instead of attacking."""

    player: Player
    card: int
    targets: list[int]


@event("duels.effect_begun")
class EffectBegun(DomainEvent, frozen=True):
    """An effect that had been called is carried out. `effect`: its place in the card's script;
    `targets`: what was chosen for it."""

    player: Player
    card: int
    effect: int
    targets: list[int]


@event("duels.attack_begun")
class AttackBegun(DomainEvent, frozen=True):
    """A creature was tapped to attack the player `defender`, or that player's creature
    `target` (0: the player)."""

    player: Player
    card: int
    defender: Player
    target: int


@event("duels.attack_blocked")
class AttackBlocked(DomainEvent, frozen=True):
    """A creature was tapped to block the attack."""

    player: Player
    card: int


@event("duels.attack_unblocked")
class AttackUnblocked(DomainEvent, frozen=True):
    """The attack was not blocked: `player` did not, or it cannot be blocked."""

    player: Player
    card: int
    cause: Literal["declined", "cannot_be_blocked"]


@event("duels.shields_broken")
class ShieldsBroken(DomainEvent, frozen=True):
    """Shields of `player` were broken and went to that player's hand. `by`: the attacker."""

    player: Player
    cards: list[int]
    by: int


@event("duels.battle_fought")
class BattleFought(DomainEvent, frozen=True):
    """Two creatures battled: their powers as compared, the cards that lost, and the rule."""

    card: int
    target: int
    power: int
    against: int
    lost: list[int]
    rule: str


@event("duels.attack_ended")
class AttackEnded(DomainEvent, frozen=True):
    """The attack is over: carried through, or its attacker or target was gone, or untapped."""

    card: int
    cause: Literal["carried_through", "attacker_gone", "target_gone", "target_untapped"]


@event("duels.cards_turned")
class CardsTurned(DomainEvent, frozen=True):
    """An effect of `by` tapped or untapped cards."""

    cards: list[int]
    tapped: bool
    by: int


@event("duels.power_changed")
class PowerChanged(DomainEvent, frozen=True):
    """The power of creatures changed: until the end of the turn, or with `while_there` as long
    as the creature `by` is in the battle zone."""

    cards: list[int]
    amount: int
    by: int
    while_there: bool = False


class Sending(msgspec.Struct, frozen=True):
    """One card to a zone of its owner; the deck as deck_top or deck_bottom."""

    card: int
    to: Literal["hand", "deck_top", "deck_bottom", "graveyard", "mana"]


@event("duels.cards_sent")
class CardsSent(DomainEvent, frozen=True):
    """Cards went to zones of their owners in one moment, a stack as separate cards. `cause`:
    battle, effect, discard, used."""

    sendings: list[Sending]
    cause: Literal["battle", "effect", "discard", "used"]
    by: int = 0


@event("duels.player_defeated")
class PlayerDefeated(DomainEvent, frozen=True):
    """In a duel of more than two a player is out, with all cards of that player. `by`: who
    defeated the player, empty for nobody; `rule`: the rule it rests on."""

    player: Player
    by: str
    rule: str
