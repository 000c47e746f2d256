"""Casting spells (DM-5.1, 5.2), and the choices for effects that have started."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import common, effects, mana, refs, triggers
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import SPELL, effect_at, ops_of, places_of
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.selectors import Use, against, chooses
from duels.rules.duelmasters.state import Table, Waiting
from eventstore.domain.refusal import Refusal


def script(table: Table, card: int, kind: str) -> list[dict[str, Any]]:
    """Return the operations of all effects of a kind that a card has, in order."""
    facts = table.facts_of(card)
    return [op for place in places_of(facts, kind) for op in ops_of(effect_at(facts, place))]


def check(table: Table, act: a.Cast) -> Iterator[Refusal]:
    """DM-3.1 player and step, DM-5.1 a spell from the hand, DM-4.1, 4.2 its cost; DM-5.2 and
    5.1 for the choices that are named now."""
    yield from common.turn_player(table, act, "main")
    card = refs.cards(table, [act.card])[0]
    _, zone = table.where(card)
    if zone != "hand" or card not in table.side(act.player).hand:
        yield Refusal("DM-3.6" if zone == "mana" else "DM-5.1", {"card": card, "found": zone})
        return
    facts = table.facts_of(card)
    if facts is None:
        yield Refusal("duels.card_unknown", {"card": card})
        return
    if facts.type != SPELL:
        yield Refusal("DM-5.1", {"card": card, "found": facts.type, "allowed": SPELL})
        return
    yield from mana.check(table, act.player, facts, act.mana)
    yield from check_targets(table, act.player, card, refs.cards(table, act.targets))


def check_targets(
    table: Table, player: str, card: int, targets: Sequence[int]
) -> Iterator[Refusal]:
    """DM-5.2, 5.1: what is named now must be a whole choice; without it the spell waits."""
    if targets:
        ops = script(table, card, SPELL)
        refused = against(table, ops, Use(player, card), targets, "DM-5.1")
        if refused is not None:
            yield refused


def carry(draft: Draft, act: a.Cast) -> None:
    """Pay for the spell, carry it out and put it into the graveyard."""
    card = refs.cards(draft.table, [act.card])[0]
    paid = mana.pay(draft.table, act.player, draft.table.facts_of(card), act.mana)
    targets = refs.cards(draft.table, act.targets)
    source = draft.table.where(card)[1]
    draft.add(ev.SpellCast(act.player, card, "cast", paid, targets, source))
    start(draft, act.player, card, targets)


def start(draft: Draft, player: str, card: int, targets: Sequence[int]) -> None:
    """Let the text of a spell start: with its choices made, or to wait for them."""
    called = triggers.own(draft.table, player, card, SPELL)
    if not called:
        effects.finish_spell(draft, card)
        return
    draft.trigger(called)
    if targets:
        left = list(targets)
        for one in [one for one in draft.table.waiting if one.card == card]:
            share = left if one.effect == called[-1].effect else _share(draft.table, one, left)
            left = [card for card in left if card not in share]
            effects.begin(draft, one, share, share)


def _share(table: Table, one: Waiting, targets: Sequence[int]) -> list[int]:
    """Return the first of the named cards, as many as this effect takes."""
    ops = effects.ops_waiting(table, one)
    wanted = sum(op.get("n", 1) for op in ops if chooses(op))
    return list(targets[:wanted])


def check_activate(table: Table, act: a.Activate) -> Iterator[Refusal]:
    """DM-8.4 and the rules of other moments: an effect of the card waits for this player's
    choice; DM-3.6, 7.2 for a card that has none where it lies."""
    card = refs.cards(table, [act.card])[0]
    one = table.waiting[0] if table.waiting else None
    if one is None or one.card != card:
        yield Refusal(_not_waiting(table, card), {"card": card, "found": table.where(card)[1]})
        return
    asked = effects.chooser(table, one) or one.player
    if act.player != asked:
        yield Refusal("DM-3.1", {"found": act.player, "allowed": asked})
        return
    targets = refs.cards(table, act.targets)
    ops, use = effects.ops_waiting(table, one), effects.use_of(one)
    if act.player != one.player or not any(chooses(op) for op in ops):
        hand = table.side(act.player).hand
        if any(target not in hand for target in targets):
            yield Refusal("DM-5.1", {"found": act.targets[:10], "allowed": "hand"})
        return
    rules = {triggers.CAST: "DM-5.1", triggers.TAP: "DM-10.5", "attacks": "DM-8.4"}
    refused = against(table, ops, use, targets, rules.get(one.when, "DM-0.2"))
    if refused is not None:
        yield refused


def _not_waiting(table: Table, card: int) -> str:
    zone = table.where(card)[1]
    if zone in ("mana", "under"):
        return "DM-3.6" if zone == "mana" else "DM-7.2"
    facts = table.facts_of(card)
    words = {
        word
        for place in places_of(facts, "trigger")
        for word in _words(effect_at(facts, place).get("when"))
    }
    return "DM-8.4" if "attacks" in words else "DM-8.10" if "not_blocked" in words else "DM-3.1"


def _words(when: object) -> list[str]:
    return [when] if isinstance(when, str) else [str(one) for one in when or ()]  # type: ignore[attr-defined]


def carry_activate(draft: Draft, act: a.Activate) -> None:
    """Carry the effect out with the choice."""
    if not draft.table.waiting:
        return
    one = draft.table.waiting[0]
    targets = refs.cards(draft.table, act.targets)
    ops = effects.ops_waiting(draft.table, one)
    if any(chooses(op) for op in ops) and act.player == one.player:
        effects.begin(draft, one, targets)
    else:
        effects.begin(draft, one, (), targets)
