"""Evolution creatures and their stacks (DM-7.1 to 7.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import common, mana, refs
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import Card, is_of
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.seats import player as seat_of
from duels.rules.duelmasters.state import Table
from duels.rules.duelmasters.summoning import in_hand
from eventstore.domain.refusal import Refusal


def bases(table: Table, player: str, facts: Card) -> list[int]:
    """Return the creatures of a player that an evolution creature may be laid on: the top card
    has the race it names (DM-7.1, 7.4)."""
    return [
        card for card in table.side(player).battle if is_of(table.facts_of(card), facts.evolves)
    ]


def base_for(table: Table, player: str, facts: Card) -> int:
    """Return the first creature that fits, 0 when there is none."""
    return next(iter(bases(table, player, facts)), 0)


def against(table: Table, player: str, facts: Card, onto: int) -> Iterator[Refusal]:
    """DM-7.5: not on another player's creature; DM-7.1: on one of the race named, whose top
    card has it."""
    if facts.evolves is None:
        yield Refusal("DM-7.1", {"found": facts.type, "allowed": "evolution"})
        return
    owner, zone = table.where(onto) if onto else ("", "")
    if owner and owner != player and zone in ("battle", "under"):
        yield Refusal("DM-7.5", {"card": onto, "found": owner, "allowed": player})
        return
    below = table.facts_of(onto) if onto else None
    unknown = onto and table.identities[onto] is None and zone == "battle"
    if unknown:
        yield Refusal("duels.card_unknown", {"card": onto})
    elif below is None or zone != "battle" or not is_of(below, facts.evolves):
        found = below.race if below is not None and zone == "battle" else zone or "none"
        deeper = any(
            is_of(table.facts_of(card), facts.evolves)
            for card in (table.stack(onto) if zone == "battle" else ())
        )
        params = {"found": found, "allowed": facts.evolves}
        yield Refusal("DM-7.1", params, ("DM-7.4",) if deeper else ())


def check(table: Table, act: a.Evolve) -> Iterator[Refusal]:
    """DM-3.1 player and step, DM-7.1 a creature from the hand onto a fitting one, DM-7.5 not
    the opponent's, DM-4.1, 4.2 the cost."""
    yield from common.turn_player(table, act, "main")
    card = refs.cards(table, [act.card])[0]
    yield from in_hand(table, act.player, card, "DM-7.1")
    facts = table.facts_of(card)
    if facts is None:
        yield Refusal("duels.card_unknown", {"card": card})
        return
    yield from against(table, act.player, facts, _onto(table, act, facts))
    yield from mana.check(table, act.player, facts, act.mana)


def _onto(table: Table, act: a.Evolve, facts: Card) -> int:
    if act.onto is None:
        return base_for(table, act.player, facts)
    return refs.cards(table, [act.onto])[0]


def carry(draft: Draft, act: a.Evolve) -> None:
    """Pay for the creature and lay it on the other one."""
    card = refs.cards(draft.table, [act.card])[0]
    facts = draft.table.facts_of(card)
    if facts is None:
        return
    onto = _onto(draft.table, act, facts)
    paid = mana.pay(draft.table, act.player, facts, act.mana)
    source = draft.table.where(card)[1]
    if onto != card and onto in draft.table.side(act.player).battle:
        lay(draft, act.player, card, onto, "summoned", paid, source)
    else:  # at a table of paper it was put down alone
        draft.add(ev.CreatureSummoned(act.player, card, "summoned", paid, source))


def lay(
    draft: Draft,
    player: str,
    card: int,
    onto: int,
    how: Literal["summoned", "trigger", "effect"],
    paid: list[int],
    source: str,
) -> None:
    """Lay an evolution creature on another one; a tapped one stays tapped by default (DM-7.3,
    option evolution.keeps_tapped)."""
    keeps = bool(draft.table.options["evolution.keeps_tapped"])
    tapped = keeps and draft.table.lying[onto].tapped
    draft.add(ev.CreatureEvolved(seat_of(player), card, onto, tapped, how, paid, source))
