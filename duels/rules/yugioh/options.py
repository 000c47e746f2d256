"""The options of the rule set: names and values. All of them are played."""

from __future__ import annotations

from collections.abc import Mapping

from duels.domain.options import Option, completed, defaults
from duels.domain.options import Value as Value
from eventstore.domain.refusal import Refusal

TABLE: dict[str, Option] = {
    "attack.negated_counts": Option(True, (False,)),
    "attack.stopped_counts": Option(True, (False,)),
    "battle.zero_atk_tie": Option("both_destroyed", ("none",)),
    "chain.enabled": Option(True, (False,)),
    "control.return_full_zone": Option("destroyed", ("stays",)),
    "copies.count_fusion_deck": Option(True, (False,)),
    "damage.batching": Option("per_attack", ("after_all",)),
    "damage_step.allowed": Option("atk_def", ("atk_def_damage",)),
    "damage_step.counter_traps": Option(True, (False,)),
    "damage_step.window": Option("before_calculation", ("before_step",)),
    "destroyed.definition": Option("by_cause", ("any_graveyard",)),
    "duel.simultaneous_endings": Option("draw", ("turn_player_loses",)),
    "end_step.responses": Option(True, (False,)),
    "equip.destroyed_with_monster": Option(True, (False,)),
    "equip.lost_with_link": Option(True, (False,)),
    "equip.targets": Option("face_up_only", ("card_text",)),
    "field_spell.replace_own": Option("forbidden", ("replaces",)),
    "first_turn.draw": Option(True, (False,)),
    "flip_effect.timing_on_attack": Option("after_calculation", ("immediately",)),
    "flip_summon.lock": Option("same_turn", ("same_main_phase",)),
    "fusion.materials_destroyed": Option(False, (True,)),
    "fusion.polymerization_source": Option("hand_or_set", ("hand_only",)),
    "graveyard.public_scope": Option("all", ("monsters_only",)),
    "lists.enabled": Option(True, (False,)),
    "normal_summon.negated_counts": Option(True, (False,)),
    "normal_summon.set_uses_allowance": Option(True, (False,)),
    "pay_lp.to_zero": Option("allowed", ("forbidden",)),
    "position_change.eligible": Option("any_earlier_turn", ("previous_turn_only",)),
    "position_change.limit": Option("per_monster", ("one_monster",)),
    "quickplay.opponent_turn_from_hand": Option(False, (True,)),
    "quickplay.phases": Option("any", ("main_and_battle",)),
    "quickplay.set_turn_lock": Option(True, (False,)),
    "replay.original_attacker_spent": Option(False, (True,)),
    "replay.scope": Option("battle_step", ("until_calculation",)),
    "replay.target_gone": Option(True, (False,)),
    "set_spell_trap.orientation": Option("upright", ("sideways",)),
    "side_deck.fusion_monsters": Option("like_for_like", ("forbidden",)),
    "spell.set_turn_lock": Option(False, (True,)),
    "token.leaves": Option("any_move", ("destroyed_or_hand",)),
    "trap.set_turn_lock": Option(True, (False,)),
    "zone_check.after_costs": Option(True, (False,)),
}
DEFAULTS: dict[str, Value] = defaults(TABLE)


def complete(chosen: Mapping[str, object]) -> dict[str, Value] | Refusal:
    """Return all 41 options with the chosen values filled in (YGO-0.2); refused as
    `duels.domain.options.completed`."""
    return completed(TABLE, chosen)


def change(
    values: Mapping[str, Value], name: str, value: object, *, match_begun: bool
) -> dict[str, Value] | Refusal:
    """Change an option before the match; refused with YGO-0.2 once it has begun, otherwise as
    `complete` refuses."""
    if match_begun:
        return Refusal("YGO-0.2", {"option": name[:60], "found": str(value)[:40]})
    return complete({**values, name: value})
