"""The limits of a list, folded to card identities: banning one art bans the card."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from cards.domain.banlist import Banlist, Cost, Limit
from cards.domain.catalogue import Catalogue

ANOTHER_GAME = range(160_000_000, 170_000_000)
"""Ids of Rush cards: they bear names of the older game and are other cards."""
_VERSION = re.compile(r"\s*\(pre-errata\)\s*$", re.IGNORECASE)
_HEADING = re.compile(r"\s+[A-Z]+ (?:CARDS|DECK [A-Z]+)\s*$")


def _named(remark: str) -> str:
    """Return the card name of a remark, without the marks that lists of the field add."""
    return _VERSION.sub("", _HEADING.sub("", remark))


def _identity(limit: Limit | Cost, catalogue: Catalogue) -> str:
    """Return the card that a limit or a cost is about. Lists use ids that are on no card for
    earlier or unofficial versions and for some arts: there the name in the remark tells."""
    key = str(limit.passcode) if limit.passcode else limit.remark
    placed = catalogue.place(key)
    if placed is not None:
        return placed.identity
    if limit.remark and limit.passcode not in ANOTHER_GAME:
        named = catalogue.by_name(_named(limit.remark))
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


@lru_cache(maxsize=8)
def points_by_identity(banlist: Banlist, catalogue: Catalogue) -> Mapping[str, int]:
    """Return the points of a copy by card identity; of several arts the dearest counts. Empty
    for a list without points."""
    held: dict[str, int] = {}
    for cost in banlist.points.costs if banlist.points is not None else ():
        identity = _identity(cost, catalogue)
        held[identity] = max(cost.points, held.get(identity, 0))
    return held
