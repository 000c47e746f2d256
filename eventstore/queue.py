"""The queue before SQLite's write lock.

SQLite lets writers wait with growing pauses, so that one that has waited long loses against any
that just came: with sixteen processes some wait beyond every timeout. Commands therefore take a
lock on a file beside the database first, asked for at an even pace, where everybody has the same
chance at each turn. It is a courtesy only: whoever does not get it in time goes on to the
database's own lock. The kernel gives it back when a process dies.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PACE_SECONDS = 0.002


def _file(database: Any) -> int | None:
    """Return the open lock file of this connection, None where there is no file to lock."""
    name = str(database.settings_dict["NAME"])
    if database.vendor != "sqlite" or not name or ":memory:" in name or "mode=memory" in name:
        return None
    held = getattr(database, "eventstore_queue", None)
    # a forked child shares its parent's file, and with it the lock: it opens its own
    if held is None or held[0] != (os.getpid(), name):
        try:
            handle = os.open(f"{name}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return None  # the database itself will say what is wrong with the folder
        held = database.eventstore_queue = ((os.getpid(), name), handle)
    return int(held[1])


@contextmanager
def queued(database: Any) -> Iterator[None]:
    """Hold the turn among commands of all processes inside the block, where that is needed."""
    handle = None if database.in_atomic_block else _file(database)
    if handle is None:
        yield
        return
    patience = float(database.settings_dict["OPTIONS"].get("timeout", 5))
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() >= until:
                break
            time.sleep(PACE_SECONDS)
    try:
        yield
    finally:
        fcntl.flock(handle, fcntl.LOCK_UN)
