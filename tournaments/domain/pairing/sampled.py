"""A quick pairing whose cost often equals the lower bound, which proves it optimal.

A few members of each score group are solved exactly; the rest of each group is shuffled and
paired inside it, and pairs who have met are repaired by swaps. Nothing is claimed when the
cost is above the bound: the caller then solves the whole field.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import rustworkx

from tournaments.domain.pairing.field import Field

NOISE = 1 << 16


def solve(
    field: Field, rng: random.Random, per_group: int
) -> tuple[list[tuple[int, int]], int | None] | None:
    """Return (pairs, bye) without a rematch and with the bye where its rules want it, or None.

    `per_group` members of each group are solved exactly.
    """
    eligible = field.best_bye() if field.odd else []
    bye_group = field.level[eligible[0]] if eligible else None
    sample: list[int] = []
    pairs: list[tuple[int, int]] = []
    members: list[list[int]] = [[] for _ in range(field.groups)]
    for place in range(len(field)):
        members[field.level[place]].append(place)
    for level, group in enumerate(members):
        shuffled = list(group)
        rng.shuffle(shuffled)
        if level == bye_group:
            # Somebody who may have the bye must be in the sample.
            chosen = rng.choice(eligible)
            shuffled.remove(chosen)
            shuffled.insert(0, chosen)
        taken = min(per_group, len(shuffled))
        taken += (len(shuffled) - taken) % 2
        inside = _inside(field, shuffled[taken:])
        if inside is None:
            taken, inside = len(shuffled), []
        sample += shuffled[:taken]
        pairs += inside
    solved = _match(field, rng, sample, frozenset(eligible))
    if solved is None:
        return None
    return pairs + solved[0], solved[1]


def _inside(field: Field, rest: Sequence[int]) -> list[tuple[int, int]] | None:
    """Pair neighbours; repair those who have met by swapping with another pair."""
    pairs = [(rest[at], rest[at + 1]) for at in range(0, len(rest), 2)]
    for at, (one, two) in enumerate(pairs):
        if two not in field.met[one]:
            continue
        for other, (three, four) in enumerate(pairs):
            if other == at:
                continue
            if three not in field.met[one] and four not in field.met[two]:
                pairs[at], pairs[other] = (one, three), (two, four)
                break
            if four not in field.met[one] and three not in field.met[two]:
                pairs[at], pairs[other] = (one, four), (two, three)
                break
        else:
            return None
    return pairs


def _match(
    field: Field, rng: random.Random, sample: Sequence[int], eligible: frozenset[int]
) -> tuple[list[tuple[int, int]], int | None] | None:
    unit = ((len(sample) + 1) // 2) * NOISE + 1
    ceiling = unit * (field.groups * field.groups + 1)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(len(sample) + bool(eligible)))
    edges: list[tuple[int, int, int]] = []
    for one, place in enumerate(sample):
        for two in range(one):
            if sample[two] in field.met[place]:
                continue
            apart = field.level[place] - field.level[sample[two]]
            edges.append((one, two, ceiling - apart * apart * unit - rng.randrange(NOISE)))
        if place in eligible:
            edges.append((one, len(sample), ceiling - rng.randrange(NOISE)))
    graph.add_edges_from(edges)
    matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    if 2 * len(matched) != len(sample) + bool(eligible):
        return None
    pairs: list[tuple[int, int]] = []
    bye: int | None = None
    for one, two in sorted((min(pair), max(pair)) for pair in matched):
        if two == len(sample):
            bye = sample[one]
        else:
            pairs.append((sample[one], sample[two]))
    return pairs, bye
