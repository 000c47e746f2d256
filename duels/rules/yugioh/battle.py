"""Attacks, replays and the Damage Step (YGO-15.3 to 15.16)."""

from __future__ import annotations

from collections.abc import Iterator

from duels.domain.events import seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import refs, triggers, values
from duels.rules.yugioh.common import phase_of
from duels.rules.yugioh.damage import calculate, outcome
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.match import other
from duels.rules.yugioh.state import Attack, Table
from eventstore.domain.refusal import Refusal

__all__ = ["calculate", "carry", "check", "go_on", "may_attack_directly", "settle_damage"]


def may_attack_directly(table: Table, attacker: int) -> bool:
    """YGO-15.6: the defender has no monster, or a card's text allows it (YGO-0.1): for as long
    as a face-up card says so, or by an effect for this turn."""
    placed = table.placed[attacker]
    if not table.controlled(other(placed.controller)) or placed.direct_turn == table.turn:
        return True
    if "YGO-15.6" in values.overridden(table, attacker):
        return True
    return any(
        values.reaches(table, source, attacker, op)
        for source, op in values.standing(table, "attack_directly")
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
    """Declare the attack (YGO-15.3); both players may answer it (YGO-15.7)."""
    attacker = refs.cards(draft.table, [act.card])[0]
    if attacker not in draft.table.controlled(act.player):
        return
    target = 0
    if not act.direct and act.target is not None:
        target = refs.cards(draft.table, [act.target])[0]
        if target not in draft.table.controlled(other(act.player)):
            return
    draft.add(ev.AttackDeclared(seat(act.player), attacker, target))


def go_on(draft: Draft) -> bool:
    """Take the next step of the attack under way, once no window, chain or waiting effect holds
    it (YGO-15.8). Return whether something was done."""
    table = draft.table
    attack = table.attack
    if attack is None:
        if table.phase == "battle" and table.step == "damage":
            draft.add(ev.StepEntered(seat(table.active), "battle"))
            return True
        return False
    if table.phase == "battle" and table.step != "damage":
        if not _stopped(draft, attack):
            draft.add(ev.StepEntered(seat(table.active), "damage"))
            _turn_up(draft, attack)
        return True
    if attack.stage == "declared":
        if _turn_up(draft, attack):
            return True
        if not _stands(table, attack):
            _leave(draft)
            return True
        if table.options["replay.scope"] == "until_calculation" and _changed(table, attack):
            _replay(draft, attack)
            return True
        _compare(draft, attack)
        return True
    if attack.stage in ("calculated", "damaged"):
        _damage(draft, attack)
        if draft.table.result is None:
            called = triggers.of_battle(draft.table)
            if called:
                draft.trigger(called)
            else:
                _bury(draft, attack)
        return True
    _bury(draft, attack)
    return True


def _lies(table: Table, card: int) -> bool:
    placed = table.placed.get(card)
    return placed is not None and placed.zone == "monsters"


def _fights(table: Table, card: int) -> bool:
    placed = table.placed.get(card)
    if placed is None or placed.zone != "monsters" or placed.position == "set":
        return False
    attack = table.attack
    if attack is not None and placed.controller != attack.player:
        return False
    return placed.position == "attack" or table.mode != "refereed"


def _changed(table: Table, attack: Attack) -> bool:
    """YGO-15.15: the number of the defender's monsters is another than at the declaration, or
    the target is gone (S-14)."""
    defender = other(attack.player)
    if len(table.controlled(defender)) != attack.monsters:
        return True
    gone = attack.target != 0 and attack.target not in table.controlled(defender)
    return gone and table.options["replay.target_gone"] is True


def _stopped(draft: Draft, attack: Attack) -> bool:
    """Before the Damage Step: the attacker is gone (S-15), or a replay is due."""
    table = draft.table
    if not _fights(table, attack.attacker):
        counted = bool(table.options["attack.stopped_counts"])
        draft.add(ev.AttackStopped(attack.attacker, attack.target, "attacker_gone", counted))
        return True
    if _changed(table, attack):
        _replay(draft, attack)
        return True
    if attack.target and not _lies(table, attack.target):
        counted = bool(table.options["attack.stopped_counts"])
        draft.add(ev.AttackStopped(attack.attacker, attack.target, "target_gone", counted))
        return True
    return False


def broken(table: Table) -> bool:
    """Say whether the attack declared last will not come to its Damage Step, or must be taken
    back: its window is then over (YGO-15.15)."""
    attack = table.attack
    if attack is None or attack.stage != "declared" or table.step == "damage":
        return False
    return (
        not _fights(table, attack.attacker)
        or _changed(table, attack)
        or (attack.target != 0 and not _lies(table, attack.target))
    )


def _replay(draft: Draft, attack: Attack) -> None:
    counted = bool(draft.table.options["replay.original_attacker_spent"])
    draft.add(ev.AttackReplayed(attack.attacker, attack.target, counted))


def _turn_up(draft: Draft, attack: Attack) -> bool:
    placed = draft.table.placed.get(attack.target)
    if placed is None or placed.zone != "monsters" or placed.position != "set":
        return False
    if attack.turned:
        return False  # turned down again by an effect: it fights as it lies
    draft.add(ev.PositionChanged(attack.target, "defence", "attack"))
    return True


def _stands(table: Table, attack: Attack) -> bool:
    return _fights(table, attack.attacker) and (not attack.target or _lies(table, attack.target))


def _compare(draft: Draft, open_: Attack) -> None:
    table, attacker, target = draft.table, open_.attacker, open_.target
    attack = values.attack(table, attacker)
    against: int | None = None
    defending = False
    if target:
        defending = table.placed[target].position != "attack"
        against = values.defence(table, target) if defending else values.attack(table, target)
    result = calculate(
        attack,
        against,
        defending=defending,
        zero_tie=table.options["battle.zero_atk_tie"] == "both_destroyed",
    )
    draft.add(ev.BattleCalculated(attacker, target, result.rule, attack, against))


def _damage(draft: Draft, attack: Attack) -> None:
    """Subtract the damage (YGO-15.8 part 3); by option it is only noted (D-11)."""
    if attack.stage != "calculated":
        return
    result = outcome(draft.table, attack)
    losses = (result.attacker_loses, result.defender_loses)
    player = attack.player
    surplus = attack.value - (attack.against or 0)
    if (
        result.rule == "YGO-16.4"
        and surplus > 0
        and "YGO-16.4" in values.overridden(draft.table, attack.attacker)
    ):
        losses = (0, surplus)
    if not any(losses):
        return
    named = {player: losses[0], other(player): losses[1]}
    if draft.table.options["damage.batching"] == "after_all":
        draft.add(ev.DamageOwed({one: n for one, n in named.items() if n}, attack.attacker))
        return
    draft.change_life_points({one: -n for one, n in named.items()}, "battle", by=attack.attacker)


def settle_damage(draft: Draft) -> None:
    """Subtract the damage that was noted while attacks went on."""
    owed = draft.table.owed
    if any(owed.values()):
        draft.change_life_points({one: -n for one, n in owed.items()}, "battle")


def _bury(draft: Draft, attack: Attack) -> None:
    """YGO-15.12: destroyed monsters go to the Graveyard last; then back to the Battle Step."""
    result = outcome(draft.table, attack)
    fallen = [attack.attacker] if result.attacker_destroyed else []
    fallen += [attack.target] if result.target_destroyed else []
    fallen = [card for card in fallen if _lies(draft.table, card)]
    draft.move(fallen, "graveyard", "battle", by=attack.attacker)
    if not fallen or not draft.table.waiting:
        _leave(draft)


def _leave(draft: Draft) -> None:
    """The Damage Step is over; an attack that happened in another phase is over without one."""
    if draft.table.phase == "battle":
        draft.add(ev.StepEntered(seat(draft.table.active), "battle"))
    elif draft.table.attack is not None:
        draft.add(ev.WindowClosed("attack"))
