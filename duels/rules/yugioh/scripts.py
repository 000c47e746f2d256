"""Scripts of the shipped cards, read from scripts.toml. Pure but for reading its own file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "scripts.toml"


@dataclass(frozen=True, slots=True)
class Script:
    """What a card does: its effects in operations, the materials of a Fusion Monster, what a
    Ritual Spell summons; `declared` says what is not scripted and is declared instead."""

    name: str
    effects: tuple[dict[str, Any], ...] = ()
    materials: tuple[str, ...] = ()
    ritual: Mapping[str, Any] = field(default_factory=dict)
    declared: str = ""


@lru_cache(maxsize=1)
def scripts() -> dict[str, Script]:
    """Return every script by card key."""
    book = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        key: Script(
            one["name"],
            tuple(one.get("effects", ())),
            tuple(one.get("materials", ())),
            one.get("ritual", {}),
            one.get("declared", ""),
        )
        for key, one in book.items()
    }


def script_of(key: str) -> Script | None:
    """Return the script of a card, None for one without."""
    return scripts().get(key)


def operations(effects: object) -> Iterator[dict[str, Any]]:
    """Yield every operation of a script, those of a price and its alternative too."""
    if isinstance(effects, list | tuple):
        for one in effects:
            yield from operations(one)
    elif isinstance(effects, dict):
        if "op" in effects:
            yield effects
        for key in ("cost", "effect", "else"):
            yield from operations(effects.get(key))


def tokens_of(effects: object) -> set[str]:
    """Return the keys of the tokens that a script creates."""
    return {
        str(op["card"]) for op in operations(effects) if op["op"] == "create_token" and "card" in op
    }
