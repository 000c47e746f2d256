"""Current ATK and DEF: printed values plus every change in force (YGO-16.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from duels.rules.yugioh.cards import effects_of
from duels.rules.yugioh.state import Table


def attack(table: Table, card: int) -> int:
    """Return the current ATK of a monster, 0 where none is printed or it is unknown."""
    return _value(table, card, "modify_atk")


def defence(table: Table, card: int) -> int:
    """Return the current DEF of a monster, 0 where none is printed or it is unknown."""
    return _value(table, card, "modify_def")


def _value(table: Table, card: int, op: str) -> int:
    facts = table.facts_of(card)
    placed = table.placed.get(card)
    if facts is None:
        return 0
    value = (facts.atk if op == "modify_atk" else facts.defence) or 0
    if placed is None or placed.position == "set":
        return value
    for boost in placed.boosts:
        if boost.source and not works(table, boost.source):
            continue
        value += boost.atk if op == "modify_atk" else boost.defence
    for amount in _standing(table, card, op):
        value += amount
    return max(0, value)


def works(table: Table, source: int) -> bool:
    """Say whether a card lies face-up on the field and its activation has been resolved."""
    placed = table.placed.get(source)
    if placed is None or placed.position == "set":
        return False
    return not any(link.fresh and link.card == source for link in table.chain)


def _standing(table: Table, card: int, op: str) -> Iterator[int]:
    """Yield the changes that face-up cards make: Equip Spells and continuous effects."""
    for source, change in standing(table, op):
        if reaches(table, source, card, change):
            yield amount_of(table, table.placed[source].controller, change)


def standing(table: Table, *ops: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (source, operation) of every such operation that works by lying face-up."""
    for source, placed in table.placed.items():
        if placed.position == "set":
            continue
        facts = table.facts_of(source)
        if facts is None or not facts.effects or not works(table, source):
            continue
        for effect in effects_of(facts, "continuous", "spell"):
            if effect["kind"] == "spell" and facts.kind != "equip":
                continue
            if effect.get("while") == "in_battle" and not battles(table, source):
                continue
            for change in effect.get("effect", []):
                if change.get("op") in ops:
                    yield source, change


def battles(table: Table, card: int) -> bool:
    """Say whether a card is fighting: from the start of the Damage Step to its end."""
    attack = table.attack
    return (
        attack is not None and table.step == "damage" and card in (attack.attacker, attack.target)
    )


def amount_of(table: Table, controller: str, change: dict[str, Any]) -> int:
    """Return the amount of a change; with `per`, times the cards of the controller's zone."""
    amount = change.get("amount", 0)
    if type(amount) is not int:
        return 0
    per = change.get("per")
    if not isinstance(per, dict):
        return amount
    row = getattr(table.side(controller), str(per.get("zone", "")), ())
    return amount * sum(1 for one in (row if isinstance(row, tuple) else (row,)) if one)


def reaches(table: Table, source: int, card: int, change: dict[str, Any]) -> bool:
    """Say whether an operation that works by lying face-up concerns a monster."""
    target = change.get("target")
    controller = table.placed[source].controller
    own = table.placed[card].controller == controller
    facts = table.facts_of(card)
    wanted = change.get("filter", {})
    if facts is None and wanted:
        return False
    if facts is not None and wanted.get("race") not in (None, facts.race):
        return False
    if facts is not None and wanted.get("attribute") not in (None, facts.attribute):
        return False
    match target:
        case "equipped":
            return table.placed[source].equipped_to == card
        case "self":
            return source == card
        case "battled":
            attack = table.attack
            pair = (attack.attacker, attack.target) if attack is not None else ()
            return source in pair and card in pair and source != card
        case "attacker":
            return table.attack is not None and table.attack.attacker == card
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


def overridden(table: Table, card: int) -> frozenset[str]:
    """Return the rule ids that card texts set aside for this card (YGO-0.1): its own, those of
    its Equip Spells, and face-up continuous effects that reach it."""
    found: set[str] = set()
    facts = table.facts_of(card)
    if facts is not None:
        for effect in facts.effects:
            found.update(effect.get("overrides", ()))
    if card in table.placed:
        for source, placed in table.placed.items():
            if source == card or placed.position == "set":
                continue
            other = table.facts_of(source)
            if other is None or not any("overrides" in one for one in other.effects):
                continue
            for effect in effects_of(other, "continuous", "spell"):
                if effect["kind"] == "spell" and other.kind != "equip":
                    continue
                if effect.get("overrides") and works(table, source):
                    ops = effect.get("effect", [])
                    if any(reaches(table, source, card, op) for op in ops):
                        found.update(effect["overrides"])
    return frozenset(found)
