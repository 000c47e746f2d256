"""Standings by named, versioned systems: points, tie-breaks, the printed code, an explanation of
each number (docs/standings.md)."""

from tournaments.domain.standings.moves import Move, moves
from tournaments.domain.standings.order import final_order
from tournaments.domain.standings.rows import Facing, Standing, explain, standings
from tournaments.domain.standings.switches import SYSTEMS, USED, Switches, chosen, full_name
from tournaments.domain.standings.systems import code

__all__ = [
    "SYSTEMS",
    "USED",
    "Facing",
    "Move",
    "Standing",
    "Switches",
    "chosen",
    "code",
    "explain",
    "final_order",
    "full_name",
    "moves",
    "standings",
]
