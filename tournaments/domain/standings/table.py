"""The results of an event as every system of standings reads them: one pass over the matches.

Plain lists by place of the entrant: ten thousand players with fifteen rounds are read within a
fraction of a second. Rates are whole numbers over one common denominator, so nothing is rounded
before the last step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import itemgetter

from tournaments.domain.records import BYE, DRAWN, LATE, LOSS, WIN, Bye, Played
from tournaments.domain.scores import DRAW, P1
from tournaments.domain.standings.switches import Switches

Line = tuple[int, str, str | None, int, int, int]
"""Round, kind, opponent, games won, lost, drawn."""


class Table:
    """The rounds of each entrant, and its rate in whole parts of `whole`.

    `lines[i]` are the rounds of entrant i in order; `opponents[i]` the places of those it met
    that are entrants here, one entry per match; `matches[i]` and `sixths[i]` what its rate is
    made of: matches counted, and sixths of a win won in them.
    """

    def __init__(
        self,
        entrants: Iterable[str],
        played: Sequence[Played],
        byes: Sequence[Bye],
        late: Iterable[str],
        dropped: Iterable[str],
        switches: Switches,
    ) -> None:
        self.ids: list[str] = list(entrants)
        self.at = {one: place for place, one in enumerate(self.ids)}
        self.switches = switches
        size = len(self.ids)
        self.lines: list[list[Line]] = [[] for _ in range(size)]
        self.opponents: list[list[int]] = [[] for _ in range(size)]
        self.dropped = {self.at[one] for one in dropped if one in self.at}
        self._read(played, byes, late)
        kinds = [[line[1] for line in own] for own in self.lines]
        self.wins, self.losses, self.draws, self.byes, self.late = (
            [own.count(kind) for own in kinds] for kind in (WIN, LOSS, DRAWN, BYE, LATE)
        )
        self.points = [
            3 * (won + free) + drawn
            for won, free, drawn in zip(self.wins, self.byes, self.draws, strict=True)
        ]
        self.matches: list[int] = []
        self.sixths: list[int] = []
        self._rate()

    def _read(self, played: Sequence[Played], byes: Sequence[Bye], late: Iterable[str]) -> None:
        at, lines, opponents = self.at, self.lines, self.opponents
        for one in late:
            place = at.get(one)
            if place is not None:
                lines[place].append((1, LATE, None, 0, 0, 0))
        for bye in byes:
            place = at.get(bye.entrant_id)
            if place is not None:
                kind = BYE if bye.won else LATE
                lines[place].append((bye.round, kind, None, 2 * bye.won, 0, 0))
        for match in played:
            first, second = at.get(match.p1), at.get(match.p2)
            won, lost, drawn = match.score
            if match.winner == DRAW:
                mine = theirs = DRAWN
            elif match.winner == P1:
                mine, theirs = WIN, LOSS
            else:
                # A double loss is a loss for both.
                mine, theirs = LOSS, WIN if match.winner == "P2" else LOSS
            if first is not None:
                lines[first].append((match.round, mine, match.p2, won, lost, drawn))
                if second is not None:
                    opponents[first].append(second)
            if second is not None:
                lines[second].append((match.round, theirs, match.p1, lost, won, drawn))
                if first is not None:
                    opponents[second].append(first)
        by_round = itemgetter(0)
        for own in lines:
            own.sort(key=by_round)

    def _rate(self) -> None:
        switches = self.switches
        for place in range(len(self.ids)):
            won = self.wins[place] + (self.byes[place] if switches.byes_count else 0)
            lost = self.losses[place] + (self.late[place] if switches.late_counts else 0)
            self.matches.append(won + lost + self.draws[place])
            self.sixths.append(6 * won + switches.draw_sixths * self.draws[place])
        most = max(self.matches, default=1)
        met = max((len(one) for one in self.opponents), default=1)
        # A thousand in it, so that a floor per mille is exact too.
        self.shared = 1000 * math.lcm(*range(1, max(most, met, 1) + 1))
        self.whole = 6 * self.shared
        floor = switches.floor_permille * self.whole // 1000
        cap = switches.dropped_cap_permille * self.whole // 1000
        self.rate: list[int] = []
        for place, matches in enumerate(self.matches):
            rate = self.sixths[place] * self.shared // matches if matches else 0
            if place in self.dropped:
                rate = min(rate, cap)
            self.rate.append(max(rate, floor) if matches else 0)

    def permille(self, over: int, under: int) -> int:
        """Return a fraction per mille, rounded as the switches say."""
        if self.switches.rounding == "nearest":
            return (2000 * over + under) // (2 * under)
        return 1000 * over // under

    def lost_rounds(self, place: int) -> tuple[int, ...]:
        """Numbers of the rounds lost."""
        return tuple(line[0] for line in self.lines[place] if line[1] in (LOSS, LATE))

    def means(self) -> list[tuple[int, int]]:
        """Rate of the opponents together, as (over, under); (0, 1) without an opponent that has
        a match."""
        found: list[tuple[int, int]] = []
        rate, matches = self.rate, self.matches
        for own in self.opponents:
            counted = [one for one in own if matches[one]]
            if not counted:
                found.append((0, 1))
            elif self.switches.pooled:
                found.append(
                    (
                        sum(self.sixths[one] for one in counted),
                        6 * sum(matches[one] for one in counted),
                    )
                )
            else:
                found.append((sum(rate[one] for one in counted), self.whole * len(counted)))
        return found

    def mean_of(self, first: Sequence[tuple[int, int]], place: int) -> tuple[int, int]:
        """One step further: the mean of the opponents' own figure."""
        counted = [first[one] for one in self.opponents[place] if self.opponents[one]]
        if not counted:
            return 0, 1
        # Every denominator divides whole * shared, so the sum stays in whole numbers.
        common = self.whole * self.shared
        return sum(over * (common // under) for over, under in counted), common * len(counted)
