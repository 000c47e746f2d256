"""Work that comes again and again: one list for the embedded mode and for Celery.

    @periodic.every(60, "backup.copy")
    def copy() -> None: ...

in the `jobs` module of a room. One process at a time does it, whichever mode and however many
servers: a row per name keeps when it is due and who is at it (`eventstore.leases`). A turn that
was missed is not made up for; one that failed waits for its next time. It must stand being run
twice, for a process may die between its end and the note of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog
from django.conf import settings
from django.db.models import F, Q

from eventstore import clock, correlation
from eventstore.ids import new_id
from eventstore.leases import LeaseLost, end, renewed
from eventstore.models import PeriodicRow


@dataclass(frozen=True, slots=True)
class Work:
    """One line of the list: its name, its period in seconds, what it does, whether there is
    anything to do, and whether Celery alone needs it."""

    name: str
    seconds: float
    call: Callable[[], None]
    wanted: Callable[[], bool] | None = None
    celery_only: bool = False


_list: dict[str, Work] = {}


def every(
    seconds: float,
    name: str,
    *,
    wanted: Callable[[], bool] | None = None,
    celery_only: bool = False,
) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register work that is done every so many seconds (at least 1) under a name
    `<room>.<subject>`. `wanted` is a cheap look whether there is anything to do, asked by every
    process before anybody takes the work. Raises ValueError for a name that is taken."""

    def register(call: Callable[[], None]) -> Callable[[], None]:
        if name in _list:
            raise ValueError(f"periodic work {name} exists")
        _list[name] = Work(name, seconds, call, wanted, celery_only)
        return call

    return register


def registered() -> dict[str, Work]:
    """Return the list by name, as far as this mode needs it."""
    celery = settings.BACKGROUND == "celery"
    return {one.name: one for one in _list.values() if celery or not one.celery_only}


def run(one: Work) -> bool:
    """Do one line of the list if it is due and nobody is at it; return whether it was tried."""
    now, token = clock.now(), new_id()
    mine = PeriodicRow.objects.filter(pk=one.name, holder=token)
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    taken = PeriodicRow.objects.filter(free, pk=one.name, next_at__lte=now).update(
        holder=token,
        lease_until=end(),
        started_at=now,
        next_at=now + timedelta(seconds=one.seconds),
    )
    if not taken:
        return False
    error = ""
    try:
        with correlation.following(correlation.new()), renewed(lambda: mine.all()):
            one.call()
    except LeaseLost:
        return True
    except Exception as fault:
        error = f"{type(fault).__name__}: {fault}"[:2000]
        structlog.get_logger("periodic").exception("periodic work failed", work=one.name)
    failures = F("failures") + 1 if error else 0
    mine.update(holder="", lease_until=None, ended_at=clock.now(), error=error, failures=failures)
    return True


def turn() -> int:
    """Do what is due; return how many lines of the list were tried."""
    works, now = registered(), clock.now()
    rows = dict(PeriodicRow.objects.values_list("name", "next_at"))
    missing = [PeriodicRow(name=name, next_at=now) for name in works if name not in rows]
    if missing:
        PeriodicRow.objects.bulk_create(missing, ignore_conflicts=True)
        rows |= {one.name: now for one in missing}
    tried = 0
    for name, one in works.items():
        if rows[name] <= now and (one.wanted is None or one.wanted()):
            tried += run(one)
    return tried
