"""Append and read. The only code that touches the table of events.

Writers take turns: one write lock (SQLite: BEGIN IMMEDIATE; PostgreSQL: an advisory lock held
to the end of the transaction) covers reading the last position, the inserts and the commit.
So positions have no holes, and a reader that has seen position n never later finds a new
event at or below n.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection, transaction

from eventstore import clock, wakeup
from eventstore.domain.envelope import NO_HASH, Meta, Recorded, seal, unseal
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


def writing_turn() -> None:
    """Wait for the turn to write, held until the transaction ends. Call inside atomic()."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("the write lock needs a transaction")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])


def append(writes: Sequence[StreamWrite], *, meta: Meta) -> list[Recorded]:
    """Append events to one or several streams, all or none, and return them as recorded.

    Runs inside the caller's transaction, which must hold the writing turn (`writing_turn`).
    Raises WrongExpectedVersion, NotCanonical.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("append needs a transaction")
    recorded_at = clock.as_text(clock.now())
    recorded: list[Recorded] = []
    rows: list[tuple[int | str | bytes, ...]] = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT COALESCE(MAX(position), 0) FROM eventstore_event")
        position: int = cursor.fetchone()[0]
        heads: dict[str, tuple[int, str]] = {}
        for write in writes:
            if write.stream not in heads:
                cursor.execute(
                    "SELECT version, hash FROM eventstore_event WHERE stream = %s"
                    " ORDER BY version DESC LIMIT 1",
                    [write.stream],
                )
                heads[write.stream] = cursor.fetchone() or (0, NO_HASH)
            version, prev_hash = heads[write.stream]
            if write.expected not in (ANY, version):
                raise WrongExpectedVersion(write.stream, write.expected, version)
            for item in write.events:
                position, version = position + 1, version + 1
                one, body = seal(
                    item,
                    position=position,
                    stream=write.stream,
                    version=version,
                    meta=meta,
                    recorded_at=recorded_at,
                    prev_hash=prev_hash,
                )
                prev_hash = one.hash
                recorded.append(one)
                rows.append(
                    (
                        position,
                        one.stream,
                        version,
                        one.type,
                        one.schema,
                        recorded_at,
                        body,
                        one.hash,
                    )
                )
            heads[write.stream] = (version, prev_hash)
        if rows:
            cursor.executemany(
                "INSERT INTO eventstore_event"
                " (position, stream, version, type, schema, recorded_at, body, hash)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                rows,
            )
    if rows:
        transaction.on_commit(wakeup.ring, robust=True)
    return recorded


def read_stream(stream: str, *, after: int = 0, upto: int | None = None) -> list[Recorded]:
    """Return the events of a stream with version above `after` (and at most `upto`)."""
    sql = "SELECT body, hash FROM eventstore_event WHERE stream = %s AND version > %s"
    values: list[int | str] = [stream, after]
    if upto is not None:
        sql += " AND version <= %s"
        values.append(upto)
    with connection.cursor() as cursor:
        cursor.execute(sql + " ORDER BY version", values)
        return [unseal(bytes(body), known_hash=known) for body, known in cursor.fetchall()]


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
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT body, hash FROM eventstore_event WHERE position > %s"
            " ORDER BY position LIMIT %s",
            [after, batch],
        )
        return [unseal(bytes(body), known_hash=known) for body, known in cursor.fetchall()]


def hash_of(stream: str, version: int) -> str | None:
    """Return the stored hash of one event; None when there is no such event."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT hash FROM eventstore_event WHERE stream = %s AND version = %s",
            [stream, version],
        )
        row = cursor.fetchone()
    return str(row[0]) if row else None


def head_position() -> int:
    """Return the position of the newest event, 0 when the log is empty."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT COALESCE(MAX(position), 0) FROM eventstore_event")
        return int(cursor.fetchone()[0])
