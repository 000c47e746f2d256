"""Pair a Swiss round with the proof that no better pairing exists."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tournaments.domain.pairing import relaxed
from tournaments.domain.pairing.field import STANDING, Field, Options, Pairing, Player, Value
from tournaments.domain.pairing.realised import Realised, realise

SAMPLED, BLOCK, WIDENED, EXACT = "sampled", "block", "widened", "exact"
SMALLEST_LARGE = 6
WISHES_UP_TO = 128


def pair(
    players: Iterable[Player],
    *,
    seed: int | str,
    forbidden: Iterable[tuple[str, str]] = (),
    locked: Iterable[tuple[str, str]] = (),
    options: Options = Options(),  # noqa: B008 - frozen
) -> Pairing:
    """Return an optimal pairing of the players; the same field and seed give the same one.

    Forbidden pairs count as met. Locked pairs are kept, whatever they cost; the rest is optimal
    beside them. Which of two paired players sits on P1 is random too. Raises ValueError for a
    player named twice, a lock that cannot be kept, or a field of fewer than two players.
    """
    field = Field(players, forbidden, locked)
    if len(field) < 2:
        raise ValueError("a round needs two players")
    rng = random.Random(seed)
    members = members_of(field, options, rng)
    blocks = relaxed.Blocks(field, members, options)
    least = large_from(field)
    # Small enough to meet every wish that can be met: all groups stay open.
    open_all = options != Options() and len(field) <= WISHES_UP_TO
    large = [level for level, group in enumerate(members) if len(group) >= least and not open_all]
    found, widened = _solve(field, members, blocks, large, options)
    return _made(field, found, bool(large), widened, options, rng)


@dataclass(frozen=True, slots=True)
class Assessed:
    """What pairs made by hand are worth beside the best that could be had."""

    value: Value
    best: Value
    lower_bound: int
    rematches: tuple[tuple[str, str], ...]

    @property
    def extra(self) -> Value:
        """What they cost more, part by part; a part can be negative where an earlier one is
        not."""
        return Value(
            self.value.rematches - self.best.rematches,
            self.value.bye_count - self.best.bye_count,
            self.value.bye_level - self.best.bye_level,
            self.value.cost - self.best.cost,
        )


def assess(
    players: Iterable[Player],
    pairs: Sequence[tuple[str, str]],
    bye: str | None,
    *,
    forbidden: Sequence[tuple[str, str]] = (),
) -> Assessed:
    """Return what a complete pairing made by hand costs, and the best one.

    Raises ValueError unless everybody of the field stands in exactly one pair, or has the bye.
    """
    players = list(players)
    field = Field(players, forbidden)
    seated = [one for pair in pairs for one in pair] + ([] if bye is None else [bye])
    if sorted(seated) != field.ids:
        raise ValueError("everybody of the field needs one place")
    places = [(field.by_id[one], field.by_id[two]) for one, two in pairs]
    again = tuple(pair for pair, place in zip(pairs, places, strict=True) if field.have_met(*place))
    holder = None if bye is None else field.by_id[bye]
    best = pair(players, seed=0, forbidden=forbidden).value
    bound = field.lower_bound(None if holder is None else field.level[holder])
    return Assessed(field.value(places, holder), best, bound, again)


def swapped(
    pairs: Sequence[tuple[str, str]], bye: str | None, one: str, two: str
) -> tuple[tuple[tuple[str, str], ...], str | None]:
    """Return the pairs and the bye with two players exchanged."""
    other = {one: two, two: one}
    moved = tuple((other.get(first, first), other.get(second, second)) for first, second in pairs)
    return moved, bye if bye is None else other.get(bye, bye)


def large_from(field: Field) -> int:
    """Return from how many players on a group is taken as large. A wrong guess costs time, never
    the optimum: a group that is not large enough is opened again."""
    return max(SMALLEST_LARGE, *map(len, field.met))


def members_of(field: Field, options: Options, rng: random.Random) -> list[list[int]]:
    """Return the free players of each group in the order in which neighbours meet."""
    # One draw for all is several times quicker than a shuffle.
    keys = memoryview(rng.randbytes(8 * len(field))).cast("Q")
    order = sorted(field.free, key=keys.__getitem__)
    if options.order == STANDING:
        order.sort(key=lambda one: field.players[one].place)
    members: list[list[int]] = [[] for _ in range(field.groups)]
    level = field.level
    for one in order:
        members[level[one]].append(one)
    return members


def _solve(
    field: Field,
    members: Sequence[Sequence[int]],
    blocks: relaxed.Blocks,
    large: Sequence[int],
    options: Options,
) -> tuple[Realised, int]:
    """Return real pairs worth as much as the relaxed optimum, and how often blocks were widened
    by a large group that could not be given its pairs."""
    units, widened = relaxed.ideal_units(), 0
    while True:
        best = relaxed.solve(field, blocks, large, units)
        if best is None:
            units = relaxed.full_units(field)
            continue
        found = realise(field, members, best, options)
        if not found.failed:
            return found, widened
        large = [group for group in large if group not in found.failed]
        widened += 1


def _made(
    field: Field,
    found: Realised,
    any_large: bool,
    widened: int,
    options: Options,
    rng: random.Random,
) -> Pairing:
    # Pairs inside a large group have not met and cost nothing: only the others count.
    counted = found.pairs + field.locked
    bye = found.bye
    value = field.value(counted, bye)
    bound = field.lower_bound(None if bye is None else field.level[bye])
    method = EXACT
    if any_large:
        method = WIDENED if widened else SAMPLED if value.cost == bound else BLOCK
    pairs = _ordered(field, found, counted)
    ids = field.ids
    coins = rng.randbytes(len(pairs))
    seated = [
        (ids[two], ids[one]) if coin & 1 else (ids[one], ids[two])
        for coin, (one, two) in zip(coins, pairs, strict=True)
    ]
    soft = options.soft
    return Pairing(
        tuple(seated),
        None if bye is None else ids[bye],
        value,
        bound,
        method,
        True,
        _reasons(field, counted, bye),
        widened,
        sum(field.wishes(one, two, soft) > 0 for one, two in pairs) if soft else 0,
        tuple((ids[one], ids[two]) for one, two in field.locked),
    )


def _ordered(
    field: Field, found: Realised, others: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return all pairs, best first: by the better group of the two, then by the other."""
    level = field.level
    ordered = sorted(others, key=lambda pair: _rank(level[pair[0]], level[pair[1]]))
    made: list[tuple[int, int]] = []
    at = 0
    for group in range(field.groups):
        made += found.inside.get(group, ())
        while at < len(ordered) and min(level[one] for one in ordered[at]) == group:
            made.append(ordered[at])
            at += 1
    return made


def _rank(one: int, two: int) -> tuple[int, int]:
    return (one, two) if one < two else (two, one)


def _reasons(field: Field, pairs: Sequence[tuple[int, int]], bye: int | None) -> dict[str, str]:
    """Say why each was paired down or has the bye."""
    parities = field.parities(None if bye is None else field.level[bye])
    reasons: dict[str, str] = {}
    if bye is not None:
        ideal = field.byes[bye] == field.fewest and field.level[bye] == field.bye_group()
        reasons[field.ids[bye]] = "fewest_byes_lowest_group" if ideal else "only_rematches_left"
    locked = set(field.locked)
    level = field.level
    for one, two in pairs:
        if level[one] != level[two]:
            high, low = _rank(level[one], level[two])
            upper = one if level[one] == high else two
            if (one, two) in locked:
                reason = "locked"
            elif all(parities[high:low]):
                reason = "odd_group"
            else:
                reason = "no_unmet_partner"
            reasons[field.ids[upper]] = reason
    return reasons
