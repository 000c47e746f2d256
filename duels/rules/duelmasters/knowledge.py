"""Who knows the identity of which card, since which event, by which kind of event.

A shield is known to nobody, its owner included (DM-1.2). Where a hidden move makes it unsure
which of several cards is meant, knowledge of all of them is given up, so that a view never
tells more than was seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from duels.domain.knowledge import PUBLIC as PUBLIC
from duels.domain.knowledge import Knowledge as Knowledge
from duels.domain.knowledge import Seen as Seen
from duels.domain.knowledge import forget_hand
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.state import Table
from eventstore.domain.registry import DomainEvent, name_of

NOBODY: tuple[str, ...] = ()
OPEN = ("mana", "battle", "graveyard", "casting", "under")


def knowers(table: Table) -> tuple[str, ...]:
    """Return everybody who may know a card: the seats and the public."""
    return (*table.seats, PUBLIC)


def by_place(table: Table, card: int) -> tuple[str, ...]:
    """Return who may see a card where it lies (DM-10.14): battle zone, mana zone and graveyard
    everybody, a hand its owner, deck and shields nobody."""
    player, zone = table.where(card)
    if zone in OPEN:
        return knowers(table)
    return (player,) if zone == "hand" else NOBODY


def sees(table: Table, knowledge: Knowledge, viewer: str, card: int) -> bool:
    """Say whether a viewer (a seat, public, judge) knows what the card is."""
    if viewer == "judge":
        return True
    return viewer in by_place(table, card) or viewer in knowledge.get(card, {})


def _touched(event: DomainEvent) -> Iterable[int]:
    match event:
        case ev.CardsDrawn() | ev.ShieldsLaid() | ev.ShieldsBroken():
            return event.cards
        case ev.CardsSent():
            return [one.card for one in event.sendings]
        case (
            ev.ManaCharged()
            | ev.CreatureSummoned()
            | ev.CreatureEvolved()
            | ev.SpellCast()
            | ev.CardIdentified()
        ):
            return (event.card,)
        case _:
            return ()


def after(
    knowledge: Knowledge, before: Table, table: Table, event: DomainEvent, seq: int
) -> Knowledge:
    """Return what is known after one event, given the table before and after it."""
    touched = _touched(event)
    if not touched and not isinstance(event, ev.DeckShuffled):
        return knowledge
    known = dict(knowledge)
    if isinstance(event, ev.DeckShuffled):
        for card in event.order:
            known.pop(card, None)
        return known
    name, _ = name_of(event)
    for card in touched:
        player, zone = before.where(card)
        seers = by_place(table, card)
        if zone == "hand" and PUBLIC not in seers and table.where(card)[1] != "hand":
            forget_hand(known, before.side(player).hand, player)
        seen = known.get(card, {})
        new = [knower for knower in seers if knower not in seen]
        if new:
            known[card] = {**seen, **dict.fromkeys(new, Seen(seq, name))}
    return known
