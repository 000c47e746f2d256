"""The end of one table: the clock of the round and the extensions of that table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments.domain import floor_events as floor
from tournaments.domain.match import Match
from tournaments.domain.round_clock import RoundClock, left, moment, text_of

MOST_EXTENSION_S = 2 * 3600
"""Most seconds of extension a table can have from one source."""


@dataclass(frozen=True, slots=True)
class TableTime:
    """The time of a table as it stands. `left_s` below zero: over that long. `ends_at` UTC text,
    empty while the round's clock is paused. `extension_s` is what it has beyond the round."""

    left_s: int
    ends_at: str
    extension_s: int

    @property
    def over(self) -> bool:
        """Whether the table's own time is over."""
        return self.left_s <= 0


def table_time(clock: RoundClock, extension_s: int, now: str) -> TableTime:
    """Return the time of a table of a round at `now` (UTC text)."""
    end = ""
    if clock.running:
        end = text_of(moment(clock.ends_at) + timedelta(seconds=extension_s))
    return TableTime(left(clock, now) + extension_s, end, extension_s)


def extend(
    state: Match, *, source: str, seconds: int, note: str | None = None
) -> list[DomainEvent] | Refusal:
    """Give the table `seconds` from a source, whatever the source gave before. No event when
    nothing changes. Refused with `tournaments.match_unknown`,
    `tournaments.extension_range{found, allowed}`."""
    if not state.match_id:
        return Refusal("tournaments.match_unknown")
    if not 0 <= seconds <= MOST_EXTENSION_S:
        return Refusal(
            "tournaments.extension_range", {"found": seconds, "allowed": MOST_EXTENSION_S}
        )
    if state.extensions.get(source, 0) == seconds:
        return []
    return [floor.TimeExtended(state.match_id, state.event_id, state.round, source, seconds, note)]
