"""The rule ids a ruling may cite, per game."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import duels.rules


@cache
def rule_ids(game: str) -> frozenset[str]:
    """Return the rule ids of a game; none for a game that has no rule book here."""
    for folder in duels.rules.__path__:
        file = Path(folder) / game / "rules.toml"
        if game.isidentifier() and file.is_file():
            return frozenset(tomllib.loads(file.read_text(encoding="utf-8")))
    return frozenset()
