"""Summoning creatures (DM-6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import common, mana, refs
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import CREATURE, Card
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.state import Table
from eventstore.domain.refusal import Refusal


def check(table: Table, act: a.Summon) -> Iterator[Refusal]:
    """DM-3.1 player and step, DM-6.1 a creature from the hand, DM-7.1 an evolution creature put
    down alone, DM-4.1, 4.2 the cost."""
    yield from common.turn_player(table, act, "main")
    card = refs.cards(table, [act.card])[0]
    yield from in_hand(table, act.player, card, "DM-6.1")
    facts = table.facts_of(card)
    if facts is None:
        yield Refusal("duels.card_unknown", {"card": card})
        return
    if facts.evolves is not None:
        yield Refusal("DM-7.1", {"card": card, "found": "alone", "allowed": facts.evolves})
    yield from mana.check(table, act.player, facts, act.mana)


def in_hand(table: Table, player: str, card: int, rule: str) -> Iterator[Refusal]:
    """Yield the rule when a card is no creature in the player's hand; DM-3.6 for a card in the
    mana zone."""
    zone = table.where(card)[1]
    if card not in table.side(player).hand:
        yield Refusal("DM-3.6" if zone == "mana" else rule, {"card": card, "found": zone})
    facts: Card | None = table.facts_of(card)
    if facts is not None and facts.type != CREATURE:
        yield Refusal(rule, {"card": card, "found": facts.type, "allowed": CREATURE})


def carry(draft: Draft, act: a.Summon) -> None:
    """Pay for the creature and put it into the battle zone."""
    card = refs.cards(draft.table, [act.card])[0]
    paid = mana.pay(draft.table, act.player, draft.table.facts_of(card), act.mana)
    source = draft.table.where(card)[1]
    draft.add(ev.CreatureSummoned(act.player, card, "summoned", paid, source))
