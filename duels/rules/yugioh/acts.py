"""Acts: what somebody asks to do at the table. Small values with a plain JSON form.

A card is named by its instance id, or by its place as text `P2.monsters.3` (seat, zone,
space or rank from 1), which is how a player names a card whose identity is hidden.
An act that lays a card on the field may name its `space` in the row, 1 to 5.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from duels.domain.events import CardFacts, Seat
from eventstore.domain.refusal import Refusal

Ref: TypeAlias = int | str


class Act(msgspec.Struct, frozen=True, tag_field="act", forbid_unknown_fields=True):
    """Base of all acts. `player` is who acts."""

    player: Seat


class DrawOpeningHand(Act, frozen=True, tag="draw_opening_hand"):
    """Draw the opening hand (YGO-5.4)."""

    n: int


class RedrawHand(Act, frozen=True, tag="redraw_hand"):
    """Ask for another opening hand, which no rule gives (YGO-5.4)."""


class Draw(Act, frozen=True, tag="draw"):
    """The draw of the Draw Phase (YGO-10.2)."""


class EnterPhase(Act, frozen=True, tag="enter_phase"):
    """Announce the next phase (YGO-10.1)."""

    phase: Literal["draw", "standby", "main1", "battle", "main2", "end"]


class EnterStep(Act, frozen=True, tag="enter_step"):
    """Announce the end of the Battle Phase (YGO-15.14)."""

    step: Literal["end"]


class EndTurn(Act, frozen=True, tag="end_turn"):
    """Go to the End Phase and announce the end of the turn (YGO-10.8)."""


class Discard(Act, frozen=True, tag="discard"):
    """Discard down to the hand limit (YGO-10.9)."""

    cards: list[Ref]


class NormalSummon(Act, frozen=True, tag="normal_summon", rename={"source": "from"}):
    """Normal or Tribute Summon (YGO-11.1, 11.2, 11.5, 11.6)."""

    card: Ref
    tributes: list[Ref] = []
    position: Literal["attack", "defence", "set"] = "attack"
    source: str = "hand"
    space: int | None = None


class SetMonster(Act, frozen=True, tag="set_monster"):
    """Set a monster (YGO-11.3, 11.7)."""

    card: Ref
    tributes: list[Ref] = []
    position: Literal["attack", "defence", "set"] = "set"
    space: int | None = None


class FlipSummon(Act, frozen=True, tag="flip_summon"):
    """Flip Summon a Set monster (YGO-11.9)."""

    card: Ref


class ChangePosition(Act, frozen=True, tag="change_position"):
    """Change a monster's position by hand (YGO-11.13)."""

    card: Ref
    to: Literal["attack", "defence", "set"]


class SetSpellTrap(Act, frozen=True, tag="set_spell_trap"):
    """Set a Spell or Trap (YGO-9.2); `zone` only where it differs from the kind's own."""

    card: Ref
    zone: Literal["spells_traps", "field"] | None = None
    space: int | None = None


class Activate(Act, frozen=True, tag="activate"):
    """Use a Spell, a Trap or a monster's effect (YGO-9.3): begins a chain, or answers for a
    Flip or Trigger effect that waits for a choice. `targets` in the order of the effect's
    choices; `position` where the effect leaves it open."""

    card: Ref
    targets: list[Ref] = []
    cost: list[Ref] = []
    position: Literal["attack", "defence", "set"] | None = None
    zone: Literal["spells_traps", "field"] | None = None
    space: int | None = None


class Respond(Act, frozen=True, tag="respond"):
    """Answer in the open window (YGO-17.1, 17.8)."""

    card: Ref
    targets: list[Ref] = []
    cost: list[Ref] = []
    position: Literal["attack", "defence", "set"] | None = None
    zone: Literal["spells_traps", "field"] | None = None
    space: int | None = None


class Pass(Act, frozen=True, tag="pass"):
    """Decline to answer in the open window, or to use an optional effect (YGO-17.2, 17.3)."""


class Decide(Act, frozen=True, tag="decide"):
    """Say whether the price an effect asks for on resolution is paid."""

    card: Ref
    pay: bool
    cost: list[Ref] = []


class FusionSummon(Act, frozen=True, tag="fusion_summon", rename={"spell": "with"}):
    """Activate a Fusion Spell for this Fusion Monster and these materials (YGO-12.1 to 12.3)."""

    card: Ref
    materials: list[Ref]
    spell: Ref
    position: Literal["attack", "defence", "set"] = "attack"
    random: bool = False


class RitualSummon(Act, frozen=True, tag="ritual_summon", rename={"spell": "with"}):
    """Activate a Ritual Spell for its monster with these tributes (YGO-12.6, 12.7)."""

    card: Ref
    tributes: list[Ref]
    spell: Ref
    position: Literal["attack", "defence", "set"] = "attack"


class DeclareAttack(Act, frozen=True, tag="declare_attack"):
    """Attack a monster, or the player directly (YGO-15.3, 15.6)."""

    card: Ref
    target: Ref | None = None
    direct: bool = False


class Resume(Act, frozen=True, tag="resume"):
    """Go on: nobody answers in the open windows, and what is under way takes its course."""


class ResolveEffect(Act, frozen=True, tag="resolve_effect"):
    """Carry out the text of an unscripted card at once (YGO-0.1). `by` is a card of this
    duel, by id, place or key; `ops` are operations. `answer`: in the open window, which stays
    open; otherwise open windows close first."""

    by: Ref
    ops: list[dict[str, Any]]
    answer: bool = False


class LpChange(Act, frozen=True, tag="lp_change"):
    """Change Life Points by a card's text (YGO-0.1, YGO-2.2): `delta` below 0 is damage, or a
    cost when `cause` says so. Open windows stay open."""

    about: Seat
    delta: int
    by: Ref
    cause: Literal["effect", "cost"] = "effect"


class Identify(Act, frozen=True, tag="identify"):
    """Say what an unknown card is. `facts` when the log has none for the key."""

    card: Ref
    key: str
    facts: CardFacts | None = None


class Claim(Act, frozen=True, tag="claim"):
    """Ask for what the rules do not give; always refused, with the rule that denies it."""

    about: Literal["win", "battle_bonus", "keep_face_up", "send_away", "own_graveyard", "damage"]
    card: Ref | None = None
    amount: int | None = None


class Observe(Act, frozen=True, tag="observe"):
    """A judge notes a breach that only a person at the table can see, against `player`."""

    conduct: Literal[
        "refused_greeting",
        "no_shuffle_offer",
        "unannounced_play",
        "hid_public_card",
        "touched_without_leave",
        "mixed_layout",
        "looked_at_deck",
        "skipped_recount",
        "went_on_without_asking",
    ]


class Concede(Act, frozen=True, tag="concede"):
    """Give the duel up; a matter of the tournament, outside the rule file."""


AnyAct: TypeAlias = (
    DrawOpeningHand
    | RedrawHand
    | Draw
    | EnterPhase
    | EnterStep
    | EndTurn
    | Discard
    | NormalSummon
    | SetMonster
    | FlipSummon
    | ChangePosition
    | SetSpellTrap
    | Activate
    | Respond
    | Pass
    | Decide
    | FusionSummon
    | RitualSummon
    | DeclareAttack
    | Resume
    | ResolveEffect
    | LpChange
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
