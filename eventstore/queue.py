"""The queue before SQLite's write lock.

SQLite lets writers wait with growing pauses, so that one that has waited long loses against any
that just came: with sixteen processes some wait beyond every timeout. Commands therefore take a
lock on a file beside the database first, asked for at an even pace, where everybody has the same
chance at each turn. Of the threads of a process one at a time asks for it; the others wait behind
that one and cost nothing. It is a courtesy only: whoever does not get it in time goes on to the
database's own lock. The kernel gives it back when a process dies.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

PACE_SECONDS = 0.002

Held = tuple[int, Any]
"""The lock file, and the lock of this process before it (None: not had in time)."""
_own: dict[tuple[int, str], Any] = {}


def _file(database: Any) -> int | None:
    """Return the open lock file of this connection, None where there is no file to lock."""
    if database.vendor != "sqlite":
        return None
    name = database.settings_dict["NAME"]
    held: tuple[int, Any, int] | None = getattr(database, "eventstore_queue", None)
    # a forked child shares its parent's file, and with it the lock: it opens its own
    if held is not None and held[0] == os.getpid() and held[1] == name:
        return held[2]
    text = str(name)
    if not text or ":memory:" in text or "mode=memory" in text:
        return None
    try:
        handle = os.open(f"{text}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return None  # the database itself will say what is wrong with the folder
    database.eventstore_queue = (os.getpid(), name, handle)
    return handle


def take(database: Any) -> Held | None:
    """Wait for the turn among the commands of all processes, where that is needed; returns what
    `leave` is to be given."""
    handle = _file(database)
    if handle is None:
        return None
    # a forked child must not inherit a lock that a thread of its parent holds
    key = (os.getpid(), str(database.settings_dict["NAME"]))
    own = _own.get(key) or _own.setdefault(key, threading.Lock())
    seconds = float(database.settings_dict["OPTIONS"].get("timeout", 5))
    until = time.monotonic() + seconds
    if not own.acquire(timeout=seconds):
        return handle, None
    try:
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if time.monotonic() >= until:
                break
            time.sleep(PACE_SECONDS)
    except BaseException:
        own.release()
        raise
    return handle, own


def leave(held: Held | None) -> None:
    """Give the turn back."""
    if held is not None:
        handle, own = held
        fcntl.flock(handle, fcntl.LOCK_UN)
        if own is not None:
            own.release()


@contextlib.contextmanager
def queued(database: Any) -> Iterator[None]:
    """Hold the turn inside the block, unless a transaction is running, which has it or does
    without."""
    held = None if database.in_atomic_block else take(database)
    try:
        yield
    finally:
        leave(held)
