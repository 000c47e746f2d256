"""The transaction of one command, and what the driver is asked in it.

A command takes the turn to write, is looked up, appends, and keeps its outcome. Django's
transaction and cursors cost several times what these statements cost, so where the command is
the outermost transaction the driver is asked directly, and as seldom as may be:

- SQLite: BEGIN IMMEDIATE, one look-up, one INSERT for the last event and the outcome (the view
  of migration 0004), COMMIT.
- PostgreSQL: two round trips (eventstore.named). BEGIN and the look-up go out together with what
  the command is known to look up (eventstore.ahead), and so do what projectors write, the event,
  the outcome and COMMIT.

Therefore the rows of the command's events wait here until its end, or until somebody wants to
see them: every query of the store, every query of Django's that names the table of events, and
every savepoint has them written first. On PostgreSQL what projectors write (eventstore.prepared)
waits, too, until any query. Inside another transaction, or while queries are recorded, a command
takes Django's way and nothing waits.

A connection remembers the heads of the streams it saw. They count while the newest event of the
log, which each command reads under the lock, is the one they were remembered with: nothing was
appended since, and nothing can be taken away.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any

from django.db import transaction
from django.db.transaction import Atomic

from eventstore import clock, named, queue, wakeup
from eventstore.domain.envelope import NO_HASH
from eventstore.named import Item, Server, Statement

logger = logging.getLogger(__name__)

LOCK_KEY = 0x48_6A_45_76
"""Key of the advisory lock under which PostgreSQL appends."""

Head = tuple[int, str]
"""Version and hash of the newest event of a stream."""
Mark = tuple[int, str]
"""Position and hash of the newest event of the log."""
Ahead = Callable[[], Sequence[Any]]
"""Returns what a command is known to look up: statements, or look-ups that become one."""
Outcome = tuple[str, str, str, bytes, str]
"""Command id, name, fingerprint, outcome and time, as they are kept."""
Found = tuple[Mark, tuple[str, bytes] | None]
"""The newest event of the log, and (fingerprint, outcome) of the command looked up."""
NO_MARK: Mark = (0, NO_HASH)
NO_HEAD: Head = (0, NO_HASH)
"""Head of a stream that has no event."""
HEADS_AT_MOST = 1000

COLUMNS = "(position, stream, version, type, schema, recorded_at, body, hash)"
INSERT = (
    f"INSERT INTO eventstore_event {COLUMNS}"  # noqa: S608
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
)
INSERT_MANY = (
    f"INSERT INTO eventstore_event {COLUMNS}"  # noqa: S608
    " SELECT * FROM unnest(%s::bigint[], %s::text[], %s::int[], %s::text[],"
    " %s::smallint[], %s::text[], %s::bytea[], %s::text[])"
)
INSERT_OUTCOME = (
    "INSERT INTO eventstore_command (command, name, fingerprint, outcome, recorded_at)"
    " VALUES (%s, %s, %s, %s, %s)"
)
LAST = "SELECT position, hash FROM eventstore_event ORDER BY position DESC LIMIT 1"
HEAD = "SELECT version, hash FROM eventstore_event WHERE stream = %s ORDER BY version DESC LIMIT 1"
KNOWN = "SELECT fingerprint, outcome FROM eventstore_command WHERE command = %s"
TURN = "SELECT fingerprint, outcome, last, hash FROM eventstore_turn(%s)"


class Rows:
    """The rows that a statement found, as a driver's cursor hands them out."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self._rows = iter(rows)

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, None after the last."""
        return next(self._rows, None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the rows that were not fetched yet."""
        return list(self._rows)


def run(database: Any, sql: str, values: Sequence[Any] = ()) -> Any:
    """Execute one statement and return its rows as a cursor has them; they last until the next
    call.

    The driver is asked directly, unless somebody records the queries.
    """
    turn = getattr(database, "eventstore_turn", None)
    if turn is not None and turn.rows:
        turn.write_rows()
    if database.vendor == "postgresql":
        found = named.ask(database, [Statement(sql, values, binary=True)])
        if found is not None:
            return Rows(found[0])
    raw = database.connection
    if database.vendor != "sqlite" or raw is None or database.queries_logged:
        cursor = database.cursor()
        cursor.execute(sql, values)
        return cursor
    database.validate_no_broken_transaction()
    with database.wrap_database_errors:
        return raw.execute(sql.replace("%s", "?"), values)


def write_events(database: Any, rows: list[tuple[Any, ...]]) -> None:
    """Insert rows of events now: in one statement on PostgreSQL, on the driver on SQLite."""
    if len(rows) == 1:
        run(database, INSERT, rows[0])
    elif database.vendor == "postgresql":
        run(database, INSERT_MANY, [list(column) for column in zip(*rows, strict=True)])
    elif database.queries_logged:
        for row in rows:
            run(database, INSERT, row)
    else:
        with database.wrap_database_errors:
            database.connection.executemany(INSERT.replace("%s", "?"), rows)


def look(database: Any, command_id: str) -> Found:
    """Look a command up by Django's way; on PostgreSQL this also waits for the turn to write."""
    if database.vendor == "postgresql":
        fingerprint, outcome, last, last_hash = run(database, TURN, [command_id]).fetchone()
        known = None if fingerprint is None else (fingerprint, outcome)
        mark = NO_MARK if last is None else (last, last_hash)
    else:
        known = run(database, KNOWN, [command_id]).fetchone()
        mark = run(database, LAST).fetchone() or NO_MARK
    return mark, None if known is None else (known[0], bytes(known[1]))


_TURN, _HEAD, _EVENT, _OUTCOME = (
    Item(name, named.numbered(sql))
    for name, sql in (
        (b"eventstore_turn", TURN),
        (b"eventstore_head", HEAD),
        (b"eventstore_event", INSERT),
        (b"eventstore_outcome", INSERT_OUTCOME),
    )
)
_EVENT_FORMATS = (0, 0, 0, 0, 0, 0, 1, 0)
_OUTCOME_FORMATS = (0, 0, 0, 1, 0)


class SqliteLine:
    """The few statements of a command on SQLite."""

    _LOOK = (
        "SELECT e.position, e.hash, c.fingerprint, c.outcome FROM eventstore_event e"
        " LEFT JOIN eventstore_command c ON c.command = ? ORDER BY e.position DESC LIMIT 1"
    )
    _KNOWN = KNOWN.replace("%s", "?")
    _HEAD = HEAD.replace("%s", "?")
    _INSERT = INSERT.replace("%s", "?")
    _OUTCOME = INSERT_OUTCOME.replace("%s", "?")
    _BOTH = "INSERT INTO eventstore_commit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        cursor = raw.cursor()
        self._execute, self._many = cursor.execute, cursor.executemany

    def open(self, command_id: str) -> Found:
        """Begin, wait for the turn to write, and look the command up."""
        self._execute("BEGIN IMMEDIATE")
        row = self._execute(self._LOOK, (command_id,)).fetchone()
        if row is None:
            return NO_MARK, self._execute(self._KNOWN, (command_id,)).fetchone()
        position, last_hash, fingerprint, outcome = row
        return (position, last_hash), None if fingerprint is None else (fingerprint, outcome)

    def head(self, stream: str) -> Head | None:
        """Return the head of a stream."""
        found: Head | None = self._execute(self._HEAD, (stream,)).fetchone()
        return found

    def close(self, rows: list[tuple[Any, ...]], outcome: Outcome | None) -> None:
        """Write what waits, and commit."""
        if len(rows) == 1 and outcome is not None:
            self._execute(self._BOTH, rows[0] + outcome)
        else:
            if rows:
                self._many(self._INSERT, rows)
            if outcome is not None:
                self._execute(self._OUTCOME, outcome)
        self._execute("COMMIT")


class PostgresqlLine:
    """The few statements of a command on PostgreSQL, several in one round trip."""

    def __init__(self, raw: Any, server: Server) -> None:
        from psycopg import DataError

        self.raw, self.server, self._bad_data = raw, server, DataError

    def open(self, command_id: str, ahead: Sequence[Item] = ()) -> tuple[Found, list[Any]]:
        """Begin, wait for the turn to write, look the command up, and fetch ahead: one round
        trip. Returns what was found, and the result of each item."""
        if "\x00" in command_id:
            raise self._bad_data("PostgreSQL text cannot contain NUL")
        turn = _TURN._replace(values=[command_id.encode()])
        _, answer, *fetched = self.server.ask([named.BEGIN, turn, *ahead])
        fingerprint, outcome, last, last_hash = (answer.get_value(0, at) for at in range(4))
        mark = NO_MARK if last is None else (int.from_bytes(last, "big"), last_hash.decode())
        known = None if fingerprint is None else (fingerprint.decode(), outcome)
        return (mark, known), fetched

    def head(self, stream: str) -> Head | None:
        """Return the head of a stream."""
        (answer,) = self.server.ask([_HEAD._replace(values=[stream.encode()])])
        if not answer.ntuples:
            return None
        return int.from_bytes(answer.get_value(0, 0), "big"), answer.get_value(0, 1).decode()

    def close(
        self, rows: list[tuple[Any, ...]], outcome: Outcome | None, writes: Sequence[Item]
    ) -> None:
        """Write what waits, and commit: one round trip."""
        items = list(writes)
        if len(rows) > 1:
            columns = [list(column) for column in zip(*rows, strict=True)]
            items.append(self.server.item(Statement(INSERT_MANY, columns)))
        elif rows:
            values = [str(item).encode() for item in rows[0]]
            values[6] = rows[0][6]
            items.append(_EVENT._replace(values=values, formats=_EVENT_FORMATS))
        if outcome is not None:
            command, name, fingerprint, result, at = outcome
            kept = [command.encode(), name.encode(), fingerprint.encode(), result, at.encode()]
            items.append(_OUTCOME._replace(values=kept, formats=_OUTCOME_FORMATS))
        self.server.ask([*items, named.COMMIT])


Line = SqliteLine | PostgresqlLine


def _line(database: Any) -> Line | None:
    """Return the line of this connection; None where Django's way has to be taken."""
    raw = database.connection
    line: Line | None = getattr(database, "eventstore_line", None)
    if line is None or line.raw is not raw:
        database.eventstore_heads = (NO_MARK, {})
        if database.vendor == "sqlite":
            line = SqliteLine(raw)
        else:
            server = Server.behind(raw)
            line = PostgresqlLine(raw, server) if server is not None else None
        database.eventstore_line = line
    return line


class Turn(Atomic):
    """The transaction of one command under the write lock: a context manager.

    `known` is (fingerprint, outcome) when the command was done before. `committing` says that
    the end was begun: an error from there on leaves open whether it was reached.
    """

    known: tuple[str, bytes] | None = None
    committing = False
    recorded_at: str | None = None
    _line: Line | None = None
    _outcome: Outcome | None = None
    _mark: Mark | None = None
    _queue: queue.Held | None = None
    _asking = False

    def __init__(self, database: Any, command_id: str, ahead: Ahead | None = None) -> None:
        super().__init__(database.alias, True, False)
        self.database, self.command_id, self._wanted = database, command_id, ahead
        self.rows: list[tuple[Any, ...]] = []
        self._heads: dict[str, Head] = {}
        self._writes: list[Item] = []
        self._fetched: dict[Hashable, tuple[bytes, Any]] = {}

    def __enter__(self) -> Turn:  # type: ignore[override]
        if not self.database.in_atomic_block:
            self._queue = queue.take(self.database)
        try:
            self._begin()
        except BaseException:
            queue.leave(self._queue)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._end(kind, fault, trace)
        finally:
            queue.leave(self._queue)

    def _begin(self) -> None:
        """Begin the transaction and look the command up."""
        database = self.database
        line: Line | None = None
        if not (database.in_atomic_block or database.queries_logged):
            database.close_if_health_check_failed()
            if database.connection is None:
                database.ensure_connection()
            if database.autocommit:
                with database.wrap_database_errors:
                    line = _line(database)
        if line is None:
            self._enter_within()
            return
        # what Atomic.__enter__ leaves behind for the outermost block
        database.commit_on_exit, database.needs_rollback = True, False
        database.autocommit, database.in_atomic_block = False, True
        database.atomic_blocks.append(self)
        try:
            if isinstance(line, SqliteLine):
                self._mark, self.known = line.open(self.command_id)
            else:
                self._mark, self.known = self._open(line)
        except BaseException as fault:
            self._undo(fault)
            raise
        kept_mark, heads = database.eventstore_heads
        self._heads = heads if kept_mark == self._mark and len(heads) < HEADS_AT_MOST else {}
        self._line = line
        database.eventstore_turn = self
        database.execute_wrappers.append(self._before_query)

    def _open(self, line: PostgresqlLine) -> Found:
        """Begin with what the command is known to look up."""
        wanted = [one.statement(self.database) for one in self._wanted()] if self._wanted else []
        items = [line.server.item(one) for one in wanted]
        found, answers = line.open(self.command_id, items)
        for item, answer in zip(items, answers, strict=True):
            self._fetched[item.key] = item.text, answer
        return found

    def _enter_within(self) -> None:
        """Take part in the transaction there is, or take Django's way to one."""
        outer = current(self.database)
        if outer is not None:
            outer.stop_waiting()
        super().__enter__()
        try:
            _, self.known = look(self.database, self.command_id)
        except BaseException as fault:
            super().__exit__(type(fault), fault, fault.__traceback__)
            raise

    def _undo(self, fault: BaseException) -> None:
        """Roll back; raises Django's error when the fault is one of the driver's."""
        self._stop()
        try:
            with self.database.wrap_database_errors:
                raise fault  # as Django's error, when it is one of the driver's
        except BaseException as told:
            super().__exit__(type(told), told, told.__traceback__)
            if told is not fault:
                raise

    def _stop(self) -> None:
        """Let nothing wait any more."""
        database = self.database
        self.rows, self._writes = [], []
        if self._line is not None:
            database.execute_wrappers.remove(self._before_query)
            database.eventstore_turn = None
            database.eventstore_heads = (NO_MARK, {})

    def _end(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write what waits and commit, or roll back."""
        line, database = self._line, self.database
        if line is None:
            super().__exit__(kind, fault, trace)
            return
        if fault is not None or database.needs_rollback or database.closed_in_transaction:
            self._stop()
            super().__exit__(kind, fault, trace)
            return
        try:
            if isinstance(line, SqliteLine):
                line.close(self.rows, self._outcome)
            else:
                line.close(self.rows, self._outcome, self._writes)
        except BaseException as failed:
            self._undo(failed)
            raise
        database.execute_wrappers.remove(self._before_query)
        # what Atomic.__exit__ and the commit leave behind
        database.eventstore_turn = None
        database.eventstore_heads = (self._mark or NO_MARK, self._heads)
        database.atomic_blocks.pop()
        database.in_atomic_block, database.errors_occurred = False, False
        database.autocommit = True
        if self.recorded_at is not None:
            try:
                wakeup.ring()
            except Exception:  # a help only, and what was committed is committed
                logger.exception("the followers were not woken")
        if database.run_on_commit:
            database.run_and_clear_commit_hooks()

    def here(self) -> bool:
        """Say whether rows may wait: not inside a savepoint, which may be undone alone."""
        return self._line is not None and not self.database.savepoint_ids

    def position(self) -> int:
        """Return the last position of the log, rows that wait included."""
        if self._mark is None:
            self._mark = run(self.database, LAST).fetchone() or NO_MARK
        return self._mark[0]

    def head(self, stream: str) -> Head:
        """Return version and hash of the newest event of a stream, rows that wait included."""
        found = self._heads.get(stream)
        if found is None and self._line is not None:
            with self.database.wrap_database_errors:
                found = self._line.head(stream)
        return found or NO_HEAD

    def remember(self, stream: str, head: Head) -> None:
        """Remember the head of a stream as it was read under the lock."""
        self._heads[stream] = head

    def add(self, rows: list[tuple[Any, ...]], heads: dict[str, Head], recorded_at: str) -> None:
        """Take rows that are to be written, the heads after them, and their time."""
        self.rows += rows
        self._forget(b"eventstore_event")
        self._heads.update(heads)
        self._mark, self.recorded_at = (rows[-1][0], rows[-1][7]), recorded_at

    def _before_query(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any
    ) -> Any:
        """Write what waits before a query that may want to see it, and before a savepoint, with
        which it must not be undone."""
        if not self._asking:
            text = str(sql)
            self.write_writes()
            if self.rows and ("eventstore_event" in text or text.startswith("SAVEPOINT")):
                self.write_rows()
            if not text.startswith("SELECT"):
                self._fetched.clear()
        return execute(sql, params, many, context)

    def ask(self, items: Sequence[Item]) -> list[Any]:
        """Return the result of each of these look-ups on PostgreSQL: what was fetched ahead and
        still holds, the others in one round trip with what projectors wrote before."""
        assert isinstance(self._line, PostgresqlLine)  # noqa: S101  (named.ask asks no other)
        found: list[Any] = [None] * len(items)
        if self._fetched:
            found = [self._fetched.get(one.key, (b"", None))[1] for one in items]
        wanted = [one for one, known in zip(items, found, strict=True) if known is None]
        if wanted:
            if self.rows and any(b"eventstore_event" in one.text for one in wanted):
                self.write_rows()
            answers = iter(self._send(wanted))
            found = [next(answers) if known is None else known for known in found]
        return found

    def write(self, item: Item, table: str) -> None:
        """Let a write to a table of PostgreSQL wait; what was fetched ahead of it holds no more.
        Within a savepoint, which may be undone alone, it is written now."""
        self._forget(table.encode())
        self._writes.append(item)
        if not self.here():
            self.write_writes()

    def _forget(self, table: bytes) -> None:
        """Forget what was fetched ahead of a table, or of one whose name begins like it."""
        held = self._fetched.items()
        self._fetched = {key: one for key, one in held if table not in one[0]}

    def write_writes(self) -> None:
        """Write now what projectors wrote."""
        if self._writes:
            self._send([])

    def _send(self, items: Sequence[Item]) -> list[Any]:
        """Carry out statements after what projectors wrote."""
        line, count = self._line, len(self._writes)
        assert isinstance(line, PostgresqlLine)  # noqa: S101  (nothing waits on another)
        every, self._writes, self._asking = [*self._writes, *items], [], True
        try:
            return named.seen(self.database, every, lambda: line.server.ask(every))[count:]
        finally:
            self._asking = False

    def write_rows(self) -> None:
        """Write the rows that wait now."""
        if self.rows:
            rows, self.rows = self.rows, []
            write_events(self.database, rows)

    def stop_waiting(self) -> None:
        """Write what waits, and read the log anew before the next append: others append too,
        inside a savepoint that may be undone."""
        self.write_writes()
        self.write_rows()
        if self._line is not None:
            self._mark, self._heads, self._fetched = None, {}, {}

    def keep(self, name: str, fingerprint: str, outcome: bytes, now: datetime) -> None:
        """Keep the outcome beside the events, in the same transaction; the last step."""
        at = self.recorded_at or clock.as_text(now)
        kept = (self.command_id, name, fingerprint, outcome, at)
        if self._line is None:
            run(self.database, INSERT_OUTCOME, kept)
        else:
            self._outcome = kept
        self.committing = True


def current(database: Any) -> Turn | None:
    """Return the turn whose rows may wait on this connection; None without one."""
    turn: Turn | None = getattr(database, "eventstore_turn", None)
    return turn


def need_transaction(database: Any) -> None:
    """Raise TransactionManagementError outside a transaction."""
    if not database.in_atomic_block:
        raise transaction.TransactionManagementError("the write lock needs a transaction")
