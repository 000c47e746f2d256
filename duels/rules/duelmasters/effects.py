"""Operations of card scripts, carried out one after another, as far as can be (DM-5.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from duels.domain import chance
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import effect_at, is_creature, ops_of
from duels.rules.duelmasters.draft import Draft, Home
from duels.rules.duelmasters.knowledge import by_place
from duels.rules.duelmasters.seats import player as seat_of
from duels.rules.duelmasters.selectors import (
    SELECTORS,
    Op,
    Use,
    choices,
    chooses,
    needed,
    players_of,
    select,
    shares,
)
from duels.rules.duelmasters.state import Table, Waiting
from duels.rules.duelmasters.triggers import CAST
from duels.rules.duelmasters.values import amount
from eventstore.domain.refusal import Refusal

SENDS: dict[str, Home] = {
    "destroy": "graveyard",
    "send_to_graveyard": "graveyard",
    "return_to_hand": "hand",
    "return_to_deck": "deck_top",
    "put_into_mana": "mana",
}
PLAYED = (*SENDS, "draw", "discard", "special_summon", "modify_power", "tap", "untap")
"""Operations that this game has; the others of the common vocabulary are refused."""


def unplayable(ops: Sequence[Any]) -> Refusal | None:
    """Return `duels.effect_not_played` for the first operation that this game has not, or whose
    form cannot be read."""
    for op in ops:
        name = op.get("op") if isinstance(op, dict) else op
        if not isinstance(op, dict) or name not in PLAYED:
            return Refusal("duels.effect_not_played", {"found": str(name)[:40]})
        number = op.get("amount" if name == "modify_power" else "n", 1)
        if type(number) is not int or not -1_000_000 <= number <= 1_000_000:
            return Refusal("duels.effect_not_played", {"found": str(number)[:40]})
    return None


def ops_waiting(table: Table, one: Waiting) -> list[dict[str, Any]]:
    """Return the operations of an effect that waits."""
    return ops_of(effect_at(table.facts_of(one.card), one.effect))


def use_of(one: Waiting, chosen: Sequence[int] = (), named: Sequence[int] = ()) -> Use:
    """Return the use that an effect which waits is put to."""
    return Use(one.player, one.card, tuple(chosen), tuple(named), one.about)


def chooser(table: Table, one: Waiting) -> str | None:
    """Return who has to choose for an effect: its controller where cards can be chosen, who has
    to discard some of several cards, or None when there is nothing to choose."""
    ops, use = ops_waiting(table, one), use_of(one)
    if any(chooses(op) and needed(op) and choices(table, op, use) for op in ops):
        return one.player
    for op in ops:
        if op.get("op") == "discard" and op.get("target") is None:
            for who in players_of(table, op, one.player):
                if 0 < needed(op) < len(table.side(who).hand):
                    return who
    return None


def bars_the_way(table: Table, one: Waiting) -> bool:
    """Say whether play cannot go on before this effect's choice is made: cards must be chosen
    and the effect is compulsory. A discard that nobody names is left to chance."""
    if one.optional:
        return False
    use = use_of(one)
    return any(
        chooses(op) and not op.get("up_to") and needed(op) and choices(table, op, use)
        for op in ops_waiting(table, one)
    )


def begin(
    draft: Draft, one: Waiting, chosen: Sequence[int] = (), named: Sequence[int] = ()
) -> None:
    """Carry out an effect that waited; a spell then goes to the graveyard (DM-5.1)."""
    ops, use = ops_waiting(draft.table, one), use_of(one, chosen, named)
    targets = [*chosen, *named]
    draft.add(ev.EffectBegun(seat_of(one.player), one.card, one.effect, targets))
    carry_ops(draft, ops, use)
    if one.when == CAST:
        finish_spell(draft, one.card)


def finish_spell(draft: Draft, card: int) -> None:
    """Put a spell that is done into its graveyard (DM-5.1)."""
    table = draft.table
    waits = any(one.card == card and one.when == CAST for one in table.waiting)
    if not waits and table.where(card)[1] == "casting":
        draft.send([card], "graveyard", "used")


def carry_ops(draft: Draft, ops: Sequence[Op], use: Use) -> Refusal | None:
    """Carry operations out in order. Returns why one of them names no card; what was carried
    out before it stays in the draft, which the caller then drops."""
    for op, share in zip(ops, shares(draft.table, ops, use, use.chosen), strict=True):
        if draft.table.result is not None:
            return None
        refused = _carry(draft, op, use, share)
        if refused is not None:
            return refused
    return None


def _carry(draft: Draft, op: Op, use: Use, share: Sequence[int] | None) -> Refusal | None:
    name = str(op.get("op"))
    if name == "draw":
        draft.draw(
            {one: needed(op) for one in players_of(draft.table, op, use.player)}, "effect", use.by
        )
        return None
    if name == "discard" and op.get("target") is None:
        _discard(draft, op, use)
        return None
    if op.get("target") is None and op.get("from") == "deck":
        cards = [
            card
            for one in players_of(draft.table, op, use.player)
            for card in draft.table.side(one).deck[: needed(op)]
        ]
    else:
        found = select(draft.table, op, use, share)
        if isinstance(found, Refusal):
            return found
        cards = found
    if cards:
        CARRY[name](draft, op, use, cards)
    return None


def _send(draft: Draft, op: Op, use: Use, cards: list[int]) -> None:
    name = str(op["op"])
    if name == "discard":
        draft.send(cards, "graveyard", "discard", use.by)
        return
    draft.send(cards, SENDS[name], "effect", use.by, destroyed=name == "destroy")


def _discard(draft: Draft, op: Op, use: Use) -> None:
    for who in players_of(draft.table, op, use.player):
        hand = draft.table.side(who).hand
        named = [card for card in use.named if card in hand][: needed(op)]
        rest = [card for card in by_lot(draft.table, who) if card not in named]
        cards = [*named, *rest[: needed(op) - len(named)]]
        draft.send(cards, "graveyard", "discard", use.by)


def by_lot(table: Table, who: str) -> list[int]:
    """Return a hand in the order of a lot that the duel has committed itself to."""
    hand = table.side(who).hand
    held = ("discard", str(table.turn), *map(str, sorted(hand)))
    return sorted(hand, key=lambda card: chance.derived(table.secret, *held, str(card)))


def _put_into_battle_zone(draft: Draft, op: Op, use: Use, cards: list[int]) -> None:
    for card in cards:
        facts, (_, zone) = draft.table.facts_of(card), draft.table.where(card)
        if zone in ("battle", "under", "") or draft.table.owners[card] != use.player:
            continue  # only one's own cards, and only from elsewhere
        if is_creature(facts) and facts is not None and facts.evolves is None:
            who = seat_of(use.player)
            draft.add(ev.CreatureSummoned(who, card, "effect", [], zone, use.by))


def _power(draft: Draft, op: Op, use: Use, cards: list[int]) -> None:
    there = [card for card in cards if draft.table.in_battle_zone(card)]
    change = amount(draft.table, use.player, op)
    stays = op.get("until") is None and draft.table.in_battle_zone(use.by)
    if there and change:
        draft.add(ev.PowerChanged(there, change, use.by, stays))


def _turn(draft: Draft, op: Op, use: Use, cards: list[int]) -> None:
    tapped = op["op"] == "tap"
    turned = [
        card
        for card in cards
        if card in draft.table.lying and draft.table.lying[card].tapped != tapped
    ]
    if turned:
        draft.add(ev.CardsTurned(turned, tapped, use.by))


CARRY: dict[str, Callable[[Draft, Op, Use, list[int]], None]] = {
    **dict.fromkeys(SENDS, _send),
    "discard": _send,
    "special_summon": _put_into_battle_zone,
    "modify_power": _power,
    "tap": _turn,
    "untap": _turn,
}


def breach(table: Table, ops: Sequence[Op], use: Use) -> Refusal | None:
    """Return the rule that operations named by a player break: a card that is no card, an
    evolution creature put down alone (DM-7.1), or what is no creature, or not seen to be one, put
    into the battle zone (DM-6.1)."""
    for op in ops:
        target = op.get("target")
        if target is None or target in SELECTORS:
            continue
        found = select(table, op, use, None)
        if isinstance(found, Refusal):
            return found
        for card in found:
            facts, (_, zone) = table.facts_of(card), table.where(card)
            if op.get("op") == "special_summon":
                if use.player not in by_place(table, card):
                    return Refusal("DM-6.1", {"found": "a card that is not seen"})
                if facts is not None and facts.evolves is not None:
                    return Refusal("DM-7.1", {"card": card, "found": "alone"})
                if facts is not None and not is_creature(facts):
                    return Refusal("DM-6.1", {"card": card, "found": facts.type})
            if zone == "under":
                return Refusal("DM-7.6", {"card": card, "found": zone})
    return None
