"""Every preset by name: those of the house, and `id@version` of those that organisers made."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass

from django.db.models import Q

from cards.domain.banlist import Banlist
from cards.selectors import _banlist
from decks.domain.preset_data import parse_preset, preset_hash
from decks.domain.presets import PRESETS, Preset
from decks.models import PresetVersion
from eventstore.domain.refusal import Refusal, Refused

KEPT = 64
VERSIONED = re.compile(r"[a-z0-9-]{1,24}@[1-9][0-9]{0,3}")
"""What the name of a version looks like: nothing else is asked of the database."""
_lock = threading.Lock()
_read: dict[tuple[str, str], Preset] = {}


@dataclass(frozen=True, slots=True)
class Offered:
    """A preset that can be chosen: its name, its game, and its title (empty for one of the
    house, whose title is a word of the pages)."""

    id: str
    game: str
    title: str = ""


def preset(name: str) -> Preset | None:
    """Return a preset by name, None when there is none: no query for one of the house, one
    small query for another."""
    held = PRESETS.get(name)
    if held is not None or not VERSIONED.fullmatch(name):
        return held
    row = PresetVersion.objects.filter(pk=name).values_list("preset_hash", flat=True).first()
    if row is None:
        return None
    with _lock:
        known = _read.get((name, row))
    if known is not None:
        return known
    body, version = PresetVersion.objects.values_list("body", "version").get(pk=name)
    made = parse_preset(body.encode(), version).preset
    if made is None:  # a later release reads the data more strictly
        raise LookupError(f"preset {name} cannot be read")
    with _lock:
        if len(_read) >= KEPT:
            _read.clear()
        return _read.setdefault((name, row), made)


def named(name: str) -> Preset:
    """Return a preset that is there. Raises Refused `decks.unknown_preset`."""
    held = preset(name)
    if held is None:
        allowed = [one.id for one in offered()]
        raise Refused(Refusal("decks.unknown_preset", {"found": name[:60], "allowed": allowed}))
    return held


def hash_of(name: str) -> str:
    """Return the hash of a preset's data: what an event freezes. Raises Refused
    `decks.unknown_preset`."""
    return preset_hash(named(name))


def offered(chosen: str = "") -> list[Offered]:
    """Return what can be chosen: the presets of the house, then the newest version of each other
    one by title, and the one that is chosen already: one query."""
    wanted = Q(newest=True)
    if VERSIONED.fullmatch(chosen):
        wanted |= Q(pk=chosen)
    rows = PresetVersion.objects.filter(wanted)
    rows = rows.order_by("title", "preset_id", "-version")
    made = [
        Offered(name, game, _titled(title, version))
        for name, game, title, version in rows.values_list("id", "game", "title", "version")
    ]
    return [*(Offered(one.id, one.game) for one in PRESETS.values()), *made]


def title_of(name: str) -> str:
    """Return the title of an organiser's preset with its version; empty for any other name."""
    if not VERSIONED.fullmatch(name):
        return ""
    found = PresetVersion.objects.filter(pk=name).values_list("title", "version").first()
    return _titled(*found) if found else ""


def _titled(title: str, version: int) -> str:
    return f"{title} @{version}"


def rules_of(name: str, banlist_id: str | None) -> tuple[Preset, Banlist | None]:
    """Return a preset and the list that counts under it: its own, or the one of this id.

    Raises Refused `decks.unknown_preset`, `decks.unknown_banlist`, `decks.two_lists`.
    """
    held = named(name)
    if not banlist_id:
        return held, held.own_list
    banlist = _banlist(banlist_id)
    if banlist is None:
        raise Refused(Refusal("decks.unknown_banlist", {"found": banlist_id[:60]}))
    if held.own_list is not None:
        raise Refused(Refusal("decks.two_lists", {"found": banlist.title, "allowed": held.id}))
    return held, banlist
