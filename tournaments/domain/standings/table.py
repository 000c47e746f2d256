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
from tournaments.domain.scores import DRAW, P1, P2
from tournaments.domain.standings.switches import Switches

Line = tuple[int, str, str | None]
"""Round, kind, opponent."""


class Table:
    """The rounds of each entrant, and its rate in whole parts of `whole`.

    `opponents[i]` are the places of those entrant i met that are entrants here, one entry per
    match; `games` those won, lost and drawn in matches; `matches[i]` and `sixths[i]` what its
    rate is made of: matches counted, and sixths of a win won in them.
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
        self.opponents: list[list[int]] = [[] for _ in range(size)]
        self.lost: list[list[int]] = [[] for _ in range(size)]
        self.dropped = {self.at[one] for one in dropped if one in self.at}
        self.wins, self.losses, self.draws = [0] * size, [0] * size, [0] * size
        self.byes, self.late = [0] * size, [0] * size
        self.games = ([0] * size, [0] * size, [0] * size)
        self._source = (played, byes, list(late))
        self._lines: list[list[Line]] | None = None
        self._read()
        self.points = [
            3 * (won + free) + drawn
            for won, free, drawn in zip(self.wins, self.byes, self.draws, strict=True)
        ]
        self.matches: list[int] = []
        self.sixths: list[int] = []
        self._rate()

    def _read(self) -> None:
        """Count; no object is made per match, because an event has a hundred thousand."""
        played, byes, late = self._source
        at, opponents, lost = self.at, self.opponents, self.lost
        wins, losses, draws = self.wins, self.losses, self.draws
        games_won, games_lost, games_drawn = self.games
        for one in late:
            place = at.get(one)
            if place is not None:
                self.late[place] += 1
                lost[place].append(1)
        for bye in byes:
            place = at.get(bye.entrant_id)
            if place is None:
                continue
            if bye.won:
                self.byes[place] += 1
            else:
                self.late[place] += 1
                lost[place].append(bye.round)
        for match in played:
            first, second = at.get(match.p1), at.get(match.p2)
            winner = match.winner
            score = match.score
            if first is not None:
                if winner == P1:
                    wins[first] += 1
                elif winner == DRAW:
                    draws[first] += 1
                else:
                    # A double loss is a loss for both.
                    losses[first] += 1
                    lost[first].append(match.round)
                games_won[first] += score[0]
                games_lost[first] += score[1]
                games_drawn[first] += score[2]
                if second is not None:
                    opponents[first].append(second)
            if second is not None:
                if winner == P2:
                    wins[second] += 1
                elif winner == DRAW:
                    draws[second] += 1
                else:
                    losses[second] += 1
                    lost[second].append(match.round)
                games_won[second] += score[1]
                games_lost[second] += score[0]
                games_drawn[second] += score[2]
                if first is not None:
                    opponents[second].append(first)

    @property
    def lines(self) -> list[list[Line]]:
        """The rounds of each entrant in order, made when somebody asks for an explanation."""
        if self._lines is None:
            self._lines = self._told()
        return self._lines

    def _told(self) -> list[list[Line]]:
        played, byes, late = self._source
        lines: list[list[Line]] = [[] for _ in self.ids]
        for one in late:
            if one in self.at:
                lines[self.at[one]].append((1, LATE, None))
        for bye in byes:
            if bye.entrant_id in self.at:
                kind = BYE if bye.won else LATE
                lines[self.at[bye.entrant_id]].append((bye.round, kind, None))
        for match in played:
            for me, other, seat in ((match.p1, match.p2, P1), (match.p2, match.p1, P2)):
                place = self.at.get(me)
                if place is not None:
                    kind = DRAWN if match.winner == DRAW else WIN if match.winner == seat else LOSS
                    lines[place].append((match.round, kind, other))
        for own in lines:
            own.sort(key=itemgetter(0))
        return lines

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
        return tuple(sorted(self.lost[place]))

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
