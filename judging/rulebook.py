"""The rule ids a ruling may cite, per game."""

from __future__ import annotations

from functools import cache

from duels.rules import texts


@cache
def rule_ids(game: str) -> frozenset[str]:
    """Return the rule ids of a game; none for a game that has no rule book here."""
    return frozenset(texts.rule_ids(game)) if game in texts.GAMES.values() else frozenset()
