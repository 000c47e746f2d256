"""The outbox: background work written in the command's own transaction.

A row can therefore never run before its command is committed, and is never lost with it. In
the embedded mode one worker thread drains the table (`eventstore.worker`); with Celery the
row id is handed over on commit and a beat task picks up what was missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from eventstore import clock
from eventstore.models import OutboxRow

Job = Callable[[dict[str, Any]], None]
MAX_ATTEMPTS = 5

_jobs: dict[str, Job] = {}
_held: ContextVar[bool] = ContextVar("outbox_held", default=False)


class NotCommitted(RuntimeError):
    """Work was enqueued outside a transaction."""


class Later(Exception):
    """Raised by a job that is to run again after some seconds; that is no failed attempt."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"in {seconds:.0f} s")
        self.seconds = max(0.0, seconds)


def job(topic: str) -> Callable[[Job], Job]:
    """Register the handler of a topic: `handler(payload)`. It must stand being run twice."""

    def register(handler: Job) -> Job:
        if topic in _jobs:
            raise ValueError(f"outbox topic {topic} is taken")
        _jobs[topic] = handler
        return handler

    return register


def enqueue(topic: str, payload: dict[str, Any]) -> None:
    """Write one row of work into the running transaction; nothing during a rebuild.

    Raises NotCommitted outside a transaction, KeyError for an unknown topic.
    """
    if _held.get():
        return
    if not connection.in_atomic_block:
        raise NotCommitted(topic)
    if topic not in _jobs:
        raise KeyError(topic)
    row = OutboxRow.objects.create(topic=topic, payload=payload, created_at=clock.now())
    if settings.BACKGROUND == "celery":
        from config.celery import run_outbox_row

        transaction.on_commit(lambda: run_outbox_row.delay(row.pk))


@contextmanager
def held_back() -> Iterator[None]:
    """Enqueue nothing inside the block: a rebuild sends nothing out again."""
    token = _held.set(True)
    try:
        yield
    finally:
        _held.reset(token)


def _due() -> QuerySet[OutboxRow]:
    """Rows that are open and whose time has come."""
    due = Q(not_before=None) | Q(not_before__lte=clock.now())
    return OutboxRow.objects.filter(due, done_at=None, attempts__lt=MAX_ATTEMPTS)


def run_row(pk: int) -> bool:
    """Run one row if it is still open and due; return whether it is done. A failure is kept on
    the row; a job that says Later keeps its row open."""
    row = _due().filter(pk=pk).first()
    if row is None:
        return not OutboxRow.objects.filter(pk=pk, done_at=None).exists()
    row.attempts += 1
    try:
        _jobs[row.topic](row.payload)
    except Later as later:
        row.attempts -= 1
        row.not_before = clock.now() + timedelta(seconds=later.seconds)
        row.save(update_fields=["attempts", "not_before"])
        return False
    except Exception as fault:
        row.error = f"{type(fault).__name__}: {fault}"[:2000]
        row.save(update_fields=["attempts", "error"])
        return False
    row.error = ""
    row.done_at = clock.now()
    row.save(update_fields=["attempts", "error", "done_at"])
    return True


def drain(limit: int = 100) -> int:
    """Run rows that are due, oldest first; return how many were tried."""
    keys = list(_due().order_by("pk").values_list("pk", flat=True)[:limit])
    for pk in keys:
        run_row(pk)
    return len(keys)
