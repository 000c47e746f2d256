"""The worker threads of the embedded mode, while the server runs.

Three, so that nothing waits for what takes long: short work of the outbox and the followers; long
work of the outbox; periodic work. Several servers on one database may each have them: every row
is taken by one (`eventstore.leases`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog
from django.db import close_old_connections

from eventstore import outbox, periodic, subscriptions, wakeup

IDLE_SECONDS = 1.0
APART_SECONDS = 0.25
SHARE = 5
"""While commands come without a pause, turns begin so far apart, and take at most one part in so
many of the time: what can come half a second later must not slow the commands down."""
LONGEST_PAUSE_SECONDS = 2.0

_started = threading.Event()


def _short() -> int:
    tried = outbox.drain(limit=20, lane="")
    subscriptions.turn()
    return tried


def _long() -> int:
    return outbox.drain(limit=1, lane=outbox.LONG)


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
        ("periodic", lambda: _tick(periodic.turn, stop)),
    ):
        threading.Thread(target=run, name=name, daemon=True).start()
