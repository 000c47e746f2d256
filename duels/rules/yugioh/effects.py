"""The interpreter of card operations: check a list of them, then carry it out in order.

Played: draw, discard, damage, gain_lp, pay_lp, destroy, send_to_graveyard, tribute, banish,
return_to_hand, return_to_deck, special_summon, flip_face_down, change_position, modify_atk,
modify_def. An operation outside this list is refused with `duels.effect_not_played`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duels.domain.events import seat
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import refs
from duels.rules.yugioh.cards import RACES, is_monster
from duels.rules.yugioh.draft import Draft, Home
from duels.rules.yugioh.knowledge import by_place
from duels.rules.yugioh.match import P1, P2, PLAYERS, other
from duels.rules.yugioh.state import SPACES, Table, free_space, occupied
from eventstore.domain.refusal import Refusal

Op = Mapping[str, Any]
MAX_AMOUNT = 1_000_000
KEYS = frozenset(
    (
        *("op", "player", "n", "amount", "target", "zone", "of"),
        *("up_to", "from", "position", "to", "until", "filter"),
    )
)
"""Keys an operation may have; others are refused, so that no free text gets into the log."""
MOVES: dict[str, tuple[Home, str]] = {
    "destroy": ("graveyard", "effect"),
    "send_to_graveyard": ("graveyard", "cost"),
    "tribute": ("graveyard", "tribute"),
    "banish": ("banished", "effect"),
    "return_to_hand": ("hand", "effect"),
    "return_to_deck": ("deck_top", "effect"),
}
WHOLE_FIELD = (
    "all_monsters",
    "all_own_monsters",
    "all_opponent_monsters",
    "all_other_monsters",
    "all_spells_traps",
)


@dataclass(frozen=True, slots=True)
class Use:
    """One use of operations: the controller, the card (0: none), the cards chosen for
    `chosen` operations in order, and the cards named for discards."""

    player: str
    by: int = 0
    key: str | None = None
    chosen: tuple[int, ...] = ()
    cost: tuple[int, ...] = ()


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


def targets_of(table: Table, op: Op, use: Use) -> list[int] | Refusal:
    """Return the cards an operation acts on, or why it cannot.

    Refused with YGO-9.5 for a removed card, YGO-9.3 for another card out of reach.
    """
    target = op.get("target")
    if target == "chosen":
        chosen = list(use.chosen)
        fault = _out_of_reach(table, op, use, chosen)
        return fault if fault is not None else chosen
    if target == "self":
        return [use.by] if use.by in table.placed else []
    if target in WHOLE_FIELD:
        return [card for card in _whole_field(table, str(target), use) if _passes(table, op, card)]
    named = target if isinstance(target, list) else [target]
    cards: list[int] = []
    for ref in named:
        card = refs.find(table, ref) if isinstance(ref, int | str) else None
        if card is None:
            return Refusal("duels.no_such_card", {"found": str(ref)[:40]})
        cards.append(card)
    return cards


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


def _passes(table: Table, op: Op, card: int) -> bool:
    race = op.get("filter", {}).get("race") if isinstance(op.get("filter"), dict) else None
    facts = table.facts_of(card)
    return race is None or (facts is not None and facts.race == race)


def _out_of_reach(table: Table, op: Op, use: Use, chosen: Sequence[int]) -> Refusal | None:
    wanted = op.get("n", 1)
    enough = len(chosen) <= wanted if op.get("up_to") else len(chosen) == wanted
    if not enough or len(set(chosen)) != len(chosen):
        return Refusal("YGO-9.3", {"found": len(chosen), "allowed": wanted})
    zone, of = op.get("zone"), op.get("of", "any")
    for card in chosen:
        player, where = table.where(card)
        if where == "banished" and zone != "banished":
            return Refusal("YGO-9.5", {"card": card, "found": where, "allowed": zone})
        own = player == use.player
        right_side = of == "any" or own == (of == "own")
        here = where == zone or (zone == "spells_traps" and where == "field")
        if not (here and right_side and _passes(table, op, card)):
            return Refusal("YGO-9.3", {"card": card, "found": where, "allowed": zone})
    return None


def check(table: Table, ops: Sequence[Op], use: Use) -> Iterator[Refusal]:
    """Yield why a list of operations cannot be carried out, tested on the present table."""
    if not ops:
        return
    if not isinstance(ops, list | tuple) or len(ops) > 20:
        yield Refusal("duels.act_malformed", {"found": "ops"})
        return
    for op in ops:
        name = op.get("op") if isinstance(op, Mapping) else None
        checker = CHECKS.get(name) if isinstance(name, str) else None
        if checker is None:
            yield Refusal("duels.effect_not_played", {"found": str(name)[:40]})
            return
        if not _well_formed(op):
            yield Refusal("duels.act_malformed", {"found": str(op.get("op"))})
            return
        yield from checker(table, op, use)


def _plain(value: object) -> bool:
    """Numbers, short ASCII words and lists of them: nothing a person could write a text in."""
    if isinstance(value, list):
        return len(value) <= 20 and all(_plain(one) for one in value)
    return type(value) in (int, bool) or (
        isinstance(value, str) and value.isascii() and len(value) <= 40
    )


def _well_formed(op: Op) -> bool:
    for key, value in op.items():
        if key == "filter" and isinstance(value, dict):
            if set(value) != {"race"} or value["race"] not in RACES:
                return False
        elif key not in KEYS or not _plain(value):
            return False
    for field in ("n", "amount"):
        value = op.get(field, 1)
        if type(value) is not int or abs(value) > MAX_AMOUNT:
            return field == "amount" and value == "half" and op["op"] == "pay_lp"
    if op.get("n", 1) < 0:
        return False
    return bool(players_of(op, P1))


def carry(draft: Draft, ops: Sequence[Op], use: Use) -> None:
    """Carry operations out in order; the duel may end between two of them (YGO-2.7)."""
    for op in ops:
        CARRIES[op["op"]](draft, op, use)


def cost_of(op: Op, life_points: int) -> int:
    """Return the Life Points a `pay_lp` asks for; half is rounded up."""
    amount = op.get("amount", 0)
    return (life_points + 1) // 2 if amount == "half" else int(amount)


def _check_draw(table: Table, op: Op, use: Use) -> Iterator[Refusal]:
    if op.get("from", "deck") != "deck":
        yield Refusal("YGO-7.4", {"found": str(op["from"])[:40], "allowed": "deck"})


def _draw(draft: Draft, op: Op, use: Use) -> None:
    wanted = dict.fromkeys(players_of(op, use.player), int(op.get("n", 1)))
    draft.draw(wanted, "effect", by=use.by)


def _check_discard(table: Table, op: Op, use: Use) -> Iterator[Refusal]:
    """The named cards must be in the hands concerned; an effect on an unnamed hand takes as
    many as are named, so the whole number must be named."""
    hands = [card for player in players_of(op, use.player) for card in table.side(player).hand]
    n = min(op.get("n", 1), len(hands))
    named = [card for card in dict.fromkeys(use.cost) if card in hands]
    if len(named) != n or len(use.cost) != n or n < op.get("n", 1):
        yield Refusal("YGO-9.3", {"found": len(named), "allowed": op.get("n", 1)})


def _discard(draft: Draft, op: Op, use: Use) -> None:
    draft.move(list(dict.fromkeys(use.cost)), "graveyard", "discard", by=use.by)


def _check_none(table: Table, op: Op, use: Use) -> Iterator[Refusal]:
    return iter(())


def _check_pay(table: Table, op: Op, use: Use) -> Iterator[Refusal]:
    for player in players_of(op, use.player):
        have = table.side(player).life_points
        cost = cost_of(op, have)
        if cost > have or (cost == have and table.options["pay_lp.to_zero"] == "forbidden"):
            yield Refusal("YGO-2.2", {"found": cost, "allowed": have})


def _life_points(draft: Draft, op: Op, use: Use) -> None:
    amount = int(op.get("amount", 0))
    delta = amount if op["op"] == "gain_lp" else -amount
    deltas = dict.fromkeys(players_of(op, use.player), delta)
    draft.change_life_points(deltas, "effect", by=use.by, key=use.key)


def _pay(draft: Draft, op: Op, use: Use) -> None:
    deltas = {
        player: -cost_of(op, draft.table.side(player).life_points)
        for player in players_of(op, use.player)
    }
    draft.change_life_points(deltas, "cost", by=use.by, key=use.key)


def _check_targets(table: Table, op: Op, use: Use) -> Iterator[Refusal]:
    found = targets_of(table, op, use)
    if isinstance(found, Refusal):
        yield found


def _move(draft: Draft, op: Op, use: Use) -> None:
    found = targets_of(draft.table, op, use)
    if isinstance(found, Refusal):
        return  # a target that is gone by now: the operation does nothing (YGO-17.4)
    to, cause = MOVES[op["op"]]
    draft.move([card for card in found if draft.table.where(card)[1]], to, cause, by=use.by)


def _check_special(table: Table, op: Op, use: Use) -> Iterator[Refusal]:
    found = targets_of(table, op, use)
    if isinstance(found, Refusal):
        yield found
        return
    for card in found:
        if use.player not in by_place(table, card):
            yield Refusal("duels.no_such_card", {"found": "a card that is not seen"})
            return
        _, zone = table.where(card)
        if zone == "banished":
            yield Refusal("YGO-9.5", {"card": card, "found": zone, "allowed": op.get("from")})
        elif zone != op.get("from", zone) or zone in ("monsters", "spells_traps", "field"):
            yield Refusal("YGO-9.3", {"card": card, "found": zone, "allowed": op.get("from")})
        facts = table.facts_of(card)
        if facts is None:
            yield Refusal("duels.card_unknown", {"card": card, "key": table.identities[card]})
        elif not is_monster(facts):
            yield Refusal("YGO-8.4", {"card": card, "found": facts.type, "allowed": "monster"})
    filled = occupied(table.side(use.player).monsters)
    if filled + len(found) > SPACES:
        yield Refusal("YGO-7.2", {"found": filled, "allowed": SPACES})


def _special(draft: Draft, op: Op, use: Use) -> None:
    found = targets_of(draft.table, op, use)
    if isinstance(found, Refusal):
        return
    for card in found:
        _, zone = draft.table.where(card)
        place = free_space(draft.table.side(use.player).monsters)
        if place < SPACES:
            position = "defence" if op.get("position") == "defence" else "attack"
            draft.add(
                ev.MonsterSummoned(
                    seat(use.player),
                    card,
                    "special",
                    position,  # type: ignore[arg-type]
                    place,
                    zone,
                )
            )


def _check_on_field(table: Table, op: Op, use: Use) -> Iterator[Refusal]:
    found = targets_of(table, op, use)
    if isinstance(found, Refusal):
        yield found
        return
    for card in found:
        placed = table.placed.get(card)
        if placed is None or placed.zone != "monsters":
            yield Refusal("YGO-9.3", {"card": card, "found": table.where(card)[1]})
        elif op["op"] in ("modify_atk", "modify_def") and placed.position == "set":
            yield Refusal("YGO-9.3", {"card": card, "found": "set"})
        elif op["op"] == "change_position" and op.get("to") not in ("attack", "defence"):
            yield Refusal("duels.act_malformed", {"found": "to"})


def _turn(draft: Draft, op: Op, use: Use) -> None:
    found = targets_of(draft.table, op, use)
    if isinstance(found, Refusal):
        return
    to = "set" if op["op"] == "flip_face_down" else op.get("to")
    for card in found:
        if card in draft.table.placed:
            draft.add(ev.PositionChanged(card, to, "effect"))  # type: ignore[arg-type]
    if to == "set":
        draft.drop_equips(found, destroyed=False)


def _modify(draft: Draft, op: Op, use: Use) -> None:
    found = targets_of(draft.table, op, use)
    if isinstance(found, Refusal):
        return
    amount = int(op.get("amount", 0))
    atk, defence = (amount, 0) if op["op"] == "modify_atk" else (0, amount)
    lying = [
        card
        for card in found
        if card in draft.table.placed and draft.table.placed[card].position != "set"
    ]
    if lying:
        draft.add(ev.ValuesModified(lying, atk, defence, use.by))


Check = Callable[[Table, Op, Use], Iterator[Refusal]]
Carry = Callable[[Draft, Op, Use], None]
CHECKS: dict[str, Check] = {
    "draw": _check_draw,
    "discard": _check_discard,
    "damage": _check_none,
    "gain_lp": _check_none,
    "pay_lp": _check_pay,
    **dict.fromkeys(MOVES, _check_targets),
    "special_summon": _check_special,
    "flip_face_down": _check_on_field,
    "change_position": _check_on_field,
    "modify_atk": _check_on_field,
    "modify_def": _check_on_field,
}
CARRIES: dict[str, Carry] = {
    "draw": _draw,
    "discard": _discard,
    "damage": _life_points,
    "gain_lp": _life_points,
    "pay_lp": _pay,
    **dict.fromkeys(MOVES, _move),
    "special_summon": _special,
    "flip_face_down": _turn,
    "change_position": _turn,
    "modify_atk": _modify,
    "modify_def": _modify,
}
