"""What counts now: power with its changes, and rules that card texts set aside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duels.rules.duelmasters.cards import effect_at, is_of, ops_of, places_of
from duels.rules.duelmasters.state import Table

IN_BATTLE = ("blocked", "unblocked", "fought")


def in_battle(table: Table, card: int) -> bool:
    """Say whether a creature is battling another one now (DM-8.11)."""
    attack = table.attack
    return (
        attack is not None
        and attack.stage in IN_BATTLE
        and bool(attack.opposing)
        and card in (attack.attacker, attack.opposing)
    )


def power(table: Table, card: int) -> int:
    """Return the power of a creature as it is compared now: printed, with every change in force
    (DM-6.3, 10.7); 0 for what has none."""
    facts = table.facts_of(card)
    if facts is None or facts.power is None:
        return 0
    total = facts.power
    lying = table.lying.get(card)
    for boost in lying.boosts if lying is not None else ():
        if not boost.source or table.in_battle_zone(boost.source):
            total += boost.power
    attack = table.attack
    if facts.power_attacker and attack is not None and attack.attacker == card:
        total += facts.power_attacker
    if not table.in_battle_zone(card):
        return total
    for player, source in table.creatures():
        known = table.facts_of(source)
        for place in places_of(known, "continuous"):
            effect = effect_at(known, place)
            if works(table, source, effect):
                for op in ops_of(effect):
                    if op.get("op") == "modify_power" and reaches(table, player, source, card, op):
                        total += amount(table, player, op)
    return total


def works(table: Table, source: int, effect: Mapping[str, Any]) -> bool:
    """Say whether a continuous effect works now: always, or while its card battles."""
    return effect.get("while") != "in_battle" or in_battle(table, source)


def amount(table: Table, player: str, op: Mapping[str, Any]) -> int:
    """Return by how much an operation changes power; `per` counts cards of its player."""
    each = op.get("amount", 0)
    per = op.get("per")
    if type(each) is not int:
        return 0
    if not isinstance(per, dict):
        return each
    row = getattr(table.side(player), str(per.get("zone", "")), ())
    wanted = per.get("civilization")
    fitting = 0
    for card in row if isinstance(row, tuple) else ():
        facts = table.facts_of(card)
        if wanted is None or (facts is not None and facts.civilization == wanted):
            fitting += 1
    return each * fitting


def fits(table: Table, op: Mapping[str, Any], card: int) -> bool:
    """Say whether a card fits the filter of an operation: `race`, `civilization`, `type`,
    `max_power` and `tapped`. What an unknown card is fits nothing."""
    wanted = op.get("filter")
    if not isinstance(wanted, dict) or not wanted:
        return True
    facts = table.facts_of(card)
    lying = table.lying.get(card)
    if "tapped" in wanted and (lying is None or lying.tapped is not wanted["tapped"]):
        return False
    if not any(key in wanted for key in ("race", "civilization", "type", "max_power")):
        return True
    if facts is None:
        return False
    return (
        (wanted.get("race") is None or is_of(facts, wanted["race"]))
        and wanted.get("civilization") in (None, facts.civilization)
        and wanted.get("type") in (None, facts.type)
        and ("max_power" not in wanted or power(table, card) <= wanted["max_power"])
    )


def reaches(table: Table, player: str, source: int, card: int, op: Mapping[str, Any]) -> bool:
    """Say whether an operation that works by lying there concerns a creature. Its filter may
    not ask for power, which it changes."""
    wanted = op.get("filter")
    facts = table.facts_of(card)
    if isinstance(wanted, dict) and wanted:
        if facts is None or not (wanted.get("race") is None or is_of(facts, wanted["race"])):
            return False
        if wanted.get("civilization") not in (None, facts.civilization):
            return False
    own = card in table.side(player).battle
    attack = table.attack
    match op.get("target"):
        case "self":
            return source == card
        case "battled":
            return source != card and in_battle(table, source) and in_battle(table, card)
        case "attacker":
            return attack is not None and attack.attacker == card
        case "all_monsters":
            return True
        case "all_own_monsters":
            return own
        case "all_opponent_monsters":
            return not own
        case "all_other_monsters":
            return source != card
        case _:
            return False


def overridden(table: Table, player: str, card: int) -> frozenset[str]:
    """Return the rule ids that card texts set aside for what `player` does with this card
    (DM-0.2): its own text, unless it lies in the mana zone (DM-3.6), and that of creatures
    whose continuous effects reach it or name no creature at all."""
    found: set[str] = set()
    facts = table.facts_of(card) if card else None
    if facts is not None and table.where(card)[1] not in ("mana", "under"):
        for effect in facts.effects:
            found.update(effect.get("overrides", ()))
    for owner, source in table.creatures():
        known = table.facts_of(source)
        for place in places_of(known, "continuous"):
            effect = effect_at(known, place)
            if not effect.get("overrides") or not works(table, source, effect):
                continue
            ops = ops_of(effect)
            if any(reaches(table, owner, source, card, op) for op in ops) or (
                not ops and owner == player
            ):
                found.update(effect["overrides"])
    return frozenset(found)


def sick(table: Table, card: int) -> bool:
    """Say whether summoning sickness keeps a creature from attacking (DM-6.2, 7.3, 10.10,
    option sickness.scope)."""
    lying, facts = table.lying.get(card), table.facts_of(card)
    if lying is None or facts is None or lying.entered_turn != table.turn:
        return False
    if facts.evolves is not None or "speed_attacker" in facts.abilities:
        return False
    if may_have(table, card):
        return False
    return lying.came != "effect" or table.options["sickness.scope"] == "any_entry"


def may_have(table: Table, card: int) -> bool:
    """Say whether a card may have an ability that its facts do not tell: on paper, where nobody
    wrote its text down. Online only what the facts tell counts."""
    facts = table.facts_of(card)
    return table.mode == "recorded" and (facts is None or facts.silent)
