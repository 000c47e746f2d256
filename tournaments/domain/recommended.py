"""What a version of the policy advises: Swiss rounds and places in the cut for a field.

The versions are data (tournaments/data/policies.toml); an event keeps the one it goes by. The
cut is the least one, and optional when announced beforehand. An organiser may deviate.
"""

from __future__ import annotations

from tournaments.domain.round_events import Policy

LEAST_PLAYERS = 4


def advice(policy: Policy, players: int) -> tuple[int, int]:
    """Return (Swiss rounds, places in the cut) for a number of players.

    >>> small = Policy("p", ((8, 3, 0), (0, 4, 4)), 4, 3, 10, 45, ())
    >>> advice(small, 8), advice(small, 9)
    ((3, 0), (4, 4))
    """
    for most, rounds, cut in policy.rows:
        if players <= most or most == 0:
            return rounds, cut
    return policy.rows[-1][1], policy.rows[-1][2]


def least_players(policy: Policy | None) -> int:
    """Return the fewest players an event starts with."""
    return policy.least_players if policy is not None else LEAST_PLAYERS
