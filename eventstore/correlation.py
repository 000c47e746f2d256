"""One id that leads from a request to its events, its background work and its log lines.

The edge sets it (config.requests), a command's Context takes it up and its events keep it in
their meta; a row of the outbox carries it to the job, a follower takes it from the event that it
handles. It is random, says nothing about anybody, and no rule depends on it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SHAPE = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{7,63}")
"""What an id of another program may look like: 8 to 64 signs that need no quoting anywhere."""
_TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")
_current: ContextVar[str | None] = ContextVar("correlation", default=None)

current = _current.get
"""Return the id under which this code runs, None where nobody set one."""


def new() -> str:
    """Return a new id: 32 hexadecimal digits, as a trace id of W3C Trace Context."""
    return secrets.token_hex(16)


def read(request_id: str, traceparent: str = "") -> str | None:
    """Return the id that the headers X-Request-ID and traceparent (W3C Trace Context, level 1)
    name, the first of them that has the right shape; None without one."""
    if SHAPE.fullmatch(request_id):
        return request_id
    found = _TRACEPARENT.fullmatch(traceparent)
    return found[1] if found and found[1].strip("0") else None


@contextmanager
def following(one: str | None) -> Iterator[None]:
    """Run the block under an id, or under none."""
    token = _current.set(one)
    try:
        yield
    finally:
        _current.reset(token)
