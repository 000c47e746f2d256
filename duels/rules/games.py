"""The games that an engine plays: whose duels have a log, scripts and a referee."""

from __future__ import annotations

PLAYED = ("yugioh",)
"""Names of the packages beside this module. Cards and decks of other games are known
(cards.domain.games, decks.domain.presets); their duels are played on the table alone."""


def is_played(game: str) -> bool:
    """Say whether there is an engine for a game."""
    return game in PLAYED
