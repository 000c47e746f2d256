"""Which ranks moved between two versions of the same standings, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

OWN, OPPONENTS, OTHERS = "own_result", "opponents", "others_moved"


class Row(Protocol):
    """A line of standings: a Standing, or one kept in a read table."""

    @property
    def entrant_id(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def points(self) -> int: ...
    @property
    def tiebreaks(self) -> Sequence[Sequence[object]]: ...


@dataclass(frozen=True, slots=True)
class Move:
    """A rank that moved. `why` own_result: its own points changed; opponents: a tie-break did,
    because of results of others it had met, directly or further on; others_moved: nothing of
    its own changed. `changed` are (name, before, after) of its figures."""

    entrant_id: str
    before: int
    after: int
    why: str
    changed: tuple[tuple[str, object, object], ...]


def _figures(row: Row) -> dict[str, object]:
    return {"points": row.points} | {str(name): value for name, value in row.tiebreaks}


def moves(before: Sequence[Row], after: Sequence[Row]) -> list[Move]:
    """Return the ranks that moved, best new rank first. Who is in one list only is left out."""
    old: Mapping[str, Row] = {row.entrant_id: row for row in before}
    found: list[Move] = []
    for row in after:
        was = old.get(row.entrant_id)
        if was is None or was.rank == row.rank:
            continue
        mine, theirs = _figures(row), _figures(was)
        changed = tuple(
            (name, theirs.get(name), value)
            for name, value in mine.items()
            if theirs.get(name) != value
        )
        names = {name for name, _, _ in changed}
        own = names & {"points", "lost_squares", "games_permille", "wins"}
        why = OWN if own else OPPONENTS if names else OTHERS
        found.append(Move(row.entrant_id, was.rank, row.rank, why, changed))
    return found
