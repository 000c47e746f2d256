"""Reads of cards and lists of limits. The catalogue is kept in memory per process and hash."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from cards.domain.banlist import Banlist as BanlistValue
from cards.domain.catalogue import EMPTY, Catalogue, Placed
from cards.domain.facts import CardFacts
from cards.domain.timeline import Change, Line, Listed, changes, lines
from cards.models import Banlist, CatalogueState
from cards.rows import all_facts, all_names, banlist_value, names_hash
from people.access import require
from people.domain.actor import Actor

MAX_RESULTS = 1000
KEPT_BANLISTS = 32

_lock = threading.Lock()
_catalogues: dict[tuple[str, str], Catalogue] = {}
_banlists: dict[str, BanlistValue] = {}


def _catalogue() -> Catalogue:
    """Return the catalogue as the database now has it: one small query, and a full read only
    when it has changed. Unguarded, for services."""
    state = CatalogueState.objects.filter(pk=1).values_list("hash", "names_hash").first()
    if state is None:
        return EMPTY
    with _lock:
        held = _catalogues.get(state)
        if held is None:
            names = all_names() if state[1] else []
            held = Catalogue(all_facts(), names)
            # Read under another state than the hashes say: use it, but do not keep it.
            if (held.hash, names_hash(names)) == state:
                _catalogues.clear()
                _catalogues[state] = held
        return held


def _banlist(banlist_id: str) -> BanlistValue | None:
    """Return a list of limits, None when there is none of this id. Unguarded, for services.

    Rows of lists never change, so what was read once stays true.
    """
    with _lock:
        held = _banlists.get(banlist_id)
    if held is not None:
        return held
    row = Banlist.objects.filter(pk=banlist_id).first()
    if row is None:
        return None
    held = banlist_value(row)
    with _lock:
        if len(_banlists) >= KEPT_BANLISTS:
            _banlists.clear()
        return _banlists.setdefault(banlist_id, held)


def catalogue(viewer: Actor) -> Catalogue:
    """Return the catalogue now in force. Raises NotAllowed."""
    require(viewer, "cards.catalogue_read")
    return _catalogue()


def card_search(viewer: Actor, text: str, *, limit: int = 20) -> tuple[CardFacts, ...]:
    """Find cards by a part of the name or by id, best first. Raises NotAllowed."""
    require(viewer, "cards.catalogue_read")
    return _catalogue().search(text[:200], max(1, min(limit, MAX_RESULTS)))


@dataclass(frozen=True, slots=True)
class CardPage:
    """One card, its other arts, and what the known lists allow of it: {banlist id: copies}."""

    placed: Placed
    arts: tuple[str, ...]
    limits: dict[str, int]


def card(viewer: Actor, key: str) -> CardPage | None:
    """Return one card by key or id; None when it is unknown. Raises NotAllowed."""
    require(viewer, "cards.catalogue_read")
    held = _catalogue()
    placed = held.place(key)
    if placed is None:
        return None
    arts = held.arts(placed.identity)
    numbers = [int(one) for one in arts if one.isdigit()]
    limits: dict[str, int] = {}
    for banlist_id, count in Banlist.objects.filter(entries__passcode__in=numbers).values_list(
        "id", "entries__count"
    ):
        limits[banlist_id] = min(max(0, count), limits.get(banlist_id, 3))
    return CardPage(placed, arts, limits)


def banlists(viewer: Actor) -> list[Banlist]:
    """Return every list, newest date first: one query. Raises NotAllowed."""
    require(viewer, "cards.banlist_read")
    return list(Banlist.objects.all())


def banlist(viewer: Actor, banlist_id: str) -> BanlistValue | None:
    """Return one list with its limits; None when there is none. Raises NotAllowed."""
    require(viewer, "cards.banlist_read")
    return _banlist(banlist_id)


def banlist_lines(viewer: Actor) -> list[Line]:
    """Return the dated lists by region and format, each in order of the days: one query. Raises
    NotAllowed."""
    require(viewer, "cards.banlist_read")
    rows = Banlist.objects.exclude(date="").order_by()
    return lines(
        Listed(one, title, date, taken_in.isoformat())
        for one, title, date, taken_in in rows.values_list("id", "title", "date", "imported_at")
    )


def banlist_changes(viewer: Actor, old: str, new: str) -> tuple[Change, ...]:
    """Return the cards whose limit or points differ between two lists; nothing where one of them
    is not there. Raises NotAllowed."""
    require(viewer, "cards.banlist_read")
    before, after = _banlist(old), _banlist(new)
    if before is None or after is None:
        return ()
    return changes(before, after, _catalogue())
