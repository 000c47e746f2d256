"""Rule texts for people, read from the rules.toml of each game (English) and the
rules.<language>.toml beside it. Pure but for reading its own files; English where a language
has no text of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
GAMES = {"YGO": "yugioh", "DM": "duelmasters"}
"""First part of a rule id -> the package of its game."""
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
def _book(game: str, language: str = FALLBACK) -> Mapping[str, Mapping[str, str]]:
    """The texts of one language: rule id -> title, refusal; empty where there is no file."""
    name = "rules.toml" if language == FALLBACK else f"rules.{language}.toml"
    file = FOLDER / game / name
    if not language.isalpha() or not file.is_file():
        return {}
    return tomllib.loads(file.read_text(encoding="utf-8"))


def rule_ids(game: str = "yugioh") -> tuple[str, ...]:
    """Return every rule id of a game, in the order of its file."""
    return tuple(_book(game))


def rule_text(rule_id: str, language: str = FALLBACK) -> RuleText | None:
    """Return the texts of a rule, None for an id of no known game."""
    game = GAMES.get(rule_id.partition("-")[0])
    english = _book(game).get(rule_id) if game is not None else None
    if game is None or english is None:
        return None
    words = {**english, **_book(game, language).get(rule_id, {})}
    return RuleText(words["title"], words["refusal"])


def refusal_sentence(
    rule_id: str, params: Mapping[str, object], language: str = FALLBACK
) -> str | None:
    """Return the refusal of a rule with its parameters filled in; a missing one is a dash."""
    text = rule_text(rule_id, language)
    if text is None:
        return None
    return text.refusal.format_map(_Shown({key: str(value) for key, value in params.items()}))
