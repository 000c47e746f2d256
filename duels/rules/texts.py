"""Rule texts for people, read from the rules.toml of each game. Pure but for reading its own
files; words in the language asked for, English where that one has none."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
GAMES = {"YGO": "yugioh"}
FALLBACK = "en"


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule's short title and the sentence of its refusal, with `{named}` parameters."""

    title: str
    refusal: str


class _Shown(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "–"


@cache
def _book(game: str) -> Mapping[str, Any]:
    return tomllib.loads((FOLDER / game / "rules.toml").read_text(encoding="utf-8"))


def rule_ids(game: str = "yugioh") -> tuple[str, ...]:
    """Return every rule id of a game, in the order of its file."""
    return tuple(_book(game))


def rule_text(rule_id: str, language: str = FALLBACK) -> RuleText | None:
    """Return the texts of a rule, None for an id of no known game."""
    game = GAMES.get(rule_id.partition("-")[0])
    entry = _book(game).get(rule_id) if game is not None else None
    if entry is None:
        return None
    return RuleText(_word(entry["title"], language), _word(entry["refusal"], language))


def refusal_sentence(
    rule_id: str, params: Mapping[str, object], language: str = FALLBACK
) -> str | None:
    """Return the refusal of a rule with its parameters filled in; a missing one is a dash."""
    text = rule_text(rule_id, language)
    if text is None:
        return None
    return text.refusal.format_map(_Shown({key: str(value) for key, value in params.items()}))


def _word(words: Mapping[str, str], language: str) -> str:
    return words.get(language) or words[FALLBACK]
