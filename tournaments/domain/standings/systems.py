"""The systems: what each makes of the table. All of them sort by a tuple, never by a text.

A figure is (name, value): whole numbers per mille for rates, plain counts for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tournaments.domain.standings.table import Table

EXACT = 10**50
"""Two different rates of one event differ by more than one part in this many."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one entrant: the printed code, the figures after the points in the order in which they
    count, and the exact key (more is better in each place)."""

    code: str
    tiebreaks: tuple[tuple[str, int], ...]
    key: tuple[int, ...]


def code(points: int, opponents: int, opponents_opponents: int, lost_squares: int) -> str:
    """Return the printed number of the policy, AABBBCCCDDD.

    >>> code(18, 726, 677, 2 * 2 + 7 * 7)
    '18726677053'
    """
    return f"{points}{min(opponents, 999):03}{min(opponents_opponents, 999):03}{lost_squares:03}"


def konami_policy(table: Table) -> list[Figures]:
    """`konami-policy@1`: opponents' rate, opponents' opponents' rate, squares of rounds lost."""
    first = table.means()
    made: list[Figures] = []
    for place in range(len(table.ids)):
        if table.switches.pooled:
            further = [
                two
                for one in table.opponents[place]
                for two in table.opponents[one]
                if table.matches[two]
            ]
            over = sum(table.sixths[one] for one in further)
            second = (over, 6 * sum(table.matches[one] for one in further) or 1)
        else:
            second = table.mean_of(first, place)
        opponents = table.permille(*first[place])
        further_on = table.permille(*second)
        squares = sum([number * number for number in table.lost[place]])
        key = (table.points[place], opponents, further_on, squares)
        made.append(
            Figures(
                code(*key),
                (
                    ("opponents_permille", opponents),
                    ("opponents_opponents_permille", further_on),
                    ("lost_squares", squares),
                ),
                key,
            )
        )
    return made


def konami_kts(table: Table) -> list[Figures]:
    """`konami-kts@1`: points of the opponents over three times their matches, pooled, cut off per
    mille and at 999; the same pooled one step further. A bye is a won match of its holder, a
    lost round of a late entrant a lost one. The number is one integer."""
    size = range(len(table.ids))
    points = table.points
    over = [sum(points[one] for one in table.opponents[place]) for place in size]
    under = [sum(table.matches[one] for one in table.opponents[place]) for place in size]
    made: list[Figures] = []
    for place in size:
        further = sum(over[one] for one in table.opponents[place])
        matches = sum(under[one] for one in table.opponents[place])
        first = min(999, 1000 * over[place] // (3 * under[place])) if under[place] else 0
        second = min(999, 1000 * further // (3 * matches)) if matches else 0
        key = (points[place], first, second)
        made.append(
            Figures(
                str(points[place] * 1_000_000 + first * 1000 + second),
                (("opponents_permille", first), ("opponents_opponents_permille", second)),
                key,
            )
        )
    return made


def match_and_game(table: Table) -> list[Figures]:
    """`owm-gw-ogw@1`, `duel-masters@1`: opponents' match-win %, own game-win %, opponents' game-win
    %. Rates are compared exactly and printed to a hundredth of a percent; points / rates."""
    first = table.means()
    size = range(len(table.ids))
    floor = table.switches.floor_permille
    games: list[tuple[int, int]] = []
    for place in size:
        won, lost, drawn = (part[place] for part in table.games)
        if table.switches.byes_count:
            won += 2 * table.byes[place]
        under = 3 * (won + lost + drawn)
        over = 3 * won + drawn
        games.append((max(1000 * over, floor * under), 1000 * under) if under else (0, 1))
    made: list[Figures] = []
    for place in size:
        opponents = [games[one] for one in table.opponents[place] if games[one][1] > 1]
        third = _mean(opponents)
        parts = (first[place], games[place], third)
        exact = tuple(over * EXACT // under for over, under in parts)
        shown = [10_000 * over // under for over, under in parts]
        made.append(
            Figures(
                "-".join([str(table.points[place]), *(f"{one:04}" for one in shown)]),
                tuple(
                    zip(
                        ("opponents_permille", "games_permille", "opponents_games_permille"),
                        (table.permille(*one) for one in parts),
                        strict=True,
                    )
                ),
                (table.points[place], *exact),
            )
        )
    return made


def _mean(parts: list[tuple[int, int]]) -> tuple[int, int]:
    """Mean of fractions, exact."""
    if not parts:
        return 0, 1
    common = math.lcm(*(under for _, under in parts))
    return sum(over * (common // under) for over, under in parts), common * len(parts)


def buchholz(table: Table) -> list[Figures]:
    """`buchholz@1`: the sum of the opponents' points (the lowest left out by the switch), then
    the sum without the lowest one more, then matches won."""
    made: list[Figures] = []
    points = table.points
    for place in range(len(table.ids)):
        scores = sorted(points[one] for one in table.opponents[place])
        cut = table.switches.cut_lowest
        full = sum(scores[cut:])
        further = sum(scores[cut + 1 :])
        key = (points[place], full, further, table.wins[place])
        made.append(
            Figures(
                "-".join(map(str, key)),
                (("buchholz", full), ("buchholz_cut", further), ("wins", table.wins[place])),
                key,
            )
        )
    return made


RULES: Mapping[str, Callable[[Table], list[Figures]]] = {
    "konami-policy@1": konami_policy,
    "konami-kts@1": konami_kts,
    "owm-gw-ogw@1": match_and_game,
    "duel-masters@1": match_and_game,
    "buchholz@1": buchholz,
}
