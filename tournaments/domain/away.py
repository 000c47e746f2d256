"""Time that does not count because the server was away: pure functions over such spans.

A span is (since, until) in UTC text, which sorts as time does. Spans of one event do not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tournaments.domain.round_clock import moment, text_of

Span = tuple[str, str]


def overlap(spans: Sequence[Span], begun: str, now: str) -> timedelta:
    """Return how long between `begun` and `now` the server was away.

    >>> overlap([("2026-01-01T10:05:00.000000Z", "2026-01-01T10:14:00.000000Z")],
    ...         "2026-01-01T10:00:00.000000Z", "2026-01-01T10:10:00.000000Z")
    datetime.timedelta(seconds=300)
    """
    gone = timedelta()
    for since, until in spans:
        first, last = max(since, begun), min(until, now)
        if first < last:
            gone += _between(first, last)
    return gone


def overlap_s(spans: Sequence[Span], begun: str, now: str) -> int:
    """Return the whole seconds of `overlap`."""
    return int(overlap(spans, begun, now) // timedelta(seconds=1))


def counted_from(spans: Sequence[Span], begun: str, now: str) -> str:
    """Return the moment from which a clock that began at `begun` and stood while the server was
    away would show the same at `now`: `begun`, later by what does not count."""
    gone = overlap(spans, begun, now)
    return text_of(moment(begun) + gone) if gone else begun


def _between(first: str, last: str) -> timedelta:
    return datetime.fromisoformat(last) - datetime.fromisoformat(first)
