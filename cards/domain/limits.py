"""The limits of a list, folded to card identities: banning one art bans the card."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from cards.domain.banlist import Banlist, Limit
from cards.domain.catalogue import Catalogue

OTHER_VERSIONS = (range(504_700_000, 504_800_000), range(511_000_000, 512_000_000))
"""Ids that lists of the field use for earlier or unofficial versions of a printed card: they
are on no card, so the name in the remark tells which card is meant."""


def _identity(limit: Limit, catalogue: Catalogue) -> str:
    key = str(limit.passcode)
    placed = catalogue.place(key)
    if placed is not None:
        return placed.identity
    if limit.remark and any(limit.passcode in block for block in OTHER_VERSIONS):
        named = catalogue.by_name(limit.remark)
        if len(named) == 1:
            return catalogue.identity(named[0].key)
    return key


@lru_cache(maxsize=8)
def limits_by_identity(banlist: Banlist, catalogue: Catalogue) -> Mapping[str, int]:
    """Return copies allowed by card identity; of several arts the strictest counts.

    Ids that the catalogue does not know keep their own key.
    """
    held: dict[str, int] = {}
    for limit in banlist.limits:
        identity = _identity(limit, catalogue)
        held[identity] = min(limit.allowed, held.get(identity, limit.allowed))
    return held
