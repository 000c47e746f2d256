"""Random rounds to pair, and the optimum of each by one matching over the complete graph.

Nothing here uses the product's own field, groups or weights: a round is plain data, the way
`manage.py pair` reads it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import rustworkx

from tournaments.domain.pairing import swiss
from tournaments.domain.pairing.field import Options, Pairing, Player

Objective = tuple[int, int, int, int]


@dataclass
class Round:
    """A round to pair, as plain data."""

    points: dict[str, int]
    met: dict[str, set[str]]
    byes: dict[str, int]
    forbidden: list[tuple[str, str]] = field(default_factory=list)
    locked: list[tuple[str, str]] = field(default_factory=list)

    def pair(self, seed: int, options: Options | None = None) -> Pairing:
        """Pair it with the product."""
        return swiss.pair(
            [
                Player(one, self.points[one], frozenset(self.met[one]), self.byes[one])
                for one in self.points
            ],
            seed=seed,
            forbidden=self.forbidden,
            locked=self.locked,
            options=options or Options(),
        )

    def groups(self) -> dict[str, int]:
        """The score group of each player, 0 the best."""
        steps = sorted(set(self.points.values()), reverse=True)
        return {one: steps.index(points) for one, points in self.points.items()}

    def apart(self, one: str, two: str) -> bool:
        """Whether two may not meet."""
        return (
            two in self.met[one]
            or one in self.met[two]
            or (one, two) in self.forbidden
            or (two, one) in self.forbidden
        )

    def free(self) -> list[str]:
        """Everybody who is in no locked pair."""
        taken = {one for pair in self.locked for one in pair}
        return [one for one in self.points if one not in taken]

    def objective(self, pairs: list[tuple[str, str]], bye: str | None) -> Objective:
        """The value of complete pairs, counted anew."""
        group = self.groups()
        fewest = min((self.byes[one] for one in self.free()), default=0)
        return (
            sum(self.apart(one, two) for one, two in pairs),
            0 if bye is None else self.byes[bye] - fewest,
            0 if bye is None else max(group.values()) - group[bye],
            sum((group[one] - group[two]) ** 2 for one, two in pairs),
        )


def optimum(made: Round) -> Objective:
    """The least objective, by maximum-weight matching over the complete graph."""
    free, group = made.free(), made.groups()
    size, odd = len(free), len(free) % 2
    steps = max(group.values(), default=0) + 1
    per_cost = 1
    per_level = per_cost * (size * steps * steps + 1)
    per_count = per_level * (steps + 1)
    per_rematch = per_count * (max(made.byes.values(), default=0) + 2)
    worst = per_rematch * (size + 2)
    fewest = min((made.byes[one] for one in free), default=0)
    edges = []
    for at, one in enumerate(free):
        for other in range(at):
            two = free[other]
            cost = (group[one] - group[two]) ** 2 * per_cost
            edges.append((other, at, worst - cost - per_rematch * made.apart(one, two)))
        if odd:
            cost = (made.byes[one] - fewest) * per_count
            cost += (steps - 1 - group[one]) * per_level
            edges.append((at, size, worst - cost))
    graph: rustworkx.PyGraph = rustworkx.PyGraph()
    graph.add_nodes_from(range(size + odd))
    graph.add_edges_from(edges)
    matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    pairs, bye = list(made.locked), None
    for one, two in matched:
        low, high = min(one, two), max(one, two)
        if high == size:
            bye = free[low]
        else:
            pairs.append((free[low], free[high]))
    return made.objective(pairs, bye)


def play(made: Round, pairing: Pairing, rng: random.Random, *, drawn: float, lost: float) -> None:
    """Give a round random results: draws, double losses, else a winner."""
    for one, two in pairing.pairs:
        made.met[one].add(two)
        made.met[two].add(one)
        chance = rng.random()
        if chance < drawn:
            made.points[one] += 1
            made.points[two] += 1
        elif chance > lost + drawn:
            made.points[rng.choice((one, two))] += 3
    if pairing.bye is not None:
        made.points[pairing.bye] += 3
        made.byes[pairing.bye] += 1


def leave(made: Round, one: str) -> None:
    """Take a player out; others keep it among the opponents they have met."""
    for table in (made.points, made.byes, made.met):
        del table[one]
    made.forbidden = [pair for pair in made.forbidden if one not in pair]
    made.locked = [pair for pair in made.locked if one not in pair]


def started(size: int, rng: random.Random) -> Round:
    """A field before round 1, some players with a bye already had."""
    ids = [f"p{number:04}" for number in range(size)]
    rng.shuffle(ids)
    return Round(
        dict.fromkeys(ids, 0),
        {one: set() for one in ids},
        {one: int(rng.random() < 0.03) for one in ids},
    )


def random_round(rng: random.Random, least: int = 4, most: int = 64) -> Round:
    """A round of a random event: up to 14 rounds played, with byes, drops, forbidden and locked
    pairs, double losses, and a late entrant at times."""
    made = started(rng.randint(least, most), rng)
    drawn, lost = rng.choice([(0.05, 0.0), (0.2, 0.05), (0.0, 0.0), (0.05, 0.3)])
    leaving = rng.choice([0.0, 0.02, 0.1])
    names = list(made.points)
    if rng.random() < 0.4:
        for _ in range(rng.randint(1, len(names))):
            made.forbidden.append(tuple(rng.sample(names, 2)))  # type: ignore[arg-type]
    for number in range(rng.randint(0, 13)):
        play(made, made.pair(number), rng, drawn=drawn, lost=lost)
        for one in list(made.points):
            if rng.random() < leaving and len(made.points) > 4:
                leave(made, one)
        if number == 0 and rng.random() < 0.2:
            made.points["late"], made.met["late"], made.byes["late"] = 0, set(), 0
    if rng.random() < 0.2 and len(made.points) >= 6:
        chosen = rng.sample(list(made.points), 2 * rng.randint(1, 2))
        made.locked = list(zip(chosen[::2], chosen[1::2], strict=True))
    return made
