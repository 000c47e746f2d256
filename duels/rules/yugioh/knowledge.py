"""Who knows the identity of which card, since which event, by which kind of event.

Three knowers: P1, P2 and the public (what everybody has seen). Folded over the raw log: a
rewind takes nothing out of a head. Where a hidden move makes it unsure which of several cards
is meant, knowledge of all of them is given up, so that a view never tells more than was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from duels.domain.knowledge import PUBLIC as PUBLIC
from duels.domain.knowledge import Knowledge as Knowledge
from duels.domain.knowledge import Seen as Seen
from duels.domain.knowledge import forget_hand
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.cards import is_monster
from duels.rules.yugioh.match import P1, P2
from duels.rules.yugioh.state import Table
from eventstore.domain.registry import DomainEvent, name_of

KNOWERS = (P1, P2, PUBLIC)
NOBODY: tuple[str, ...] = ()


def by_place(table: Table, card: int) -> tuple[str, ...]:
    """Return who may see a card where it lies: face-up cards, Graveyard and removed cards
    everybody (YGO-6.3; by option only monsters in a Graveyard), a hand and a Fusion Deck its
    owner, a Set card its controller."""
    placed = table.placed.get(card)
    if placed is not None:
        return KNOWERS if placed.position != "set" else (placed.controller,)
    player, zone = table.where(card)
    if zone == "graveyard" and table.options["graveyard.public_scope"] == "monsters_only":
        facts = table.facts_of(card)
        return KNOWERS if facts is None or is_monster(facts) else (player,)
    if zone in ("graveyard", "banished"):
        return KNOWERS
    return (player,) if zone in ("hand", "fusion_deck") else NOBODY


def sees(table: Table, knowledge: Knowledge, viewer: str, card: int) -> bool:
    """Say whether a viewer (P1, P2, public, judge) knows what the card is."""
    if viewer == "judge":
        return True
    return viewer in by_place(table, card) or viewer in knowledge.get(card, {})


def _touched(event: DomainEvent) -> Iterable[int]:
    match event:
        case ev.CardsDrawn():
            return event.cards
        case ev.CardsMoved():
            return [move.card for move in event.moves]
        case (
            ev.MonsterSummoned()
            | ev.MonsterSet()
            | ev.PositionChanged()
            | ev.SpellTrapSet()
            | ev.CardPlaced()
            | ev.MaterialAttached()
            | ev.CardActivated()
            | ev.CardIdentified()
            | ev.ControlChanged()
            | ev.TokenCreated()
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
        if isinstance(event, ev.CardPlaced) and event.cause == "mixed":
            known.pop(card, None)
        if before.is_card(card):  # a token may be born in this event
            _forget_hidden(known, before, table, card)
        seen = known.get(card, {})
        new = [knower for knower in by_place(table, card) if knower not in seen]
        if new:
            known[card] = {**seen, **dict.fromkeys(new, Seen(seq, name))}
    return known


def _forget_hidden(
    known: dict[int, Mapping[str, Seen]], before: Table, table: Table, card: int
) -> None:
    """A card that left a hand unseen may be any of that hand, for everybody but its owner."""
    player, zone = before.where(card)
    if zone != "hand" or PUBLIC in by_place(table, card):
        return
    forget_hand(known, before.side(player).hand, player)
