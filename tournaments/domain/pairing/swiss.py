"""Pair a Swiss round: the quick way first, the exact one when the quick one proves nothing."""

from __future__ import annotations

import random
from collections.abc import Iterable

from tournaments.domain.pairing import exact, sampled
from tournaments.domain.pairing.field import Field, Pairing, Player

SAMPLED, EXACT = "sampled", "exact"
SMALL = 128
"""Up to this many players the exact way is quick enough to be the only one."""
PER_GROUP = 6


def pair(players: Iterable[Player], *, seed: int) -> Pairing:
    """Return an optimal pairing of the players; the same field and seed give the same one.

    Forbidden pairs are given as met. Which of two paired players sits on P1 is random too.
    Raises ValueError for a player named twice or a field of fewer than two players.
    """
    field = Field(players)
    if len(field) < 2:
        raise ValueError("a round needs two players")
    rng = random.Random(seed)
    if len(field) > SMALL:
        widest = 2 * max(len(met) for met in field.met) + 8
        for per_group in (PER_GROUP, widest):
            quick = sampled.solve(field, rng, per_group)
            if quick is not None:
                made = _made(field, rng, quick, SAMPLED)
                if made.proven:
                    return made
    return _made(field, rng, exact.solve(field, rng), EXACT)


def _made(
    field: Field,
    rng: random.Random,
    solved: tuple[list[tuple[int, int]], int | None],
    method: str,
) -> Pairing:
    pairs, bye = solved
    value = field.value(pairs, bye)
    bye_group = None if bye is None else field.level[bye]
    bound = field.lower_bound(bye_group)
    parities = field.parities(bye_group)
    reasons: dict[str, str] = {}
    if bye is not None:
        reasons[field.players[bye].player_id] = "fewest_byes_lowest_group"
    for one, two in pairs:
        upper, lower = sorted((one, two), key=lambda place: field.level[place])
        high, low = field.level[upper], field.level[lower]
        if high < low:
            odd = all(parities[high:low])
            reasons[field.players[upper].player_id] = "odd_group" if odd else "no_unmet_partner"
    # A pairing at the bound, without rematch and with the best possible bye, is optimal
    # whatever method found it; a matching over the complete graph is optimal by itself.
    ideal = (value.rematches, value.bye_count) == (0, 0) and value.cost == bound
    best_bye = bye is None or bye in field.best_bye()
    seated: list[tuple[str, str]] = []
    for one, two in sorted(pairs, key=lambda pair: sorted(field.level[place] for place in pair)):
        seats = [field.players[one].player_id, field.players[two].player_id]
        rng.shuffle(seats)
        seated.append((seats[0], seats[1]))
    return Pairing(
        tuple(seated),
        None if bye is None else field.players[bye].player_id,
        value,
        bound,
        method,
        method == EXACT or (ideal and best_bye),
        reasons,
    )
