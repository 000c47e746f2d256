"""Identifiers made at the edge: UUID version 7 (RFC 9562), which sort by time."""

from __future__ import annotations

import os
import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from eventstore import clock

_random: ContextVar[random.Random | None] = ContextVar("id_random", default=None)


def new_id() -> str:
    """Return a new UUIDv7 as text."""
    time = f"{clock.milliseconds() & (2**48 - 1):012x}"
    source = _random.get()
    bits = source.getrandbits(74) if source else int.from_bytes(os.urandom(10), "big") >> 6
    high, low = 7 << 12 | bits >> 62, f"{2 << 62 | bits & (2**62 - 1):016x}"
    return f"{time[:8]}-{time[8:]}-{high:04x}-{low[:4]}-{low[4:]}"


def is_id(text: str) -> bool:
    """Say whether `text` is a UUID in canonical lower-case form."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


@contextmanager
def ids_from(source: random.Random) -> Iterator[None]:
    """Draw ids from a seeded source inside the block (rehearsals and the demo)."""
    token = _random.set(source)
    try:
        yield
    finally:
        _random.reset(token)
