"""Statements that PostgreSQL has read and planned once, several of them in one round trip.

As Django sends a statement the server reads and plans it each time, which costs as much as carrying
out a look-up by a key, and each is a way there and back. Here a statement is prepared under a name
of ours in the server process of its connection, on the way with its first use, and any number go
out together (pipeline mode of libpq).

Names last as long as their connection. psycopg has a server forget all names when it rolls back,
but only where it made some itself, which Django keeps it from doing; where it may, or while queries
are recorded, everything takes Django's way (`Server.of` is None).
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Any, NamedTuple, TypeVar

R = TypeVar("R")


class Statement(NamedTuple):
    """A statement with a value for each %s. `binary`: its rows come as the event store reads them,
    in the server's own formats; else as Django expects them."""

    sql: str
    values: Sequence[Any] = ()
    binary: bool = False

    def statement(self, database: Any) -> Statement:
        """Return itself; look-ups that are written for each kind of database do it here."""
        return self


class Item(NamedTuple):
    """A statement as the server takes it: its name and text, the types, values and formats of its
    parameters, and the format of its rows (1: binary)."""

    name: bytes
    text: bytes
    types: tuple[int, ...] | None = None
    values: Sequence[bytes | bytearray | memoryview | None] | None = None
    formats: Sequence[int] | None = None
    rows: int = 1

    @property
    def key(self) -> Hashable:
        """The same for the same question."""
        return self.name, *(None if one is None else bytes(one) for one in self.values or ())


STALE = ("0A000", "26000", "42P05")
"""What the server says when a name is not what it was prepared as: columns have another type since,
somebody had all names forgotten, or a pooler put another server process behind the connection. Such
a connection is closed and told as lost: nothing was done, and the next one begins anew."""
MARK = re.compile("%[%s]")
BEGIN, COMMIT = Item(b"BEGIN", b"BEGIN"), Item(b"COMMIT", b"COMMIT")
_numbers = itertools.count(1)
_known: dict[Hashable, tuple[bytes, bytes]] = {}


def numbered(sql: str) -> bytes:
    """Write %s as $1, $2, ... and %% as %, whatever stands behind it."""
    at = itertools.count(1)
    return MARK.sub(lambda one: "%" if one[0] == "%%" else f"${next(at)}", sql).encode()


class Server:
    """The server process of one connection, and the names it knows."""

    def __init__(self, raw: Any) -> None:
        from psycopg import OperationalError, adapt, errors, generators, pq

        self.raw = raw
        self._line = raw.pgconn
        self._error, self._lost = errors.error_from_result, OperationalError
        self._send, self._fetch = generators.send, generators.fetch_many
        self._good = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)
        self._idle = pq.TransactionStatus.IDLE
        self._auto = adapt.PyFormat.AUTO
        self._values, self._rows = adapt.Transformer(raw), adapt.Transformer(raw)
        self._ready: set[bytes] = set()

    @staticmethod
    def of(database: Any) -> Server | None:
        """Return the server of Django's connection, which is opened where it is not; None where
        statements have to take Django's way."""
        if database.vendor != "postgresql" or database.queries_logged:
            return None
        database.close_if_health_check_failed()
        if database.connection is None:
            database.ensure_connection()
        return Server.behind(database.connection)

    @staticmethod
    def behind(raw: Any) -> Server | None:
        """Return the server of a connection of the driver; None where no names of ours last."""
        if raw.prepare_threshold is not None:
            return None
        # kept with the connection and not with its borrower: a pool hands it from one to the next
        known: Server | None = raw.__dict__.get("eventstore_server")
        if known is None:
            known = raw.__dict__["eventstore_server"] = Server(raw)
        return known

    def item(self, one: Statement) -> Item:
        """Write a statement for the server. Raises the driver's DataError for a value that the
        database cannot keep."""
        values = self._values.dump_sequence(one.values, [self._auto] * len(one.values))
        types, formats = self._values.types, self._values.formats
        of = (one.sql, types)
        known = _known.get(of)
        if known is None:
            name = f"hj{next(_numbers)}".encode()
            known = _known.setdefault(of, (name, numbered(one.sql)))
        return Item(*known, types, values, formats, int(one.binary))

    def ask(self, items: Sequence[Item]) -> list[Any]:
        """Carry out statements in one round trip and return the driver's result of each. Raises
        the driver's error of the first that failed, after which the server skips the rest."""
        line = self._line
        begins = line.transaction_status == self._idle and not self.raw.autocommit
        if begins:  # what psycopg does before the first statement
            items = [BEGIN, *items]
        prepares: list[bytes | None] = []  # for each result the name it prepared, if it did
        new: set[bytes] = set()
        try:
            line.enter_pipeline_mode()
            for name, text, types, values, formats, rows in items:
                if name not in self._ready and name not in new:
                    line.send_prepare(name, text, types)
                    prepares.append(name)
                    new.add(name)
                line.send_query_prepared(name, values, formats, rows)
                prepares.append(None)
            line.pipeline_sync()
            answers = self.raw.wait(self._answers(len(prepares)))
            line.exit_pipeline_mode()
        except BaseException:
            self.raw.close()  # nobody knows which answers are still under way
            raise
        found = []
        for prepared, answer in zip(prepares, answers, strict=True):
            if answer.status not in self._good:
                fault = self._error(answer, encoding="utf-8")
                if fault.sqlstate in STALE:
                    self.raw.close()
                    raise self._lost(str(fault)) from fault
                raise fault
            if prepared is None:
                found.append(answer)
            else:
                self._ready.add(prepared)
        return found[1:] if begins else found

    def _answers(self, count: int) -> Generator[Any, Any, list[Any]]:
        """Send what is queued and collect so many results (a generator for psycopg's wait)."""
        yield from self._send(self._line)
        answers: list[Any] = []
        for _ in range(count + 1):  # and that of the synchronisation
            answers += yield from self._fetch(self._line)
        return answers[:count]

    def rows(self, answer: Any) -> list[tuple[Any, ...]]:
        """Read the rows of a result."""
        self._rows.set_pgresult(answer)
        found: list[tuple[Any, ...]] = self._rows.load_rows(0, answer.ntuples, tuple)
        return found


def seen(database: Any, items: Sequence[Item], do: Callable[[], R]) -> R:
    """Carry out a round trip as one query that whoever watches this connection's queries sees."""

    def execute(sql: Any, params: Any, many: bool, context: Any) -> R:
        with database.wrap_database_errors:
            return do()

    step: Callable[..., R] = execute
    for wrapper in reversed(database.execute_wrappers):
        step = functools.partial(wrapper, step)
    database.validate_no_broken_transaction()
    text = b"; ".join(one.text for one in items).decode()
    return step(text, None, False, {"connection": database, "cursor": None})


def ask(database: Any, statements: Sequence[Statement]) -> list[list[tuple[Any, ...]]] | None:
    """Return the rows of each of these look-ups, asked in one round trip, or found among what the
    running command fetched ahead; None where they have to be asked Django's way."""
    server = Server.of(database)
    if server is None:
        return None
    with database.wrap_database_errors:
        items = [server.item(one) for one in statements]
    turn = getattr(database, "eventstore_turn", None)
    if turn is not None:
        answers = turn.ask(items)
    else:
        answers = seen(database, items, lambda: server.ask(items))
    return [server.rows(one) for one in answers]


def write(database: Any, one: Statement, table: str) -> None:
    """Write to a table of this name: with the end of the running command where it can wait, else
    now. Raises what the database says, in the first case at the next query or at the end."""
    server = Server.of(database)
    if server is None:
        with database.cursor() as cursor:
            cursor.execute(one.sql, one.values)
        return
    with database.wrap_database_errors:
        item = server.item(one)
    turn = getattr(database, "eventstore_turn", None)
    if turn is not None:
        turn.write(item, table)
    else:
        seen(database, [item], lambda: server.ask([item]))
