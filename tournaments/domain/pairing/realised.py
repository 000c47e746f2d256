"""Give a relaxed pairing its real players: who of a large group meets whom outside it, and the
rest of the group paired inside. Where that fails the group is named, and the caller opens it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as made

from tournaments.domain.pairing.block import Block, Units
from tournaments.domain.pairing.field import Field, Options
from tournaments.domain.pairing.relaxed import Relaxed

SMALL = 64
"""A rest of a group up to this size is matched exactly when swaps do not repair it."""
LOOKED_AT = 400
"""Pairs tried for a swap that only a soft wish asks for."""


@dataclass(slots=True)
class Realised:
    """Real pairs and the bye. `inside` are those of a large group, by its level: unmet and at
    distance 0 by the way they are made. `failed` names the large groups that could not be given
    theirs."""

    pairs: list[tuple[int, int]] = made(default_factory=list)
    inside: dict[int, list[tuple[int, int]]] = made(default_factory=dict)
    bye: int | None = None
    failed: set[int] = made(default_factory=set)


def realise(
    field: Field,
    members: Sequence[Sequence[int]],
    relaxed: Relaxed,
    options: Options,
) -> Realised:
    """Return the pairs of a relaxed pairing. `members` are the free players of each group in
    the order in which neighbours meet."""
    out = Realised()
    rest: dict[int, list[int]] = {group: list(members[group]) for group in relaxed.large}
    if relaxed.bye_group is not None:
        group = rest[relaxed.bye_group]
        fewest = min(field.byes[one] for one in group)
        out.bye = next(one for one in reversed(group) if field.byes[one] == fewest)
        group.remove(out.bye)
    ends = (None, *relaxed.large, None)
    for at, block in enumerate(relaxed.blocks):
        upper, lower = ends[at], ends[at + 1]
        out.pairs += block.pairs
        if block.bye is not None:
            out.bye = block.bye
        for end, outside in ((upper, block.upward), (lower, block.downward)):
            for one in outside:
                if end is None or not _join(field, rest[end], one, end == upper, options, out):
                    out.failed.add(end if end is not None else -1)
        if block.across and upper is not None and lower is not None:
            # Whoever can spare one: the last of the upper group that fits someone of the lower.
            taken = _across(field, rest[upper], rest[lower], options)
            if taken is None:
                out.failed |= {upper, lower}
            else:
                out.pairs.append(taken)
    for level, left in rest.items():
        inside = None if level in out.failed else pair_inside(field, left, options)
        if inside is None:
            out.failed.add(level)
        else:
            out.inside[level] = inside
    return out


def _join(
    field: Field, group: list[int], one: int, from_above: bool, options: Options, out: Realised
) -> bool:
    """Pair a player with a member of a large group whom it has not met; the member comes from
    the end of the group that is nearer."""
    order = reversed(group) if from_above else iter(group)
    free = (two for two in order if not field.have_met(one, two))
    if options.soft:
        two = min(free, key=lambda other: field.wishes(one, other, options.soft), default=None)
    else:
        two = next(free, None)
    if two is None:
        return False
    group.remove(two)
    out.pairs.append((one, two))
    return True


def _across(
    field: Field, upper: list[int], lower: list[int], options: Options
) -> tuple[int, int] | None:
    best: tuple[int, int, int] | None = None
    for one in reversed(upper):
        for two in lower:
            if field.have_met(one, two):
                continue
            broken = field.wishes(one, two, options.soft)
            if best is None or broken < best[0]:
                best = (broken, one, two)
            if not broken:
                break
        if best is not None and not best[0]:
            break
    if best is None:
        return None
    upper.remove(best[1])
    lower.remove(best[2])
    return best[1], best[2]


def pair_inside(
    field: Field, rest: Sequence[int], options: Options
) -> list[tuple[int, int]] | None:
    """Pair neighbours; repair those who have met by swapping with another pair. None when the
    rest is odd or no way was found."""
    if len(rest) % 2:
        return None
    ids, met = field.ids, field.met
    pairs = list(zip(rest[::2], rest[1::2], strict=True))
    again = [
        at for at, (one, two) in enumerate(pairs) if ids[two] in met[one] or ids[one] in met[two]
    ]
    for at in again:
        if not _swap(field, pairs, at):
            return _exactly(field, rest, options)
    if options.soft:
        for at, (one, two) in enumerate(pairs):
            if field.wishes(one, two, options.soft):
                _swap_wish(field, pairs, at, options.soft)
    return pairs


def _near(at: int, size: int) -> Sequence[int]:
    """Places of other pairs, nearest first."""
    order: list[int] = []
    for step in range(1, size):
        if at + step < size:
            order.append(at + step)
        if at - step >= 0:
            order.append(at - step)
    return order


def _swap(field: Field, pairs: list[tuple[int, int]], at: int) -> bool:
    one, two = pairs[at]
    if not field.have_met(one, two):
        return True
    size = len(pairs)
    for step in range(1, size):
        for other in (at + step, at - step):
            if not 0 <= other < size:
                continue
            three, four = pairs[other]
            if not field.have_met(one, three) and not field.have_met(two, four):
                pairs[at], pairs[other] = (one, three), (two, four)
                return True
            if not field.have_met(one, four) and not field.have_met(two, three):
                pairs[at], pairs[other] = (one, four), (two, three)
                return True
    return False


def _swap_wish(field: Field, pairs: list[tuple[int, int]], at: int, soft: frozenset[str]) -> None:
    one, two = pairs[at]
    broken = field.wishes(one, two, soft)
    for other in _near(at, len(pairs))[:LOOKED_AT]:
        three, four = pairs[other]
        before = broken + field.wishes(three, four, soft)
        for first, second in (((one, three), (two, four)), ((one, four), (two, three))):
            if field.have_met(*first) or field.have_met(*second):
                continue
            if field.wishes(*first, soft) + field.wishes(*second, soft) < before:
                pairs[at], pairs[other] = first, second
                return


def _exactly(field: Field, rest: Sequence[int], options: Options) -> list[tuple[int, int]] | None:
    """Match the rest of one group without rematches, None when that cannot be done or it is
    large."""
    if len(rest) > SMALL:
        return None
    found = Block(field, rest, None, None, options).solve(0, None, Units(0, 0, 0))
    return None if found is None else list(found[1].pairs)
