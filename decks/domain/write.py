"""One way out for every format that a list can be written in."""

from __future__ import annotations

from cards.domain.catalogue import Catalogue
from decks.domain.csv_list import write_csv_list
from decks.domain.decklist import DeckList
from decks.domain.omega import write_omega
from decks.domain.plain_text import write_plain
from decks.domain.text_list import write_text
from decks.domain.ydk import write_ydk
from decks.domain.ydke import write_ydke
from eventstore.domain.refusal import Refusal


def written(deck: DeckList, kind: str, catalogue: Catalogue) -> str | Refusal:
    """Write a list as ydk, ydke, omega, csv, text or plain; refused as by the writers. Raises
    KeyError for another word."""
    if kind in ("csv", "text", "plain"):
        names = {"csv": write_csv_list, "text": write_text, "plain": write_plain}
        return names[kind](deck, catalogue)
    numbers = {"ydk": write_ydk, "ydke": write_ydke, "omega": write_omega}
    return numbers[kind](deck)
