"""What pages with deck lists share: the list that was posted, and a list by card names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from cards.domain.catalogue import Catalogue, fold
from cards.domain.sources import decode_text
from decks.domain.decklist import DeckList
from decks.domain.limits import MAX_BYTES
from decks.domain.presets import Preset
from decks.selectors import DeckHistory
from people.uploads import text_file


@dataclass(frozen=True, slots=True)
class Copies:
    """A card of a list: copies, name (its number where the catalogue does not know it), kind."""

    number: int
    name: str
    kind: str


def posted_list(request: HttpRequest) -> str:
    """Return the list that was posted: the file when one was chosen, else the text.

    At most one byte more than a list may have is read, so that a file that is too large is
    refused by the reader, with its code, and never held in memory. Raises UnsuitableFile for a
    picture, a PDF or whatever else is no text.
    """
    chosen = request.FILES.get("file")
    if chosen is not None and chosen.size:
        return decode_text(text_file(chosen, MAX_BYTES))[0]
    return request.POST.get("content", "")[: MAX_BYTES + 1]


GROUP_OF = {
    "monster": "monster",
    "creature": "creature",
    "cross_gear": "cross_gear",
    "spell": "spell",
    "dm_spell": "spell",
    "trap": "trap",
}
"""The part of the printed list that a kind of card stands in."""


def kind_of(kind: str, subkind: str) -> str:
    """Return the letter of the symbol of a kind of card: n, e, f, r, s or t."""
    group = GROUP_OF.get(kind, "monster")
    if group in ("spell", "trap"):
        return group[0]
    return {"normal": "n", "fusion": "f", "ritual": "r"}.get(subkind, "e")


def counted(keys: Sequence[str], catalogue: Catalogue) -> list[Copies]:
    """Return the cards of a section in the order of the list, copies together."""
    lines: list[Copies] = []
    for key, number in Counter(keys).items():
        placed = catalogue.place(key)
        if placed is None:
            lines.append(Copies(number, key, "n"))
        else:
            facts = placed.facts
            lines.append(Copies(number, facts.name, kind_of(facts.kind, facts.subkind)))
    return lines


def version_rows(history: DeckHistory, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return the versions of a list, newest first, each with what differs from the one before:
    {version, changes: [{section, name, copies}]}, copies with their sign."""
    return [
        {
            "version": one,
            "changes": [
                {
                    "section": part.section,
                    "name": catalogue.name(part.key) or part.key,
                    "copies": f"{part.copies:+d}".replace("-", "\N{MINUS SIGN}"),
                }
                for part in one.changes
            ],
        }
        for one in reversed(history.versions)
    ]


def paper_groups(deck: DeckList, catalogue: Catalogue, preset: Preset) -> list[dict[str, Any]]:
    """Return the parts of the usual sheet: the kinds of cards of the preset in the main deck
    (monsters, Spells, Traps), the extra (fusion) deck and the side deck where there is one, each
    with its cards by name and its total."""
    kinds = [group for kind, group in GROUP_OF.items() if kind in preset.card_kinds] or ["monster"]
    held: dict[str, list[str]] = {name: [] for name in kinds}
    for key in deck.main:
        placed = catalogue.place(key)
        group = GROUP_OF.get(placed.facts.kind, kinds[0]) if placed else kinds[0]
        held.setdefault(group, []).append(key)
    if preset.extra_max != 0 or deck.extra:
        held["extra"] = list(deck.extra)
    if preset.has_side or deck.side:
        held["side"] = list(deck.side)
    return [
        {
            "name": name,
            "total": len(keys),
            "cards": sorted(counted(keys, catalogue), key=lambda one: fold(one.name)),
        }
        for name, keys in held.items()
    ]
