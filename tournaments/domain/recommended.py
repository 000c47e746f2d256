"""Recommended numbers of Swiss rounds and of places in the cut, as data with a version.

Source: the publisher's tournament policy 2.3 (in force to September 2025). The cut is the
least one, and optional when announced beforehand. An organiser may deviate.
"""

from __future__ import annotations

TABLE = "policy-2.3"
ROWS: tuple[tuple[int, int, int], ...] = (
    (8, 3, 0),
    (16, 4, 4),
    (32, 5, 4),
    (64, 6, 8),
    (128, 7, 8),
    (256, 8, 16),
    (512, 9, 16),
    (1024, 10, 32),
    (2048, 11, 32),
)
"""(at most this many players, rounds, places in the cut)."""
BEYOND = (12, 64)
LEAST_PLAYERS = 4


def rounds_and_cut(players: int) -> tuple[int, int]:
    """Return (Swiss rounds, places in the cut) for a number of players.

    >>> rounds_and_cut(21), rounds_and_cut(129)
    ((5, 4), (8, 16))
    """
    for most, rounds, cut in ROWS:
        if players <= most:
            return rounds, cut
    return BEYOND
