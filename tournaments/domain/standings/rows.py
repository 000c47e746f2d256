"""The standings as rows, best first, each with everything its numbers were made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.domain.records import Bye, Played
from tournaments.domain.standings.switches import SYSTEMS, Switches, full_name
from tournaments.domain.standings.systems import RULES
from tournaments.domain.standings.table import Table


@dataclass(frozen=True, slots=True)
class Facing:
    """One opponent as it counts in the tie-breaks of another entrant. `sixths` of a win, over
    6 * `matches`; `permille` is its rate with floor and cap."""

    entrant_id: str
    round: int
    points: int
    sixths: int
    matches: int
    permille: int
    opponents_permille: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings. `tiebreaks` are (name, value) in the order in which they count
    after the points; `key` is what the order is by, exactly; `above` counts for before
    everything (matches won in the cut, where a list includes it)."""

    entrant_id: str
    rank: int
    points: int
    code: str
    tiebreaks: tuple[tuple[str, int], ...]
    key: tuple[int, ...]
    wins: int
    losses: int
    draws: int
    byes: int
    above: int = 0
    _table: Table | None = field(default=None, repr=False, compare=False)
    _permille: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)

    def tiebreak(self, name: str) -> int:
        """Return a figure by name, 0 where the system does not have it."""
        return dict(self.tiebreaks).get(name, 0)

    @property
    def opponents_permille(self) -> int:
        """Rate of the opponents (BBB)."""
        return self.tiebreak("opponents_permille")

    @property
    def opponents_opponents_permille(self) -> int:
        """Rate of the opponents' opponents (CCC)."""
        return self.tiebreak("opponents_opponents_permille")

    @property
    def lost_squares(self) -> int:
        """Sum of the squares of the rounds lost (DDD)."""
        return self.tiebreak("lost_squares")

    @property
    def lost_rounds(self) -> tuple[int, ...]:
        """Numbers of the rounds lost."""
        table = self._table
        return () if table is None else table.lost_rounds(table.at[self.entrant_id])

    @property
    def facing(self) -> tuple[Facing, ...]:
        """The opponents, in order of rounds."""
        table = self._table
        if table is None:
            return ()
        found: list[Facing] = []
        for number, _, opponent in table.lines[table.at[self.entrant_id]]:
            if opponent is None:
                continue
            place = table.at.get(opponent)
            if place is None:
                found.append(Facing(opponent, number, 0, 0, 0, 0, 0))
                continue
            found.append(
                Facing(
                    opponent,
                    number,
                    table.points[place],
                    table.sixths[place],
                    table.matches[place],
                    table.permille(table.rate[place], table.whole),
                    self._permille.get(opponent, 0),
                )
            )
        return tuple(found)


def standings(
    entrants: Iterable[str],
    played: Sequence[Played],
    byes: Sequence[Bye] = (),
    late: Iterable[str] = (),
    *,
    last: Iterable[str] = (),
    dropped: Iterable[str] = (),
    above: Mapping[str, int] | None = None,
    system: str = "konami-policy@1",
    switches: Switches | None = None,
) -> list[Standing]:
    """Return the standings, best first; equal keys share a rank.

    `entrants` in the order in which equal ones are listed; `last` (the disqualified) come
    below everybody else; `dropped` matter to the cap of the switches; `above` are matches won
    in the cut, which count before everything. `switches` replace those of the system. Raises
    KeyError for an unknown system.
    """
    name = full_name(system)
    table = Table(entrants, played, byes, late, dropped, switches or SYSTEMS[name])
    figures = RULES[name](table)
    below = frozenset(last)
    wins_above = above or {}
    permille = {
        one: dict(made.tiebreaks).get("opponents_permille", 0)
        for one, made in zip(table.ids, figures, strict=True)
    }
    order = sorted(
        range(len(table.ids)),
        key=lambda place: (
            table.ids[place] in below,
            -wins_above.get(table.ids[place], 0),
            [-part for part in figures[place].key],
        ),
    )
    rows: list[Standing] = []
    before: tuple[bool, int, tuple[int, ...]] | None = None
    rank = 0
    for number, place in enumerate(order, 1):
        one, made = table.ids[place], figures[place]
        here = (one in below, wins_above.get(one, 0), made.key)
        if here != before:
            before, rank = here, number
        rows.append(
            Standing(
                one,
                rank,
                table.points[place],
                made.code,
                made.tiebreaks,
                made.key,
                table.wins[place],
                table.losses[place] + table.late[place],
                table.draws[place],
                table.byes[place],
                wins_above.get(one, 0),
                table,
                permille,
            )
        )
    return rows


def explain(row: Standing) -> dict[str, object]:
    """Say what each number of a line is made of, as plain values for a page or the API.

    Of each opponent `thirds` are thirds of a won match (a draw counts one), over 3 * `matches`.
    """
    return {
        "points": {"wins": row.wins, "byes": row.byes, "draws": row.draws, "total": row.points},
        "opponents": [
            {
                "entrant": one.entrant_id,
                "round": one.round,
                "points": one.points,
                "thirds": one.sixths // 2 if one.sixths % 2 == 0 else one.sixths / 2,
                "matches": one.matches,
                "permille": one.permille,
                "opponents_permille": one.opponents_permille,
            }
            for one in row.facing
        ],
        "tiebreaks": [[name, value] for name, value in row.tiebreaks],
        "opponents_permille": row.opponents_permille,
        "opponents_opponents_permille": row.opponents_opponents_permille,
        "lost_rounds": list(row.lost_rounds),
        "lost_squares": row.lost_squares,
    }
