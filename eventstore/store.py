"""Append and read. The only code that touches the table of events.

Writers take turns: one write lock (SQLite: BEGIN IMMEDIATE; PostgreSQL: an advisory lock held
to the end of the transaction) covers reading the last position, the inserts and the commit.
So positions have no holes, and a reader that has seen position n never later finds a new
event at or below n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from eventstore import clock, wakeup
from eventstore.domain.envelope import NO_HASH, Meta, Recorded, Sealer, unseal
from eventstore.domain.registry import DomainEvent

LOCK_KEY = 0x48_6A_45_76
"""Key of the advisory lock under which PostgreSQL appends."""
ANY = -1
"""Expected version that matches whatever is there."""


class WrongExpectedVersion(Exception):
    """The stream has moved on since it was read."""

    def __init__(self, stream: str, expected: int, actual: int) -> None:
        super().__init__(f"{stream}: expected version {expected}, found {actual}")
        self.stream, self.expected, self.actual = stream, expected, actual


@dataclass(frozen=True, slots=True)
class StreamWrite:
    """Events for one stream, and the version the writer believes it to have (0: new)."""

    stream: str
    expected: int
    events: Sequence[DomainEvent]


def _database() -> Any:
    """Return the connection itself: each step through Django's proxy costs a microsecond."""
    return connections[DEFAULT_DB_ALIAS]


def _run(database: Any, sql: str, values: Sequence[Any] = ()) -> Any:
    """Execute one statement and return the driver's cursor.

    Django's cursor costs more than the statement itself, so the driver is asked directly (on
    PostgreSQL with a prepared statement), unless somebody records the queries.
    """
    raw = database.connection
    if raw is None or database.queries_logged:
        cursor = database.cursor()
        cursor.execute(sql, values)
        return cursor
    database.validate_no_broken_transaction()
    with database.wrap_database_errors:
        if database.vendor == "sqlite":
            return raw.execute(sql.replace("%s", "?"), values)
        return _prepared(database, raw, sql, values)


def _prepared(database: Any, raw: Any, sql: str, values: Sequence[Any]) -> Any:
    """Execute on the one cursor kept for this connection; its rows last until the next call."""
    cursor = getattr(database, "eventstore_cursor", None)
    if cursor is None or cursor.connection is not raw:
        import psycopg

        cursor = database.eventstore_cursor = psycopg.Cursor(raw)
    return cursor.execute(sql, values, prepare=True, binary=True)


def writing_turn() -> None:
    """Wait for the turn to write, held until the transaction ends. Call inside atomic()."""
    database = _database()
    if not database.in_atomic_block:
        raise transaction.TransactionManagementError("the write lock needs a transaction")
    if database.vendor == "postgresql":
        _run(database, "SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])


def command_turn(command_id: str) -> tuple[str, bytes] | None:
    """Wait for the turn to write; return (fingerprint, outcome) of a command that was done.

    Call inside atomic(). On PostgreSQL a function takes the lock and then looks, so that it
    sees what whoever had the turn before has committed.
    """
    database = _database()
    if not database.in_atomic_block:
        raise transaction.TransactionManagementError("the write lock needs a transaction")
    if database.vendor == "postgresql":
        sql = "SELECT fingerprint, outcome FROM eventstore_turn(%s)"
    else:
        sql = "SELECT fingerprint, outcome FROM eventstore_command WHERE command = %s"
    row = _run(database, sql, [command_id]).fetchone()
    return None if row is None or row[0] is None else (row[0], bytes(row[1]))


def keep_outcome(
    command_id: str, name: str, fingerprint: str, outcome: bytes, recorded_at: str
) -> None:
    """Keep the outcome of a command beside its events, in the same transaction."""
    _run(
        _database(),
        "INSERT INTO eventstore_command (command, name, fingerprint, outcome, recorded_at)"
        " VALUES (%s, %s, %s, %s, %s)",
        [command_id, name, fingerprint, outcome, recorded_at],
    )


Head = tuple[int, str]
"""Version and hash of the newest event of a stream."""


def _heads(database: Any, streams: list[str]) -> tuple[int, dict[str, Head]]:
    """Return the last position of the log and the heads of streams."""
    heads: dict[str, Head] = {}
    if database.vendor == "postgresql":
        position = 0
        for stream in streams or [""]:
            row = _run(
                database,
                "SELECT last, version, hash FROM eventstore_heads(%s)",
                [stream],
            ).fetchone()
            position = row[0]
            if row[1] is not None:
                heads[stream] = (row[1], row[2])
        return position, heads
    (position,) = _run(
        database, "SELECT COALESCE(MAX(position), 0) FROM eventstore_event"
    ).fetchone()
    for stream in streams:
        row = _run(
            database,
            "SELECT version, hash FROM eventstore_event WHERE stream = %s"
            " ORDER BY version DESC LIMIT 1",
            [stream],
        ).fetchone()
        if row is not None:
            heads[stream] = (row[0], row[1])
    return position, heads


_COLUMNS = "(position, stream, version, type, schema, recorded_at, body, hash)"


def _insert(database: Any, rows: list[tuple[Any, ...]]) -> None:
    """Insert rows in one statement (PostgreSQL) or one by one on the driver (SQLite)."""
    if database.vendor == "postgresql":
        if len(rows) == 1:
            _run(
                database,
                f"INSERT INTO eventstore_event {_COLUMNS}"  # noqa: S608
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                rows[0],
            )
        else:
            _run(
                database,
                f"INSERT INTO eventstore_event {_COLUMNS}"  # noqa: S608
                " SELECT * FROM unnest(%s::bigint[], %s::text[], %s::int[], %s::text[],"
                " %s::smallint[], %s::text[], %s::bytea[], %s::text[])",
                [list(column) for column in zip(*rows, strict=True)],
            )
        return
    sql = (
        f"INSERT INTO eventstore_event {_COLUMNS}"  # noqa: S608
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    )
    if database.queries_logged:
        for row in rows:
            _run(database, sql.replace("?", "%s"), row)
    else:
        with database.wrap_database_errors:
            database.connection.executemany(sql, rows)


def append(writes: Sequence[StreamWrite], *, meta: Meta) -> list[Recorded]:
    """Append events to one or several streams, all or none, and return them as recorded.

    Runs inside the caller's transaction, which must hold the writing turn (`writing_turn`).
    Raises WrongExpectedVersion, NotCanonical.
    """
    database = _database()
    if not database.in_atomic_block:
        raise transaction.TransactionManagementError("append needs a transaction")
    sealer = Sealer(meta, clock.as_text(clock.now()))
    position, heads = _heads(database, list(dict.fromkeys(write.stream for write in writes)))
    recorded: list[Recorded] = []
    rows: list[tuple[Any, ...]] = []
    for write in writes:
        stream = write.stream
        version, prev_hash = heads.get(stream, (0, NO_HASH))
        if write.expected not in (ANY, version):
            raise WrongExpectedVersion(stream, write.expected, version)
        for item in write.events:
            position, version = position + 1, version + 1
            one, body = sealer.seal(
                item, position=position, stream=stream, version=version, prev_hash=prev_hash
            )
            prev_hash = one.hash
            recorded.append(one)
            rows.append(
                (
                    position,
                    stream,
                    version,
                    one.type,
                    one.schema,
                    sealer.recorded_at,
                    body,
                    prev_hash,
                )
            )
        heads[stream] = (version, prev_hash)
    if rows:
        _insert(database, rows)
        transaction.on_commit(wakeup.ring, robust=True)
    return recorded


def read_stream(stream: str, *, after: int = 0, upto: int | None = None) -> list[Recorded]:
    """Return the events of a stream with version above `after` (and at most `upto`)."""
    sql = "SELECT body, hash FROM eventstore_event WHERE stream = %s AND version > %s"
    values: list[int | str] = [stream, after]
    if upto is not None:
        sql += " AND version <= %s"
        values.append(upto)
    rows = _run(_database(), sql + " ORDER BY version", values).fetchall()
    return [unseal(bytes(body), known_hash=known) for body, known in rows]


def read_all(*, after: int = 0, batch: int = 2000) -> Iterator[Recorded]:
    """Yield every event with position above `after`, in global order, read in batches."""
    while True:
        found = read_batch(after=after, batch=batch)
        yield from found
        if len(found) < batch:
            return
        after = found[-1].position


def read_batch(*, after: int, batch: int) -> list[Recorded]:
    """Return the next events above `after` in global order, at most `batch`."""
    rows = _run(
        _database(),
        "SELECT body, hash FROM eventstore_event WHERE position > %s ORDER BY position LIMIT %s",
        [after, batch],
    ).fetchall()
    return [unseal(bytes(body), known_hash=known) for body, known in rows]


def read_rows(*, after: int, batch: int) -> list[tuple[Any, ...]]:
    """Return the next stored rows above `after` as they stand, columns as in audit.Row."""
    rows: list[tuple[Any, ...]] = _run(
        _database(),
        "SELECT position, stream, version, type, schema, recorded_at, body, hash"
        " FROM eventstore_event WHERE position > %s ORDER BY position LIMIT %s",
        [after, batch],
    ).fetchall()
    return rows


def hash_of(stream: str, version: int) -> str | None:
    """Return the stored hash of one event; None when there is no such event."""
    row = _run(
        _database(),
        "SELECT hash FROM eventstore_event WHERE stream = %s AND version = %s",
        [stream, version],
    ).fetchone()
    return str(row[0]) if row else None


def head_position() -> int:
    """Return the position of the newest event, 0 when the log is empty."""
    sql = "SELECT COALESCE(MAX(position), 0) FROM eventstore_event"
    return int(_run(_database(), sql).fetchone()[0])
