"""Rebuild a projection beside the tables that are in use, then switch in one transaction.

Commands go on meanwhile. The rows are built in tables of the same names that only this
connection sees first: on PostgreSQL in a schema of their own before the usual one in the search
path, on SQLite in a file of its own to which the real one is attached. How far it has come is
kept there too, so a rebuild that was killed goes on; when the code of the projection or the
shape of its tables changed meanwhile, it begins anew. The switch catches up with the last
events under the write lock and copies the rows over.
"""

from __future__ import annotations

import contextlib
import copy
import fcntl
import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from eventstore import fingerprint, outbox, projections, store
from eventstore.models import projector_writes
from eventstore.projections import Progress, Projection

BATCH = 2000
PROGRESS_TABLE = "eventstore_rebuild"


class RebuildRuns(RuntimeError):
    """The same projection is being rebuilt by somebody else."""


def can_build_beside() -> bool:
    """Say whether the database allows it: not within a transaction, not in memory."""
    if connection.in_atomic_block:
        return False
    name = str(connection.settings_dict["NAME"])
    return connection.vendor == "postgresql" or not (
        ":memory:" in name or "mode=memory" in name or not name
    )


def rebuild_beside(name: str, progress: Progress | None = None) -> int:
    """Rebuild one projection beside its tables and switch; return how many events it took
    in this run. `progress(done, total)` is called after every batch.

    Raises KeyError when there is no such projection, RebuildRuns.
    """
    projection = projections.registered()[name]
    found: list[int] = []
    faults: list[BaseException] = []

    def run() -> None:
        # A thread of its own has a connection of its own, and no other code runs on it.
        try:
            build = _on_sqlite if connection.vendor == "sqlite" else _on_postgresql
            found.append(build(projection, progress))
        except BaseException as fault:
            faults.append(fault)
        finally:
            connection.close()

    worker = threading.Thread(target=run, name=f"rebuild {name}")
    worker.start()
    worker.join()
    if faults:
        raise faults[0]
    return found[0]


def _safe(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())


def _tables(projection: Projection) -> list[str]:
    return [table._meta.db_table for table in projection.tables]


def _state_key(projection: Projection, shapes: list[str]) -> str:
    code = fingerprint.of_code(*projection.handlers.values(), *projection.tables)
    return hashlib.sha256("\n".join([code, *shapes]).encode()).hexdigest()


def _execute(sql: str, values: list[Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


def _batch(projection: Projection, after: int) -> tuple[int, int, int]:
    """Hand over the next events; return (last position, events seen, events taken)."""
    taken = 0
    seen = store.read_batch(after=after, batch=BATCH)
    for one in seen:
        handler = projection.handlers.get(one.type)
        if handler is not None:
            handler(one.data, one)
            taken += 1
    return (seen[-1].position if seen else after), len(seen), taken


def _fill(
    projection: Projection, after: int, save: Callable[[int], None], progress: Progress | None
) -> tuple[int, int]:
    """Build beside up to the end of the log; return (position, events taken)."""
    taken = 0
    with projector_writes(), outbox.held_back():
        while True:
            with transaction.atomic():
                after, seen, some = _batch(projection, after)
                save(after)
            taken += some
            if progress:
                progress(after, store.head_position())
            if seen < BATCH:
                return after, taken


def _switch(
    projection: Projection, after: int, copy_rows: Callable[[], None], progress: Progress | None
) -> int:
    """Take the last events under the write lock and copy the rows over, all in one; return
    how many it took. What came after the last batch is told too, once it is switched.
    """
    taken, began = 0, after
    with transaction.atomic(), projector_writes(), outbox.held_back():
        store.writing_turn()
        while True:
            after, seen, some = _batch(projection, after)
            taken += some
            if seen < BATCH:
                break
        copy_rows()
    if progress and after > began:
        progress(after, after)
    return taken


@contextlib.contextmanager
def _only_one(file: Path) -> Iterator[None]:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RebuildRuns(file.stem) from None
        yield


def _on_sqlite(projection: Projection, progress: Progress | None) -> int:
    folder = Path(settings.DATA_DIR) / "rebuild"
    file = folder / f"{_safe(projection.name)}.sqlite3"
    with _only_one(folder / f"{_safe(projection.name)}.lock"):
        marks = ", ".join(["%s"] * len(projection.tables))
        made = _execute(
            f"SELECT sql FROM sqlite_master WHERE tbl_name IN ({marks})"  # noqa: S608
            " AND type IN ('table', 'index') AND sql IS NOT NULL ORDER BY type DESC, name",
            _tables(projection),
        )
        shapes = [sql for (sql,) in made]
        live = str(connection.settings_dict["NAME"])
        connection.close()
        values = copy.deepcopy(connection.settings_dict)
        values["NAME"] = str(file)
        # deferred: building beside must not take the write lock of the log
        values["OPTIONS"] = {**values["OPTIONS"], "transaction_mode": "DEFERRED"}
        values["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
        connection.settings_dict = values
        key = _state_key(projection, shapes)
        if not _resumable(file, key):
            connection.close()
            for left in folder.glob(f"{file.name}*"):
                left.unlink()
            with transaction.atomic():
                for sql in shapes:
                    _execute(sql)
                _execute(f"CREATE TABLE {PROGRESS_TABLE} (key TEXT, position INTEGER)")
                _execute(f"INSERT INTO {PROGRESS_TABLE} VALUES (%s, 0)", [key])  # noqa: S608
        _execute("ATTACH DATABASE %s AS live", [live])
        after, taken = _fill(projection, _position(), _save, progress)
        connection.transaction_mode = "IMMEDIATE"  # type: ignore[attr-defined]

        def copy_rows() -> None:
            _replace(projection, "live", "main")
            if projection.asynchronous:
                _follow_from(projection, "live.")

        taken += _switch(projection, after, copy_rows, progress)
        connection.close()
        for left in folder.glob(f"{file.name}*"):
            left.unlink()
    return taken


def _resumable(file: Path, key: str) -> bool:
    """Say whether a file left by an earlier run can be gone on with."""
    if not file.exists():
        return False
    try:
        return bool(
            _execute(f"SELECT 1 FROM {PROGRESS_TABLE} WHERE key = %s", [key])  # noqa: S608
        )
    except DatabaseError:  # damaged, or killed before its tables stood: begin anew
        return False


def _position() -> int:
    return int(_execute(f"SELECT position FROM {PROGRESS_TABLE}")[0][0])  # noqa: S608


def _save(position: int) -> None:
    _execute(f"UPDATE {PROGRESS_TABLE} SET position = %s", [position])  # noqa: S608


def _replace(projection: Projection, into: str, source: str) -> None:
    """Put the built rows in place of the old ones, tables in an order that keys allow."""
    for name in reversed(_tables(projection)):
        _execute(f'DELETE FROM {into}."{name}"')  # noqa: S608
    for table in projection.tables:
        columns = ", ".join(f'"{field.column}"' for field in table._meta.concrete_fields)
        name = table._meta.db_table
        _execute(
            f'INSERT INTO {into}."{name}" ({columns})'  # noqa: S608
            f' SELECT {columns} FROM {source}."{name}"'
        )


def _follow_from(projection: Projection, where: str) -> None:
    """Set the position of an asynchronous projection to the end of the log."""
    _execute(
        f"INSERT INTO {where}eventstore_subscription (name, position, moved_at, error, attempts)"  # noqa: S608
        " VALUES (%s, %s, '', '', 0) ON CONFLICT (name) DO UPDATE SET"
        " position = excluded.position, failed_position = NULL, error = '', attempts = 0",
        [projections.follower_name(projection.name), store.head_position()],
    )


def _on_postgresql(projection: Projection, progress: Progress | None) -> int:
    schema = f"rebuild_{_safe(projection.name)}"
    lock = int.from_bytes(hashlib.sha256(schema.encode()).digest()[:7], "big")
    if not _execute("SELECT pg_try_advisory_lock(%s)", [lock])[0][0]:
        raise RebuildRuns(projection.name)
    usual = str(_execute("SELECT current_schema()")[0][0])
    shapes = [
        str(row)
        for row in _execute(
            "SELECT table_name, column_name, data_type, is_nullable FROM"
            " information_schema.columns WHERE table_schema = %s AND table_name = ANY(%s)"
            " ORDER BY table_name, ordinal_position",
            [usual, _tables(projection)],
        )
    ]
    key = _state_key(projection, shapes)
    there = _execute(
        "SELECT to_regclass(%s) IS NOT NULL", [f"{schema}.{PROGRESS_TABLE}"]
    )[0][0]  # fmt: skip
    known = there and _execute(
        f"SELECT 1 FROM {schema}.{PROGRESS_TABLE} WHERE key = %s",  # noqa: S608
        [key],
    )
    if not known:
        with transaction.atomic():
            _execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
            _execute(f"CREATE SCHEMA {schema}")
            for table in _tables(projection):
                _execute(f'CREATE TABLE {schema}."{table}" (LIKE {usual}."{table}" INCLUDING ALL)')
            _execute(f"CREATE TABLE {schema}.{PROGRESS_TABLE} (key text, position bigint)")
            _execute(f"INSERT INTO {schema}.{PROGRESS_TABLE} VALUES (%s, 0)", [key])  # noqa: S608
    _execute(f"SET search_path = {schema}, {usual}")
    after, taken = _fill(projection, _position(), _save, progress)

    def copy_rows() -> None:
        _replace(projection, usual, schema)
        if projection.asynchronous:
            _follow_from(projection, f"{usual}.")

    taken += _switch(projection, after, copy_rows, progress)
    _execute(f"DROP SCHEMA {schema} CASCADE")
    return taken
