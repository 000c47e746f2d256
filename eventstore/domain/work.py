"""What becomes of a piece of background work after a try. Pure: time and chance are arguments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

WAITING, RUNNING, FAILED, DONE, GIVEN_UP = "waiting", "running", "failed", "done", "given_up"
STATES = (WAITING, RUNNING, FAILED, DONE, GIVEN_UP)
"""`failed` is tried again at its time; `given_up` only when somebody asks for it."""
OPEN = (WAITING, FAILED, RUNNING)

FIRST_PAUSE = timedelta(seconds=5)
GROWTH = 4
LONGEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Next:
    """The state after a try that failed, and before when it is not tried again."""

    state: str
    not_before: datetime | None = None


def grown(first: timedelta, failures: int) -> timedelta:
    """Return a pause that began with `first` and grew with each failure in a row, at most an hour.

    >>> [grown(timedelta(seconds=15), tries).total_seconds() for tries in (0, 1, 2, 3, 99)]
    [15.0, 15.0, 60.0, 240.0, 3600.0]
    """
    times: int = GROWTH ** min(max(failures - 1, 0), 10)
    return min(first * times, LONGEST_PAUSE)


def pause(failures: int, chance: float) -> timedelta:
    """Return how long work rests after so many failures in a row.

    5 s, 20 s, 80 s ... at most an hour, of which `chance` (0 <= chance < 1) takes away up to a
    half, so that what failed together does not come again together.
    """
    return grown(FIRST_PAUSE, failures) * (1 - chance / 2)


def after_failure(attempts: int, most: int, chance: float, now: datetime) -> Next:
    """Return what comes after the failed try number `attempts` of at most `most`."""
    if attempts >= most:
        return Next(GIVEN_UP)
    return Next(FAILED, now + pause(attempts, chance))
