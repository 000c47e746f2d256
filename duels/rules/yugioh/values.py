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
        value += boost.atk if op == "modify_atk" else boost.defence
    for amount in _standing(table, card, op):
        value += amount
    return max(0, value)


def _standing(table: Table, card: int, op: str) -> Iterator[int]:
    """Yield the changes that face-up cards make: Equip Spells and continuous effects."""
    for source, placed in table.placed.items():
        if placed.position == "set":
            continue
        facts = table.facts_of(source)
        if facts is None or not facts.effects:
            continue
        for effect in effects_of(facts, "continuous", "spell"):
            if effect["kind"] == "spell" and facts.kind != "equip":
                continue
            for change in effect.get("effect", []):
                if change.get("op") == op and _reaches(table, source, card, change):
                    yield int(change.get("amount", 0))


def _reaches(table: Table, source: int, card: int, change: dict[str, Any]) -> bool:
    target = change.get("target")
    controller = table.placed[source].controller
    own = table.placed[card].controller == controller
    facts = table.facts_of(card)
    race = change.get("filter", {}).get("race")
    if race is not None and (facts is None or facts.race != race):
        return False
    match target:
        case "equipped":
            return table.placed[source].equipped_to == card
        case "self":
            return source == card
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
