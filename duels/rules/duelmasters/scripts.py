"""What the shipped cards do, read from scripts.toml. Pure but for reading its own file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "scripts.toml"


@dataclass(frozen=True, slots=True)
class Script:
    """What a card does: its abilities and effects, the race that an evolution creature needs,
    the N of a power attacker; `declared` says what is not scripted and is declared instead."""

    name: str
    abilities: tuple[str, ...] = ()
    effects: tuple[dict[str, Any], ...] = ()
    evolves: str | None = None
    power_attacker: int = 0
    declared: str = ""


@lru_cache(maxsize=1)
def scripts() -> dict[str, Script]:
    """Return every script by card key."""
    book = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        key: Script(
            one["name"],
            tuple(one.get("abilities", ())),
            tuple(one.get("effects", ())),
            one.get("evolves"),
            one.get("power_attacker", 0),
            one.get("declared", ""),
        )
        for key, one in book.items()
    }


def script_of(key: str) -> Script | None:
    """Return the script of a card, None for one without."""
    return scripts().get(key)
