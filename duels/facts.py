"""The bridge from the catalogue to the facts that a duel freezes."""

from __future__ import annotations

from collections.abc import Iterable

from cards import selectors as cards
from cards.domain.facts import CardFacts as Printed
from duels.domain.events import CardFacts
from duels.rules.yugioh.cards import RACES, TYPES
from duels.rules.yugioh.scripts import script_of, tokens_of
from people.domain.actor import Actor

RULE_WORDS = {word.lower().replace(" ", "_").replace("-", "_"): word for word in RACES}
"""The catalogue's words of monster Types -> those of the rules (YGO-8.2), which scripts use."""


def frozen(card: Printed) -> CardFacts | None:
    """Return the facts of a card of the catalogue as a duel keeps them; None for a kind of
    card that the game has not (a skill)."""
    if card.kind not in TYPES:
        return None
    script = script_of(card.key)
    return CardFacts(
        key=card.key,
        name=card.name,
        type=card.kind,
        kind=card.subkind,
        level=card.level,
        atk=card.atk,
        defence=card.defence,
        attribute=card.attribute.upper() or None,
        race=RULE_WORDS.get(card.race, card.race) or None,
        effects=list(script.effects) if script is not None else [],
        materials=list(script.materials) if script is not None else [],
        ritual=dict(script.ritual) if script is not None else {},
    )


def facts_for(viewer: Actor, keys: Iterable[str]) -> list[CardFacts]:
    """Return the facts of the keys that the catalogue knows, each once, sorted by key; with
    them those of the tokens that the cards can create."""
    catalogue = cards.catalogue(viewer)
    found: dict[str, CardFacts] = {}
    wanted = set(keys)
    for key in set(wanted):
        script = script_of(key)
        if script is not None:
            wanted |= tokens_of(script.effects)
    for key in wanted:
        card = catalogue.get(key)
        facts = frozen(card) if card is not None else None
        if facts is not None:
            found[key] = facts
    return [found[key] for key in sorted(found)]
