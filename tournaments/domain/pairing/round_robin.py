"""Everybody meets everybody once (or twice): the circle method."""

from __future__ import annotations

from collections.abc import Sequence

Round = tuple[tuple[tuple[str, str], ...], str | None]
"""Pairs of a round, and who has it free."""


def rounds(players: Sequence[str], *, twice: bool = False) -> list[Round]:
    """Return all rounds, in the order of the players given: n - 1 for an even field, n with one
    free in each for an odd one; twice as many when everybody meets twice, sides exchanged.

    Who stands first in a pair sits on P1; over the rounds it is each as often as the other, or
    once more. Raises ValueError for fewer than two players, or one named twice.
    """
    if len(players) < 2:
        raise ValueError("a round robin needs two players")
    if len(set(players)) != len(players):
        raise ValueError("a player stands in the field twice")
    circle: list[str | None] = list(players)
    if len(circle) % 2:
        circle.append(None)
    size = len(circle)
    made: list[Round] = []
    for number in range(size - 1):
        pairs: list[tuple[str, str]] = []
        free: str | None = None
        for at in range(size // 2):
            one, two = circle[at], circle[size - 1 - at]
            if one is None or two is None:
                free = one or two
            elif (at == 0 and number % 2) or (at and at % 2):
                pairs.append((two, one))
            else:
                pairs.append((one, two))
        made.append((tuple(pairs), free))
        # The first stays, all others move on by one.
        circle = [circle[0], circle[-1], *circle[1:-1]]
    if twice:
        made += [(tuple((two, one) for one, two in pairs), free) for pairs, free in made]
    return made
