"""Reads of the clock of a round."""

from __future__ import annotations

from dataclasses import dataclass

from eventstore import clock as house
from people.domain.actor import Actor
from tournaments.domain.round_clock import RoundClock, left
from tournaments.models import RoundRow
from tournaments.selectors.sides import readable


@dataclass(frozen=True, slots=True)
class ClockView:
    """The clock of a round as it stands now. `left_s` below zero: the time is over that long;
    `ends_at` is empty while it is paused."""

    round: int
    running: bool
    left_s: int
    seconds: int
    ends_at: str

    @property
    def over(self) -> bool:
        """Whether the time of the round is over."""
        return self.left_s <= 0


def round_clock(viewer: Actor, event_id: str, number: int | None = None) -> ClockView | None:
    """Return the clock of a published round (None: of the newest one): two queries. None while
    it was not started. Raises NotAllowed."""
    readable(viewer, event_id, "tournaments.pairings_read")
    return clock_of(event_id, number)


def clock_of(event_id: str, number: int | None = None) -> ClockView | None:
    """The same for rooms that have asked for the right already: one query."""
    rows = RoundRow.objects.filter(event_id=event_id, published=True)
    if number is not None:
        rows = rows.filter(number=number)
    row = rows.order_by("-number").first()
    return None if row is None else clock_in(row)


def clock_in(row: RoundRow) -> ClockView | None:
    """The clock of a round that was read already: no query."""
    if row.clock_seconds is None or not row.published:
        return None
    held = RoundClock(row.clock_seconds, row.clock_ends_at, row.clock_left_s)
    now = house.as_text(house.now())
    return ClockView(row.number, held.running, left(held, now), held.seconds, held.ends_at)
