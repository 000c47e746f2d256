"""The worker threads of the embedded mode, while the server runs.

Four, so that nothing waits for what takes long: short work of the outbox and the followers; long
work of the outbox; messages to servers elsewhere, each receiver's in a thread of its own; periodic
work. Several servers on one database may each have them: every row
is taken by one (`eventstore.leases`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog
from django.db import close_old_connections, connection

from eventstore import outbox, periodic, subscriptions, wakeup

IDLE_SECONDS = 1.0
APART_SECONDS = 0.25
SHARE = 5
"""While commands come without a pause, turns begin so far apart, and take at most one part in so
many of the time: what can come half a second later must not slow the commands down."""
LONGEST_PAUSE_SECONDS = 2.0
RECEIVERS_AT_ONCE = 4
"""Servers elsewhere that are spoken to at the same time by one process."""

_started = threading.Event()


def _short() -> int:
    tried = outbox.drain(limit=20, lane="")
    subscriptions.turn()
    return tried


def _long() -> int:
    return outbox.drain(limit=1, lane=outbox.LONG)


class Outside:
    """Starts a thread for each receiver that something is due for, some at a time."""

    def __init__(self) -> None:
        self._busy: set[str] = set()
        self._lock = threading.Lock()

    def turn(self) -> int:
        """Start what is due and has room; return how many threads were started."""
        with self._lock:
            room = RECEIVERS_AT_ONCE - len(self._busy)
            found = outbox.first_of_each(room, self._busy) if room > 0 else {}
            self._busy |= set(found)
        for receiver, pk in found.items():
            threading.Thread(
                target=self._speak, args=(receiver, pk), name="outside", daemon=True
            ).start()
        return len(found)

    def _speak(self, receiver: str, pk: int) -> None:
        try:
            _done(lambda: outbox.run_on(pk))
        finally:
            with self._lock:
                self._busy.discard(receiver)
        _done(self.turn)  # for who found no room
        connection.close()


def _done(call: Callable[[], object]) -> None:
    try:
        call()
    except Exception:
        structlog.get_logger("outbox").exception("background work failed")


def next_turn(began: float, ended: float) -> float:
    """Return when the next turn may begin, on the clock of the two moments, in seconds."""
    due = began + max(APART_SECONDS, SHARE * (ended - began))
    return max(ended, min(due, ended + LONGEST_PAUSE_SECONDS))


def _work(name: str, turn: Callable[[], int], stop: threading.Event) -> None:
    log = structlog.get_logger(name)
    watch = wakeup.Watch()
    while not stop.is_set():
        tried, began = 0, time.monotonic()
        try:
            close_old_connections()
            tried = turn()
        except Exception:
            log.exception("background work failed")
        finally:
            close_old_connections()
        if not tried:
            due = next_turn(began, time.monotonic())
            if watch.wait(IDLE_SECONDS):
                stop.wait(max(0.0, due - time.monotonic()))
    watch.close()


def _tick(turn: Callable[[], int], stop: threading.Event) -> None:
    log = structlog.get_logger("periodic")
    while not stop.wait(IDLE_SECONDS):
        try:
            close_old_connections()
            turn()
        except Exception:
            log.exception("background work failed")
        finally:
            close_old_connections()


def start() -> None:
    """Start the threads once per process."""
    if _started.is_set():
        return
    _started.set()
    stop = threading.Event()
    for name, run in (
        ("outbox", lambda: _work("outbox", _short, stop)),
        ("long work", lambda: _work("outbox", _long, stop)),
        ("messages", lambda: _work("outbox", Outside().turn, stop)),
        ("periodic", lambda: _tick(periodic.turn, stop)),
    ):
        threading.Thread(target=run, name=name, daemon=True).start()
