"""Signs of life of the serving process, and what a silence means.

Every few seconds the server notes when it was alive and how far the log was: SQLite in a small
file beside the database (`<database>-alive`, synced once at the start: a lower bound is all it has
to be), PostgreSQL in one row for all machines. A sign is given only while the database answers. At
the start, and whenever signs were missing for longer than absence.LIMIT_S, the rooms that
registered are told before the next sign is given.

On SQLite a serving process also holds that file locked, since between two requests it has nothing
open by which one could see that it is there.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import structlog
from django.db import close_old_connections, connection, transaction

from eventstore import clock
from eventstore.domain.absence import Absence, Mark, absence
from eventstore.models import AliveRow, Event

BEAT_SECONDS = 5.0
FIRST_SECONDS = 10.0
"""Longest that a starting server waits for its first sign: then it serves without."""

COPY = "copy"
"""Stands for the hash in the mark of a database that was brought back from a copy."""

Listener = Callable[[Absence], None]
_listeners: list[Listener] = []
_started = threading.Event()
_held: list[int] = []


def register(listener: Listener) -> None:
    """Name who is told that the server was away. It may be told twice of the same silence (two
    processes), and again after it failed."""
    if listener not in _listeners:
        _listeners.append(listener)


def uptime() -> float:
    """Seconds of a clock that nobody sets and that counts while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _file() -> str | None:
    """The file of the mark; None where the database is none (PostgreSQL, in memory)."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or not name or ":memory:" in name or "mode=memory" in name:
        return None
    return f"{name}-alive"


def mark_read() -> Mark | None:
    """Return the last sign of life; None where there is none, or none that can be read."""
    if connection.vendor == "postgresql":
        row = AliveRow.objects.filter(pk=1).first()
        return None if row is None else Mark(row.at, row.position, row.hash)
    path = _file()
    try:
        if path is None:
            return None
        with open(path, encoding="ascii") as file:
            at, position, digest = file.read(200).split()
        clock.from_text(at)
        return Mark(at, int(position), digest)
    except (OSError, ValueError):
        return None  # power went while it was written: the newest event is the bound


def mark_write(mark: Mark, *, synced: bool = False) -> None:
    """Keep a sign of life, without waiting for the disk unless `synced`."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")
            values = {"at": mark.at, "position": mark.position, "hash": mark.hash}
            AliveRow.objects.update_or_create(pk=1, defaults=values)
        return
    path = _file()
    if path is None:
        return
    line = f"{mark.at} {mark.position} {mark.hash}\n".encode("ascii").ljust(160)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.pwrite(handle, line, 0)  # in place, within one block: the old line or the new one
        if synced:
            os.fsync(handle)
    finally:
        os.close(handle)


def hold() -> None:
    """Say to `served`, for as long as this process lives, that it serves from this database."""
    path = _file()
    if path is None or _held:
        return
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _held.append(handle)
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # a file system without locks: then a restore has to be told by people
        structlog.get_logger("heartbeat").warning("the database cannot be marked as in use")


def served() -> bool:
    """Whether a server is on this database, as far as it is a file: PostgreSQL lists who is on."""
    path = _file()
    if path is None or not os.path.exists(path):
        return False
    handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def mark_copy(at: str) -> None:
    """Note that the database was brought back from a copy whose newest event is of `at` (UTC text):
    whatever the restore itself writes after it, the next server knows from when on it was away."""
    mark_write(Mark(at, 0, COPY), synced=True)


def _newest() -> Mark | None:
    row = Event.objects.order_by("-position").values_list("recorded_at", "position", "hash").first()
    return None if row is None else Mark(*row)


def beat(elapsed_s: float | None = None) -> Absence | None:
    """Give a sign of life; tell the rooms first if signs were missing, and return that. `elapsed_s`
    as in `absence`. Raises what the database and the rooms raise: then no sign is given."""
    newest = _newest()
    if newest is None:
        return None
    mark = mark_read()
    ours = mark is not None and (
        (mark.position, mark.hash) == (newest.position, newest.hash)
        or Event.objects.filter(position=mark.position, hash=mark.hash).exists()
    )
    if mark is not None and mark.hash == COPY:
        newest = replace(newest, at=mark.at)
    now = clock.as_text(clock.now())
    away = absence(mark, newest, ours=ours, now=now, elapsed_s=elapsed_s)
    if away is not None:
        structlog.get_logger("heartbeat").warning(
            "the server was away", since=away.since, until=away.until, seconds=away.seconds
        )
        for listener in _listeners:
            listener(away)
        newest = _newest() or newest
    # the first one of a process is synced: after a loss of power there is one of this log
    mark_write(Mark(now, newest.position, newest.hash), synced=elapsed_s is None)
    return away


def _beats(first: threading.Event, stop: threading.Event) -> None:
    log = structlog.get_logger("heartbeat")
    last: float | None = None
    while not stop.is_set():
        moment = uptime()
        try:
            close_old_connections()
            beat(None if last is None else moment - last)
            last = moment
        except Exception:
            log.exception("no sign of life")
        finally:
            close_old_connections()
            first.set()
        stop.wait(BEAT_SECONDS)


def start() -> None:
    """Give signs of life from now on, once per process; returns after the first one."""
    if _started.is_set():
        return
    _started.set()
    hold()
    first = threading.Event()
    threading.Thread(
        target=_beats, args=(first, threading.Event()), name="heartbeat", daemon=True
    ).start()
    first.wait(FIRST_SECONDS)
