"""The hashes of the reference data that an event freezes."""

from __future__ import annotations

from cards import selectors as cards
from eventstore.domain.refusal import Refusal, Refused
from people.domain.actor import SYSTEM


def hashes(banlist_id: str | None) -> tuple[str | None, str | None]:
    """Return (hash of the list of limits, hash of the catalogue) as they now stand.

    Raises Refused (`tournaments.banlist_unknown`).
    """
    catalogue = cards.catalogue(SYSTEM).hash
    if banlist_id is None:
        return None, catalogue
    held = cards.banlist(SYSTEM, banlist_id)
    if held is None:
        raise Refused(Refusal("tournaments.banlist_unknown", {"found": banlist_id[:80]}))
    return held.content_hash, catalogue
