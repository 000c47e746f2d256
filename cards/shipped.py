"""The data that ships with the product: card facts of every game, starter decks, a list."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from cards.domain.banlist import Banlist, read_banlists
from cards.domain.catalogue import Catalogue
from cards.domain.games import YUGIOH
from cards.domain.load import pick_banlist, read_cards

FOLDER = Path(__file__).resolve().parent / "data"
SOURCES = (FOLDER / "catalogue.csv", FOLDER / "creatures.json")
"""Facts of cards by game. Those of creatures.json are cards of our own (docs/cards.md)."""
BANLIST = FOLDER / "starter.lflist.conf"
LISTED = YUGIOH
"""The game whose cards the shipped list limits."""


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """Return the shipped cards and tokens of every game."""
    return Catalogue(card for path in SOURCES for card in read_cards(path.read_bytes()).cards)


@lru_cache(maxsize=1)
def banlist() -> Banlist:
    """Return the shipped starter list, of the first game."""
    return pick_banlist(read_banlists(BANLIST.read_bytes()), None)


def starter_list(game: str) -> Banlist | None:
    """Return the shipped list of limits of a game, None for a game without one."""
    return banlist() if game == LISTED else None


def decks(game: str = LISTED) -> dict[str, str]:
    """Return the starter decks of a game as text by name."""
    return {path.stem: path.read_text() for path in sorted((FOLDER / "decks" / game).iterdir())}
