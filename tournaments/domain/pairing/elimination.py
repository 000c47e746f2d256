"""The bracket of a single elimination of any size, with byes for the best seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Slots = tuple[str | None, ...]


def order(size: int) -> list[int]:
    """Return the seeds in the order of the bracket for a power of two.

    >>> order(8)
    [1, 8, 4, 5, 2, 7, 3, 6]
    """
    seeds = [1]
    while len(seeds) < size:
        both = 2 * len(seeds) + 1
        seeds = [one for seed in seeds for one in (seed, both - seed)]
    return seeds


def first_round(seeds: Sequence[str]) -> Slots:
    """Return the places of the first round, two by two; None faces a bye.

    >>> first_round(["a", "b", "c"])
    ('a', None, 'b', 'c')
    """
    size = 1
    while size < len(seeds):
        size *= 2
    return tuple(seeds[seed - 1] if seed <= len(seeds) else None for seed in order(size))


def next_round(slots: Sequence[str | None], winners: Mapping[tuple[str, str], str]) -> Slots:
    """Return the places of the round after: the winner of each two, byes without a match.

    `winners` by the two entrants of a match; a match without one leaves the place empty.
    """
    following: list[str | None] = []
    for at in range(0, len(slots), 2):
        one, two = slots[at], slots[at + 1]
        if one is None or two is None:
            following.append(one if two is None else two)
        else:
            following.append(winners.get((one, two)))
    return tuple(following)


def without(slots: Sequence[str | None], gone: frozenset[str]) -> Slots:
    """Return the places with those who left taken out: their opponents advance."""
    return tuple(None if one in gone else one for one in slots)


def matches(slots: Sequence[str | None]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return (pairs to play, entrants who advance without a match), in bracket order."""
    pairs: list[tuple[str, str]] = []
    byes: list[str] = []
    for at in range(0, len(slots), 2):
        one, two = slots[at], slots[at + 1]
        if one is not None and two is not None:
            pairs.append((one, two))
        elif one is not None or two is not None:
            byes.append(one or two or "")
    return pairs, byes
