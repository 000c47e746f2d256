"""What the kinds of case share: a verdict, names of cards, the comparison of fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Case = Mapping[str, Any]
MOST_CARDS = 1000
"""Cards that a case may ask for as a number; no rule needs as many."""


class CaseFault(Exception):
    """The case cannot be run as it stands; the message says why."""


def so_many(value: Any) -> int:
    """Return a number of cards; raises CaseFault when it is none, or beyond MOST_CARDS."""
    if type(value) is not int or not 0 <= value <= MOST_CARDS:
        raise CaseFault(f"{str(value)[:20]!r} is no number of cards from 0 to {MOST_CARDS}")
    return value


class Names:
    """Names of cards on the board: `NAME`, or `NAME#2` for the second copy in listed order."""

    def __init__(self) -> None:
        self.ids: dict[str, list[int]] = {}

    def add(self, name: str, card: int) -> None:
        """Note the next copy of a name."""
        self.ids.setdefault(name, []).append(card)

    def get(self, name: str) -> int | None:
        """Return the instance of a name, None when the board has none."""
        plain, _, number = name.partition("#")
        known = self.ids.get(plain, [])
        index = int(number) - 1 if number.isdigit() else 0
        return known[index] if 0 <= index < len(known) else None

    def find(self, name: object) -> int:
        """Return the instance of a name; raises CaseFault when the board has none."""
        card = self.get(str(name))
        if card is None:
            raise CaseFault(f"no card {name!r} on the board")
        return card


def same(field: str, expected: object, found: object) -> str | None:
    """Return the first difference as text, None when equal."""
    return None if expected == found else f"{field}: expected {expected!r}, found {found!r}"


def first(differences: Sequence[str | None]) -> str | None:
    """Return the first real difference."""
    return next((one for one in differences if one is not None), None)
