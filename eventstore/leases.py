"""Leases: one process at a time does a thing, and a process that was killed loses it.

A table of such things has the columns `holder` and `lease_until`. Whoever takes a row writes its
own token and an end there in one conditional UPDATE, which only one of many can win; while it
works a thread moves the end on. A process that died moves nothing, so the row can be taken again
when the end has passed. The clocks of the machines must agree within a few seconds (NTP).
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import QuerySet

from eventstore import clock

Rows = Callable[[], "QuerySet[Any]"]


class LeaseLost(Exception):
    """Another process has taken over what this one was doing: it must stop."""


def end() -> datetime:
    """Return until when a lease that is taken or renewed now lasts."""
    return clock.now() + timedelta(seconds=settings.LEASE_SECONDS)


def _renew(rows: Rows, stop: threading.Event) -> None:
    try:
        while not stop.wait(settings.LEASE_SECONDS / 4):
            try:
                if not rows().update(lease_until=end()):
                    return
            except DatabaseError as fault:  # the lease may outlast it; the next turn tries again
                structlog.get_logger("leases").warning("lease not renewed", fault=str(fault))
                connection.close()
    finally:
        connection.close()


@contextmanager
def renewed(rows: Rows) -> Iterator[None]:
    """Keep a lease alive while the block runs. `rows` selects the row as long as it is ours."""
    stop = threading.Event()
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=context.run, args=(_renew, rows, stop), name="lease", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
