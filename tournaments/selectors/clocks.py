"""Reads of the clock of a round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eventstore import clock as house
from eventstore.prepared import prepared
from people.domain.actor import Actor
from tournaments.domain.round_clock import RoundClock, moment
from tournaments.domain.table_time import table_time
from tournaments.models import MatchRow, RoundRow
from tournaments.selectors.sides import readable


@dataclass(frozen=True, slots=True)
class ClockView:
    """The clock of a round, or of one table of it, as it stands now. `left_s` below zero: the time
    is over that long; `ends_at` is empty while it is paused; `extension_s` is what the table has
    beyond the round."""

    round: int
    running: bool
    left_s: int
    seconds: int
    ends_at: str
    extension_s: int = 0

    @property
    def extension_minutes(self) -> int:
        """The extension in minutes, rounded up, as it is said."""
        return -(-self.extension_s // 60)

    @property
    def ends_ms(self) -> int:
        """When it ends, in milliseconds since 1970; only of a clock that runs."""
        return int(moment(self.ends_at).timestamp() * 1000)

    @property
    def over(self) -> bool:
        """Whether the time of the round is over."""
        return self.left_s <= 0


_PARTS = ("number", "published", "clock_seconds", "clock_ends_at", "clock_left_s")
"""What a clock is made of: the rest of a round is as long as its field of players."""


@prepared
def round_rows(event_id: Any, number: Any) -> Any:
    """A round with what its clock is made of, unguarded: for `clock_in`."""
    return RoundRow.objects.filter(event_id=event_id, number=number).order_by().only(*_PARTS)


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
    row = rows.order_by("-number").only(*_PARTS).first()
    return None if row is None else clock_in(row)


def table_clock(row: MatchRow) -> ClockView | None:
    """The clock of one table, with its own end, for who has asked for the right already: one
    query. None while the clock of its round was not started."""
    found = round_rows(row.event_id, row.round)
    return clock_in(found[0], row.extension_s) if found else None


def clock_in(row: RoundRow, extension_s: int = 0) -> ClockView | None:
    """The clock of a round that was read already, of a table with this extension: no query."""
    if row.clock_seconds is None or not row.published:
        return None
    held = RoundClock(row.clock_seconds, row.clock_ends_at, row.clock_left_s)
    time = table_time(held, extension_s, house.as_text(house.now()))
    return ClockView(row.number, held.running, time.left_s, held.seconds, time.ends_at, extension_s)
