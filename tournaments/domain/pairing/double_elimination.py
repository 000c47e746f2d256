"""Double elimination of any size: who has lost twice is out.

The upper bracket is that of the single elimination. Losers of its first round meet each other;
then rounds of the lower bracket alternate: its winners against the losers that come down, in
turned order, so that two do not meet again at once, and its winners among themselves. Places
without anybody are byes, and a bye never waits: it is settled as soon as the bracket is read. The
winner of the upper bracket has lost nothing, so a lost final is played once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.domain.pairing import elimination

UPPER, LOWER, FINAL = "upper", "lower", "final"
Key = tuple[str, int, int]
"""Bracket, round from 1, place from 0."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match that can be played now."""

    key: Key
    one: str
    two: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a double elimination is: the matches to play now, the champion once there is one,
    and who is out, in the order in which they left."""

    open: tuple[Fixture, ...]
    champion: str | None
    out: tuple[str, ...]


@dataclass(slots=True)
class _Reading:
    results: Mapping[Key, str]
    open: list[Fixture] = field(default_factory=list)
    out: list[str] = field(default_factory=list)

    def play(self, key: Key, one: _Place, two: _Place) -> tuple[_Place, _Place]:
        """Return (winner, loser) of a place; a bye settles itself."""
        if one is WAITING or two is WAITING:
            return WAITING, WAITING
        if one is None or two is None:
            return (one if two is None else two), None
        first, second = str(one), str(two)
        winner = self.results.get(key)
        if winner is None:
            self.open.append(Fixture(key, first, second))
            return WAITING, WAITING
        if winner not in (first, second):
            raise ValueError(f"{winner} does not play in {key}")
        return winner, second if winner == first else first


class _Waiting:
    """A place whose player is not known yet."""


WAITING = _Waiting()
_Place = str | None | _Waiting


def state(seeds: Sequence[str], results: Mapping[Key, str]) -> Standing:
    """Read how far a double elimination is from the winners of its matches by key.

    Raises ValueError for fewer than two entrants, or a winner who does not play in its match.
    """
    if len(seeds) < 2:
        raise ValueError("an elimination needs two entrants")
    reading = _Reading(results)
    upper: list[_Place] = list(elimination.first_round(seeds))
    lower: list[_Place] = []
    number = lower_number = 0
    while len(upper) > 1:
        number += 1
        winners: list[_Place] = []
        losers: list[_Place] = []
        for at in range(0, len(upper), 2):
            won, lost = reading.play((UPPER, number, at // 2), upper[at], upper[at + 1])
            winners.append(won)
            losers.append(lost)
        if number == 1:
            lower = losers
        else:
            # Turned in every second round, so that a rematch is as far away as it can be.
            coming = losers[::-1] if number % 2 == 0 else losers
            lower_number += 1
            lower = _lower(reading, lower_number, list(zip(lower, coming, strict=True)))
        if len(lower) > 1:
            lower_number += 1
            pairs = [(lower[at], lower[at + 1]) for at in range(0, len(lower), 2)]
            lower = _lower(reading, lower_number, pairs)
        upper = winners
    champion = _final(reading, upper[0], lower[0] if lower else None)
    return Standing(tuple(reading.open), champion, tuple(reading.out))


def _lower(reading: _Reading, number: int, pairs: Sequence[tuple[_Place, _Place]]) -> list[_Place]:
    winners: list[_Place] = []
    for at, (one, two) in enumerate(pairs):
        won, lost = reading.play((LOWER, number, at), one, two)
        winners.append(won)
        if isinstance(lost, str):
            reading.out.append(lost)
    return winners


def _final(reading: _Reading, upper: _Place, lower: _Place) -> str | None:
    won, lost = reading.play((FINAL, 1, 0), upper, lower)
    if isinstance(won, str) and isinstance(lost, str) and won == lower:
        # The winner of the upper bracket has lost once only: once more.
        won, lost = reading.play((FINAL, 2, 0), upper, lower)
    if not isinstance(won, str):
        return None
    if isinstance(lost, str):
        reading.out.append(lost)
    return won
