"""The games that an engine plays: whose duels have a log, scripts and a referee."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from duels.domain.offers import Recorder

PLAYED = ("yugioh",)
"""Names of the packages beside this module. Cards and decks of other games are known
(cards.domain.games, decks.domain.presets); their duels are played on the table alone."""


def is_played(game: str) -> bool:
    """Say whether there is an engine for a game."""
    return game in PLAYED


@cache
def recorder_of(game: str) -> Recorder:
    """Return what the package of a game offers to a recorder: its module `recorder`. Raises
    KeyError for a game without an engine."""
    if not is_played(game):
        raise KeyError(game)
    return cast(Recorder, import_module(f"duels.rules.{game}.recorder"))
