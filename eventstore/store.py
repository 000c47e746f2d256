"""Append and read. The only code that touches the table of events.

Writers take turns: one write lock (SQLite: BEGIN IMMEDIATE; PostgreSQL: an advisory lock held
to the end of the transaction) covers reading the last position, the inserts and the commit.
So positions have no holes, and a reader that has seen position n never later finds a new
event at or below n.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from eventstore import clock, turns, wakeup
from eventstore.domain.envelope import Meta, Recorded, Sealer, unseal
from eventstore.domain.registry import DomainEvent
from eventstore.named import Statement
from eventstore.turns import Head, run

ANY = -1
"""Expected version that matches whatever is there."""


class WrongExpectedVersion(Exception):
    """The stream has moved on since it was read."""

    measured_as = "moved_on"

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


def writing_turn() -> None:
    """Wait for the turn to write, held until the transaction ends. Call inside atomic()."""
    database = _database()
    turns.need_transaction(database)
    turn = turns.current(database)
    if turn is not None:
        turn.stop_waiting()
    if database.vendor == "postgresql":
        run(database, "SELECT pg_advisory_xact_lock(%s)", [turns.LOCK_KEY])


def _head(database: Any, stream: str) -> Head:
    """Read version and hash of the newest event of a stream."""
    row: Head | None = run(database, turns.HEAD, [stream]).fetchone()
    return row or turns.NO_HEAD


def append(writes: Sequence[StreamWrite], *, meta: Meta, database: Any = None) -> list[Recorded]:
    """Append events to one or several streams, all or none, and return them as recorded.

    Runs inside the caller's transaction, which must hold the writing turn (`writing_turn`).
    `database` is the connection, where the caller has it at hand. Raises WrongExpectedVersion,
    NotCanonical.
    """
    database = database or _database()
    turns.need_transaction(database)
    turn = turns.current(database)
    heads: dict[str, Head] = {}
    head_of: Callable[[str], Head] = functools.partial(_head, database)
    if turn is not None and turn.here():
        position, head_of = turn.position(), turn.head
    else:
        if turn is not None:
            turn.stop_waiting()
            turn = None
        position = head_position()
    sealer = Sealer(meta, clock.as_text(clock.now()))
    recorded: list[Recorded] = []
    rows: list[tuple[Any, ...]] = []
    for write in writes:
        stream = write.stream
        version, prev_hash = heads.get(stream) or head_of(stream)
        if write.expected not in (ANY, version):
            raise WrongExpectedVersion(stream, write.expected, version)
        for item in write.events:
            position, version = position + 1, version + 1
            one, body = sealer.seal(item, position, stream, version, prev_hash)
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
    if not rows:
        return recorded
    if turn is not None:
        turn.add(rows, heads, sealer.recorded_at)
    else:
        turns.write_events(database, rows)
        transaction.on_commit(wakeup.ring, robust=True)
    return recorded


_OF_STREAM = "SELECT body, hash FROM eventstore_event WHERE stream = %s AND version > %s"
_BY_VERSION = " ORDER BY version"


def whole(stream: str) -> Statement:
    """Return what `read_stream` asks for all events of a stream (for eventstore.ahead)."""
    return Statement(_OF_STREAM + _BY_VERSION, [stream, 0], binary=True)


def read_stream(stream: str, *, after: int = 0, upto: int | None = None) -> list[Recorded]:
    """Return the events of a stream with version above `after` (and at most `upto`)."""
    sql, values = _OF_STREAM, [stream, after]
    if upto is not None:
        sql, values = sql + " AND version <= %s", [*values, upto]
    database = _database()
    rows = run(database, sql + _BY_VERSION, values).fetchall()
    found = [unseal(bytes(body), known_hash=known) for body, known in rows]
    turn = turns.current(database)
    if turn is not None and (found or not after) and upto is None and turn.here():
        turn.remember(stream, (found[-1].version, found[-1].hash) if found else turns.NO_HEAD)
    return found


def holds_any(types: Iterable[str]) -> bool:
    """Say whether the log holds an event of one of these types: one query."""
    names = list(types)
    marks = ", ".join(["%s"] * len(names))
    sql = f"SELECT 1 FROM eventstore_event WHERE type IN ({marks}) LIMIT 1"  # noqa: S608
    return bool(names) and run(_database(), sql, names).fetchone() is not None


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
    rows = run(
        _database(),
        "SELECT body, hash FROM eventstore_event WHERE position > %s ORDER BY position LIMIT %s",
        [after, batch],
    ).fetchall()
    return [unseal(bytes(body), known_hash=known) for body, known in rows]


def read_rows(*, after: int, batch: int) -> list[tuple[Any, ...]]:
    """Return the next stored rows above `after` as they stand, columns as in audit.Row."""
    rows: list[tuple[Any, ...]] = run(
        _database(),
        "SELECT position, stream, version, type, schema, recorded_at, body, hash"
        " FROM eventstore_event WHERE position > %s ORDER BY position LIMIT %s",
        [after, batch],
    ).fetchall()
    return rows


def hash_of(stream: str, version: int) -> str | None:
    """Return the stored hash of one event; None when there is no such event."""
    row = run(
        _database(),
        "SELECT hash FROM eventstore_event WHERE stream = %s AND version = %s",
        [stream, version],
    ).fetchone()
    return str(row[0]) if row else None


def head_position() -> int:
    """Return the position of the newest event, 0 when the log is empty."""
    sql = "SELECT COALESCE(MAX(position), 0) FROM eventstore_event"
    return int(run(_database(), sql).fetchone()[0])
