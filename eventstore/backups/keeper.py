"""Make copies in the background, in a thread of its own: a stick that hangs holds up nothing else.

`tick()` is called about each minute, `ask()` after each signed publication and by the button. Both
return at once. What goes wrong is kept in BackupRow and tried again at the next tick.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections

from eventstore import clock
from eventstore.backups import making
from eventstore.backups.facts import StageFault
from eventstore.backups.place import PlaceFault
from eventstore.checkpoints import LogFault
from eventstore.domain import copies
from eventstore.models import BackupRow

EVERY_SECONDS = 60
STALE_SECONDS = 180
"""A newest copy older than this is a warning, unless it is still current."""

_lock = threading.Lock()
_wanted: dict[str, str] = {}
_thread: threading.Thread | None = None


def place() -> Path | None:
    """Return BACKUP_DIR, None where no second path is set."""
    return Path(settings.BACKUP_DIR) if settings.BACKUP_DIR else None


def ask(kind: str, reason: str = "") -> bool:
    """Have a copy made soon; returns whether there is a place for it."""
    if place() is None:
        return False
    global _thread
    with _lock:
        _wanted.setdefault(kind, reason)
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_work, name="backup", daemon=True)
            _thread.start()
    return True


def tick() -> None:
    """Have a copy made if something changed since the last one. For periodic work."""
    ask(copies.MINUTE)


def wait(seconds: float) -> bool:
    """Wait until nothing is asked for any more; returns whether that is so. For tests."""
    thread = _thread
    if thread is not None:
        thread.join(seconds)
    return thread is None or not thread.is_alive()


def _next() -> tuple[str, str] | None:
    """Take what is wanted most; a copy made for one reason serves the lesser ones too."""
    global _thread
    with _lock:
        for kind in reversed(copies.KINDS):
            if kind in _wanted:
                reason = _wanted[kind]
                _wanted.clear()
                return kind, reason
        _thread = None
        return None


def _work() -> None:
    try:
        while (wanted := _next()) is not None:
            path = place()
            if path is not None:
                _one(path, *wanted)
    finally:
        connections.close_all()


def _one(path: Path, kind: str, reason: str) -> None:
    log = structlog.get_logger("backup")
    try:
        run(path, kind, reason)
    except making.Busy:
        log.info("another copy is being made")
    except DatabaseError as fault:
        connections.close_all()
        log.warning("the state of the backups cannot be kept", fault=type(fault).__name__)
    except Exception:
        log.exception("no copy could be made")


def run(path: Path, kind: str, reason: str = "") -> making.Made | None:
    """Make a copy now and keep how it went; None when none was needed or it failed.

    Raises making.Busy, DatabaseError.
    """
    try:
        if kind == copies.MINUTE and making.still_good(path):
            return None
        making.note_started(path)
        return making.make_copy(path, kind=kind, reason=reason)
    except PlaceFault as fault:
        making.note_fault(path, fault.code, fault.params)
    except LogFault as fault:
        making.note_fault(path, "log_fault", {"position": fault.faults[0].position})
    except StageFault as fault:
        making.note_fault(path, "stage", {"found": str(fault)[:200]})
    except OSError as fault:
        making.note_fault(path, "no_room_here", {"found": fault.strerror or str(fault)})
    except ImproperlyConfigured as fault:
        making.note_fault(path, "key", {"found": str(fault)[:200]})
    return None


def warning() -> dict[str, Any] | None:
    """Return what is wrong with the backups, None when all is well or no place is set.

    `minutes` since the newest copy was current (None: never); `code` why: that of the fault, or
    `never`, `slow` (one is on its way), `stopped` (nobody makes any). One query.
    """
    path = place()
    if path is None:
        return None
    row = BackupRow.objects.filter(pk=str(path)).first()
    if row is None:
        return {"minutes": None, "code": "never"}
    code = {"fault": row.code, "copying": "slow"}.get(row.state, "stopped")
    if not row.current_at:
        return {"minutes": None, "code": code}
    age = (clock.now() - clock.from_text(row.current_at)).total_seconds()
    if age < STALE_SECONDS and code != "log_fault":
        return None
    return {"minutes": int(age // 60), "code": code}
