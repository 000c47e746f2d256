"""Flip and Trigger effects: which of them an event calls, and whether they need a choice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from duels.domain.events import CardFacts, seat
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import effect_at, events_of
from duels.rules.yugioh.selectors import Use, choices, chooses, needed
from duels.rules.yugioh.state import Table, Waiting

TRIGGERED = ("flip", "trigger")


def called(table: Table, card: int, player: str, *words: str) -> list[ev.Trigger]:
    """Return the effects of a card that events with these words call; `flip` is the word of
    being turned face-up."""
    facts = table.facts_of(card)
    if facts is None or not facts.effects:
        return []
    found: list[ev.Trigger] = []
    for place, effect in enumerate(facts.effects):
        kind = effect.get("kind")
        if kind == "flip":
            word = "flip" if "flip" in words else None
        elif kind == "trigger":
            word = next((one for one in events_of(effect) if one in words), None)
        else:
            continue
        if word is not None:
            optional = bool(effect.get("optional", False))
            found.append(ev.Trigger(seat(player), card, place, word, optional))
    return found


def in_order(table: Table, effects: Iterable[ev.Trigger]) -> list[ev.Trigger]:
    """Return effects that are called at one moment: the turn player's first (S-17)."""
    return sorted(effects, key=lambda one: one.player != table.active)


def at_standby(table: Table) -> list[ev.Trigger]:
    """Return the effects of the turn player's face-up cards that name the Standby Phase."""
    side = table.side(table.active)
    return [
        one
        for card in (*side.monsters, *side.spells_traps, side.field)
        if card and table.placed[card].position != "set"
        for one in called(table, card, table.active, "standby")
    ]


def of_battle(table: Table) -> list[ev.Trigger]:
    """Return the effects of the battle that has just been calculated (YGO-15.11)."""
    attack = table.attack
    if attack is None:
        return []
    pair = [card for card in (attack.attacker, attack.target) if card in table.placed]
    if not any((facts := table.facts_of(card)) is not None and facts.effects for card in pair):
        return []
    found: list[ev.Trigger] = []
    for card in pair:
        words = ["battled"] if attack.target else []
        if card == attack.target and attack.turned and _late_flips(table):
            words.append("flip")
        if not attack.target and attack.value > 0:
            words.append("direct_damage")
        found += called(table, card, table.placed[card].controller, *words)
    return in_order(table, found)


def _late_flips(table: Table) -> bool:
    return table.options["flip_effect.timing_on_attack"] == "after_calculation"


def turned_up(table: Table, card: int, cause: str) -> list[ev.Trigger]:
    """Return the Flip effects of a monster that has just been turned face-up (YGO-8.6); by an
    attack they come after the calculation, unless the option says at once."""
    if cause == "attack" and _late_flips(table):
        return []
    return called(table, card, table.placed[card].controller, "flip")


def needs_choice(facts: CardFacts | None, effect: dict[str, Any]) -> bool:
    """Say whether the player of an effect has something to choose when it is activated."""
    cost, ops = effect.get("cost", []), effect.get("effect", [])
    if any(chooses(op) for op in (*cost, *ops)):
        return True
    return any(op.get("op") == "discard" for op in cost)


def by_itself(table: Table, one: Waiting) -> bool:
    """Say whether a waiting effect goes on the chain by itself: it is compulsory, and there is
    nothing to choose, or nothing left that could be chosen."""
    if one.optional:
        return False
    facts = table.facts_of(one.card)
    effect = effect_at(facts, one.effect)
    if not needs_choice(facts, effect):
        return True
    use = Use(one.player, one.card)
    cost = effect.get("cost", [])
    if any(op.get("op") == "discard" for op in cost) or any(chooses(op) for op in cost):
        return not payable(table, cost, use)
    asked: Sequence[dict[str, Any]] = [op for op in effect.get("effect", []) if chooses(op)]
    return not any(choices(table, op, use) for op in asked)


def payable(table: Table, cost: Sequence[dict[str, Any]], use: Use) -> bool:
    """Say whether the cards that a cost asks for are there at all."""
    hand = [card for card in table.side(use.player).hand if card != use.by]
    owed = sum(needed(op) for op in cost if op.get("op") == "discard")
    return owed <= len(hand) and all(
        len(choices(table, op, use)) >= needed(op) for op in cost if chooses(op)
    )


def rule_of(one: Waiting) -> str:
    """Return the rule that forbids going on while a compulsory effect waits."""
    return {"standby": "YGO-10.3", "flip": "YGO-8.6"}.get(one.when, "YGO-8.9")
