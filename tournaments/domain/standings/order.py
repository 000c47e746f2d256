"""An order without ties, where one is needed: the cut."""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.domain import records
from tournaments.domain.standings.rows import Standing


def final_order(
    rows: Sequence[Standing], played: Sequence[records.Played], lot: Sequence[str]
) -> list[str]:
    """Return the entrants in an order without ties, best first.

    Two that are equal and have met once with a winner go by that match; others that are equal
    go by the lot: their order in `lot` (drawn by the caller, with its seed in the event).
    """
    drawn = {one: place for place, one in enumerate(lot)}
    ordered: list[str] = []
    index = 0
    while index < len(rows):
        tied = [row.entrant_id for row in rows if row.rank == rows[index].rank]
        if len(tied) == 2:
            better = _head_to_head(tied[0], tied[1], played)
            if better is not None:
                tied.sort(key=lambda one: one != better)
            else:
                tied.sort(key=lambda one: drawn.get(one, len(drawn)))
        elif len(tied) > 2:
            tied.sort(key=lambda one: drawn.get(one, len(drawn)))
        ordered += tied
        index += len(tied)
    return ordered


def _head_to_head(one: str, two: str, played: Sequence[records.Played]) -> str | None:
    winners = {
        match.p1 if match.winner == "P1" else match.p2
        for match in played
        if {match.p1, match.p2} == {one, two} and match.winner in ("P1", "P2")
    }
    return winners.pop() if len(winners) == 1 else None
