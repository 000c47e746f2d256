"""The bridge from the catalogue to the facts that a duel freezes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cards import selectors as cards
from duels.rules.games import PLAYED, rules_of
from people.domain.actor import Actor


def facts_for(viewer: Actor, keys: Iterable[str], game: str = PLAYED[0]) -> list[Any]:
    """Return the facts of the keys that the catalogue knows, each once, sorted by key; with
    them those of the tokens that the cards can create."""
    rules = rules_of(game)
    catalogue = cards.catalogue(viewer)
    found: dict[str, Any] = {}
    wanted = set(keys)
    for key in wanted | rules.further(wanted):
        card = catalogue.get(key)
        facts = rules.frozen(card) if card is not None else None
        if facts is not None:
            found[key] = facts
    return [found[key] for key in sorted(found)]
