"""Check a list against the catalogue and the limits that the database holds."""

from __future__ import annotations

from dataclasses import dataclass

from cards.selectors import _banlist, _catalogue
from decks.domain.decklist import DeckList
from decks.domain.presets import PRESETS
from decks.domain.read import read_deck
from decks.domain.report import Report
from decks.domain.validate import check
from eventstore.domain.refusal import Refusal, Refused


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

    Raises Refused `decks.unknown_preset`, `decks.unknown_banlist`.
    """
    preset = PRESETS.get(preset_id)
    if preset is None:
        params = {"found": preset_id[:60], "allowed": sorted(PRESETS)}
        raise Refused(Refusal("decks.unknown_preset", params))
    banlist = _banlist(banlist_id) if banlist_id else None
    if banlist_id and banlist is None:
        raise Refused(Refusal("decks.unknown_banlist", {"found": banlist_id[:60]}))
    catalogue = _catalogue()
    read = read_deck(content, catalogue)
    deck, report = check(read, catalogue, banlist, preset)
    digest = banlist.content_hash if banlist else None
    return Checked(deck, report, read.format, digest, catalogue.hash)
