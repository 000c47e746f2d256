"""Named sets of rule options under which recordings were played, as data with their reasons."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from duels.rules.yugioh.options import Value

ENGINE_2005 = "engine-2005"


@cache
def _tables() -> dict[str, dict[str, dict[str, dict[str, Value]]]]:
    text = Path(__file__).with_name("presets.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, dict[str, dict[str, Value]]]] = tomllib.loads(text)
    return found


def options(name: str) -> dict[str, Value]:
    """Return the options of a preset; raises KeyError for an unknown name."""
    return {option: row["value"] for option, row in _tables()[name]["options"].items()}
