"""The field of players a round is paired from, and the value of a pairing of it.

The objective is lexicographic, the first difference decides: fewest rematches; the bye to a
player with the fewest earlier byes, then to the lowest score group; least sum of d * d over
the pairs, d the distance in score groups. Soft wishes weigh less than one unit of d * d.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

CLUB, TWICE_DOWN = "club", "twice_down"
RANDOM, STANDING = "random", "standing"


@dataclass(frozen=True, slots=True)
class Player:
    """A player to pair: match points, opponents met (forbidden ones count as met), byes had.

    `club`: whom it would rather not meet (empty: nobody). `downs`: how often it was paired
    down. `place`: its place in the standings, for the order by standing.
    """

    player_id: str
    points: int | float = 0
    met: frozenset[str] = field(default_factory=frozenset)
    byes: int = 0
    club: str = ""
    downs: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Value:
    """The objective of a complete pairing, lower is better. `bye_count` is how many byes above
    the fewest the holder had, `bye_level` its score group counted from the lowest (0)."""

    rematches: int
    bye_count: int
    bye_level: int
    cost: int


@dataclass(frozen=True, slots=True)
class Options:
    """What stands below the objective: the order inside a group (`random` by the seed, or
    `standing`: neighbours meet), and soft wishes (`club`: apart; `twice_down`: nobody is paired
    down a second time)."""

    order: str = RANDOM
    soft: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pairing:
    """A complete pairing, locked pairs among its pairs.

    `lower_bound` is what parity allows at least; `method` sampled, block, widened or exact;
    `margin` how often a block was widened; `proven`: no better one exists. `reasons` name, per
    player paired down or given the bye, why: `odd_group`, `no_unmet_partner`, `locked`,
    `fewest_byes_lowest_group`, `only_rematches_left`. `wishes` counts the soft wishes that are
    not met.
    """

    pairs: tuple[tuple[str, str], ...]
    bye: str | None
    value: Value
    lower_bound: int
    method: str
    proven: bool
    reasons: Mapping[str, str]
    margin: int = 0
    wishes: int = 0
    locked: tuple[tuple[str, str], ...] = ()

    @property
    def excess(self) -> int:
        """Cost above the lower bound."""
        return self.value.cost - self.lower_bound


class Field:
    """Players in a fixed order (by id) with their score groups, level 0 the best.

    Players of locked pairs keep their place in the groups, so that distances stay what a
    reader of the standings counts; `free` are all others. Raises ValueError for a player named
    twice, or a locked pair that is not two free players of the field.
    """

    def __init__(
        self,
        players: Iterable[Player],
        forbidden: Iterable[tuple[str, str]] = (),
        locked: Iterable[tuple[str, str]] = (),
    ) -> None:
        # Whole columns at once: this is half of the time of a round of ten thousand.
        self.players: list[Player] = sorted(players, key=attrgetter("player_id"))
        self.ids: list[str] = list(map(attrgetter("player_id"), self.players))
        if len(set(self.ids)) != len(self.ids):
            raise ValueError("a player stands in the field twice")
        points = list(map(attrgetter("points"), self.players))
        steps = sorted(set(points), reverse=True)
        self.groups = len(steps)
        rank = {had: level for level, had in enumerate(steps)}
        self.level: list[int] = list(map(rank.__getitem__, points))
        self.met: list[frozenset[str]] = list(map(attrgetter("met"), self.players))
        self.byes: list[int] = list(map(attrgetter("byes"), self.players))
        self._by_id: dict[str, int] | None = None
        for one, two in forbidden:
            place = self.by_id.get(one)
            if place is not None:
                self.met[place] |= {two}
        self.locked: list[tuple[int, int]] = []
        taken: set[int] = set()
        for pair in locked:
            found = [self.by_id[one] for one in pair if one in self.by_id]
            if len(set(found)) != 2 or taken & set(found):
                raise ValueError(f"not a pair of two free players: {pair[0]} and {pair[1]}")
            taken |= set(found)
            self.locked.append((found[0], found[1]))
        everybody = range(len(self.ids))
        self.free = [one for one in everybody if one not in taken] if taken else list(everybody)
        self.odd = len(self.free) % 2 == 1
        self.fewest = min(map(self.byes.__getitem__, self.free), default=0)
        counted = Counter(map(self.level.__getitem__, self.free))
        self._sizes = [counted[level] for level in range(self.groups)]

    def __len__(self) -> int:
        return len(self.players)

    @property
    def by_id(self) -> dict[str, int]:
        """Place of each player."""
        if self._by_id is None:
            self._by_id = {one: place for place, one in enumerate(self.ids)}
        return self._by_id

    def have_met(self, one: int, two: int) -> bool:
        """Whether two places have met; it is mutual even when only one side says so."""
        return self.ids[two] in self.met[one] or self.ids[one] in self.met[two]

    def bye_level(self, place: int) -> int:
        """Score group of a player counted from the lowest."""
        return self.groups - 1 - self.level[place]

    def bye_group(self) -> int:
        """Return the lowest group that holds a free player with the fewest byes."""
        return max(self.level[place] for place in self.free if self.byes[place] == self.fewest)

    def value(self, pairs: Sequence[tuple[int, int]], bye: int | None) -> Value:
        """Return the objective of a complete pairing, locked pairs among its pairs."""
        ids, met, level = self.ids, self.met, self.level
        return Value(
            sum([ids[two] in met[one] or ids[one] in met[two] for one, two in pairs]),
            0 if bye is None else self.byes[bye] - self.fewest,
            0 if bye is None else self.bye_level(bye),
            sum([(level[one] - level[two]) ** 2 for one, two in pairs]),
        )

    def locked_cost(self) -> int:
        """Cost of the locked pairs."""
        return sum((self.level[one] - self.level[two]) ** 2 for one, two in self.locked)

    def sizes(self, bye_group: int | None) -> list[int]:
        """Free players of each group; the bye is one more member of `bye_group`."""
        sizes = list(self._sizes)
        if bye_group is not None:
            sizes[bye_group] += 1
        return sizes

    def parities(self, bye_group: int | None) -> list[int]:
        """Parity of the number of free players above each boundary, from the top."""
        above, found = 0, []
        for size in self.sizes(bye_group)[:-1]:
            above += size
            found.append(above % 2)
        return found

    def lower_bound(self, bye_group: int | None) -> int:
        """Return the least cost that parity allows, the locked pairs' cost included.

        A boundary with an odd number of players above it is crossed by at least one pair; d * d
        is at least d, the number of boundaries a pair crosses. The bye is one more member of
        `bye_group`, at distance 0.
        """
        return self.locked_cost() + sum(self.parities(bye_group))

    def wishes(self, one: int, two: int, soft: frozenset[str]) -> int:
        """Return how many soft wishes a pair breaks; a club counts for more than a float."""
        if not soft:
            return 0
        first, second = self.players[one], self.players[two]
        broken = 0
        if CLUB in soft and first.club and first.club == second.club:
            broken += 4
        if TWICE_DOWN in soft and self.level[one] != self.level[two]:
            upper = first if self.level[one] < self.level[two] else second
            broken += min(upper.downs, 3)
        return broken
