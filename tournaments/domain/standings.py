"""Standings by `konami-policy`: points, tie-breaks, the printed number AABBBCCCDDD.

Source: the publisher's tournament policy. AA are match points; BBB the opponents' match-win
per mille; CCC that of the opponents' opponents; DDD the sum of the squares of the rounds
lost, where more is better because late losses hurt less. What the policy leaves open is a
switch with a default (docs/standings.md). Sorting is by the tuple, never by the number: DDD
passes 999 with fifteen rounds and BBB reaches 1,000.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tournaments.domain import records
from tournaments.domain.records import BYE, DRAWN, LATE, LOSS, WIN, Record


@dataclass(frozen=True, slots=True)
class Switches:
    """What the policy does not state.

    `floor_permille`: least match-win rate an opponent counts with. `byes_count`: a bye is a
    won match in the rate of its holder. `late_counts`: the lost round 1 of a late entrant is
    a lost match in its rate. `draw_thirds`: thirds of a win that a draw counts (1, or 0).
    `pooled`: points of all opponents over their matches, instead of the mean of their rates
    (no floor applies then).
    """

    floor_permille: int = 0
    byes_count: bool = False
    late_counts: bool = True
    draw_thirds: int = 1
    pooled: bool = False


SYSTEMS: Mapping[str, Switches] = {"konami-policy@1": Switches()}
"""Every system an event can choose, under its id and version."""


@dataclass(frozen=True, slots=True)
class Facing:
    """One opponent as it counts in the tie-breaks of another entrant."""

    entrant_id: str
    round: int
    thirds: int
    matches: int
    permille: int
    opponents_permille: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings, with everything its numbers were made of."""

    entrant_id: str
    rank: int
    points: int
    opponents_permille: int
    opponents_opponents_permille: int
    lost_squares: int
    code: str
    wins: int
    losses: int
    draws: int
    byes: int
    lost_rounds: tuple[int, ...]
    facing: tuple[Facing, ...]

    @property
    def key(self) -> tuple[int, int, int, int]:
        """What the order is by; more is better in each place."""
        return (
            self.points,
            self.opponents_permille,
            self.opponents_opponents_permille,
            self.lost_squares,
        )


def code(points: int, opponents: int, opponents_opponents: int, lost_squares: int) -> str:
    """Return the printed number of the policy.

    >>> code(18, 726, 677, 2 * 2 + 7 * 7)
    '18726677053'
    """
    return f"{points}{min(opponents, 999):03}{min(opponents_opponents, 999):03}{lost_squares:03}"


class _Rates:
    """Match-win rates as exact fractions over one common denominator."""

    def __init__(self, made: Mapping[str, Record], switches: Switches) -> None:
        self.thirds: dict[str, int] = {}
        self.matches: dict[str, int] = {}
        for entrant, record in made.items():
            won = record.count(WIN) + (record.count(BYE) if switches.byes_count else 0)
            lost = record.count(LOSS) + (record.count(LATE) if switches.late_counts else 0)
            self.matches[entrant] = won + lost + record.count(DRAWN)
            self.thirds[entrant] = 3 * won + switches.draw_thirds * record.count(DRAWN)
        most = max(self.matches.values(), default=1)
        met = max((len(record.opponents) for record in made.values()), default=1)
        # A thousand in it, so that a floor per mille is exact too.
        self.shared = 1000 * math.lcm(*range(1, max(most, met, 1) + 1))
        self.whole = 3 * self.shared
        self.floor = switches.floor_permille * self.whole // 1000
        self.pooled = switches.pooled

    def own(self, entrant: str) -> int | None:
        """Return the rate of an entrant in parts of `whole`, None without a match."""
        matches = self.matches.get(entrant, 0)
        if not matches:
            return None
        return max(self.floor, self.thirds[entrant] * self.shared // matches)

    def of_opponents(self, opponents: Sequence[str]) -> tuple[int, int]:
        """Return the rate of several entrants together as a fraction (over, under)."""
        counted = [one for one in opponents if self.matches.get(one, 0)]
        if not counted:
            return 0, 1
        if self.pooled:
            thirds = sum(self.thirds[one] for one in counted)
            return thirds, 3 * sum(self.matches[one] for one in counted)
        return sum(self.own(one) or 0 for one in counted), self.whole * len(counted)


def standings(
    entrants: Iterable[str],
    played: Sequence[records.Played],
    byes: Sequence[records.Bye] = (),
    late: Iterable[str] = (),
    *,
    last: Iterable[str] = (),
    system: str = "konami-policy@1",
    switches: Switches | None = None,
) -> list[Standing]:
    """Return the standings, best first; equal tuples share a rank.

    `entrants` in the order in which equal ones are listed; `last` (the disqualified) come
    below everybody else. `switches` replace those of the system. Raises KeyError for an
    unknown system.
    """
    switches = switches or SYSTEMS[system]
    made = records.records(entrants, played, byes, late)
    rates = _Rates(made, switches)
    fractions = {one: rates.of_opponents(record.opponents) for one, record in made.items()}
    permille = {one: 1000 * over // under for one, (over, under) in fractions.items()}
    second = {
        one: _mean_permille(record, fractions, made, rates, switches)
        for one, record in made.items()
    }
    below = frozenset(last)
    rows = [
        _row(record, permille[one], second[one], permille, rates) for one, record in made.items()
    ]
    rows.sort(key=lambda row: (row.entrant_id in below, [-part for part in row.key]))
    return _ranked(rows, below)


def _mean_permille(
    record: Record,
    fractions: Mapping[str, tuple[int, int]],
    made: Mapping[str, Record],
    rates: _Rates,
    switches: Switches,
) -> int:
    """One step further: the opponents' own figure, taken together."""
    if switches.pooled:
        further = [two for one in record.opponents if one in made for two in made[one].opponents]
        over, under = rates.of_opponents(further)
        return 1000 * over // under
    counted = [fractions[one] for one in record.opponents if one in made and made[one].opponents]
    if not counted:
        return 0
    # Every denominator divides whole * shared, so the sum stays in integers.
    common = rates.whole * rates.shared
    total = sum(over * (common // under) for over, under in counted)
    return 1000 * total // (common * len(counted))


def _row(
    record: Record, first: int, second: int, permille: Mapping[str, int], rates: _Rates
) -> Standing:
    squares = sum(number * number for number in record.lost_rounds)
    facing = tuple(
        Facing(
            line.opponent,
            line.round,
            rates.thirds.get(line.opponent, 0),
            rates.matches.get(line.opponent, 0),
            1000 * (rates.own(line.opponent) or 0) // rates.whole,
            permille.get(line.opponent, 0),
        )
        for line in record.lines
        if line.opponent is not None
    )
    return Standing(
        record.entrant_id,
        0,
        record.points,
        first,
        second,
        squares,
        code(record.points, first, second, squares),
        record.count(WIN),
        record.losses,
        record.count(DRAWN),
        record.count(BYE),
        record.lost_rounds,
        facing,
    )


def _ranked(rows: Sequence[Standing], below: frozenset[str]) -> list[Standing]:
    ranked: list[Standing] = []
    for index, row in enumerate(rows):
        before = ranked[-1] if ranked else None
        shared = (
            before is not None
            and before.key == row.key
            and (before.entrant_id in below) == (row.entrant_id in below)
        )
        rank = before.rank if before is not None and shared else index + 1
        ranked.append(replace(row, rank=rank))
    return ranked


def explain(row: Standing) -> dict[str, object]:
    """Say what each number of a line is made of, as plain values for a page or the API.

    `thirds` are thirds of a won match (a draw counts one third), over 3 * `matches`.
    """
    return {
        "points": {"wins": row.wins, "byes": row.byes, "draws": row.draws, "total": row.points},
        "opponents": [
            {
                "entrant": one.entrant_id,
                "round": one.round,
                "thirds": one.thirds,
                "matches": one.matches,
                "permille": one.permille,
                "opponents_permille": one.opponents_permille,
            }
            for one in row.facing
        ],
        "opponents_permille": row.opponents_permille,
        "opponents_opponents_permille": row.opponents_opponents_permille,
        "lost_rounds": list(row.lost_rounds),
        "lost_squares": row.lost_squares,
    }


def final_order(
    rows: Sequence[Standing], played: Sequence[records.Played], lot: Sequence[str]
) -> list[str]:
    """Return the entrants in an order without ties, best first.

    Two that are equal and have met once with a winner go by that match; others that are equal
    go by the lot: their order in `lot` (drawn by the caller, with its seed in the event).
    """
    drawn = {one: place for place, one in enumerate(lot)}
    ordered: list[str] = []
    index = 0
    while index < len(rows):
        tied = [row.entrant_id for row in rows if row.rank == rows[index].rank]
        if len(tied) == 2:
            better = _head_to_head(tied[0], tied[1], played)
            if better is not None:
                tied.sort(key=lambda one: one != better)
            else:
                tied.sort(key=lambda one: drawn.get(one, len(drawn)))
        elif len(tied) > 2:
            tied.sort(key=lambda one: drawn.get(one, len(drawn)))
        ordered += tied
        index += len(tied)
    return ordered


def _head_to_head(one: str, two: str, played: Sequence[records.Played]) -> str | None:
    winners = {
        match.p1 if match.winner == "P1" else match.p2
        for match in played
        if {match.p1, match.p2} == {one, two} and match.winner in ("P1", "P2")
    }
    return winners.pop() if len(winners) == 1 else None
