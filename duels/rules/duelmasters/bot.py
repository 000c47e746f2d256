"""A seeded policy that plays whole duels to a real end: for rehearsals, demos and tests.

It knows what its player may know. It charges, plays what it can pay for, attacks where it gains
by it, blocks what it beats. It is no good player, and does not try to be one.
"""

from __future__ import annotations

from random import Random

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import engine, flow, refs, values
from duels.rules.duelmasters.cards import has
from duels.rules.duelmasters.duel import Duel, evolve
from duels.rules.duelmasters.legal import legal_acts
from duels.rules.duelmasters.state import Table
from duels.rules.duelmasters.view import settle
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

ENOUGH_MANA = 8
ANSWERS = 0.8
"""How often a block or a trigger is used that could be."""


def to_act(duel: Duel) -> str | None:
    """Return whose act the table waits for, None after the end."""
    table = settle(duel.table)
    if table.result is not None:
        return table.active if duel.table.result is None else None
    return flow.asked(table) or table.active


def choose(duel: Duel, player: str, rng: Random) -> a.AnyAct:
    """Return the next act of a player. Raises LookupError when there is none."""
    table = settle(duel.table)
    open_ = [act for act in legal_acts(duel, player) if not isinstance(act, a.Concede)]
    if not open_:
        raise LookupError(f"{player} has nothing to do")
    best = max(open_, key=lambda act: (_worth(table, act, rng), rng.random()))
    return best


def play(duel: Duel, rng: Random, most: int = 4000) -> tuple[Duel, list[DomainEvent]]:
    """Play a duel on, at most so many acts; return it and the events that were added."""
    added: list[DomainEvent] = []
    for _ in range(most):
        player = to_act(duel)
        if player is None:
            break
        decided = engine.decide(duel, choose(duel, player, rng))
        if isinstance(decided, Refusal):
            raise LookupError(f"{player}: {decided.code} {decided.params}")
        for event in decided:
            duel = evolve(duel, event)
        added += decided
    return duel, added


def _worth(table: Table, act: a.AnyAct, rng: Random) -> float:
    """Return how much an act is liked; higher is better."""
    match act:
        case a.Untap():
            return 100
        case a.Draw():
            return 90
        case a.Charge():
            enough = len(table.side(act.player).mana) >= ENOUGH_MANA
            return -50 if enough else 50 + _cost(table, act.card)
        case a.Cast() | a.Evolve():
            return 60 + _cost(table, act.card)
        case a.Summon():
            return 55 + _cost(table, act.card)
        case a.Activate() | a.UseShieldTrigger():
            return 70 + _gain(table, act.player, act.targets) if rng.random() < ANSWERS else 1
        case a.TapAbility():
            return 30 * rng.random()
        case a.Attack():
            return _attack(table, act)
        case a.Block():
            return _block(table, act) if rng.random() < ANSWERS else -1
        case a.ChooseShields():
            return 20 * rng.random() + 1
        case a.EnterStep():
            return 2 - ("start", "draw", "charge", "main", "attack").index(act.step) / 10
        case a.EndTurn():
            return 1
        case _:
            return 0


def _cost(table: Table, ref: a.Ref) -> int:
    facts = table.facts_of(refs.cards(table, [ref])[0])
    return facts.cost if facts is not None else 0


def _gain(table: Table, player: str, targets: list[a.Ref]) -> float:
    cards = refs.cards(table, targets)
    return sum(-1.0 if card in table.side(player).battle else 1.0 for card in cards)


def _attack(table: Table, act: a.Attack) -> float:
    card = refs.cards(table, [act.card])[0]
    mine = values.power(table, card)
    if isinstance(act.target, str) and "." not in act.target:
        rivals = [
            one
            for one in table.side(act.target).battle
            if not table.lying[one].tapped and has(table.facts_of(one), "blocker")
        ]
        beaten = any(values.power(table, one) > mine for one in rivals)
        if not table.side(act.target).shields:
            return 40
        return 0.5 if beaten else 20
    theirs = values.power(table, refs.cards(table, [act.target])[0])
    return 25 if mine > theirs else 0.5 if mine == theirs else -5


def _block(table: Table, act: a.Block) -> float:
    attack = table.attack
    if attack is None:
        return -1
    card = refs.cards(table, [act.card])[0]
    mine, theirs = values.power(table, card), values.power(table, attack.attacker)
    last = not table.side(act.player).shields and not attack.target
    return 10 if last or mine >= theirs else -1
