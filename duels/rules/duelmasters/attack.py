"""Attacks, blocks and tap abilities (DM-8.1 to 8.3, 9.1 to 9.6, 10.5, 10.8, 10.11, 10.12)."""

from __future__ import annotations

from collections.abc import Iterator

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import common, effects, flow, refs, spells, triggers
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import (
    BLOCKER,
    CANT_ATTACK,
    CANT_ATTACK_PLAYERS,
    CANT_BE_BLOCKED,
    has,
    places_of,
)
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.seats import neighbours
from duels.rules.duelmasters.seats import player as seat_of
from duels.rules.duelmasters.selectors import Use, against, opponent
from duels.rules.duelmasters.state import Table
from duels.rules.duelmasters.values import may_have, sick
from eventstore.domain.refusal import Refusal


def target_of(table: Table, ref: a.Ref) -> tuple[str, int]:
    """Return (player, creature) that an attack names: the creature is 0 for a player, the player
    empty for a seat that there is none of."""
    if isinstance(ref, str) and "." not in ref:
        return (ref, 0) if ref in table.sides else ("", 0)
    card = refs.cards(table, [ref])[0]
    return table.where(card)[0], card


def check(table: Table, act: a.Attack) -> Iterator[Refusal]:
    """DM-3.1 player, DM-8.1 step, DM-8.2 tapped, DM-6.2 sick, DM-10.11 and 10.8 what the
    creature cannot do, DM-8.3 and 10.17 the target: in this order."""
    yield from common.turn_player(table, act)
    if act.player == table.active and table.step != "attack":
        yield Refusal("DM-8.1", {"found": table.step, "allowed": "attack"})
    card = refs.cards(table, [act.card])[0]
    defender, target = target_of(table, act.target)
    if card not in table.side(act.player).battle:
        player, zone = table.where(card)
        rule = {"mana": "DM-3.6", "under": "DM-7.2"}.get(zone, "DM-8.2")
        yield Refusal(rule, {"card": card, "found": f"{player}.{zone}"})
        return
    facts = table.facts_of(card)
    if table.lying[card].tapped:
        yield Refusal("DM-8.2", {"card": card, "found": "tapped"})
    if sick(table, card):
        yield Refusal("DM-6.2", {"card": card, "found": table.turn})
    if has(facts, CANT_ATTACK):
        yield Refusal("DM-10.11", {"card": card})
    if not target and has(facts, CANT_ATTACK_PLAYERS):
        yield Refusal("DM-10.8", {"card": card, "found": defender})
    yield from _target(table, act.player, defender, target)


def _target(table: Table, player: str, defender: str, target: int) -> Iterator[Refusal]:
    if defender in ("", player) or defender not in table.alive:
        yield Refusal("DM-8.3", {"found": defender or "nobody", "allowed": "opponent"})
        return
    if target:
        zone = table.where(target)[1]
        if zone != "battle":
            yield Refusal("DM-8.3", {"card": target, "found": zone, "allowed": "battle"})
        elif not table.lying[target].tapped:
            yield Refusal("DM-8.3", {"card": target, "found": "untapped", "allowed": "tapped"})
    if len(table.seats) > 2 and defender not in neighbours(table.alive, player):
        near = list(neighbours(table.alive, player))
        yield Refusal("DM-10.17", {"found": defender, "allowed": near})


def carry(draft: Draft, act: a.Attack) -> None:
    """Tap the creature and begin the attack."""
    card = refs.cards(draft.table, [act.card])[0]
    defender, target = target_of(draft.table, act.target)
    defender = defender or opponent(draft.table, act.player)
    draft.add(ev.AttackBegun(act.player, card, seat_of(defender), target))


def check_block(table: Table, act: a.Block) -> Iterator[Refusal]:
    """DM-3.1 there is an attack on this player, DM-10.12 that can be blocked, DM-8.10 and not
    yet gone on; DM-9.1 the ability, DM-9.2 untapped, DM-9.6 one blocker."""
    attack = table.attack
    if attack is None:
        yield Refusal("DM-3.1", {"found": "no attack", "allowed": "attack"})
        return
    if act.player != attack.defender:
        four = len(table.seats) > 2 and act.player != attack.player
        rule = "DM-10.17" if four else "DM-3.1"
        yield Refusal(rule, {"found": act.player, "allowed": attack.defender})
    if has(table.facts_of(attack.attacker), CANT_BE_BLOCKED):
        yield Refusal("DM-10.12", {"card": attack.attacker})
    elif attack.stage not in ("declared", "blocked"):
        yield Refusal("DM-8.10", {"found": attack.stage, "allowed": "declared"})
    card = refs.cards(table, [act.card])[0]
    if card not in table.side(attack.defender).battle:
        yield Refusal("DM-9.1", {"card": card, "found": table.where(card)[1], "allowed": "battle"})
        return
    facts = table.facts_of(card)
    if facts is not None and not has(facts, BLOCKER) and not may_have(table, card):
        yield Refusal("DM-9.1", {"card": card, "found": "no blocker"})
    if table.lying[card].tapped:
        yield Refusal("DM-9.2", {"card": card, "found": "tapped"})
    if attack.stage == "blocked":
        yield Refusal("DM-9.6", {"card": card, "found": 2, "allowed": 1})


def carry_block(draft: Draft, act: a.Block) -> None:
    """Tap the blocker: the attack is drawn to it (DM-9.4)."""
    card = refs.cards(draft.table, [act.card])[0]
    if draft.table.attack is not None and draft.table.in_battle_zone(card):
        draft.add(ev.AttackBlocked(act.player, card))


def check_tap(table: Table, act: a.TapAbility) -> Iterator[Refusal]:
    """DM-3.1 player and step; DM-10.5 a creature with a tap ability that could attack."""
    yield from common.turn_player(table, act, "attack")
    card = refs.cards(table, [act.card])[0]
    if card not in table.side(act.player).battle:
        zone = table.where(card)[1]
        rule = {"mana": "DM-3.6", "under": "DM-7.2"}.get(zone, "DM-10.5")
        yield Refusal(rule, {"card": card, "found": zone})
        return
    facts = table.facts_of(card)
    if facts is None:
        yield Refusal("duels.card_unknown", {"card": card})
        return
    if not places_of(facts, "tap") and not may_have(table, card):
        yield Refusal("DM-10.5", {"card": card, "found": "no tap ability"})
    if table.lying[card].tapped:
        yield Refusal("DM-10.5", {"card": card, "found": "tapped"})
    if sick(table, card):
        yield Refusal("DM-10.5", {"card": card, "found": table.turn}, ("DM-6.2",))
    if has(facts, CANT_ATTACK):
        yield Refusal("DM-10.5", {"card": card, "found": CANT_ATTACK}, ("DM-10.11",))
    targets = refs.cards(table, act.targets)
    if targets:
        ops = spells.script(table, card, "tap")
        refused = against(table, ops, Use(act.player, card), targets, "DM-10.5")
        if refused is not None:
            yield refused


def carry_tap(draft: Draft, act: a.TapAbility) -> None:
    """Tap the creature; its effect starts, or waits for its choice. It is no attack."""
    card = refs.cards(draft.table, [act.card])[0]
    targets = refs.cards(draft.table, act.targets)
    draft.add(ev.TapAbilityUsed(act.player, card, targets))
    called = triggers.own(draft.table, act.player, card, "tap")
    draft.trigger(called)
    if targets:
        for one in [one for one in draft.table.waiting if one.card == card][:1]:
            effects.begin(draft, one, targets)


def check_pass(table: Table, act: a.Pass) -> Iterator[Refusal]:
    """DM-3.1: something is asked of this player; DM-8.4, 8.10, 5.2: a compulsory effect is not
    passed over."""
    attack = table.attack
    if attack is not None and attack.stage == "blocked":
        return
    asked = flow.asked(table)
    if asked != act.player:
        yield Refusal("DM-3.1", {"found": act.player, "allowed": asked or "nobody"})
    barred = flow.blocked(table)
    if barred is not None:
        yield Refusal(barred[0], {"card": barred[1], "found": "open"})


def carry_pass(draft: Draft, act: a.Pass) -> None:
    """Go past what is asked."""
    flow.pass_once(draft)
