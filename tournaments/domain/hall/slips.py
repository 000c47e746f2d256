"""Match slips: in which order they are printed, which boxes they have, how a scanner reads one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from tournaments.domain.scores import Format, possible

T = TypeVar("T")
PER_PAGE = (1, 2, 3, 4, 6)
"""How many slips a page can hold."""
MOST_DRAWS = 3
"""Boxes for drawn duels on a slip; more are written beside them."""
SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Signs of a check: none of them is taken for another."""
CODE = re.compile(r"R(\d{1,3})T(\d{1,6})-([0-9A-Z]{2})")


def cut_stack(items: Sequence[T], per_page: int) -> list[tuple[T | None, ...]]:
    """Lay items out on pages so that the printed pile, cut once through all its pages and its
    parts put on each other, lies in the order of the items.

    Of p pages, place k of page i holds item k * p + i; None where a place stays blank, which
    happens on the last places only. Raises ValueError for less than one item a page.
    """
    if per_page < 1:
        raise ValueError("a page holds at least one item")
    pages = -(-len(items) // per_page)
    return [
        tuple(
            items[at] if (at := place * pages + page) < len(items) else None
            for place in range(per_page)
        )
        for page in range(pages)
    ]


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes of a slip: duels that one player can have won, and drawn duels."""

    wins: tuple[int, ...]
    draws: tuple[int, ...]


def boxes(form: Format) -> Boxes:
    """Return the boxes that the match rules need; a score that time cut short fits as well."""
    scores = possible(form, in_time=False)
    most_wins = max(max(one[0], one[1]) for one in scores)
    most_draws = min(MOST_DRAWS, max(one[2] for one in scores))
    return Boxes(tuple(range(most_wins + 1)), tuple(range(most_draws + 1)))


def _check(event_id: str, number: int, table: int) -> str:
    digest = hashlib.sha256(f"{event_id}:{number}:{table}".encode()).digest()
    return SIGNS[digest[0] % 32] + SIGNS[digest[1] % 32]


def table_code(event_id: str, number: int, table: int) -> str:
    """Return the code of a table in a round for a scanner, such as R3T12-K7.

    The last two signs are a check over the event too: a slip of another event does not pass.
    """
    return f"R{number}T{table}-{_check(event_id, number, table)}"


def read_code(event_id: str, text: str) -> tuple[int, int] | None:
    """Return (round, table) of a code, None for text that is no code of this event."""
    found = CODE.fullmatch(text.strip().upper())
    if found is None:
        return None
    number, table = int(found[1]), int(found[2])
    return (number, table) if _check(event_id, number, table) == found[3] else None


def plain_line(event_id: str, number: int, line: str) -> str:
    """Return the line of a slip (`domain.slip`) with the table where a scanner wrote the code of
    a slip of this round; every other line, one with the code of another round too, as it is."""
    first, blank, rest = line.strip().partition(" ")
    found = read_code(event_id, first)
    if found is None or found[0] != number:
        return line
    return f"{found[1]}{blank}{rest}"
