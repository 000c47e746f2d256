"""Declared effects: what a card's text does beyond the rules and the scripts (YGO-0.1).

Such an act names a card of this duel; it is marked in the log for the judge.
"""

from __future__ import annotations

from collections.abc import Iterator

from duels.domain.events import seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import effects, refs
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.effects import MAX_AMOUNT
from duels.rules.yugioh.knowledge import by_place
from duels.rules.yugioh.selectors import Use
from duels.rules.yugioh.state import Table
from eventstore.domain.refusal import Refusal


def source_of(table: Table, by: a.Ref, player: str) -> tuple[int, str | None] | None:
    """Return (instance or 0, card key) of the card an effect names, None for no card of this
    duel that the player can see."""
    if isinstance(by, str) and by in table.facts:
        return 0, by
    card = refs.find(table, by)
    if card is None or player not in by_place(table, card):
        return None
    return card, table.identities[card]


def _nameless(by: a.Ref) -> Refusal:
    return Refusal("YGO-0.1", {"found": str(by)[:40], "allowed": "a card of this duel"})


def check_effect(table: Table, act: a.ResolveEffect) -> Iterator[Refusal]:
    """YGO-0.1: a card is named; then whatever rule an operation breaks."""
    source = source_of(table, act.by, act.player)
    if source is None:
        yield _nameless(act.by)
        return
    if not act.ops:
        yield Refusal("duels.act_malformed", {"found": "ops"})
        return
    yield from effects.check(table, act.ops, _use(table, act, source))


def _use(table: Table, act: a.ResolveEffect, source: tuple[int, str | None]) -> Use:
    named: list[int] = []
    for op in act.ops:
        if isinstance(op, dict) and op.get("op") == "discard":
            target = op.get("target")
            listed = target if isinstance(target, list) else [target]
            named += refs.cards(table, [ref for ref in listed if isinstance(ref, int | str)])
    return Use(act.player, source[0], source[1], (), tuple(named))


def carry_effect(draft: Draft, act: a.ResolveEffect) -> None:
    """Mark the declaration and carry the operations out at once."""
    source = source_of(draft.table, act.by, act.player)
    if source is None:
        return
    use = _use(draft.table, act, source)
    draft.add(ev.EffectDeclared(seat(act.player), source[0], source[1], act.ops))
    effects.carry(draft, act.ops, use)


def check_lp(table: Table, act: a.LpChange) -> Iterator[Refusal]:
    """YGO-0.1 (a card is named), YGO-2.2 (a real change; a cost within the Life Points)."""
    if source_of(table, act.by, act.player) is None:
        yield _nameless(act.by)
        return
    have = table.side(act.about).life_points
    if act.delta == 0 or abs(act.delta) > MAX_AMOUNT:
        yield Refusal("duels.act_malformed", {"found": f"delta {act.delta}"[:40]})
        return
    if act.cause == "cost":
        cost = -act.delta
        to_zero = table.options["pay_lp.to_zero"] == "allowed"
        if cost < 0 or cost > have or (cost == have and not to_zero):
            yield Refusal("YGO-2.2", {"found": cost, "allowed": have})


def carry_lp(draft: Draft, act: a.LpChange) -> None:
    """Mark the declaration and change the Life Points."""
    source = source_of(draft.table, act.by, act.player)
    if source is None:
        return
    name = "pay_lp" if act.cause == "cost" else "gain_lp" if act.delta > 0 else "damage"
    op = {"op": name, "amount": abs(act.delta), "about": act.about}
    draft.add(ev.EffectDeclared(seat(act.player), source[0], source[1], [op]))
    draft.change_life_points({act.about: act.delta}, act.cause, by=source[0], key=source[1])


def check_identify(table: Table, act: a.Identify) -> Iterator[Refusal]:
    """A card is identified once, by a key whose facts are known or given."""
    card = refs.cards(table, [act.card])[0]
    known = table.identities[card]
    if known is not None and (known != act.key or known in table.facts):
        yield Refusal("duels.card_already_identified", {"card": card, "found": act.key[:40]})
    if act.facts is None and act.key not in table.facts:
        yield Refusal("duels.card_unknown", {"card": card, "key": act.key[:40]})
    elif act.facts is not None and (act.facts.key != act.key or act.key in table.facts):
        yield Refusal("duels.act_malformed", {"found": "facts"})


def carry_identify(draft: Draft, act: a.Identify) -> None:
    """Give the instance its identity."""
    card = refs.cards(draft.table, [act.card])[0]
    draft.add(ev.CardIdentified(card, act.key, act.facts))
