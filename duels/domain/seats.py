"""The seats of a duel of two."""

from __future__ import annotations

P1, P2, DRAW = "P1", "P2", "draw"
PLAYERS = (P1, P2)


def other(player: str) -> str:
    """Return the opponent of P1 or P2."""
    return P2 if player == P1 else P1


VIEWERS = ("public", "p1", "p2", "judge")
"""Whose knowledge a view may hold."""
