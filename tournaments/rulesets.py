"""The shipped rulesets of the end of a match: data files, checked when first read."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from tournaments.domain import scores
from tournaments.domain.ruleset import Ruleset, parse

DATA = Path(__file__).resolve().parent / "data" / "rulesets"


class RulesetFault(ValueError):
    """A shipped file does not pass its own check."""


class UnknownRuleset(LookupError):
    """No ruleset of that id and version is shipped."""


@cache
def rulesets() -> dict[str, Ruleset]:
    """Return every shipped ruleset by `id@version`. Raises RulesetFault."""
    found: dict[str, Ruleset] = {}
    for file in sorted(DATA.glob("*.toml")):
        parsed = parse(tomllib.loads(file.read_text(encoding="utf-8")))
        if isinstance(parsed, list):
            lines = "; ".join(f"{one.path}: found {one.found!r}" for one in parsed)
            raise RulesetFault(f"{file.name}: {lines}")
        if file.stem != f"{parsed.id}-{parsed.version}":
            raise RulesetFault(f"{file.name} holds {parsed.ref}")
        found[parsed.ref] = parsed
    return found


def ruleset(ref: str) -> Ruleset:
    """Return a ruleset by `id@version`; raises UnknownRuleset."""
    try:
        return rulesets()[ref]
    except KeyError:
        raise UnknownRuleset(ref) from None


def usual(game: str, match_rules: str) -> Ruleset:
    """Return the ruleset of an event that chose none: by its match rules, or the usual ones of its
    game where it has those of another one."""
    held = scores.of_game(game)
    return ruleset(scores.named(match_rules if match_rules in held else held[0]).ending)


def choices(game: str) -> list[Ruleset]:
    """Return the rulesets that an event of a game can choose."""
    return [one for one in rulesets().values() if game in one.games]
