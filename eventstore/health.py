"""Is the house well: checks that tell why not, and the figures of the log's machinery.

Every check answers, whatever is broken. `down` means that requests cannot be served rightly,
`degraded` that something which helps is missing or short. Nothing here names a person.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, Min

from eventstore import clock, measures, outbox, store, subscriptions
from eventstore.backups import keeper
from eventstore.checks import missing_triggers
from eventstore.domain import work
from eventstore.models import BackupRow, Event, OutboxRow, PeriodicRow, SubscriptionRow

OK, DEGRADED, DOWN = "ok", "degraded", "down"
REDIS_SECONDS = 1.0
DISK_SHORT = 1 << 30
DISK_FULL = 64 << 20
"""Bytes free where the data lies: below the first the house says so, below the second it is not
ready: SQLite needs room to write at all."""
PULSE, PULSE_SECONDS = "eventstore.pulse", 10
SILENT_SECONDS = 60.0
"""After so long without the pulse nobody does background work."""
WAIT_SECONDS = 3.0
"""How long one who asks waits for another's look."""
KEEP_SECONDS = 1.0
"""For how long an answer holds: whoever asks often does not ask the database each time."""


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found: its name, how it stands, a code of what is wrong, figures to it."""

    name: str
    state: str = OK
    code: str = ""
    figures: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Health:
    """All checks at one moment."""

    checks: tuple[Check, ...]

    @property
    def state(self) -> str:
        """The worst of them."""
        states = {one.state for one in self.checks}
        return DOWN if DOWN in states else DEGRADED if DEGRADED in states else OK

    @property
    def ready(self) -> bool:
        """Whether requests can be served."""
        return self.state != DOWN


def _database() -> Check:
    began = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    milliseconds = round((time.perf_counter() - began) * 1000, 1)
    return Check("database", figures={"kind": connection.vendor, "ms": milliseconds})


_wanted: frozenset[tuple[str, str]] = frozenset()


def _migrations() -> Check:
    """Compare what the programs bring with what the database has: one statement."""
    global _wanted
    if not _wanted:
        _wanted = frozenset(MigrationLoader(None).disk_migrations)
    missing = sorted(_wanted - set(MigrationRecorder(connection).applied_migrations()))
    if missing:
        names = [".".join(one) for one in missing[:10]]
        return Check("migrations", DOWN, "unapplied", {"missing": names, "count": len(missing)})
    return Check("migrations")


def _triggers() -> Check:
    missing = missing_triggers(connection)
    if missing:
        return Check("triggers", DOWN, "missing", {"missing": missing})
    return Check("triggers")


def _log() -> Check:
    return Check("log", figures={"position": store.head_position()})


def _disk() -> Check:
    folder = Path(settings.DATA_DIR)
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    usage = shutil.disk_usage(folder)
    figures = {"free": usage.free, "total": usage.total}
    if usage.free < DISK_FULL:
        return Check("disk", DOWN, "full", figures)
    if usage.free < DISK_SHORT:
        return Check("disk", DEGRADED, "short", figures)
    return Check("disk", figures=figures)


def _background() -> Check:
    """Look when somebody last did periodic work; nobody is to where BACKGROUND is none."""
    if settings.BACKGROUND == "none":
        return Check("background", figures={"kind": "none"})
    seen = PeriodicRow.objects.filter(pk=PULSE).values_list("ended_at", flat=True).first()
    if seen is None:
        return Check("background", DEGRADED, "never", {"kind": settings.BACKGROUND})
    seconds = round((clock.now() - seen).total_seconds(), 1)
    figures = {"kind": settings.BACKGROUND, "seconds": seconds}
    if seconds > SILENT_SECONDS:
        return Check("background", DEGRADED, "silent", figures)
    return Check("background", figures=figures)


def _backup() -> Check:
    """Look how old the newest copy on the second path is, where one is set."""
    if keeper.place() is None:
        return Check("backup", code="none")
    wrong, age = keeper.warning(), backup_age()
    figures = {} if age is None else {"seconds": round(age)}
    if wrong is not None:
        return Check("backup", DEGRADED, str(wrong["code"]), figures)
    return Check("backup", figures=figures)


def backup_age() -> float | None:
    """Return for how many seconds the newest copy has not been seen to be up to date; None where
    there is no copy, or no place for any."""
    path = keeper.place()
    rows = BackupRow.objects.filter(pk=str(path)).exclude(current_at="")
    found = rows.values_list("current_at", flat=True).first() if path else None
    return None if found is None else _age(found, clock.now())


def _redis() -> Check:
    import redis

    server = redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS
    )
    try:
        server.ping()
    except (redis.RedisError, OSError):
        measures.note(measures.FaultNote("redis", "health"))
        return Check("redis", DEGRADED, "silent")
    finally:
        server.close()
    return Check("redis")


Probe = Callable[[], Check]


def _asked(name: str, probe: Probe, state: str = DOWN) -> Check:
    try:
        return probe()
    except Exception as fault:
        return Check(name, state, "failed", {"fault": type(fault).__name__})


def look() -> Health:
    """Run every check now. Never raises."""
    found = [_asked("database", _database)]
    if found[0].state == OK:
        found += [
            _asked("migrations", _migrations),
            _asked("triggers", _triggers),
            _asked("log", _log),
            _asked("background", _background, DEGRADED),
            _asked("backup", _backup, DEGRADED),
        ]
    elif not connection.in_atomic_block:
        connection.close()  # the next look makes a new one
    found.append(_asked("disk", _disk, DEGRADED))
    if settings.REDIS_URL:
        found.append(_asked("redis", _redis, DEGRADED))
    return Health(tuple(found))


_lock = threading.Lock()
_kept: tuple[float, Health] | None = None


def health() -> Health:
    """Return what `look` found within the last second. One caller looks, the others wait for it,
    and where it hangs they are told so: who asks often cannot fill the server with waiting."""
    global _kept
    if not _lock.acquire(timeout=WAIT_SECONDS):
        return Health((Check("database", DOWN, "slow"),))
    try:
        if _kept is None or time.monotonic() - _kept[0] > KEEP_SECONDS:
            _kept = (time.monotonic(), look())
        return _kept[1]
    finally:
        _lock.release()


@dataclass(frozen=True, slots=True)
class Lag:
    """How far a follower is behind the log: events, and seconds since the first of them was
    recorded; whether its handler fails."""

    name: str
    position: int
    events: int
    seconds: float
    failing: bool


def _age(recorded_at: str, now: datetime) -> float:
    return max(0.0, (now - clock.from_text(recorded_at)).total_seconds())


def head() -> int:
    """Return the position of the newest event."""
    return store.head_position()


def lags() -> list[Lag]:
    """Return how far each follower is behind: three statements, however many there are."""
    head, now = store.head_position(), clock.now()
    rows = {row.pk: row for row in SubscriptionRow.objects.all()}
    at = {name: rows[name].position if name in rows else 0 for name in subscriptions.registered()}
    behind = {position + 1 for position in at.values() if position < head}
    first = dict(Event.objects.filter(position__in=behind).values_list("position", "recorded_at"))
    return [
        Lag(
            name,
            position,
            max(0, head - position),
            _age(first[position + 1], now) if position + 1 in first else 0.0,
            name in rows and rows[name].attempts > 0,
        )
        for name, position in at.items()
    ]


@dataclass(frozen=True, slots=True)
class Queue:
    """Background work: how much there is by state, and the age in seconds of what should have
    begun longest ago."""

    counts: dict[str, int]
    oldest_seconds: float


def queue() -> Queue:
    """Return how background work stands."""
    counts = dict.fromkeys([*work.OPEN, work.GIVEN_UP], 0)
    rows = OutboxRow.objects.filter(state__in=counts)
    counts |= dict(rows.values_list("state").annotate(Count("pk")).order_by())
    oldest = outbox.due().aggregate(oldest=Min("created_at"))["oldest"]
    age = max(0.0, (clock.now() - oldest).total_seconds()) if oldest else 0.0
    return Queue(counts, age)
