"""Followers of the log: each event once, in order, from a position that is kept.

    mails = Subscription("judging.mails")

    @mails.on(RulingMade)
    def ruling_made(event: RulingMade, recorded: Recorded) -> None: ...

What a handler writes and the new position are committed together, so a handler that was killed
starts again where its writes ended. A handler that fails holds its subscription before that
event (`SubscriptionRow.failed_position`, `error`), with growing pauses; the others go on.
Asynchronous projections are followers too. `manage.py follow` runs them; in the embedded mode
the worker thread does, and with Celery periodic work (`eventstore.jobs`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, TypeVar

import structlog
from django.db import (
    DEFAULT_DB_ALIAS,
    DatabaseError,
    close_old_connections,
    connection,
    connections,
    transaction,
)

from eventstore import clock, correlation, projections, store, wakeup
from eventstore.domain.envelope import Recorded
from eventstore.domain.registry import DomainEvent, name_of
from eventstore.models import SubscriptionRow, projector_writes
from eventstore.queue import queued

E = TypeVar("E", bound=DomainEvent)
Handler = Callable[[Any, Recorded], None]
BATCH = 200
POLL_SECONDS = 1.0
PAUSE_AT_MOST = 60.0

_registry: dict[str, Subscription] = {}


class Subscription:
    """One follower: its name `<room>.<subject>` and a handler per event class."""

    def __init__(self, name: str) -> None:
        if name in _registry:
            raise ValueError(f"subscription {name} exists")
        self.name = name
        self._handlers: dict[str, Handler] = {}
        _registry[name] = self

    def on(self, cls: type[E]) -> Callable[[Callable[[E, Recorded], None]], Handler]:
        """Register the handler of one event class: `handler(event, recorded)`."""

        def register(handler: Callable[[E, Recorded], None]) -> Handler:
            name, _ = name_of(cls)
            if name in self._handlers:
                raise ValueError(f"{self.name} already handles {name}")
            self._handlers[name] = handler
            return handler

        return register

    def handle(self, one: Recorded) -> None:
        """Hand one event over; events of other types pass by."""
        handler = self._handlers.get(one.type)
        if handler is not None:
            handler(one.data, one)


class _ProjectionFollower(Subscription):
    """An asynchronous projection, seen as a follower."""

    def __init__(self, projection: projections.Projection) -> None:
        self.name = projections.follower_name(projection.name)
        self._handlers = projection.handlers

    def handle(self, one: Recorded) -> None:
        with projector_writes():
            super().handle(one)


def registered() -> dict[str, Subscription]:
    """Return all followers by name, asynchronous projections among them."""
    followers: list[Subscription] = [
        _ProjectionFollower(one) for one in projections.registered().values() if one.asynchronous
    ]
    return {one.name: one for one in sorted([*_registry.values(), *followers], key=_name)}


def _name(one: Subscription) -> str:
    return one.name


def position_of(name: str) -> int:
    """Return the position up to which a follower has come, 0 before its first event."""
    row = SubscriptionRow.objects.filter(pk=name).values_list("position", flat=True).first()
    return row or 0


def _step(follower: Subscription, batch: int) -> int:
    """Handle one batch in one transaction; return how many events it held."""
    with queued(connections[DEFAULT_DB_ALIAS]), transaction.atomic():
        # On PostgreSQL the row lock makes a second process wait; on SQLite the write lock does.
        held = SubscriptionRow.objects.select_for_update().filter(pk=follower.name)
        row = held.first()
        if row is None:
            SubscriptionRow.objects.get_or_create(pk=follower.name)
            row = held.get()
        done = 0
        for one in store.read_batch(after=row.position, batch=batch):
            with correlation.following(one.meta.correlation):
                follower.handle(one)
            row.position = one.position
            done += 1
        if done:
            row.moved_at = clock.as_text(clock.now())
            row.failed_position, row.error, row.attempts = None, "", 0
            row.not_before = None
            row.save()
    return done


def _note_failure(follower: Subscription, fault: Exception) -> None:
    row, _ = SubscriptionRow.objects.get_or_create(pk=follower.name)
    row.failed_position = row.position + 1
    row.error = f"{type(fault).__name__}: {fault}"[:2000]
    row.attempts += 1
    pause = min(POLL_SECONDS * 2 ** min(row.attempts, 20), PAUSE_AT_MOST)
    row.not_before = clock.now() + timedelta(seconds=pause)
    row.save(update_fields=["failed_position", "error", "attempts", "not_before"])


def advance(follower: Subscription, *, batch: int = BATCH) -> int:
    """Bring a follower up to the end of the log; return how many events it passed.

    Stops before an event whose handler fails; what came before it is kept. Raises DatabaseError
    when the database itself fails.
    """
    passed = 0
    while store.head_position() > position_of(follower.name):
        try:
            done = _step(follower, batch)
        except DatabaseError:
            if not connection.is_usable():
                raise
            done = -1
        except Exception:
            done = -1
        if done < 0:
            # One by one up to the event that fails, so that the good ones before it count.
            try:
                while (done := _step(follower, 1)) > 0:
                    passed += done
            except Exception as fault:
                _note_failure(follower, fault)
                structlog.get_logger("follow").warning(
                    "handler failed", follower=follower.name, fault=str(fault)
                )
                return passed
        passed += done
        if done < batch:
            break  # it was the end
    return passed


def advance_all(names: Iterable[str] = ()) -> int:
    """Bring every follower (or those named) forward once; return how many events they passed.

    Raises KeyError for a name that is not registered.
    """
    known = registered()
    return sum([advance(known[name]) for name in list(names) or list(known)])


def turn(names: Iterable[str] = ()) -> int:
    """Try every follower (or those named) that is behind and does not rest after a failure; return
    how many events were passed."""
    known = registered()
    return sum([advance(known[name]) for name in _behind(list(names) or list(known))])


def behind() -> bool:
    """Say whether there is anything for a follower to do now."""
    return bool(_behind(list(registered())))


def _behind(names: list[str]) -> list[str]:
    head, now = store.head_position(), clock.now()
    rows = {row.name: row for row in SubscriptionRow.objects.filter(pk__in=names)}
    found = []
    for name in names:
        row = rows.get(name)
        position, rests = (row.position, row.not_before) if row else (0, None)
        if position < head and (rests is None or rests <= now):
            found.append(name)
    return found


def follow(stop: threading.Event, names: Iterable[str] = (), *, poll: float = POLL_SECONDS) -> None:
    """Follow the log until `stop`: woken by commits, and looking every `poll` seconds anyway.

    A lost database connection is waited out.
    """
    wanted = tuple(names)
    watch = wakeup.Watch()
    try:
        while not stop.is_set():
            try:
                close_old_connections()
                turn(wanted)
            except DatabaseError:
                structlog.get_logger("follow").warning("the database does not answer")
                connection.close()
            watch.wait(poll)
    finally:
        watch.close()
