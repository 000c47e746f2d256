"""The hashes of the reference data that an event freezes."""

from __future__ import annotations

from cards import selectors as cards
from decks import library
from decks.domain.preset_data import preset_hash
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


def preset_of(name: str, banlist_id: str | None, game: str | None) -> tuple[str, str]:
    """Return (game, hash) of the preset of an event.

    Raises Refused (`tournaments.setting_invalid` for a preset that is not there or of another
    game than the one given, `decks.two_lists`).
    """
    held = library.preset(name)
    if held is None:
        allowed = [one.id for one in library.offered()]
        params = {"field": "preset", "found": name[:40], "allowed": allowed}
        raise Refused(Refusal("tournaments.setting_invalid", params))
    if game is not None and game != held.game:
        params = {"field": "game", "found": game[:40], "allowed": [held.game]}
        raise Refused(Refusal("tournaments.setting_invalid", params))
    if held.own_list is not None and banlist_id:
        raise Refused(Refusal("decks.two_lists", {"found": banlist_id[:80], "allowed": held.id}))
    return held.game, preset_hash(held)
