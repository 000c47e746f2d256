"""Who goes on to the second day: by points, never by a place in the middle of equal points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Row(Protocol):
    """A line of the standings."""

    @property
    def entrant_id(self) -> str: ...
    @property
    def points(self) -> int: ...


def by_points(rows: Sequence[Row], least: int) -> list[str]:
    """Return everybody with at least so many points, best first."""
    return [row.entrant_id for row in rows if row.points >= least]


def points_for(rows: Sequence[Row], wanted: int) -> int:
    """Return the points that let at least `wanted` players in: all who have as many as the last
    of them go on too. 0 with fewer players than wanted."""
    if not 1 <= wanted <= len(rows):
        return 0
    return sorted((row.points for row in rows), reverse=True)[wanted - 1]
