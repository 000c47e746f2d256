"""Parts of the sentences about duels: cards as far as the reader knows them, players, words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as translate
from django.utils.translation import ngettext

Params = Mapping[str, Any]
Players = Mapping[str, str]
DASH = "–"


def named_card(card: Any) -> str:
    """Name a card as far as the line's viewer knows it."""
    if not isinstance(card, dict):
        return translate("a card")
    name = card.get("name") or card.get("key")
    return str(name) if name else translate("a card")


def named_cards(cards: Any) -> str:
    """Name cards, unknown ones by their number."""
    listed = [card for card in cards or [] if isinstance(card, dict)]
    known = [named_card(card) for card in listed if card.get("name") or card.get("key")]
    hidden = len(listed) - len(known)
    if hidden:
        known.append(ngettext("%(n)s card", "%(n)s cards", hidden) % {"n": hidden})
    return ", ".join(known) or DASH


def who(params: Params, players: Players, key: str = "player") -> str:
    """Name the player of a line."""
    seat = str(params.get(key) or "")
    return players.get(seat, seat) or DASH


def word(table: Mapping[str, Promise], key: Any) -> str:
    """Return the word of a code, the code itself where there is none."""
    return str(table.get(str(key), key))
