"""The wall screen: lists cut into pages that a hall can read, and the order they are shown in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
LINES = (8, 10, 12, 16, 20)
"""Lines of one column of a page, by choice: fewer are larger."""
USUAL_LINES = 12
COLUMNS = 2
MOST_SCREENS = 9


def share(items: Sequence[T], part: int, of: int) -> Sequence[T]:
    """Return what one of several screens side by side shows: screen `part` of `of`, from 1.

    The screens together show everything once and in order; their shares differ by at most one.
    Raises ValueError for a screen that is not among them.
    """
    if not 1 <= part <= of:
        raise ValueError(f"screen {part} of {of}")
    return items[len(items) * (part - 1) // of : len(items) * part // of]


def pages(items: Sequence[T], lines: int, columns: int = COLUMNS) -> list[list[Sequence[T]]]:
    """Cut a list into pages of columns, filled column by column as a newspaper is read.

    The last page is filled evenly, so that it does not stand in one column beside a blank.
    """
    size = lines * columns
    made: list[list[Sequence[T]]] = []
    for first in range(0, len(items), size):
        part = items[first : first + size]
        tall = min(lines, -(-len(part) // columns))
        made.append([part[at : at + tall] for at in range(0, len(part), tall)])
    return made


@dataclass(frozen=True, slots=True)
class Slide:
    """One page of the wall: `kind` pairings or standings, page `number` of `of` of its kind."""

    kind: str
    number: int
    of: int
    columns: tuple[Sequence[object], ...]


def rotation(
    pairings: Sequence[object], standings: Sequence[object], lines: int = USUAL_LINES
) -> list[Slide]:
    """Return the pages in the order in which the wall goes round: the pairings, then the
    standings."""
    slides: list[Slide] = []
    for kind, items in (("pairings", pairings), ("standings", standings)):
        made = pages(items, lines)
        slides += [
            Slide(kind, number, len(made), tuple(columns)) for number, columns in enumerate(made, 1)
        ]
    return slides
