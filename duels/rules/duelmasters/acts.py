"""Acts: what somebody asks to do at the table. Small values with a plain JSON form.

A card is named by its instance id, or by its place as text `P2.battle.3` (seat, zone, rank from
1), which is how a player names a card whose face is hidden.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from duels.rules.duelmasters.cards import Card
from duels.rules.duelmasters.seats import Player
from eventstore.domain.refusal import Refusal

Ref: TypeAlias = int | str
Mana: TypeAlias = dict[str, int] | list[Ref] | None
"""Which untapped mana pays: so many cards of each civilization, or these cards, or None for any
lawful set."""


class Act(msgspec.Struct, frozen=True, tag_field="act", forbid_unknown_fields=True):
    """Base of all acts. `player` is who acts."""

    player: Player


class Untap(Act, frozen=True, tag="untap"):
    """Step 1 (DM-3.2)."""


class Draw(Act, frozen=True, tag="draw"):
    """Step 2 (DM-3.3)."""


class EnterStep(Act, frozen=True, tag="enter_step"):
    """Go on to a step (DM-3.1)."""

    step: Literal["start", "draw", "charge", "main", "attack"]


class Charge(Act, frozen=True, tag="charge"):
    """Put a card from the hand into the mana zone (DM-3.5)."""

    card: Ref


class Summon(Act, frozen=True, tag="summon"):
    """Summon a creature (DM-6.1)."""

    card: Ref
    mana: Mana = None


class Evolve(Act, frozen=True, tag="evolve"):
    """Summon an evolution creature onto `onto` (DM-7.1); None: the first that it may lie on."""

    card: Ref
    onto: Ref | None = None
    mana: Mana = None


class Cast(Act, frozen=True, tag="cast"):
    """Cast a spell (DM-5.1). `targets` in the order of its choices; left out, the spell waits
    for `activate` where there is something to choose."""

    card: Ref
    mana: Mana = None
    targets: list[Ref] = []


class Attack(Act, frozen=True, tag="attack"):
    """Attack a player (a seat) or a creature (DM-8.1 to 8.3)."""

    card: Ref
    target: Ref


class Block(Act, frozen=True, tag="block"):
    """Block the attack (DM-9.1)."""

    card: Ref


class ChooseShields(Act, frozen=True, tag="choose_shields"):
    """Choose the shields that the attack breaks, by their places from 1 (DM-8.5)."""

    shields: list[int]


class UseShieldTrigger(Act, frozen=True, tag="use_shield_trigger"):
    """Use the shield trigger of a card that has just been broken (DM-10.4). `targets` as for a
    spell; for an evolution creature the creature it is laid on."""

    card: Ref
    targets: list[Ref] = []


class TapAbility(Act, frozen=True, tag="tap_ability"):
    """Tap a creature to use its tap ability (DM-10.5)."""

    card: Ref
    targets: list[Ref] = []


class Activate(Act, frozen=True, tag="activate"):
    """Choose for an effect that has just started; who has to discard names the cards."""

    card: Ref
    targets: list[Ref] = []


class Pass(Act, frozen=True, tag="pass"):
    """Decline to block, to use a shield trigger or an optional effect."""


class EndTurn(Act, frozen=True, tag="end_turn"):
    """End the turn (DM-3.1)."""


class Resume(Act, frozen=True, tag="resume"):
    """Go on: what is under way takes its course."""


class ResolveEffect(Act, frozen=True, tag="resolve_effect"):
    """Carry out the text of an unscripted card at once (DM-0.2). `by` is a card of this duel,
    by id, place or key; `ops` are operations. `answer`: what is open stays open."""

    by: Ref
    ops: list[dict[str, Any]]
    answer: bool = False


class Identify(Act, frozen=True, tag="identify"):
    """Say what an unknown card is. `facts` when the log has none for the key."""

    card: Ref
    key: str
    facts: Card | None = None


class Claim(Act, frozen=True, tag="claim"):
    """Claim the win against the rules; always refused (DM-2.1)."""

    about: Literal["win"]
    card: Ref | None = None
    amount: int | None = None


class Observe(Act, frozen=True, tag="observe"):
    """A judge notes a breach that only a person at the table can see, against `player`."""

    conduct: Literal["looked_at_shield", "looked_at_deck", "hid_public_card"]


class Concede(Act, frozen=True, tag="concede"):
    """Give the duel up; a matter of the tournament, outside the rule file."""


AnyAct: TypeAlias = (
    Untap
    | Draw
    | EnterStep
    | Charge
    | Summon
    | Evolve
    | Cast
    | Attack
    | Block
    | ChooseShields
    | UseShieldTrigger
    | TapAbility
    | Activate
    | Pass
    | EndTurn
    | Resume
    | ResolveEffect
    | Identify
    | Claim
    | Observe
    | Concede
)


def read(raw: object) -> AnyAct | Refusal:
    """Make an act of its plain form. Refused with `duels.act_malformed` (what was wrong, and
    where) for anything else."""
    try:
        act: AnyAct = msgspec.convert(raw, type=AnyAct)
    except (msgspec.ValidationError, RecursionError) as fault:
        return Refusal("duels.act_malformed", {"found": str(fault)[:200]})
    return act


def plain(act: AnyAct) -> dict[str, Any]:
    """Return the plain JSON form of an act."""
    form: dict[str, Any] = msgspec.to_builtins(act)
    return form
