"""Charging mana and paying costs (DM-3.5, 3.6, 4.1, 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters import refs
from duels.rules.duelmasters.cards import CIVILIZATIONS, Card
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.state import Table
from eventstore.domain.refusal import Refusal


def check_charge(table: Table, act: a.Charge) -> Iterator[Refusal]:
    """DM-3.5: one card a turn, from the hand, in step 3. After the draw step 3 begins by
    itself."""
    if act.player != table.active:
        yield Refusal("DM-3.1", {"found": act.player, "allowed": table.active})
    if table.step != "charge" and not ready_to_charge(table):
        yield Refusal("DM-3.5", {"found": table.step, "allowed": "charge"})
    side = table.side(act.player)
    if side.charged:
        yield Refusal("DM-3.5", {"found": 2, "allowed": 1})
    card = refs.cards(table, [act.card])[0]
    if card not in side.hand:
        yield Refusal("DM-3.5", {"card": card, "found": table.where(card)[1], "allowed": "hand"})


def ready_to_charge(table: Table) -> bool:
    """Say whether step 2 is done with, so that step 3 may begin: the draw is made, or there is
    none on turn 1."""
    if table.turn == 1 and table.active == table.starter:
        return table.step in ("start", "draw")
    return table.step == "draw" and table.side(table.active).drawn


def carry_charge(draft: Draft, act: a.Charge) -> None:
    """Put the card into the mana zone, untapped."""
    if draft.table.step in ("start", "draw") and act.player == draft.table.active:
        draft.add(ev.StepBegun(act.player, "charge"))
    card = refs.cards(draft.table, [act.card])[0]
    draft.add(ev.ManaCharged(act.player, card))


def untapped(table: Table, player: str) -> list[int]:
    """Return the untapped mana cards of a player, in the order they lie."""
    return [card for card in table.side(player).mana if not table.lying[card].tapped]


def makes(table: Table, cards: Sequence[int]) -> int:
    """Return how much mana cards make; a card that nobody has named makes 1."""
    total = 0
    for card in cards:
        facts = table.facts_of(card)
        total += facts.mana_number if facts is not None else 1
    return total


def is_of(table: Table, card: int, civilization: str) -> bool:
    """Say whether a mana card is of a civilization; a card that nobody has named may be."""
    facts = table.facts_of(card)
    return facts is None or facts.civilization == civilization


def check(table: Table, player: str, facts: Card, wanted: a.Mana) -> Iterator[Refusal]:
    """DM-4.1: enough untapped mana of one's own, no card more than needed; DM-4.2: at least one
    card of the civilization."""
    free = untapped(table, player)
    have = makes(table, free)
    if have < facts.cost:
        yield Refusal("DM-4.1", {"found": have, "allowed": facts.cost})
    chosen = named(table, player, wanted)
    if isinstance(chosen, Refusal):
        yield chosen
        return
    if wanted is not None:
        made = makes(table, chosen)
        spare = any(
            made - makes(table, [card]) >= facts.cost and makes(table, [card]) for card in chosen
        )
        if made < facts.cost or spare:
            yield Refusal("DM-4.1", {"found": made, "allowed": facts.cost})
    pool = free if wanted is None else chosen
    if facts.cost and not any(is_of(table, card, facts.civilization) for card in pool):
        yield Refusal("DM-4.2", {"found": _found(table, pool), "allowed": facts.civilization})


def _found(table: Table, cards: Sequence[int]) -> list[str]:
    return sorted(
        {known.civilization for card in cards if (known := table.facts_of(card)) is not None}
    )


def named(table: Table, player: str, wanted: a.Mana) -> list[int] | Refusal:
    """Return the mana cards that a player names; refused with DM-4.1 for cards that are not
    untapped in the own mana zone, and DM-10.3 for what is no civilization."""
    free = untapped(table, player)
    if wanted is None:
        return []
    if isinstance(wanted, list):
        cards = refs.cards(table, wanted)
        strange = [card for card in cards if card not in free]
        if strange or len(set(cards)) != len(cards):
            found = table.where(strange[0])[1] if strange else "named twice"
            return Refusal("DM-4.1", {"found": found, "allowed": "untapped mana"})
        return cards
    chosen: list[int] = []
    counts = Counter(
        known.civilization if (known := table.facts_of(card)) is not None else "" for card in free
    )
    for civilization, n in wanted.items():
        if civilization not in CIVILIZATIONS:
            allowed = list(CIVILIZATIONS)
            return Refusal("DM-10.3", {"found": civilization[:40], "allowed": allowed})
        if n < 0 or n > counts[civilization]:
            there = counts[civilization]
            params = {"civilization": civilization, "found": there, "allowed": n}
            return Refusal("DM-4.1", params)
        fitting = [
            card
            for card in free
            if (known := table.facts_of(card)) is not None and known.civilization == civilization
        ]
        chosen += fitting[:n]
    return chosen


def pay(table: Table, player: str, facts: Card | None, wanted: a.Mana) -> list[int]:
    """Return the mana cards that are tapped for a card: those named, or a lawful set: one of
    the civilization, the rest from what there is most of."""
    chosen = named(table, player, wanted)
    if wanted is not None and not isinstance(chosen, Refusal):
        return chosen
    if facts is None or facts.cost == 0:
        return []
    free = [card for card in untapped(table, player) if makes(table, [card])]
    counts = Counter(
        known.civilization if (known := table.facts_of(card)) is not None else "" for card in free
    )
    first = next((card for card in free if is_of(table, card, facts.civilization)), None)
    left = [card for card in free if card != first]
    order = {card: place for place, card in enumerate(left)}

    def plenty(card: int) -> tuple[int, int]:
        known = table.facts_of(card)
        return -counts[known.civilization if known is not None else ""], order[card]

    paid = [first] if first is not None else []
    for card in sorted(left, key=plenty):
        if makes(table, paid) >= facts.cost:
            break
        paid.append(card)
    return paid
