"""The outbox: background work written in the command's own transaction.

A row can therefore never run before its command is committed, and is never lost with it. In
the embedded mode threads of the server drain the table (`eventstore.worker`); with Celery the
row id is handed over on commit and a beat task picks up what was missed. Both call `run_row`.
docs/background.md tells how to write a job.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter
from typing import Any

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from eventstore import clock, measures, wakeup
from eventstore.correlation import current, following
from eventstore.domain import work
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.leases import LeaseLost, end, renewed
from eventstore.models import OutboxRow
from eventstore.runs import Run

Job = Callable[[dict[str, Any]], None]
LongJob = Callable[[dict[str, Any], Run], None]
MAX_ATTEMPTS = 6
"""How often a job is tried unless it says otherwise: with the pauses about half an hour."""
LONG = "long"
"""The lane of work that takes seconds or minutes: it does not hold up the short work."""
OUTSIDE = "outside"
"""The lane of messages to servers elsewhere, any of which may hang: one row at a time for each
receiver, so that it holds up nothing but what is for itself."""


@dataclass(frozen=True, slots=True)
class Handler:
    """What a topic does: its function, how often it is tried, and its lane."""

    call: Callable[[dict[str, Any], Run], None]
    attempts: int
    lane: str = ""


LOOKED_AT = 200
IN_A_ROW = 20
"""Outside rows that one look reads, and that are run for one receiver before others have a turn."""

CLAIMS = 1869968499
"""Class of the advisory locks under which PostgreSQL claims for a receiver."""

_handlers: dict[str, Handler] = {}
_held: ContextVar[bool] = ContextVar("outbox_held", default=False)


class NotCommitted(RuntimeError):
    """Work was enqueued outside a transaction."""


class Later(Exception):
    """Raised by a job that is to run again after some seconds; that is no failed attempt."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"in {seconds:.0f} s")
        self.seconds = max(0.0, seconds)


def _register(topic: str, handler: Handler) -> None:
    if topic in _handlers:
        raise ValueError(f"outbox topic {topic} is taken")
    _handlers[topic] = handler


def job(topic: str, *, attempts: int = MAX_ATTEMPTS) -> Callable[[Job], Job]:
    """Register the handler of a topic: `handler(payload)`. It must stand being run twice."""

    def register(handler: Job) -> Job:
        _register(topic, Handler(lambda payload, _run: handler(payload), attempts))
        return handler

    return register


def long_job(topic: str, *, attempts: int = MAX_ATTEMPTS) -> Callable[[LongJob], LongJob]:
    """Register the handler of work that takes long: `handler(payload, run)`.

    It tells its progress and its outcome to `run`, and must stand being run twice.
    """

    def register(handler: LongJob) -> LongJob:
        _register(topic, Handler(handler, attempts, LONG))
        return handler

    return register


def outside_job(topic: str, *, attempts: int = MAX_ATTEMPTS) -> Callable[[Job], Job]:
    """Register the handler of a topic that hands something to a server elsewhere:
    `handler(payload)`. It must stand being run twice; its rows name their `receiver`."""

    def register(handler: Job) -> Job:
        _register(topic, Handler(lambda payload, _run: handler(payload), attempts, OUTSIDE))
        return handler

    return register


def receiver_of(server: str) -> str:
    """Return what stands in a row for a server, which may be named by somebody's choice."""
    return hashlib.blake2s(server.lower().encode(), digest_size=16).hexdigest()


def topics() -> dict[str, Handler]:
    """Return every topic that has a handler."""
    return dict(_handlers)


def enqueue(
    topic: str,
    payload: dict[str, Any],
    *,
    asked_by: str = "",
    event_id: str = "",
    about: dict[str, Any] | None = None,
    correlation: str = "",
    not_before: Any = None,
    receiver: str = "",
) -> int | None:
    """Write one row of work into the running transaction and return its id; nothing, and None,
    during a rebuild.

    `asked_by` is the person who is shown it as the own job: the same work that this person asked
    for and that has not begun is not written twice, its id is returned. `event_id` is the event
    whose organiser sees it, `about` the parameters of the sentence that names it, `not_before` a
    time before which it does not run, `receiver` (receiver_of) the server elsewhere that an outside
    job speaks to. Raises NotCommitted outside a transaction, KeyError for an unknown topic,
    ValueError when a receiver is missing or too much.
    """
    if _held.get():
        return None
    if not connection.in_atomic_block:
        raise NotCommitted(topic)
    lane = _handlers[topic].lane
    if (lane == OUTSIDE) != bool(receiver):
        raise ValueError(f"outbox topic {topic}: a receiver belongs to an outside job")
    if asked_by and not_before is None:
        same = OutboxRow.objects.filter(topic=topic, asked_by=asked_by, event_id=event_id)
        waits = same.filter(payload=payload, state=work.WAITING, attempts=0).first()
        if waits is not None:
            return int(waits.pk)
    row = OutboxRow.objects.create(
        topic=topic,
        lane=lane,
        receiver=receiver,
        payload=payload,
        created_at=clock.now(),
        not_before=not_before,
        asked_by=asked_by,
        event_id=event_id,
        about=about or {},
        correlation=correlation or current() or "",
    )
    _hand_over(row.pk, row.lane)
    return int(row.pk)


def _hand_over(pk: int, lane: str) -> None:
    """Tell Celery, or the threads of this process, of a row once it is committed."""
    if settings.BACKGROUND == "thread":
        transaction.on_commit(wakeup.wake)
    elif settings.BACKGROUND == "celery":
        from config.celery import hand_over

        transaction.on_commit(lambda: hand_over(pk, lane))


@contextmanager
def held_back() -> Iterator[None]:
    """Enqueue nothing inside the block: a rebuild sends nothing out again."""
    token = _held.set(True)
    try:
        yield
    finally:
        _held.reset(token)


def due() -> QuerySet[OutboxRow]:
    """Rows whose time has come, and rows whose worker died."""
    now = clock.now()
    waiting = Q(state__in=[work.WAITING, work.FAILED]) & (
        Q(not_before=None) | Q(not_before__lte=now)
    )
    return OutboxRow.objects.filter(waiting | Q(state=work.RUNNING, lease_until__lte=now))


def _free() -> QuerySet[OutboxRow]:
    """Rows that are due and whose receiver nobody speaks to."""
    busy = OutboxRow.objects.filter(
        state=work.RUNNING, lease_until__gt=clock.now(), receiver=OuterRef("receiver")
    )
    return due().filter(Q(receiver="") | ~Exists(busy))


def _claim(pk: int) -> OutboxRow | None:
    """Take a row for one try, unless it is not due, another process was quicker, or its receiver
    is being spoken to.

    The try counts from here: work that kills its worker is given up in the end as well.
    """
    token = new_id()
    with transaction.atomic():
        if connection.vendor == "postgresql":
            # two rows of one receiver are not claimed in the same moment
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_advisory_xact_lock(%s, hashtext(receiver)) FROM eventstore_outbox"
                    " WHERE id = %s AND receiver <> ''",
                    [CLAIMS, pk],
                )
        found = (
            _free()
            .filter(pk=pk)
            .update(
                state=work.RUNNING,
                holder=token,
                lease_until=end(),
                started_at=clock.now(),
                attempts=F("attempts") + 1,
            )
        )
    return OutboxRow.objects.get(pk=pk, holder=token) if found else None


def _end(row: OutboxRow, state: str, **values: Any) -> bool:
    """Write the outcome of a try; False when another process has taken the row over."""
    found = OutboxRow.objects.filter(pk=row.pk, holder=row.holder).update(
        state=state, holder="", lease_until=None, **values
    )
    return bool(found)


def _failed(row: OutboxRow, most: int, error: str, chance: float) -> str:
    then = work.after_failure(row.attempts, most, chance, clock.now())
    _end(row, then.state, not_before=then.not_before, error=error[:2000])
    structlog.get_logger("outbox").warning(
        "work failed", topic=row.topic, job=row.pk, attempt=row.attempts, state=then.state
    )
    return then.state


def run_row(pk: int, *, chance: Callable[[], float] = random.random) -> bool | None:
    """Run one row if it is due and nobody else runs it.

    Returns None when it was not to be had, else whether it is done. A failure is kept on the row
    and tried again after a growing pause, with `chance` (0 <= x < 1) for its jitter; after the
    last try the row is given up. A job that is refused is given up at once: it would be refused
    again. A job that says Later keeps its row open.
    """
    row = _claim(pk)
    if row is None:
        return None
    began = perf_counter()
    with (
        following(row.correlation or None),
        structlog.contextvars.bound_contextvars(topic=row.topic, job=row.pk),
    ):
        state, seconds = _tried(row, chance), perf_counter() - began
        structlog.get_logger("outbox").info("job", state=state, ms=round(seconds * 1000))
    measures.note(measures.JobNote(row.topic, state, seconds))
    return state == work.DONE


def _tried(row: OutboxRow, chance: Callable[[], float]) -> str:
    """Try a row that this process holds; return its state afterwards."""
    handler = _handlers.get(row.topic)
    most = handler.attempts if handler else MAX_ATTEMPTS
    if row.attempts > most:  # its workers died over it
        _end(row, work.GIVEN_UP, error=row.error or "the worker died")
        return work.GIVEN_UP
    if handler is None:
        return _failed(row, most, f"no handler of {row.topic}", chance())
    run = Run(row.pk, row.topic, row.holder, row.attempts, row.asked_by, row.event_id)
    try:
        with renewed(run.rows):
            handler.call(row.payload, run)
    except Later as later:
        again = clock.now() + timedelta(seconds=later.seconds)
        _end(row, work.WAITING, attempts=row.attempts - 1, not_before=again)
        return work.WAITING
    except LeaseLost:
        return work.RUNNING  # by another process
    except Refused as refused:
        found = {"code": refused.refusal.code, "params": refused.refusal.params}
        _end(row, work.GIVEN_UP, error=refused.refusal.code, found=found)
        return work.GIVEN_UP
    except Exception as fault:
        return _failed(row, most, f"{type(fault).__name__}: {fault}", chance())
    kept = _end(row, work.DONE, error="", done_at=clock.now(), found=run.outcome)
    if kept:
        for call in run.afterwards:
            call()
    return work.DONE if kept else work.RUNNING


def drain(limit: int = 100, lane: str | None = None) -> int:
    """Run rows that are due, oldest first, of one lane or of all; return how many were tried."""
    return _drained(due() if lane is None else due().filter(lane=lane), limit)


def _drained(rows: QuerySet[OutboxRow], limit: int) -> int:
    keys = list(rows.order_by("pk").values_list("pk", flat=True)[:limit])
    return sum(run_row(pk) is not None for pk in keys)


def first_of_each(limit: int, but: Collection[str] = ()) -> dict[str, int]:
    """Return the oldest outside row that is due for each receiver nobody speaks to, so many
    receivers at most and none of `but`: receiver -> row."""
    rows = _free().filter(lane=OUTSIDE).exclude(receiver__in=but).order_by("pk")
    found: dict[str, int] = {}
    for pk, receiver in rows.values_list("pk", "receiver")[:LOOKED_AT]:
        if len(found) == limit:
            break
        found.setdefault(receiver, pk)
    return found


def let_go() -> None:
    """Give the thread's connection to the database back before it waits for somebody else. Inside
    a transaction, as in tests, it stays."""
    if not connection.in_atomic_block:
        connection.close()


def run_on(pk: int) -> None:
    """Run one row, then what else is due for its receiver, which others passed over meanwhile."""
    if run_row(pk) is None:
        return
    receiver = OutboxRow.objects.filter(pk=pk).values_list("receiver", flat=True).first()
    if receiver:
        _drained(due().filter(lane=OUTSIDE, receiver=receiver), IN_A_ROW)


def start_again(pk: int) -> bool:
    """Let work that was given up be tried anew, in the running transaction; return whether there
    was such work."""
    found = OutboxRow.objects.filter(pk=pk, state=work.GIVEN_UP).update(
        state=work.WAITING, attempts=0, not_before=None, error="", found={}
    )
    if found:
        _hand_over(pk, OutboxRow.objects.values_list("lane", flat=True).get(pk=pk))
    return bool(found)
