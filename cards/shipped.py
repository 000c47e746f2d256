"""The data that ships with the product: card facts, a starter list, two starter decks."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from cards.domain.banlist import Banlist, read_banlists
from cards.domain.catalogue import Catalogue
from cards.domain.load import pick_banlist
from cards.domain.read_csv import read_csv

FOLDER = Path(__file__).resolve().parent / "data"
CATALOGUE = FOLDER / "catalogue.csv"
BANLIST = FOLDER / "starter.lflist.conf"


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """Return the shipped cards and tokens."""
    return Catalogue(read_csv(CATALOGUE.read_bytes()).cards)


@lru_cache(maxsize=1)
def banlist() -> Banlist:
    """Return the shipped starter list."""
    return pick_banlist(read_banlists(BANLIST.read_bytes()), None)


def decks() -> dict[str, str]:
    """Return the starter decks as `.ydk` text by name."""
    return {path.stem: path.read_text() for path in sorted((FOLDER / "decks").glob("*.ydk"))}
