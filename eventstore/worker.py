"""The one worker thread of the embedded mode: it drains the outbox and brings followers and
asynchronous projections forward while the server runs."""

from __future__ import annotations

import threading

import structlog
from django.db import close_old_connections

from eventstore import outbox, subscriptions, wakeup

IDLE_SECONDS = 1.0

_started = threading.Event()


def _work(stop: threading.Event) -> None:
    log = structlog.get_logger("outbox")
    watch, pauses = wakeup.Watch(), subscriptions.Pauses()
    while not stop.is_set():
        tried = 0
        try:
            close_old_connections()
            tried = outbox.drain()
            subscriptions.turn(pauses, poll=IDLE_SECONDS)
        except Exception:
            log.exception("background work failed")
        finally:
            close_old_connections()
        if not tried:
            watch.wait(IDLE_SECONDS)
    watch.close()


def start() -> None:
    """Start the thread once per process."""
    if _started.is_set():
        return
    _started.set()
    threading.Thread(target=_work, args=(threading.Event(),), name="outbox", daemon=True).start()
