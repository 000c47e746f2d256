"""Lots: which of N cards that nobody can tell apart, drawn in front of both and recorded.

A rewind that puts back a card out of a mixed hand needs one. It names places, not cards, and
changes nothing on the table: it is evidence of what the judge did at it.
"""

from __future__ import annotations

import random

from duels.domain.events import LotDrawn, Seat
from eventstore.domain.refusal import Refusal

MOST = 200


def draw_lot(
    about: Seat, of: int, n: int, *, seed: str, by: str, ruling: str | None = None
) -> LotDrawn | Refusal:
    """Draw `n` of the places 1 to `of` of the hand of `about`. The seed is drawn at the edge.

    Refused with `duels.lot_malformed` when there are not so many, or there is nothing to draw.
    """
    if not 1 <= of <= MOST or not 1 <= n <= of:
        return Refusal("duels.lot_malformed", {"found": [n, of], "allowed": [1, of]})
    places = random.Random(f"headjudge-lot:{seed}").sample(range(1, of + 1), n)
    return LotDrawn(about, of, sorted(places), seed, by, ruling)
