"""When the next round can be paired: an estimate, and said as one.

The last slip decides. A table's slip comes some time after the table's end; how long is usual is
taken from the slips of this event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from tournaments.domain.round_clock import moment, text_of

FIRST_GUESS_S = 240
"""Seconds from the end of a table to its slip, before the event has shown its own."""
ENOUGH = 3
"""Slips from which on the event's own time is taken."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`at`: the moment (UTC text) the last slip may be in. `usual_s`: seconds from end to slip
    that were taken; `samples`: how many slips it was taken from, 0: a first guess."""

    at: str
    usual_s: int
    samples: int


def usual(delays: Sequence[int]) -> tuple[int, int]:
    """Return (seconds from end to slip, number of slips they were taken from): the upper quartile,
    because it is the late tables for which everybody waits."""
    known = sorted(one for one in delays if one >= 0)
    if len(known) < ENOUGH:
        return FIRST_GUESS_S, 0
    return known[-(-3 * len(known) // 4) - 1], len(known)


def predict(now: str, ends: Sequence[str], delays: Sequence[int]) -> Estimate | None:
    """Estimate when the last of the open tables has its slip.

    `ends` are the ends of the open tables (UTC text), `delays` the seconds from end to slip of
    this event. A table whose usual time is over is expected within half of it again. None: no
    table is open, or the clock stands still so that nobody knows.
    """
    if not ends or not all(ends):
        return None
    usual_s, samples = usual(delays)
    last = max(moment(one) for one in ends) + timedelta(seconds=usual_s)
    soonest = moment(now) + timedelta(seconds=usual_s // 2)
    return Estimate(text_of(max(last, soonest)), usual_s, samples)
