"""Exact pairing: maximum-weight matching over the complete graph of the field.

The weights are derived from the size of the field so that no sum of a lower part of the
objective reaches one unit of a higher one; the last part is seeded noise, which makes the
order inside a group random. The matching is optimal, so the pairing is.
"""

from __future__ import annotations

import random

import rustworkx

from tournaments.domain.pairing.field import Field

NOISE = 1 << 16


def solve(field: Field, rng: random.Random) -> tuple[list[tuple[int, int]], int | None]:
    """Return (pairs, bye) of least value, as places in the field.

    An odd field has one more node for the bye, joined to everybody.
    """
    size = len(field)
    bye = size if field.odd else None
    edges_in_all = (size + 1) // 2
    deepest = max(field.groups - 1, 0)
    unit_cost = edges_in_all * NOISE + 1
    unit_level = unit_cost * (edges_in_all * deepest * deepest + 1)
    unit_count = unit_level * (deepest + 1)
    unit_rematch = unit_count * (max(field.byes, default=0) + 1)
    ceiling = unit_rematch * 2 + unit_count * (max(field.byes, default=0) + 1)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(size + (bye is not None)))
    edges: list[tuple[int, int, int]] = []
    for one in range(size):
        met, level = field.met[one], field.level[one]
        for two in range(one):
            apart = level - field.level[two]
            cost = apart * apart * unit_cost + rng.randrange(NOISE)
            if two in met:
                cost += unit_rematch
            edges.append((one, two, ceiling - cost))
        if bye is not None:
            cost = (
                field.byes[one] * unit_count
                + field.bye_level(one) * unit_level
                + rng.randrange(NOISE)
            )
            edges.append((one, bye, ceiling - cost))
    graph.add_edges_from(edges)
    matched = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    pairs: list[tuple[int, int]] = []
    without: int | None = None
    for one, two in sorted((min(pair), max(pair)) for pair in matched):
        if two == bye:
            without = one
        else:
            pairs.append((one, two))
    return pairs, without
