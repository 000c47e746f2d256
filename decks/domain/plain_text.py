"""A deck list to be read aloud, or by a braille line: whole words, one card a line, no columns.

Headings say how many cards follow, so that a listener knows where the part ends. The text is
itself a list of names, and `read_text` reads it back.
"""

from __future__ import annotations

from collections import Counter

from cards.domain.catalogue import Catalogue
from cards.domain.facts import SPELL, TRAP
from decks.domain.decklist import DeckList
from decks.domain.text_list import listed

GROUPS = ("Monster Cards", "Spell Cards", "Trap Cards")


def _group(key: str, catalogue: Catalogue) -> str:
    placed = catalogue.place(key)
    kind = placed.facts.kind if placed else ""
    return GROUPS[1] if kind == SPELL else GROUPS[2] if kind == TRAP else GROUPS[0]


def _lines(keys: list[str], catalogue: Catalogue) -> list[str]:
    return [listed(key, copies, catalogue) for key, copies in Counter(keys).items()]


def write_plain(deck: DeckList, catalogue: Catalogue) -> str:
    """Write the list; main by kind of card, each part under a heading with its count.

    An empty part is said as such. Names that another card also has stand as ids.
    """
    blocks = [f"Main Deck ({len(deck.main)})"]
    for group in GROUPS:
        keys = [key for key in deck.main if _group(key, catalogue) == group]
        if keys:
            blocks.append("\n".join([f"{group} ({len(keys)})", *_lines(keys, catalogue)]))
    for title, part in (("Extra Deck", deck.extra), ("Side Deck", deck.side)):
        blocks.append("\n".join([f"{title} ({len(part)})", *_lines(list(part), catalogue)]))
    return "\n\n".join(blocks) + "\n"
