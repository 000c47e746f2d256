"""A red mark: what is wrong or unsettled on a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Flag:
    """One mark: its code and what it rests on."""

    code: str
    params: tuple[tuple[str, Any], ...]


def flag(code: str, **params: Any) -> Flag:
    """Make a mark."""
    return Flag(code, tuple(params.items()))
