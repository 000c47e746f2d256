"""Sheets of an event: who sits where when all are seated, and what is needed to run the next
round on paper alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seat:
    """A place at a table, A or B."""

    entrant_id: str
    table: int
    seat: str


def seat_all(entrants: Sequence[str], offset: int = 0) -> list[Seat]:
    """Seat everybody in the order given, two to a table, the first at table `offset` + 1."""
    return [
        Seat(entrant, offset + 1 + at // 2, "AB"[at % 2]) for at, entrant in enumerate(entrants)
    ]


@dataclass(frozen=True, slots=True)
class NextLine:
    """A player of the next round: points so far, and the numbers of those already met, so that
    a hand can pair without a rematch. `byes` had so far."""

    entrant_id: str
    number: int
    points: int
    met: tuple[int, ...]
    byes: int


def next_round(
    numbers: Mapping[str, int],
    points: Mapping[str, int],
    pairs: Iterable[tuple[str, str]],
    byes: Iterable[str],
) -> list[NextLine]:
    """Return the players of the next round, most points first, by number where equal.

    `numbers` are the entrants who play on; `pairs` and `byes` are those of every Swiss round so
    far, the running one among them.
    """
    met: dict[str, set[str]] = {one: set() for one in numbers}
    for one, two in pairs:
        met.setdefault(one, set()).add(two)
        met.setdefault(two, set()).add(one)
    free = list(byes)
    lines = [
        NextLine(
            one,
            number,
            points.get(one, 0),
            tuple(sorted(numbers[other] for other in met[one] if other in numbers)),
            free.count(one),
        )
        for one, number in numbers.items()
    ]
    return sorted(lines, key=lambda one: (-one.points, one.number))


@dataclass(frozen=True, slots=True)
class Drawn:
    """A place in a drawn bracket: an entrant, None for one still to be written in or a bye."""

    entrant_id: str | None
    open: bool


def bracket_columns(rounds: Sequence[Sequence[str | None]]) -> list[list[Drawn]]:
    """Return the columns of a bracket to hang up: the rounds that are known, then empty places
    to write in, up to the winner. `rounds` are the slots of each round from top to bottom."""
    columns = [[Drawn(one, False) for one in slots] for slots in rounds]
    size = len(rounds[-1]) if rounds else 0
    while size > 1:
        size //= 2
        columns.append([Drawn(None, True)] * size)
    return columns
