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


def kind_of(kind: str, subkind: str) -> str:
    """Return the letter of the symbol of a kind of card: n, e, f, r, s or t."""
    if kind in ("spell", "trap"):
        return kind[0]
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


PAPER_GROUPS = ("monster", "spell", "trap", "extra", "side")


def paper_groups(deck: DeckList, catalogue: Catalogue) -> list[dict[str, Any]]:
    """Return the parts of the usual sheet: monsters, Spells and Traps of the main deck, the
    extra (fusion) deck, the side deck, each with its cards by name and its total."""
    held: dict[str, list[str]] = {name: [] for name in PAPER_GROUPS}
    for key in deck.main:
        placed = catalogue.place(key)
        kind = placed.facts.kind if placed else "monster"
        held[kind if kind in ("spell", "trap") else "monster"].append(key)
    held["extra"], held["side"] = list(deck.extra), list(deck.side)
    return [
        {
            "name": name,
            "total": len(keys),
            "cards": sorted(counted(keys, catalogue), key=lambda one: fold(one.name)),
        }
        for name, keys in held.items()
    ]
