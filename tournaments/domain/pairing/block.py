"""One block of the field, solved exactly: the groups between two large ones.

A large group is taken as a set of players whom nobody has met (see relaxed.py); its members
stand here as a few copies at either end of the block. The rest is a maximum-weight matching.
Long edges are left out as long as that cannot cost the optimum: a pair d groups apart costs
d * d and covers d boundaries, so whatever uses one longer than D costs at least the parity
bound of the block + D * (D + 1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import rustworkx

from tournaments.domain.pairing.field import STANDING, Field, Options

FINE = 1 << 20
"""Parts of one unit of cost, for soft wishes and the order inside a group."""
WISH = 1 << 6


@dataclass(frozen=True, slots=True)
class Units:
    """Whole-number weights of the objective in units of cost: no sum of a lower part reaches
    one unit of a higher one. `rematch` 0: rematches are not allowed."""

    rematch: int
    bye_count: int
    bye_level: int


@dataclass(frozen=True, slots=True)
class Solved:
    """The best way to pair a block: its weight, pairs inside it, who is paired with a member of
    the large group above or below, whether one member of each of these meet, who has the bye."""

    weight: int
    pairs: tuple[tuple[int, int], ...] = ()
    upward: tuple[int, ...] = ()
    downward: tuple[int, ...] = ()
    across: bool = False
    bye: int | None = None


class Block:
    """The free players of neighbouring groups, with the large group above and below if any."""

    def __init__(
        self,
        field: Field,
        nodes: Sequence[int],
        upper: int | None,
        lower: int | None,
        options: Options,
    ) -> None:
        """`nodes` in the order of their groups."""
        self.field = field
        self.nodes = list(nodes)
        self.upper, self.lower = upper, lower
        self.options = options
        self._met = self._adjacent()
        # No more than this many nodes can all have met each other.
        degrees = sorted((len(one) for one in self._met), reverse=True)
        self._clique = sum(degree >= place for place, degree in enumerate(degrees))
        self._listed: dict[int, list[tuple[int, int, int]]] = {}

    def _adjacent(self) -> list[set[int]]:
        """Return whom of the block each node has met, as places in `nodes`."""
        ids, met = self.field.ids, self.field.met
        at = {ids[one]: place for place, one in enumerate(self.nodes)}
        found: list[set[int]] = [set() for _ in self.nodes]
        for place, one in enumerate(self.nodes):
            for opponent in met[one]:
                other = at.get(opponent)
                if other is not None and other != place:
                    found[place].add(other)
                    found[other].add(place)
        return found

    def _fine(self, one: int, two: int) -> int:
        """Weight of a pair below one unit of cost."""
        options, field = self.options, self.field
        fine = field.wishes(one, two, options.soft) * WISH
        if options.order == STANDING:
            fine += min(abs(field.players[one].place - field.players[two].place), WISH - 1)
        return fine

    def _edges(self, limit: int, rematch: int) -> list[tuple[int, int, int]]:
        """List the pairs at most `limit` groups apart as (node, node, weight); those who have
        met only when a rematch has a weight."""
        known = -1 if rematch else limit
        if known in self._listed:
            return self._listed[known]
        level = [self.field.level[one] for one in self.nodes]
        plain = not self.options.soft and self.options.order != STANDING
        edges: list[tuple[int, int, int]] = []
        for at, mine in enumerate(level):
            met = self._met[at]
            for other in range(at - 1, -1, -1):
                apart = mine - level[other]
                if apart > limit:
                    break
                again = other in met
                if again and not rematch:
                    continue
                weight = apart * apart * FINE + (rematch if again else 0)
                if not plain:
                    weight += self._fine(self.nodes[at], self.nodes[other])
                edges.append((other, at, weight))
        self._listed[known] = edges
        return edges

    def _bound(self, upward: int, bye_level: int | None) -> int:
        """Parity bound of the block with this parity of pairs that come from above."""
        if not self.nodes and (self.upper is None or self.lower is None):
            return 0
        level = self.field.level
        highest = self.upper if self.upper is not None else min(level[one] for one in self.nodes)
        lowest = self.lower if self.lower is not None else max(level[one] for one in self.nodes)
        steps = [0] * (lowest - highest + 1)
        for one in self.nodes:
            steps[level[one] - highest] += 1
        if bye_level is not None and self.nodes:
            steps[bye_level - highest] += 1
        above, bound = upward, 0
        for step in steps[:-1]:
            above += step
            bound += above % 2
        return bound

    def solve(
        self, upward: int, byes: Mapping[int, int] | None, units: Units
    ) -> tuple[int, Solved] | None:
        """Return (parity of the pairs that go on below, the best way), None without one.

        `upward` is the parity of the pairs that come from the large group above. `byes` gives
        the weight of the bye for each node that may have it, when the bye falls in this block.
        """
        size = len(self.nodes)
        downward = (size + (byes is not None) + upward) % 2
        if (upward and self.upper is None) or (downward and self.lower is None):
            return None
        if not size:
            if byes is not None:
                return None
            if upward:
                apart = (self.lower or 0) - (self.upper or 0)
                return 1, Solved(apart * apart, across=True)
            return 0, Solved(0)
        if units.rematch:
            found = self._match(upward, downward, byes, units, None)
            return None if found is None else (downward, found)
        level = self.field.level
        bye_level = None if byes is None else level[self.nodes[next(iter(byes))]]
        bound = self._bound(upward, bye_level)
        levels = [level[one] for one in self.nodes]
        highest = min(levels) if self.upper is None else self.upper
        lowest = max(levels) if self.lower is None else self.lower
        deepest = lowest - highest
        for longest in (1, 2, 4, deepest):
            found = self._match(upward, downward, byes, units, longest)
            if found is not None and found.weight - bound <= longest * (longest + 1):
                break
            if longest >= deepest:
                break
        return None if found is None else (downward, found)

    def _copies(self, parity: int) -> int:
        """How many members of a large group to lay out: those who meet nodes of this block have
        all met each other, or two of the nodes would better meet."""
        wanted = min(len(self.nodes), max(self._clique, 1))
        return wanted + (wanted + parity) % 2

    def _match(
        self,
        upward: int,
        downward: int,
        byes: Mapping[int, int] | None,
        units: Units,
        longest: int | None,
    ) -> Solved | None:
        size, level = len(self.nodes), self.field.level
        above = list(range(size, size + (self._copies(upward) if self.upper is not None else 0)))
        after = size + len(above)
        below = list(
            range(after, after + (self._copies(downward) if self.lower is not None else 0))
        )
        total = after + len(below)
        weights: dict[tuple[int, int], int] = {}
        limit = longest if longest is not None else self.field.groups
        edges = list(self._edges(limit, units.rematch * FINE))
        for copies, end in ((above, self.upper), (below, self.lower)):
            if end is None:
                continue
            for at, one in enumerate(self.nodes):
                apart = abs(level[one] - end)
                if apart <= limit:
                    edges += [(at, copy, apart * apart * FINE) for copy in copies]
            edges += [(one, two, 0) for at, two in enumerate(copies) for one in copies[:at]]
        if above and below:
            across = (self.lower or 0) - (self.upper or 0)
            edges.append((above[0], below[0], across * across * FINE))
        if byes is not None:
            edges += [(at, total, weight * FINE) for at, weight in byes.items()]
            total += 1
        if total % 2:
            return None
        highest = max((edge[2] for edge in edges), default=0) + 1
        graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
        graph.add_nodes_from(range(total))
        graph.add_edges_from([(one, two, highest - weight) for one, two, weight in edges])
        matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
        if 2 * len(matched) != total:
            return None
        for one, two, weight in edges:
            weights[one, two] = weight
        return self._taken(
            sorted((min(pair), max(pair)) for pair in matched), weights, above, below, byes
        )

    def _taken(
        self,
        matched: Sequence[tuple[int, int]],
        weights: Mapping[tuple[int, int], int],
        above: Sequence[int],
        below: Sequence[int],
        byes: Mapping[int, int] | None,
    ) -> Solved:
        size = len(self.nodes)
        last_above = size + len(above)
        last_below = last_above + len(below)
        weight, across, bye = 0, False, None
        pairs: list[tuple[int, int]] = []
        upward: list[int] = []
        downward: list[int] = []
        for one, two in matched:
            weight += weights[one, two] // FINE
            if one >= size:
                across = across or (one < last_above <= two < last_below)
            elif two < size:
                pairs.append((self.nodes[one], self.nodes[two]))
            elif two < last_above:
                upward.append(self.nodes[one])
            elif two < last_below:
                downward.append(self.nodes[one])
            else:
                bye = self.nodes[one]
        return Solved(weight, tuple(pairs), tuple(upward), tuple(downward), across, bye)
