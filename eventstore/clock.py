"""The one clock of the product, injectable so that tests and rehearsals can move it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_clock: ContextVar[Callable[[], datetime] | None] = ContextVar("clock", default=None)


def now() -> datetime:
    """Return the current time, aware, in UTC."""
    source = _clock.get()
    return source() if source else datetime.now(UTC)


def as_text(moment: datetime) -> str:
    """Write a moment as UTC text with microseconds and Z, the form in which times are stored."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


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
