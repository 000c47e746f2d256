"""The one clock of the product, injectable so that tests and rehearsals can move it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_clock: ContextVar[Callable[[], datetime] | None] = ContextVar("clock", default=None)


_second: tuple[datetime | None, str] = (None, "")


def now() -> datetime:
    """Return the current time, aware, in UTC."""
    source = _clock.get()
    return source() if source else datetime.now(UTC)


def milliseconds() -> int:
    """Return the current time in whole milliseconds since 1970."""
    source = _clock.get()
    return int(source().timestamp() * 1000) if source else time.time_ns() // 1_000_000


def as_text(moment: datetime) -> str:
    """Write a moment as UTC text with microseconds and Z, the form in which times are stored."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    global _second
    second = moment.replace(microsecond=0)
    known, text = _second
    if known != second:  # writing a second out costs more than all else here: the last is kept
        text = second.isoformat()[:19]
        _second = (second, text)
    return f"{text}.{moment.microsecond:06}Z"


def from_text(text: str) -> datetime:
    """Read the stored form of a time; raises ValueError."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


@contextmanager
def clock_set(source: Callable[[], datetime]) -> Iterator[None]:
    """Use another clock inside the block."""
    token = _clock.set(source)
    try:
        yield
    finally:
        _clock.reset(token)
