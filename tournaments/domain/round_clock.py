"""The clock of a round: started once, paused, resumed, put right; a pure fold of its events.

Times are UTC text as in the log. Below zero the clock goes on counting: how long the round has
been over is what end-of-match procedures ask.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from eventstore.domain.registry import DomainEvent
from tournaments import events as ev


@dataclass(frozen=True, slots=True)
class RoundClock:
    """`seconds` is the length it was started with. Running: `ends_at`; paused: `left_s`."""

    seconds: int
    ends_at: str = ""
    left_s: int = 0

    @property
    def running(self) -> bool:
        """Whether it counts down now."""
        return bool(self.ends_at)


def moment(text: str) -> datetime:
    """Read a time of the log."""
    return datetime.fromisoformat(text)


def text_of(when: datetime) -> str:
    """Write a time as the log does: UTC, microseconds, Z."""
    return when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def left(clock: RoundClock, now: str) -> int:
    """Return the whole seconds left at `now`, rounded up; below zero: that long over."""
    if not clock.running:
        return clock.left_s
    rest = moment(clock.ends_at) - moment(now)
    return -int(-rest.total_seconds() // 1)


def evolve(clock: RoundClock | None, event: DomainEvent) -> RoundClock | None:
    """Apply one event of the clock; others leave it as it is."""
    match event:
        case ev.ClockStarted():
            end = moment(event.at) + timedelta(seconds=event.seconds)
            return RoundClock(event.seconds, text_of(end))
        case ev.ClockPaused() if clock is not None:
            return replace(clock, ends_at="", left_s=left(clock, event.at))
        case ev.ClockResumed() if clock is not None:
            end = moment(event.at) + timedelta(seconds=clock.left_s)
            return replace(clock, ends_at=text_of(end), left_s=0)
        case ev.ClockAdjusted() if clock is not None:
            if not clock.running:
                return replace(clock, left_s=clock.left_s + event.by_s)
            end = moment(clock.ends_at) + timedelta(seconds=event.by_s)
            return replace(clock, ends_at=text_of(end))
        case _:
            return clock
