"""Which cards an operation of a card script acts on (selectors), seen from its controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duels.rules.yugioh import damage, refs, values
from duels.rules.yugioh.match import P1, P2, PLAYERS, other
from duels.rules.yugioh.state import Table
from eventstore.domain.refusal import Refusal

Op = Mapping[str, Any]
WHOLE_FIELD = (
    "all_monsters",
    "all_own_monsters",
    "all_opponent_monsters",
    "all_other_monsters",
    "all_spells_traps",
)
SELECTORS = (*WHOLE_FIELD, "chosen", "self", "equipped", "battled", "attacker", "top_of_deck")
FIELD = ("monsters", "spells_traps", "field")


@dataclass(frozen=True, slots=True)
class Use:
    """One use of operations: the controller, the card (0: none) and its key, the cards chosen
    for `chosen` operations in order, the cards named for costs and discards, the position and
    the pieces of a summon by it. `as_cost`: the operations are paid; `summoned`: the monster
    whose summon is answered, which a choice must then be; `leaving`: cards that the price takes
    from the field first."""

    player: str
    by: int = 0
    key: str | None = None
    chosen: tuple[int, ...] = ()
    named: tuple[int, ...] = ()
    position: str = ""
    pieces: tuple[int, ...] = ()
    as_cost: bool = False
    summoned: tuple[int, ...] = ()
    leaving: tuple[int, ...] = ()


def players_of(op: Op, player: str) -> tuple[str, ...]:
    """Return whom an operation concerns, seen from its controller."""
    match op.get("player", "self"):
        case "self":
            return (player,)
        case "opponent":
            return (other(player),)
        case "both":
            return PLAYERS
        case _:
            return ()


def needed(op: Op) -> int:
    """Return how many cards an operation takes (key `n`, 1 by default)."""
    n = op.get("n", 1)
    return n if type(n) is int else 1


def chooses(op: Op) -> bool:
    """Say whether an operation acts on chosen cards."""
    return op.get("target") == "chosen"


def shares(ops: Sequence[Op], chosen: Sequence[int]) -> list[tuple[int, ...] | None]:
    """Deal the chosen cards out to the operations in order; None where none are chosen.

    Cards chosen once serve several operations when they are only enough for the first.
    """
    asking = [op for op in ops if chooses(op)]
    fixed = sum(needed(op) for op in asking if not op.get("up_to"))
    first = needed(asking[0]) if asking else 0
    once = (
        len(asking) > 1
        and len(chosen) == first < fixed
        and all(needed(op) == first for op in asking)
    )
    dealt: list[tuple[int, ...] | None] = []
    left = list(chosen)
    for op in ops:
        if not chooses(op):
            dealt.append(None)
            continue
        if once:
            dealt.append(tuple(chosen))
            continue
        take = needed(op)
        if op.get("up_to"):
            later = fixed
            take = max(0, min(take, len(left) - later))
        else:
            fixed -= take
        dealt.append(tuple(left[:take]))
        left = left[take:]
    if left and asking and not once:
        last = max(place for place, one in enumerate(dealt) if one is not None)
        dealt[last] = (*(dealt[last] or ()), *left)
    return dealt


def select(table: Table, op: Op, use: Use, chosen: Sequence[int] | None) -> list[int] | Refusal:
    """Return the cards an operation acts on now, or why what it names is no card."""
    target = op.get("target")
    if chosen is not None:
        return list(chosen)
    if target == "self":
        return [use.by] if use.by and table.where(use.by)[1] else []
    if target == "equipped":
        lying = table.placed.get(use.by)
        carrier = lying.equipped_to if lying is not None else 0
        return [carrier] if carrier in table.placed else []
    if target == "attacker":
        attack = table.attack
        return [attack.attacker] if attack is not None and attack.attacker in table.placed else []
    if target == "battled":
        return _battled(table, use.by)
    if target == "top_of_deck":
        whose = other(use.player) if op.get("of") == "opponent" else use.player
        return list(table.side(whose).deck[: needed(op)])
    if target in WHOLE_FIELD:
        return [card for card in _whole_field(table, str(target), use) if passes(table, op, card)]
    named = target if isinstance(target, list) else [target]
    cards: list[int] = []
    for ref in named:
        card = refs.find(table, ref) if isinstance(ref, int | str) else None
        if card is None:
            return Refusal("duels.no_such_card", {"found": str(ref)[:40]})
        cards.append(card)
    return cards


def _battled(table: Table, card: int) -> list[int]:
    attack = table.attack
    if attack is None or card not in (attack.attacker, attack.target):
        return []
    rival = attack.target if card == attack.attacker else attack.attacker
    return [rival] if rival in table.placed else []


def _whole_field(table: Table, selector: str, use: Use) -> list[int]:
    rows = {player: table.controlled(player) for player in PLAYERS}
    match selector:
        case "all_own_monsters":
            return rows[use.player]
        case "all_opponent_monsters":
            return rows[other(use.player)]
        case "all_spells_traps":
            return [
                card
                for player in PLAYERS
                for card in (table.side(player).field, *table.side(player).spells_traps)
                if card and card != use.by
            ]
        case "all_other_monsters":
            return [card for card in rows[P1] + rows[P2] if card != use.by]
        case _:
            return rows[P1] + rows[P2]


def passes(table: Table, op: Op, card: int) -> bool:
    """Say whether a card fits the filter of an operation: `race`, `attribute`, `min_atk` (as it
    is now) and `position`. What a face-down card is fits nothing."""
    wanted = op.get("filter")
    if not isinstance(wanted, dict) or not wanted:
        return True
    placed, facts = table.placed.get(card), table.facts_of(card)
    if "position" in wanted and (placed is None or placed.position != wanted["position"]):
        return False
    if not any(key in wanted for key in ("race", "attribute", "min_atk")):
        return True
    if facts is None or (placed is not None and placed.position == "set"):
        return False
    return (
        wanted.get("race") in (None, facts.race)
        and wanted.get("attribute") in (None, facts.attribute)
        and values.attack(table, card) >= wanted.get("min_atk", 0)
    )


def reachable(table: Table, op: Op, use: Use, card: int) -> bool:
    """Say whether a chosen card is where the operation looks for it."""
    player, where = table.where(card)
    zone, of = op.get("zone", op.get("from")), op.get("of", "any")
    here = where in FIELD if zone is None else where == zone
    if zone == "spells_traps" and where == "field":
        here = True
    right_side = of not in ("own", "opponent") or (player == use.player) == (of == "own")
    return here and right_side and passes(table, op, card)


def against(table: Table, op: Op, use: Use, chosen: Sequence[int]) -> Refusal | None:
    """Return why the cards cannot be chosen: YGO-15.11 for a monster that this battle has
    destroyed, 9.5 for a removed card, 7.9 for one off the field, 9.3 for any other."""
    wanted = needed(op)
    enough = len(chosen) <= wanted if op.get("up_to") else len(chosen) == wanted
    for card in chosen:
        _, where = table.where(card)
        zone = op.get("zone", op.get("from"))
        if card in damage.doomed(table):
            return Refusal("YGO-15.11", {"card": card, "found": "destroyed in this battle"})
        if where == "banished" and zone != "banished":
            return Refusal("YGO-9.5", {"card": card, "found": where, "allowed": zone})
        if use.summoned and card not in use.summoned:
            return Refusal("YGO-9.3", {"card": card, "found": where, "allowed": "the summoned"})
        if not reachable(table, op, use, card):
            off = zone is None and where not in FIELD
            rule = "YGO-7.9" if off else "YGO-9.3"
            return Refusal(rule, {"card": card, "found": where, "allowed": zone or "field"})
    if not enough or len(set(chosen)) != len(chosen):
        return Refusal("YGO-9.3", {"found": len(chosen), "allowed": wanted})
    return None


def choices(table: Table, op: Op, use: Use) -> list[int]:
    """Return every card that could be chosen for an operation now."""
    zone = op.get("zone", op.get("from"))
    zones = (
        FIELD if zone is None else ("spells_traps", "field") if zone == "spells_traps" else (zone,)
    )
    gone = damage.doomed(table)
    found: list[int] = []
    for player in PLAYERS:
        side = table.side(player)
        for name in zones:
            row = getattr(side, str(name), ())
            for card in row if isinstance(row, tuple) else (row,):
                if not card or card in gone or (card == use.by and name == "hand"):
                    continue
                if use.summoned and card not in use.summoned:
                    continue
                if reachable(table, op, use, card):
                    found.append(card)
    return found
