"""The best pairing of the field when members of large groups have met nobody.

That can only make a round cheaper, so its value bounds every real pairing from below; a real
pairing of the same value is optimal, whatever found it. It is quick to find, because nobody
is paired across a large group: with a member of it in between, two pairs would be shorter
(a * a + b * b < (a + b) * (a + b)), and its members, who have met nobody, are always there.
So the field falls into blocks between large groups. They depend on each other only through
parity: the pairs that enter a large group from above and from below, with the bye, must leave
an even number of its members. One pass from the top over these parities finds the optimum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.domain.pairing.block import Block, Solved, Units
from tournaments.domain.pairing.field import Field, Options

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Relaxed:
    """The optimum: its weight, how each block is paired, from the top, and the large group that
    has the bye (None: a block has it, or nobody)."""

    weight: int
    blocks: tuple[Solved, ...]
    large: tuple[int, ...]
    bye_group: int | None


class Blocks:
    """Makes blocks once and keeps what was solved: widening one leaves the others as they are."""

    def __init__(self, field: Field, members: Sequence[Sequence[int]], options: Options) -> None:
        self.field, self.members, self.options = field, members, options
        self._blocks: dict[Key, Block] = {}
        self._solved: dict[tuple[Key, int, bool, bool], tuple[int, Solved] | None] = {}

    def solve(
        self, key: Key, upward: int, byes: Mapping[int, int] | None, units: Units
    ) -> tuple[int, Solved] | None:
        """Solve the block of the groups strictly between two levels (-1 and the number of groups
        are the ends of the field)."""
        known = (key, upward, byes is not None, units.rematch > 0)
        if known not in self._solved:
            block = self._blocks.get(key)
            if block is None:
                upper, lower = key
                nodes = [one for level in range(upper + 1, lower) for one in self.members[level]]
                block = Block(
                    self.field,
                    nodes,
                    upper if upper >= 0 else None,
                    lower if lower < len(self.members) else None,
                    self.options,
                )
                self._blocks[key] = block
            placed = None
            if byes is not None:
                at = {one: place for place, one in enumerate(block.nodes)}
                placed = {at[one]: weight for one, weight in byes.items()}
            self._solved[known] = block.solve(upward, placed, units)
        return self._solved[known]


def ideal_units() -> Units:
    """Weights where rematches are not allowed and the bye goes where its rules want it."""
    return Units(0, 0, 0)


def full_units(field: Field) -> Units:
    """Weights of the whole objective, derived from the size of the field."""
    deepest = max(field.groups - 1, 0)
    level = (len(field) // 2 + 2) * deepest * deepest + 1
    count = level * (deepest + 2)
    most = max((field.byes[one] for one in field.free), default=0) - field.fewest
    return Units(count * (most + 2), count, level)


def solve(field: Field, blocks: Blocks, large: Sequence[int], units: Units) -> Relaxed | None:
    """Return the optimum with these large groups, None when there is no complete pairing
    (only without rematches)."""
    ends = [-1, *large, field.groups]
    odd = field.odd
    target = field.bye_group() if odd and not units.rematch else None
    # state: (parity of pairs into the next block, bye given) -> (weight, way there)
    states: dict[tuple[int, bool], tuple[int, tuple[Solved, ...], int | None]] = {
        (0, False): (0, (), None)
    }
    for at in range(len(ends) - 1):
        key = (ends[at], ends[at + 1])
        own = _byes(field, blocks, key, target, units) if odd else {}
        following: dict[tuple[int, bool], tuple[int, tuple[Solved, ...], int | None]] = {}
        for (upward, given), (weight, way, bye_group) in states.items():
            for byes in (None, own) if own and not given else (None,):
                found = blocks.solve(key, upward, byes, units)
                if found is None:
                    continue
                downward, solved = found
                here = (weight + solved.weight, (*way, solved), bye_group)
                state = (downward, given or byes is not None)
                if state not in following or here[0] < following[state][0]:
                    following[state] = here
        if ends[at + 1] < field.groups:
            following = _through(field, blocks, ends[at + 1], following, target, units)
        states = following
    best = states.get((0, odd))
    return None if best is None else Relaxed(best[0], best[1], tuple(large), best[2])


def _byes(
    field: Field, blocks: Blocks, key: Key, target: int | None, units: Units
) -> dict[int, int]:
    """Weight of the bye for each player of a block who may have it."""
    if not units.rematch:
        if target is None or not key[0] < target < key[1]:
            return {}
        return {one: 0 for one in blocks.members[target] if field.byes[one] == field.fewest}
    return {
        one: (field.byes[one] - field.fewest) * units.bye_count
        + field.bye_level(one) * units.bye_level
        for level in range(key[0] + 1, key[1])
        for one in blocks.members[level]
    }


def _through(
    field: Field,
    blocks: Blocks,
    group: int,
    states: Mapping[tuple[int, bool], tuple[int, tuple[Solved, ...], int | None]],
    target: int | None,
    units: Units,
) -> dict[tuple[int, bool], tuple[int, tuple[Solved, ...], int | None]]:
    """Pass a large group: what is left of it must be even, the bye taken out or not."""
    size = len(blocks.members[group])
    passed: dict[tuple[int, bool], tuple[int, tuple[Solved, ...], int | None]] = {}
    weight_here: int | None = None
    if field.odd and units.rematch:
        fewest = min(field.byes[one] for one in blocks.members[group]) - field.fewest
        weight_here = fewest * units.bye_count + (field.groups - 1 - group) * units.bye_level
    elif group == target:
        weight_here = 0
    for (downward, given), (weight, way, bye_group) in states.items():
        choices: list[tuple[tuple[int, bool], int, int | None]] = [
            (((size + downward) % 2, given), weight, bye_group)
        ]
        if weight_here is not None and not given:
            choices.append((((size + 1 + downward) % 2, True), weight + weight_here, group))
        for state, total, holder in choices:
            if state not in passed or total < passed[state][0]:
                passed[state] = (total, way, holder)
    return passed
