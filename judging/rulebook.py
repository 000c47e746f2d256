"""The rule ids a ruling may cite, per game."""

from __future__ import annotations

from functools import cache

from duels.rules import texts
from duels.rules.games import PACKAGES


@cache
def rule_ids(game: str) -> frozenset[str]:
    """Return the rule ids of a game; none for a game that has no rule book here."""
    return frozenset(texts.rule_ids(PACKAGES[game])) if game in PACKAGES else frozenset()
