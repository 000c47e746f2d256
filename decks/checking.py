"""Check a list against the catalogue and the limits that the database holds."""

from __future__ import annotations

from dataclasses import dataclass

from cards.selectors import _catalogue
from decks.domain.decklist import DeckList
from decks.domain.read import read_deck
from decks.domain.report import Report
from decks.domain.validate import check
from decks.library import rules_of


@dataclass(frozen=True, slots=True)
class Checked:
    """A list as read and arranged, its report, and the hashes of what it was checked against."""

    deck: DeckList
    report: Report
    format: str
    banlist_hash: str | None
    catalogue_hash: str


def check_content(content: str | bytes, preset_id: str, banlist_id: str | None) -> Checked:
    """Read and check a list. `banlist_id` None or empty: no limits.

    Raises Refused `decks.unknown_preset`, `decks.unknown_banlist`, `decks.two_lists`.
    """
    preset, banlist = rules_of(preset_id, banlist_id)
    catalogue = _catalogue().of_kinds(preset.kinds_of_game)
    read = read_deck(content, catalogue)
    deck, report = check(read, catalogue, banlist, preset)
    digest = banlist.content_hash if banlist and banlist_id else None
    return Checked(deck, report, read.format, digest, catalogue.hash)
