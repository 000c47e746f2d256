"""The games whose cards the catalogue holds, each with the kinds of its cards.

Names are no help to tell games apart: some are borne by cards of both. Nothing outside of this
registry, the presets (decks.domain.presets) and the engines (duels.rules) names a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cards.domain.facts import MONSTER, SKILL, SPELL, TOKEN, TRAP
from cards.domain.read_duel_masters import KINDS as DUEL_MASTERS_KINDS

YUGIOH, DUEL_MASTERS = "yugioh", "duel-masters"
KINDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        YUGIOH: frozenset({MONSTER, SPELL, TRAP, TOKEN, SKILL}),
        DUEL_MASTERS: frozenset(DUEL_MASTERS_KINDS.values()),
    }
)
"""Kinds of cards (CardFacts.kind) by game."""
