"""The interpreter of card operations: check a list of them, then carry it out in order.

An operation outside CHECKS is refused with `duels.effect_not_played`. Checks are made when an
effect is activated or declared; on resolution an operation does what is still possible and
leaves the rest (YGO-17.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from duels.domain import chance
from duels.domain.events import seat
from duels.rules.yugioh import damage, spaces, values
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import ATTRIBUTES, RACES, TOKEN, is_monster
from duels.rules.yugioh.draft import Draft, Home
from duels.rules.yugioh.knowledge import by_place
from duels.rules.yugioh.match import P1
from duels.rules.yugioh.selectors import (
    FIELD,
    SELECTORS,
    Op,
    Use,
    against,
    chooses,
    needed,
    passes,
    players_of,
    reachable,
    select,
    shares,
)
from duels.rules.yugioh.state import SPACES, Table, free_space, free_spaces, occupied, space_taken
from eventstore.domain.refusal import Refusal

__all__ = ["MAX_AMOUNT", "Use", "carry", "check", "players_of"]
MAX_AMOUNT = 1_000_000
KEYS = frozenset(
    (
        *("op", "player", "n", "amount", "target", "zone", "of"),
        *("up_to", "from", "position", "to", "until", "filter", "card", "per", "space"),
    )
)
"""Keys an operation may have; others are refused, so that no free text gets into the log."""
STAYS = ("continuous", "equip", "field")
"""Kinds of Spell and Trap that stay on the field after their activation."""
MOVES: dict[str, tuple[Home, str]] = {
    "destroy": ("graveyard", "effect"),
    "send_to_graveyard": ("graveyard", "effect"),
    "tribute": ("graveyard", "tribute"),
    "banish": ("banished", "effect"),
    "return_to_hand": ("hand", "effect"),
    "return_to_deck": ("deck_top", "effect"),
}
ARRIVALS = ("special_summon", "take_control")
"""Operations that may name the `space` of the monster that comes, 1 to 5."""
Chosen = tuple[int, ...] | None


def check(table: Table, ops: Sequence[Op], use: Use) -> Iterator[Refusal]:
    """Yield why a list of operations cannot be carried out, tested on the present table."""
    if not ops:
        return
    if not isinstance(ops, list | tuple) or len(ops) > 20:
        yield Refusal("duels.act_malformed", {"found": "ops"})
        return
    for op in ops:
        name = op.get("op") if isinstance(op, Mapping) else None
        if not isinstance(name, str) or name not in CHECKS:
            yield Refusal("duels.effect_not_played", {"found": str(name)[:40]})
            return
        if not _well_formed(op):
            yield Refusal("duels.act_malformed", {"found": str(op.get("op"))})
            return
    for op, chosen in zip(ops, _dealt(table, ops, use), strict=True):
        yield from CHECKS[op["op"]](table, op, use, chosen)
    if use.as_cost:
        yield from _discards_of(table, ops, use)


def _dealt(table: Table, ops: Sequence[Op], use: Use) -> list[Chosen]:
    """Which cards each operation was given. Those named for a cost go to its discards first."""
    if not use.as_cost:
        return shares(ops, use.chosen)
    taken = set(discards(table, ops, use))
    return shares(ops, [card for card in use.named if card not in taken])


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
            if not _plain_filter(value):
                return False
        elif key == "per" and isinstance(value, dict):
            if not all(_plain(one) for one in value.values()):
                return False
        elif op["op"] == "unless_paid" and key in ("cost", "else"):
            if not isinstance(value, list) or not all(_is_op(one) for one in value):
                return False
        elif key == "card" and isinstance(value, str):
            if len(value) > 60:
                return False
        elif key not in KEYS or not _plain(value):
            return False
    if "space" in op and (op["op"] not in ARRIVALS or type(op["space"]) is not int):
        return False
    for field in ("n", "amount"):
        value = op.get(field, 1)
        if type(value) is not int or abs(value) > MAX_AMOUNT:
            return field == "amount" and value == "half" and op["op"] == "pay_lp"
    if op.get("n", 1) < 0:
        return False
    return bool(players_of(op, P1))


def _plain_filter(wanted: Mapping[str, object]) -> bool:
    known = {
        "race": RACES,
        "attribute": ATTRIBUTES,
        "position": ("attack", "defence", "set"),
    }
    return bool(wanted) and all(
        value in known[key] if key in known else key == "min_atk" and type(value) is int
        for key, value in wanted.items()
    )


def _is_op(op: object) -> bool:
    return (
        isinstance(op, Mapping)
        and op.get("op") in CHECKS
        and op.get("op") != "unless_paid"
        and _well_formed(op)
    )


def carry(draft: Draft, ops: Sequence[Op], use: Use) -> None:
    """Carry operations out in order; the duel may end between two of them (YGO-2.7)."""
    for op, chosen in zip(ops, _dealt(draft.table, ops, use), strict=True):
        carrier = CARRIES.get(str(op.get("op")))
        if carrier is not None and draft.table.result is None:
            carrier(draft, op, use, chosen)


def found_now(table: Table, op: Op, use: Use, chosen: Chosen) -> list[int]:
    """Return the cards an operation can still act on: not one that has left the place where it
    was chosen, none twice, and none that the battle under way has destroyed (YGO-15.11)."""
    found = select(table, op, use, chosen)
    if isinstance(found, Refusal):
        return []
    gone = damage.doomed(table)
    return [
        card
        for card in dict.fromkeys(found)
        if table.where(card)[1]
        and card not in gone
        and (chosen is None or reachable(table, op, use, card))
    ]


def cost_of(op: Op, life_points: int) -> int:
    """Return the Life Points a `pay_lp` asks for; half is rounded up."""
    amount = op.get("amount", 0)
    return (life_points + 1) // 2 if amount == "half" else int(amount)


def _check_draw(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    if op.get("from", "deck") != "deck":
        yield Refusal("YGO-7.4", {"found": str(op["from"])[:40], "allowed": "deck"})


def _draw(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    wanted = dict.fromkeys(players_of(op, use.player), needed(op))
    draft.draw(wanted, "effect", by=use.by)


def _check_discard(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    """Cards named for a discard by an effect must be in the hands concerned; unnamed ones are
    taken on resolution. A cost is tested as a whole."""
    if use.as_cost:
        return
    hands = [card for player in players_of(op, use.player) for card in table.side(player).hand]
    named = [card for card in use.named if card in hands]
    if use.named and (
        len(named) != len(use.named) or len(set(named)) != min(needed(op), len(hands))
    ):
        yield Refusal("YGO-9.3", {"found": len(named), "allowed": needed(op)})


def _discards_of(table: Table, ops: Sequence[Op], use: Use) -> Iterator[Refusal]:
    """A discard as a cost: named cards of the own hand, the activated card not among them.
    Cards that nobody knows may stay unnamed; a cost names no card too many."""
    owed = sum(needed(op) for op in ops if op["op"] == "discard")
    paid = discards(table, ops, use)
    over = [card for card in use.named if card not in paid]
    if len(paid) != owed or (over and not any(chooses(op) for op in ops)):
        yield Refusal("YGO-9.3", {"found": len(paid) + len(over), "allowed": owed})


def discards(table: Table, ops: Sequence[Op], use: Use) -> list[int]:
    """Return the cards that pay the discards among the operations of a cost."""
    owed = sum(needed(op) for op in ops if op.get("op") == "discard")
    if not owed:
        return []
    hand = [card for card in table.side(use.player).hand if card != use.by]
    named = [card for card in dict.fromkeys(use.named) if card in hand][:owed]
    unknown = [card for card in hand if table.facts_of(card) is None and card not in named]
    return named + unknown[: owed - len(named)]


def _discard(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    for player in players_of(op, use.player):
        hand = draft.table.side(player).hand
        named = [card for card in dict.fromkeys(use.named) if card in hand]
        n = min(needed(op), len(hand))
        taken = named[:n] if len(named) >= n else [*named, *_at_random(draft.table, hand, named, n)]
        draft.move(taken, "graveyard", "discard", by=use.by)


def _at_random(table: Table, hand: Sequence[int], named: Sequence[int], n: int) -> list[int]:
    """Take the cards that nobody named. Which, follows from the turn, the instances held and the
    secret that the duel has committed to, so that nobody can foresee or steer it, and everybody
    can check it once the secret is disclosed. On paper nobody knows the instances."""
    held = (str(table.turn), *map(str, sorted(hand)))
    left = sorted(
        (card for card in hand if card not in named),
        key=lambda card: chance.derived(table.secret, "discard", *held, str(card)),
    )
    return left[: max(0, n - len(named))]


def pay(draft: Draft, ops: Sequence[Op], use: Use) -> None:
    """Pay the operations of a cost."""
    taken = discards(draft.table, ops, use)
    draft.move(taken, "graveyard", "discard", by=use.by)
    left = replace(use, named=tuple(card for card in use.named if card not in taken))
    carry(draft, [op for op in ops if op.get("op") != "discard"], left)


def _check_none(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    return iter(())


def _check_pay(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    for player in players_of(op, use.player):
        have = table.side(player).life_points
        cost = cost_of(op, have)
        if cost > have or (cost == have and table.options["pay_lp.to_zero"] == "forbidden"):
            yield Refusal("YGO-2.2", {"found": cost, "allowed": have})


def _life_points(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    amount = int(op.get("amount", 0))
    delta = amount if op["op"] == "gain_lp" else -amount
    deltas = dict.fromkeys(players_of(op, use.player), delta)
    draft.change_life_points(deltas, "effect", by=use.by, key=use.key)


def _pay(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    deltas = {
        player: -cost_of(op, draft.table.side(player).life_points)
        for player in players_of(op, use.player)
    }
    draft.change_life_points(deltas, "cost", by=use.by, key=use.key)


def _check_targets(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    """Chosen cards within reach; named ones where such an operation can find them."""
    if chosen is not None:
        fault = against(table, op, use, chosen)
        if fault is not None:
            yield fault
        return
    found = select(table, op, use, chosen)
    if isinstance(found, Refusal):
        yield found
        return
    if op.get("target") == "battled" and any(card in damage.doomed(table) for card in found):
        yield Refusal("YGO-15.11", {"card": found[0], "found": "destroyed in this battle"})
    if use.as_cost and not found:
        yield Refusal("YGO-9.3", {"found": 0, "allowed": needed(op)})
    if op.get("target") in SELECTORS:
        return
    for card in found:
        _, where = table.where(card)
        if where == "banished":
            yield Refusal("YGO-9.5", {"card": card, "found": where})
        elif op["op"] == "destroy" and where not in FIELD:
            yield Refusal("YGO-7.9", {"card": card, "found": where, "allowed": "field"})
        elif not where:
            yield Refusal("YGO-9.3", {"card": card, "found": where, "allowed": "field"})


def _move(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    to, cause = MOVES[op["op"]]
    if use.as_cost and cause == "effect":
        cause = "cost"
    found = found_now(draft.table, op, use, chosen)
    destroyed = op["op"] == "destroy" and not use.as_cost
    draft.move(found, to, cause, by=use.by, destroyed=destroyed)


def _check_special(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    if chosen is not None:
        fault = against(table, op, use, chosen)
        if fault is not None:
            yield fault
            return
    found = select(table, op, use, chosen)
    if isinstance(found, Refusal):
        yield found
        return
    if use.position == "set":
        yield Refusal("YGO-11.12", {"found": "set", "allowed": ["attack", "defence"]})
    for card in found:
        if op.get("target") == "self" and use.by == card:
            continue  # it is tested where it will be when the effect resolves
        if op.get("target") != "top_of_deck" and use.player not in by_place(table, card):
            _, zone = table.where(card)
            if zone != "deck" or op.get("from") != "deck":
                yield Refusal("duels.no_such_card", {"found": "a card that is not seen"})
                return
        _, zone = table.where(card)
        if zone == "banished":
            yield Refusal("YGO-9.5", {"card": card, "found": zone, "allowed": op.get("from")})
        elif zone == "fusion_deck" and op.get("from") != "fusion_deck":
            yield Refusal("YGO-7.4", {"card": card, "found": zone, "allowed": op.get("from")})
        elif zone != op.get("from", zone) or zone in FIELD:
            yield Refusal("YGO-9.3", {"card": card, "found": zone, "allowed": op.get("from")})
        facts = table.facts_of(card)
        if facts is None:
            yield Refusal("duels.card_unknown", {"card": card, "key": table.identities[card]})
        elif not is_monster(facts):
            yield Refusal("YGO-8.4", {"card": card, "found": facts.type, "allowed": "monster"})
    yield from _space(table, use, len(found))
    yield from spaces.fault(op.get("space"), _free(table, use))


def _free(table: Table, use: Use) -> tuple[int, ...]:
    return free_spaces(table.side(use.player).monsters, use.leaving)


def _space(table: Table, use: Use, arriving: int) -> Iterator[Refusal]:
    filled = occupied(table.side(use.player).monsters, use.leaving)
    if arriving and filled + arriving > SPACES:
        yield Refusal("YGO-7.2", {"found": filled, "allowed": SPACES})


def _special(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    position = op.get("position") or use.position or "attack"
    for card in found_now(draft.table, op, use, chosen):
        _, zone = draft.table.where(card)
        facts = draft.table.facts_of(card)
        if zone in FIELD or zone == "banished" or not is_monster(facts):
            continue
        place = space_taken(draft.table.side(use.player).monsters, op.get("space"))
        if place < SPACES:
            draft.add(
                ev.MonsterSummoned(
                    seat(use.player),
                    card,
                    "special",
                    "defence" if position == "defence" else "attack",
                    place,
                    zone,
                )
            )


def _check_on_field(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    if chosen is not None:
        fault = against(table, op, use, chosen)
        if fault is not None:
            yield fault
            return
    found = select(table, op, use, chosen)
    if isinstance(found, Refusal):
        yield found
        return
    if op["op"] == "change_position" and op.get("to") not in (None, "attack", "defence", "set"):
        yield Refusal("duels.act_malformed", {"found": "to"})
    if op.get("target") in SELECTORS and op.get("target") != "chosen":
        return
    for card in found:
        placed = table.placed.get(card)
        if placed is None or placed.zone != "monsters":
            found_in = table.where(card)[1]
            rule = "YGO-9.5" if found_in == "banished" else "YGO-9.3"
            yield Refusal(rule, {"card": card, "found": found_in, "allowed": "monsters"})
        elif op["op"] in ("modify_atk", "modify_def") and placed.position == "set":
            yield Refusal("YGO-9.3", {"card": card, "found": "set"})
        elif op["op"] == "flip_face_down" or op.get("to") == "set":
            facts = table.facts_of(card)
            if facts is not None and facts.type == TOKEN:
                yield Refusal("YGO-12.10", {"card": card, "found": "set"})


def _turn(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    to = "set" if op["op"] == "flip_face_down" else op.get("to")
    down: list[int] = []
    for card in found_now(draft.table, op, use, chosen):
        placed = draft.table.placed.get(card)
        facts = draft.table.facts_of(card)
        if placed is None or placed.zone != "monsters":
            continue
        goal = to or ("attack" if placed.position != "attack" else "defence")
        if placed.position == goal or (goal == "set" and facts is not None and facts.type == TOKEN):
            continue
        draft.add(ev.PositionChanged(card, goal, "effect"))  # type: ignore[arg-type]
        if goal == "set":
            down.append(card)
    if down:
        draft.drop_equips(down, destroyed=False)


def _modify(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    table = draft.table
    amount = values.amount_of(table, use.player, dict(op))
    atk, defence = (amount, 0) if op["op"] == "modify_atk" else (0, amount)
    lying = [
        card
        for card in found_now(table, op, use, chosen)
        if card in table.placed
        and table.placed[card].zone == "monsters"
        and table.placed[card].position != "set"
        and passes(table, op, card)
    ]
    if lying:
        lasting = op.get("until") != "end_of_turn" and stays(table, use.by)
        draft.add(ev.ValuesModified(lying, atk, defence, use.by, lasting))


def stays(table: Table, card: int) -> bool:
    """Say whether a card lies face-up and does not leave when its effect is done."""
    placed, facts = table.placed.get(card), table.facts_of(card)
    if placed is None or facts is None or placed.position == "set":
        return False
    return is_monster(facts) or facts.kind in STAYS


def _check_direct(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    yield from _check_on_field(table, op, use, chosen)


def _direct(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    table = draft.table
    found = [
        card
        for card in found_now(table, op, use, chosen)
        if card in table.placed and table.placed[card].zone == "monsters"
    ]
    if found:
        draft.add(ev.DirectAttackAllowed(found, use.by))


def _check_control(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    """YGO-14.1: a free space on the new controller's side for each monster."""
    faults = list(_check_on_field(table, op, use, chosen))
    yield from faults
    if faults:
        return
    found = select(table, op, use, chosen)
    coming = [
        card
        for card in (found if isinstance(found, list) else [])
        if table.placed[card].controller != use.player
    ]
    if chosen is not None and not coming and chosen:
        yield Refusal("YGO-9.3", {"card": chosen[0], "found": "own", "allowed": "opponent"})
    filled = occupied(table.side(use.player).monsters, use.leaving)
    if filled + max(1, len(coming)) > SPACES:
        yield Refusal("YGO-14.1", {"found": filled, "allowed": SPACES})
    yield from spaces.fault(op.get("space"), _free(table, use))


def _control(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    for card in found_now(draft.table, op, use, chosen):
        placed = draft.table.placed.get(card)
        place = space_taken(draft.table.side(use.player).monsters, op.get("space"))
        if placed is None or placed.zone != "monsters" or placed.controller == use.player:
            continue
        if place < SPACES:
            until: Literal["end_of_turn", "lasting"] = (
                "end_of_turn" if op.get("until") == "end_of_turn" else "lasting"
            )
            draft.add(ev.ControlChanged(seat(use.player), card, place, until, use.by))


def token_key(table: Table, op: Op) -> str | None:
    """Return the key of the token an operation creates, by key or by name; None for none."""
    named = op.get("card")
    facts = table.facts.get(named) if isinstance(named, str) else None
    if facts is None:
        facts = next((one for one in table.facts.values() if one.name == named), None)
    return facts.key if facts is not None and facts.type == TOKEN else None


def _check_token(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    """YGO-12.10: a free space for each token."""
    if token_key(table, op) is None:
        yield Refusal("duels.card_unknown", {"card": 0, "key": str(op.get("card"))[:40]})
        return
    for player in players_of(op, use.player):
        free = SPACES - occupied(table.side(player).monsters, use.leaving)
        if needed(op) > free:
            yield Refusal("YGO-12.10", {"found": needed(op), "allowed": free})


def _token(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    key = token_key(draft.table, op)
    if key is None:
        return
    position = op.get("position") or use.position
    for player in players_of(op, use.player):
        if needed(op) > SPACES - occupied(draft.table.side(player).monsters):
            continue
        for _ in range(needed(op)):
            draft.add(
                ev.TokenCreated(
                    seat(player),
                    len(draft.table.owners),
                    key,
                    "defence" if position == "defence" else "attack",
                    free_space(draft.table.side(player).monsters),
                    use.by,
                )
            )


def _check_negate(table: Table, op: Op, use: Use, chosen: Chosen) -> Iterator[Refusal]:
    """YGO-13.20: there is a link, a summon or an attack to answer."""
    there = {
        "negate_activation": bool(table.chain),
        "negate_summon": bool(table.windows and table.windows[-1].summons),
        "negate_attack": table.attack is not None
        and any(window.kind == "attack" for window in table.windows),
    }
    if not there[op["op"]]:
        yield Refusal("YGO-13.20", {"card": use.by, "found": None, "allowed": op["op"]})


def _negate_activation(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    """The link just before this one does nothing, and its card goes to the Graveyard."""
    answered = len(draft.table.chain) - 1
    if not draft.table.resolving or answered < 1:
        return
    link = draft.table.chain[answered - 1]
    draft.add(ev.ActivationNegated(answered, link.card, use.by))
    if link.card in draft.table.placed:
        draft.move([link.card], "graveyard", "effect", by=use.by, destroyed=False)


def _negate_summon(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    table = draft.table
    window = next((one for one in reversed(table.windows) if one.summons), None)
    if window is None:
        return
    summon = window.summons[-1]
    counted = summon.how in ("normal", "tribute") and bool(
        table.options["normal_summon.negated_counts"]
    )
    draft.add(ev.SummonNegated(seat(summon.player), summon.card, summon.how, counted, use.by))
    if summon.card in draft.table.placed:
        draft.move([summon.card], "graveyard", "effect", by=use.by, destroyed=False, quiet=True)


def _negate_attack(draft: Draft, op: Op, use: Use, chosen: Chosen) -> None:
    attack = draft.table.attack
    if attack is not None and attack.stage == "declared":
        counted = bool(draft.table.options["attack.negated_counts"])
        draft.add(ev.AttackStopped(attack.attacker, attack.target, "negated", counted))


Check = Callable[[Table, Op, Use, Chosen], Iterator[Refusal]]
Carry = Callable[[Draft, Op, Use, Chosen], None]
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
    "attack_directly": _check_direct,
    "take_control": _check_control,
    "create_token": _check_token,
    "negate_activation": _check_negate,
    "negate_summon": _check_negate,
    "negate_attack": _check_negate,
    "fusion_summon": _check_none,
    "ritual_summon": _check_none,
    "unless_paid": _check_none,
}
"""Operations and their checks. The pieces of a Fusion or Ritual are tested in pieces.py, the
price of `unless_paid` when it is decided."""
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
    "attack_directly": _direct,
    "take_control": _control,
    "create_token": _token,
    "negate_activation": _negate_activation,
    "negate_summon": _negate_summon,
    "negate_attack": _negate_attack,
}
"""What each operation does. Fusion, Ritual and `unless_paid` are carried out in chain.py."""
