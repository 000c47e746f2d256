"""One database of the event store bench, in a process of its own (DATABASE_URL, DATA_DIR).

Every figure is a ratio of interleaved pairs: some work by hand with the raw driver, the same
work by the store, again and again; the median of the ratios counts. Absolute figures drift with
the machine, ratios much less.
"""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from eventstore import store  # noqa: E402
from eventstore.commands import Context, Unit, command  # noqa: E402
from eventstore.domain.envelope import Meta, fold, seal  # noqa: E402
from eventstore.domain.registry import DomainEvent, event  # noqa: E402
from eventstore.verification import verify_log  # noqa: E402
from people.domain.actor import SYSTEM  # noqa: E402

VENDOR = connection.vendor
CLOCK = time.process_time if VENDOR == "sqlite" else time.perf_counter
"""For replay and verification: where all is done in this process, what others do does not count."""
LOCK = 4711
META = Meta(actor="system", role="system", source="system", command="c" * 36)


@event("bench.line_written")
class LineWritten(DomainEvent, frozen=True):
    """About as large as an event of a duel."""

    seat: str
    card: int
    zone: str
    note: str


def line(number: int) -> LineWritten:
    """Return the event with that number."""
    return LineWritten("P1", number, "monster-3", "normal summon")


SAMPLE = seal(
    line(1), position=100_000, stream="duel-00000000-0000-7000-8000-000000000000", version=1000,
    meta=META, recorded_at="2026-01-01T00:00:00.000000Z", prev_hash="0" * 64,
)[1]  # fmt: skip


@command("bench.lines_write")
def lines_write(unit: Unit, *, stream: str, expected: int, count: int) -> int:
    """One command: `count` events onto a stream of known version."""
    unit.append(stream, expected, [line(number) for number in range(count)])
    return count


NUMBERS = itertools.count(1)


class Ours:
    """The store, by commands."""

    def __init__(self) -> None:
        self.stream, self.version = "", 0
        self.next_stream()

    def next_stream(self) -> None:
        """Go on with a new stream every thousand events, as duels do."""
        self.stream, self.version = f"duel-{os.getpid()}-{next(NUMBERS):030}", 0

    def commands(self, times: int, count: int) -> None:
        """Send `times` commands of `count` events."""
        for _ in range(times):
            lines_write(
                Context(actor=SYSTEM, source="system"),
                stream=self.stream, expected=self.version, count=count,
            )  # fmt: skip
            self.version += count
            if self.version >= 1000:
                self.next_stream()


class Forgetful(Ours):
    """The store where other processes write as well: the heads of streams are read anew."""

    def commands(self, times: int, count: int) -> None:
        """Send `times` commands of `count` events, each as if another writer had been there."""
        for _ in range(times):
            connection.eventstore_heads = ((0, ""), {})
            super().commands(1, count)


def raw_row(at: int) -> tuple[Any, ...]:
    """Return a row as the store writes it: the same columns, as many bytes."""
    return (at, f"duel-{at // 1000:036}", at, "bench.line_written", 1,
            "2026-01-01T00:00:00.000000Z", SAMPLE, "0" * 64)  # fmt: skip


class RawSqlite:
    """The floor on SQLite: BEGIN IMMEDIATE, INSERT, COMMIT with the driver alone."""

    def __init__(self, synchronous: str) -> None:
        folder = Path(os.environ["DATA_DIR"])
        self.line = sqlite3.connect(folder / f"raw-{synchronous}.sqlite3", isolation_level=None)
        self.line.execute("PRAGMA journal_mode=WAL")
        self.line.execute(f"PRAGMA synchronous={synchronous}")
        self.line.execute(
            "CREATE TABLE e (position INTEGER PRIMARY KEY, stream TEXT, version INTEGER,"
            " type TEXT, schema INTEGER, recorded_at TEXT, body BLOB, hash TEXT,"
            " UNIQUE (stream, version))"
        )
        self.at = 0

    def commands(self, times: int, count: int) -> None:
        """Write the same events by hand."""
        for _ in range(times):
            rows = []
            for _ in range(count):
                self.at += 1
                rows.append(raw_row(self.at))
            self.line.execute("BEGIN IMMEDIATE")
            self.line.executemany("INSERT INTO e VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            self.line.execute("COMMIT")


class RawPostgresql:
    """The floor on PostgreSQL: BEGIN, advisory lock, INSERT, COMMIT with the driver alone.

    Its statements are prepared, as the store's are, or not, as Django's are. On the same server
    process as the store: where the kernel puts a second one makes a factor of two between them.
    """

    def __init__(self, *, prepared: bool = True) -> None:
        self.prepared = prepared
        import psycopg

        connection.ensure_connection()
        self.line = psycopg.Cursor(connection.connection)
        self.line.execute(
            "CREATE TABLE IF NOT EXISTS raw_e (position bigint PRIMARY KEY, stream text,"
            " version int, type text, schema smallint, recorded_at text, body bytea, hash text,"
            " UNIQUE (stream, version))"
        )
        self.line.execute("TRUNCATE raw_e")
        self.at = 0

    def commands(self, times: int, count: int) -> None:
        """Write the same events by hand."""
        cursor = self.line
        cursor.connection.prepare_threshold = 5 if self.prepared else None
        for _ in range(times):
            rows = []
            for _ in range(count):
                self.at += 1
                rows.append(raw_row(self.at))
            cursor.execute("BEGIN")
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK], prepare=True)
            if count == 1:
                cursor.execute(
                    "INSERT INTO raw_e VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                    rows[0],
                    prepare=True,
                )
            else:
                columns = [list(column) for column in zip(*rows, strict=True)]
                cursor.execute(
                    "INSERT INTO raw_e SELECT * FROM unnest(%s::bigint[], %s::text[], %s::int[],"
                    " %s::text[], %s::smallint[], %s::text[], %s::bytea[], %s::text[])",
                    columns,
                    prepare=True,
                )
            cursor.execute("COMMIT")
        cursor.connection.prepare_threshold = None


def timed(call: Callable[[], Any]) -> float:
    """Return the seconds a call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def pairs(floor: Any, ours: Ours, times: int, count: int, rounds: int) -> dict[str, float]:
    """Measure interleaved pairs; events per second of each, and the median ratio."""
    floor.commands(times // 4 + 1, count)
    ours.commands(times // 4 + 1, count)
    low, own = [], []
    for _ in range(rounds):
        low.append(timed(lambda: floor.commands(times, count)))
        own.append(timed(lambda: ours.commands(times, count)))
    events = times * count
    return {
        "floor": round(events / statistics.median(low)),
        "ours": round(events / statistics.median(own)),
        "ratio": round(statistics.median(a / b for a, b in zip(low, own, strict=True)), 3),
    }


def rebuild(length: int) -> float:
    """Return the milliseconds (best of nine) in which a stream is read and folded."""
    stream = f"duel-rebuild-{length}"
    for start in range(0, length, 500):
        count = min(500, length - start)
        lines_write(
            Context(actor=SYSTEM, source="system"), stream=stream, expected=start, count=count
        )

    def once() -> int:
        return fold(0, lambda total, one: total + one.card, (e.data for e in
                    store.read_stream(stream)))  # fmt: skip

    return round(min(timed(once) for _ in range(9)) * 1000, 2)


def fill(ours: Ours, upto: int) -> None:
    """Make the log at least so long."""
    while store.head_position() < upto:
        ours.next_stream()
        with transaction.atomic():
            store.writing_turn()
            events = [line(number) for number in range(1000)]
            store.append([store.StreamWrite(ours.stream, 0, events)], meta=META)


def replay() -> tuple[int, float]:
    """Return events per second of a replay of the whole log, and MB that memory grew."""
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen = 0
    started = CLOCK()
    for one in store.read_all():
        seen += one.data.card >= 0
    seconds = CLOCK() - started
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return round(seen / seconds), round(grown, 1)


def main(quick: bool) -> dict[str, Any]:
    """Measure everything on this database."""
    call_command("migrate", verbosity=0, skip_checks=True)
    # short turns: on a busy machine most of them are not interrupted, and the median is of those
    rounds, times = (151, 10) if quick else (601, 20)
    ours = Ours()
    found: dict[str, Any] = {}
    if VENDOR == "sqlite":
        found["one FULL"] = pairs(RawSqlite("FULL"), ours, times, 1, rounds)
        connection.cursor().execute("PRAGMA synchronous=NORMAL")  # the same durability
        normal = RawSqlite("NORMAL")
        found["one NORMAL"] = pairs(normal, ours, times, 1, rounds)
        found["batch 10"] = pairs(normal, ours, 2, 10, rounds)
        found["batch 100"] = pairs(normal, ours, 1, 100, rounds)
    else:
        raw = RawPostgresql()
        found["one"] = pairs(raw, ours, times, 1, rounds)
        found["batch 10"] = pairs(raw, ours, 2, 10, rounds)
        found["batch 100"] = pairs(raw, ours, 1, 100, rounds)
        raw = RawPostgresql(prepared=False)
        found["one, floor not prepared"] = pairs(raw, ours, times, 1, rounds)
    found["two writers"] = pairs(
        normal if VENDOR == "sqlite" else raw, Forgetful(), times, 1, rounds
    )
    found["rebuild 2000 ms"] = rebuild(2000)
    fill(ours, 30_000 if quick else 1_000_000)
    found["replay per s"], found["replay MB"] = replay()
    started = CLOCK()
    verify_log()
    seconds = CLOCK() - started
    found["verify per s"] = round(store.head_position() / seconds)
    found["events"] = store.head_position()
    return found


if __name__ == "__main__":
    print(json.dumps(main("--quick" in sys.argv)))
