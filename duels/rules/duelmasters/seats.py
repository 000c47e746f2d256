"""Seats: two by default, up to four under option players.more_than_two (DM-10.17)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, TypeAlias, cast

from duels.domain.events import Seat
from duels.domain.seats import DRAW as DRAW
from duels.domain.seats import P1 as P1
from duels.domain.seats import P2 as P2
from duels.domain.seats import PLAYERS as PLAYERS
from duels.domain.seats import other as other

Player: TypeAlias = Literal["P1", "P2", "P3", "P4"]
FOUR: tuple[Player, ...] = ("P1", "P2", "P3", "P4")


def player(word: str) -> Player:
    """Return a word known to be a seat as one."""
    return cast(Player, word)


def seat(word: str) -> Seat:
    """Return a seat as the events of all games type it. They are stored for duels of two only;
    a duel of four lives in memory, where no type is asked."""
    return cast(Seat, word)


def neighbours(seats: Sequence[str], of: str) -> tuple[str, ...]:
    """Return who sits to the left and to the right, each once."""
    at = seats.index(of)
    left, right = seats[(at + 1) % len(seats)], seats[at - 1]
    return (left,) if left == right else (left, right)


def following(seats: Sequence[str], of: str, out: Collection[str]) -> str:
    """Return the next seat clockwise that is still in the duel."""
    at = seats.index(of)
    for step in range(1, len(seats) + 1):
        one = seats[(at + step) % len(seats)]
        if one not in out:
            return one
    return of
