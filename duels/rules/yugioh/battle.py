"""Attacks and the damage table (YGO-15.3 to 15.14, YGO-16)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from duels.domain.events import seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import refs, values
from duels.rules.yugioh.cards import effects_of
from duels.rules.yugioh.common import phase_of
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.match import other
from duels.rules.yugioh.state import Attack, Table
from eventstore.domain.refusal import Refusal


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


def may_attack_directly(table: Table, attacker: int) -> bool:
    """YGO-15.6: the defender has no monster, or the attacker's own text allows it (YGO-0.1)."""
    controller = table.placed[attacker].controller
    if not table.controlled(other(controller)):
        return True
    facts = table.facts_of(attacker)
    if facts is None:
        return False
    return any(
        "YGO-15.6" in effect.get("overrides", []) for effect in effects_of(facts, "continuous")
    )


def check(table: Table, act: a.DeclareAttack) -> Iterator[Refusal]:
    """The moment (YGO-10.6, 15.14, 15.3), the attacker (15.3, 15.4), the target (15.6, 15.3)."""
    if table.turn == 1:
        yield Refusal("YGO-10.6", {"found": "attack", "turn": 1})
    if table.phase == "main2" and table.fought:
        yield Refusal("YGO-15.14", {"found": phase_of(table)})
    elif (table.phase, table.step) != ("battle", "battle"):
        yield Refusal("YGO-15.3", {"found": phase_of(table), "allowed": "battle.battle"})
    attacker = refs.cards(table, [act.card])[0]
    placed = table.placed.get(attacker)
    if placed is None or placed.zone != "monsters" or placed.controller != act.player:
        yield Refusal("YGO-15.3", {"card": attacker, "found": table.where(attacker)[1]})
        return
    if placed.position != "attack":
        yield Refusal("YGO-15.3", {"card": attacker, "found": placed.position, "allowed": "attack"})
    if placed.attacked_turn == table.turn:
        yield Refusal("YGO-15.4", {"card": attacker, "found": 2, "allowed": 1})
    if act.direct == (act.target is not None):
        yield Refusal("YGO-15.3", {"card": attacker, "found": 2 if act.direct else 0, "allowed": 1})
    elif act.direct:
        if not may_attack_directly(table, attacker):
            monsters = len(table.controlled(other(act.player)))
            yield Refusal("YGO-15.6", {"card": attacker, "found": monsters, "allowed": 0})
    else:
        target = refs.cards(table, [act.target] if act.target is not None else [])[0]
        if target not in table.controlled(other(act.player)):
            yield Refusal("YGO-15.3", {"card": attacker, "found": table.where(target)[1]})
        elif table.facts_of(target) is None:
            yield Refusal("duels.card_unknown", {"card": target, "key": None})


def carry(draft: Draft, act: a.DeclareAttack) -> None:
    """Declare the attack and carry it through the Damage Step (YGO-15.8)."""
    attacker = refs.cards(draft.table, [act.card])[0]
    if attacker not in draft.table.controlled(act.player):
        return
    target = 0
    if not act.direct and act.target is not None:
        target = refs.cards(draft.table, [act.target])[0]
        if target not in draft.table.controlled(other(act.player)):
            return
    draft.add(ev.AttackDeclared(seat(act.player), attacker, target))
    resume(draft)


def resume(draft: Draft) -> None:
    """Carry the attack under way through what is left of the Damage Step (YGO-15.8).

    An attacker that is gone or no longer in Attack stops it without damage, and so does a
    target that is gone.
    """
    table = draft.table
    if table.attack is None:
        return
    player = seat(table.active)
    if table.phase == "battle" and table.step != "damage":
        draft.add(ev.StepEntered(player, "damage"))
    if table.attack.stage == "declared" and _stands(table, table.attack):
        _compare(draft, table.attack.attacker, table.attack.target)
    open_ = draft.table.attack
    if open_ is not None and open_.stage != "declared":
        _consequences(draft, open_)
    if table.phase == "battle":
        draft.add(ev.StepEntered(player, "battle"))


def _stands(table: Table, attack: Attack) -> bool:
    attacker = table.placed.get(attack.attacker)
    if attacker is None or attacker.zone != "monsters" or attacker.position == "set":
        return False
    if table.mode == "refereed" and attacker.position != "attack":
        return False
    target = table.placed.get(attack.target)
    return not attack.target or (target is not None and target.zone == "monsters")


def _compare(draft: Draft, attacker: int, target: int) -> None:
    if target and draft.table.placed[target].position == "set":
        draft.add(ev.PositionChanged(target, "defence", "attack"))
    table = draft.table
    attack = values.attack(table, attacker)
    against: int | None = None
    defending = False
    if target:
        defending = table.placed[target].position == "defence"
        against = values.defence(table, target) if defending else values.attack(table, target)
    result = calculate(
        attack,
        against,
        defending=defending,
        zero_tie=table.options["battle.zero_atk_tie"] == "both_destroyed",
    )
    draft.add(ev.BattleCalculated(attacker, target, result.rule, attack, against))


def _consequences(draft: Draft, compared: Attack) -> None:
    """Damage, then the Graveyard: YGO-15.8 parts 3 and 5."""
    table, attacker, target = draft.table, compared.attacker, compared.target
    if attacker not in table.placed or (target and target not in table.placed):
        return
    player = table.placed[attacker].controller
    result = calculate(
        compared.value,
        compared.against,
        defending=bool(target) and table.placed[target].position == "defence",
        zero_tie=table.options["battle.zero_atk_tie"] == "both_destroyed",
    )
    if compared.stage == "calculated":
        draft.change_life_points(
            {player: -result.attacker_loses, other(player): -result.defender_loses},
            "battle",
            by=attacker,
        )
    fallen = [attacker] if result.attacker_destroyed else []
    fallen += [target] if result.target_destroyed else []
    draft.move(fallen, "graveyard", "battle", by=attacker)
