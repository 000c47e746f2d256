"""Which cards an operation of a card script acts on, seen from its controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duels.rules.duelmasters import refs
from duels.rules.duelmasters.seats import following
from duels.rules.duelmasters.state import ZONES, Table
from duels.rules.duelmasters.values import fits, reaches
from eventstore.domain.refusal import Refusal

Op = Mapping[str, Any]
WHOLE = ("all_monsters", "all_own_monsters", "all_opponent_monsters", "all_other_monsters")
SELECTORS = (*WHOLE, "chosen", "self", "battled", "attacker", "top_of_deck")


@dataclass(frozen=True, slots=True)
class Use:
    """One use of operations: the controller, the card (0: none), the cards chosen for `chosen`
    operations in order, the cards named for discards, and the other creature of the battle that
    the effect belongs to."""

    player: str
    by: int = 0
    chosen: tuple[int, ...] = ()
    named: tuple[int, ...] = ()
    about: int = 0


def opponent(table: Table, player: str) -> str:
    """Return the opponent of a player: in a duel of more than two the other side of the attack
    under way, or else the next player clockwise."""
    attack = table.attack
    if attack is not None and len(table.seats) > 2:
        if attack.player == player:
            return attack.defender
        if attack.defender == player:
            return attack.player
    out = [one for one in table.seats if one not in table.alive]
    return following(table.seats, player, out)


def players_of(table: Table, op: Op, player: str) -> tuple[str, ...]:
    """Return whom an operation concerns, seen from its controller."""
    match op.get("player", "self"):
        case "self":
            return (player,)
        case "opponent":
            return (opponent(table, player),)
        case "both":
            return table.alive
        case _:
            return ()


def needed(op: Op) -> int:
    """Return how many cards an operation takes (key `n`, 1 by default)."""
    n = op.get("n", 1)
    return n if type(n) is int and n >= 0 else 1


def chooses(op: Op) -> bool:
    """Say whether an operation acts on chosen cards."""
    return op.get("target") == "chosen"


def choices(table: Table, op: Op, use: Use) -> list[int]:
    """Return every card that could be chosen for an operation now: where it looks for it
    (`zone`, or `from`; the battle zone by default), on the right side, through its filter."""
    zone, of = str(op.get("zone", op.get("from", "battle"))), op.get("of", "any")
    if zone not in ZONES:
        return []
    return [
        card
        for player in table.alive
        if of not in ("own", "opponent") or (player == use.player) == (of == "own")
        for card in getattr(table.side(player), zone)
        if card != use.by or zone == "battle"
        if fits(table, op, card)
    ]


def required(table: Table, op: Op, use: Use) -> int:
    """Return how many cards must be chosen for an operation: as many as can be (DM-5.2)."""
    return 0 if op.get("up_to") else min(needed(op), len(choices(table, op, use)))


def shares(
    table: Table, ops: Sequence[Op], use: Use, chosen: Sequence[int]
) -> list[tuple[int, ...] | None]:
    """Deal the chosen cards out to the operations in order; None where none are chosen. Cards
    chosen once serve several operations when they are only enough for the first."""
    asking = [op for op in ops if chooses(op)]
    fixed = [required(table, op, use) for op in asking]
    once = (
        len(asking) > 1
        and 0 < len(chosen) == fixed[0] < sum(fixed)
        and all(one == fixed[0] for one in fixed)
    )
    dealt: list[tuple[int, ...] | None] = []
    left, later = list(chosen), sum(fixed)
    for op in ops:
        if not chooses(op):
            dealt.append(None)
            continue
        if once:
            dealt.append(tuple(chosen))
            continue
        least = fixed[sum(1 for one in dealt if one is not None)]
        later -= least
        n = max(0, min(needed(op), len(left) - later)) if op.get("up_to") else least
        dealt.append(tuple(left[:n]))
        left = left[n:]
    if left and asking and not once:
        last = max(place for place, one in enumerate(dealt) if one is not None)
        dealt[last] = (*(dealt[last] or ()), *left)
    return dealt


def against(
    table: Table, ops: Sequence[Op], use: Use, chosen: Sequence[int], rule: str
) -> Refusal | None:
    """Return why these cards are no choice for the operations: DM-5.2 when a possible part is
    left out, `rule` for a card that cannot be chosen, or too many."""
    asking = [op for op in ops if chooses(op)]
    if chosen and not asking:
        return Refusal(rule, {"found": len(chosen), "allowed": 0})
    for op, share in zip(ops, shares(table, ops, use, chosen), strict=True):
        if share is None:
            continue
        possible = choices(table, op, use)
        for card in share:
            if card not in possible:
                _, zone = table.where(card)
                allowed = op.get("zone", op.get("from", "battle"))
                return Refusal(rule, {"card": card, "found": zone, "allowed": allowed})
        if len(share) > needed(op) or len(set(share)) != len(share):
            return Refusal(rule, {"found": len(share), "allowed": needed(op)})
        if len(share) < required(table, op, use):
            least = required(table, op, use)
            return Refusal("DM-5.2", {"found": len(share), "allowed": least})
    return None


def select(table: Table, op: Op, use: Use, chosen: Sequence[int] | None) -> list[int] | Refusal:
    """Return the cards an operation acts on now, or why what it names is no card."""
    target = op.get("target")
    if chosen is not None:
        return [card for card in chosen if card in choices(table, op, use)]
    match target:
        case "self":
            return [use.by] if use.by and table.where(use.by)[1] else []
        case "attacker":
            attack = table.attack
            there = attack is not None and table.in_battle_zone(attack.attacker)
            return [attack.attacker] if attack is not None and there else []
        case "battled":
            return [use.about] if use.about and table.in_battle_zone(use.about) else []
        case "top_of_deck":
            whose = opponent(table, use.player) if op.get("of") == "opponent" else use.player
            return list(table.side(whose).deck[: needed(op)])
    if target in WHOLE:
        return [
            card
            for _, card in table.creatures()
            if reaches(table, use.player, use.by, card, {**op, "filter": None})
            and fits(table, op, card)
        ]
    cards: list[int] = []
    for ref in target if isinstance(target, list) else [target]:
        card = refs.find(table, ref) if isinstance(ref, int | str) else None
        if card is None:
            return Refusal("duels.no_such_card", {"found": str(ref)[:40]})
        cards.append(card)
    return cards
