"""The bridge from the catalogue to the facts that a duel freezes."""

from __future__ import annotations

from collections.abc import Iterable

from cards import selectors as cards
from cards.domain.facts import CardFacts as Printed
from duels.domain.events import CardFacts
from duels.rules.yugioh.cards import TYPES
from people.domain.actor import Actor


def frozen(card: Printed) -> CardFacts | None:
    """Return the facts of a card of the catalogue as a duel keeps them; None for a kind of
    card that the game has not (a skill)."""
    if card.kind not in TYPES:
        return None
    return CardFacts(
        key=card.key,
        name=card.name,
        type=card.kind,
        kind=card.subkind,
        level=card.level,
        atk=card.atk,
        defence=card.defence,
        attribute=card.attribute or None,
        race=card.race or None,
    )


def facts_for(viewer: Actor, keys: Iterable[str]) -> list[CardFacts]:
    """Return the facts of the keys that the catalogue knows, each once, sorted by key."""
    catalogue = cards.catalogue(viewer)
    found: dict[str, CardFacts] = {}
    for key in set(keys):
        card = catalogue.get(key)
        facts = frozen(card) if card is not None else None
        if facts is not None:
            found[key] = facts
    return [found[key] for key in sorted(found)]
