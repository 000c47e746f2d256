"""Time and ids of a rehearsal that leaves nothing behind: both repeat with the seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from eventstore import clock, ids

DAY_OPENS = datetime(2026, 1, 10, 9, 0, tzinfo=UTC)
STEP = timedelta(seconds=1)


@contextmanager
def clockwork(seed: int) -> Iterator[None]:
    """Inside the block each look at the clock finds it a second later, and ids are drawn from
    the seed: the same seed gives the same log, to the byte."""
    now = DAY_OPENS

    def tick() -> datetime:
        nonlocal now
        now += STEP
        return now

    with clock.clock_set(tick), ids.ids_from(random.Random(f"ids {seed}")):
        yield
