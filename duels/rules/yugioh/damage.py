"""The damage table (YGO-16), and what a battle under way has already decided."""

from __future__ import annotations

from dataclasses import dataclass

from duels.rules.yugioh.state import Attack, Table

NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A line of the damage table: its rule, what is destroyed, LP lost by each side."""

    rule: str
    attacker_destroyed: bool
    target_destroyed: bool
    attacker_loses: int
    defender_loses: int


def calculate(
    attack: int, target: int | None, *, defending: bool, zero_tie: bool = True
) -> Outcome:
    """Return the line of the damage table (YGO-16.1 to 16.7).

    `target` is the ATK, or with `defending` the DEF, of the target; None for a direct attack.
    `zero_tie`: two monsters of ATK 0 destroy each other.
    """
    if target is None:
        return Outcome("YGO-16.7", False, False, 0, attack)
    if defending:
        if attack > target:
            return Outcome("YGO-16.4", False, True, 0, 0)
        if attack == target:
            return Outcome("YGO-16.5", False, False, 0, 0)
        return Outcome("YGO-16.6", False, False, target - attack, 0)
    if attack > target:
        return Outcome("YGO-16.1", False, True, 0, attack - target)
    if attack == target:
        falls = attack > 0 or zero_tie
        return Outcome("YGO-16.2", falls, falls, 0, 0)
    return Outcome("YGO-16.3", True, False, target - attack, 0)


def outcome(table: Table, attack: Attack) -> Outcome:
    """Return the line of the damage table that applies to a calculated attack. Which line it
    is was settled at the calculation: a change of position since then alters nothing."""
    result = calculate(
        attack.value,
        attack.against,
        defending=attack.rule in ("YGO-16.4", "YGO-16.5", "YGO-16.6"),
        zero_tie=table.options["battle.zero_atk_tie"] == "both_destroyed",
    )
    return result


def doomed(table: Table) -> frozenset[int]:
    """Return the monsters that the battle under way has destroyed and that still lie on the
    field (YGO-15.11, 15.12)."""
    attack = table.attack
    if attack is None or attack.stage == "declared":
        return NOTHING
    result = outcome(table, attack)
    fallen = {attack.attacker} if result.attacker_destroyed else set()
    if result.target_destroyed:
        fallen.add(attack.target)
    return frozenset(card for card in fallen if card in table.placed)
