"""The field of players a round is paired from, and the value of a pairing of it.

The objective is lexicographic, the first difference decides: fewest rematches; the bye to a
player with the fewest earlier byes, then to the lowest score group; least sum of d * d over
the pairs, d the distance in score groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Player:
    """A player to pair: match points, opponents met (forbidden ones count as met), byes had."""

    player_id: str
    points: int = 0
    met: frozenset[str] = field(default_factory=frozenset)
    byes: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Value:
    """The objective of a complete pairing, lower is better. `bye_count` is how many byes above
    the fewest the holder had, `bye_level` its score group counted from the lowest (0)."""

    rematches: int
    bye_count: int
    bye_level: int
    cost: int


@dataclass(frozen=True, slots=True)
class Pairing:
    """A complete pairing. `method` sampled or exact; `proven`: no better one exists.

    `reasons` name, per player paired down or given the bye, why: `odd_group`,
    `no_unmet_partner`, `fewest_byes_lowest_group`.
    """

    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    value: Value
    lower_bound: int
    method: str
    proven: bool
    reasons: Mapping[str, str]

    @property
    def excess(self) -> int:
        """Cost above the lower bound."""
        return self.value.cost - self.lower_bound


class Field:
    """Players in a fixed order with their score groups, level 0 the best."""

    def __init__(self, players: Iterable[Player]) -> None:
        self.players: list[Player] = sorted(players, key=lambda one: one.player_id)
        ids = {one.player_id for one in self.players}
        if len(ids) != len(self.players):
            raise ValueError("a player stands in the field twice")
        steps = sorted({one.points for one in self.players}, reverse=True)
        rank = {points: level for level, points in enumerate(steps)}
        self.groups = len(steps)
        self.level: list[int] = [rank[one.points] for one in self.players]
        self.by_id = {one.player_id: place for place, one in enumerate(self.players)}
        fewest = min((one.byes for one in self.players), default=0)
        self.byes: list[int] = [one.byes - fewest for one in self.players]
        self.met: list[set[int]] = [set() for _ in self.players]
        for place, one in enumerate(self.players):
            for opponent in one.met & ids:
                # Met is mutual even when only one side says so.
                self.met[place].add(self.by_id[opponent])
                self.met[self.by_id[opponent]].add(place)
        self.odd = len(self.players) % 2 == 1

    def __len__(self) -> int:
        return len(self.players)

    def bye_level(self, place: int) -> int:
        """Score group of a player counted from the lowest."""
        return self.groups - 1 - self.level[place]

    def best_bye(self) -> list[int]:
        """Return the players the bye goes to by its own rules: fewest byes, lowest group."""
        fewest = [place for place in range(len(self)) if self.byes[place] == 0]
        lowest = max((self.level[place] for place in fewest), default=0)
        return [place for place in fewest if self.level[place] == lowest]

    def value(self, pairs: Sequence[tuple[int, int]], bye: int | None) -> Value:
        """Return the objective of a complete pairing."""
        return Value(
            sum(two in self.met[one] for one, two in pairs),
            0 if bye is None else self.byes[bye],
            0 if bye is None else self.bye_level(bye),
            sum((self.level[one] - self.level[two]) ** 2 for one, two in pairs),
        )

    def lower_bound(self, bye_group: int | None) -> int:
        """Return the least cost that parity allows.

        A boundary below which and above which the numbers of players are odd is crossed by at
        least one pair; d * d is at least d, the number of boundaries a pair crosses. The bye
        is one more member of `bye_group`, at distance 0.
        """
        sizes = [0] * self.groups
        for level in self.level:
            sizes[level] += 1
        if bye_group is not None:
            sizes[bye_group] += 1
        above, bound = 0, 0
        for size in sizes[:-1]:
            above += size
            bound += above % 2
        return bound

    def parities(self, bye_group: int | None) -> list[int]:
        """Parity of the number of players above each boundary, from the top."""
        above, found = 0, []
        for level in range(self.groups - 1):
            above += sum(one == level for one in self.level) + (level == bye_group)
            found.append(above % 2)
        return found
