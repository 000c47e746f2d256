"""Take a copy of the SQLite database and look into one.

The copy is taken into a file on the internal disk under one read snapshot: in write-ahead mode
writers go on meanwhile, and no write makes it begin anew. Sessions are taken out there, before
anything reaches the stick; the file is written anew without them, so that no free page holds one.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from eventstore.backups.facts import Facts, StageFault

PAGES_A_STEP = 1024
PAUSE_SECONDS = 0.002
"""Between two steps, so that the disk serves others in between."""
EMPTIED = ("django_session",)
"""Tables whose rows are in no copy."""
OWN_STATE = ("eventstore_alive", "eventstore_backup", "eventstore_periodic")
"""How copies and periodic work went on this machine, and when it was last alive: nothing for
another one, which has to know that its log is a copy."""
ROWS = (
    "SELECT position, stream, version, type, schema, recorded_at, body, hash"
    " FROM eventstore_event WHERE position > ? ORDER BY position"
)


def _open(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True, isolation_level=None)


def stage(source: Path, target: Path) -> None:
    """Copy the database into `target`, which must not exist. Raises StageFault."""
    try:
        with (
            closing(sqlite3.connect(source, isolation_level=None, timeout=20)) as live,
            closing(sqlite3.connect(target, isolation_level=None)) as copy,
        ):
            copy.execute("PRAGMA synchronous=OFF")
            live.execute("BEGIN")
            live.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()  # the snapshot
            live.backup(
                copy, pages=PAGES_A_STEP, progress=lambda *_: time.sleep(PAUSE_SECONDS), sleep=0
            )
            live.execute("ROLLBACK")
            copy.execute("PRAGMA journal_mode=OFF")
            for table in (*EMPTIED, *OWN_STATE):
                if copy.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone():
                    copy.execute(f'DELETE FROM "{table}"')  # noqa: S608
            copy.execute("VACUUM")
    except sqlite3.Error as fault:
        raise StageFault(str(fault)) from None


def facts(file: Path) -> Facts:
    """Return what a copy holds. Raises StageFault where SQLite finds it damaged."""
    try:
        with closing(_open(file)) as copy:
            found = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if found != "ok":
                raise StageFault(str(found))
            newest = copy.execute(
                "SELECT position, hash, recorded_at FROM eventstore_event"
                " ORDER BY position DESC LIMIT 1"
            ).fetchone() or (0, "", "")
            first = copy.execute("SELECT hash FROM eventstore_event WHERE position = 1").fetchone()
            applied = copy.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
    except sqlite3.Error as fault:
        raise StageFault(str(fault)) from None
    return Facts(newest[0], newest[1], newest[2], first[0] if first else "", applied)


def rows(file: Path, after: int, batch: int) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of events of a copy above a position, in batches."""
    with closing(_open(file)) as copy:
        cursor = copy.execute(ROWS, [after])
        while found := cursor.fetchmany(batch):
            yield found


def hash_at(file: Path, position: int) -> str | None:
    """Return the stored hash of an event of a copy."""
    with closing(_open(file)) as copy:
        row = copy.execute(
            "SELECT hash FROM eventstore_event WHERE position = ?", [position]
        ).fetchone()
    return str(row[0]) if row else None
