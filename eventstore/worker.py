"""The worker threads of the embedded mode, while the server runs.

Three, so that nothing waits for what takes long: short work of the outbox and the followers; long
work of the outbox; periodic work. Several servers on one database may each have them: every row
is taken by one (`eventstore.leases`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import structlog
from django.db import close_old_connections

from eventstore import outbox, periodic, subscriptions, wakeup

IDLE_SECONDS = 1.0

_started = threading.Event()


def _short() -> int:
    tried = outbox.drain(limit=20, lane="")
    subscriptions.turn()
    return tried


def _long() -> int:
    return outbox.drain(limit=1, lane=outbox.LONG)


def _work(name: str, turn: Callable[[], int], stop: threading.Event) -> None:
    log = structlog.get_logger(name)
    watch = wakeup.Watch()
    while not stop.is_set():
        tried = 0
        try:
            close_old_connections()
            tried = turn()
        except Exception:
            log.exception("background work failed")
        finally:
            close_old_connections()
        if not tried:
            watch.wait(IDLE_SECONDS)
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
