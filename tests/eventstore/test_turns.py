"""The short way of a command: few statements, rows that wait for its end, and nothing is lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from config.slow import Watching
from eventstore import named, store, turns, wakeup
from eventstore.commands import Context, Unit, command
from eventstore.models import CommandOutcome, Event
from eventstore.verification import verify_log
from people.domain.actor import SYSTEM
from tests.eventstore.conftest import ROOT
from tests.eventstore.sample import NumberAdded, number_add

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.pg]

Body = Callable[[Unit], Any]


def by_system(**values: Any) -> Context:
    return Context(actor=SYSTEM, source="system", **values)


@command("sample.anything_do")
def anything_do(unit: Unit, *, at: int) -> int:
    """Do what the test left under that number."""
    result: int = _bodies[at](unit) or 0
    return result


_bodies: list[Body] = []


def do(body: Body, **values: Any) -> int:
    """Run a body as a command."""
    _bodies.append(body)
    return anything_do(by_system(**values), at=len(_bodies) - 1)


def add(number: int = 1, stream: str = "thing-a") -> Body:
    return lambda unit: unit.append(stream, store.ANY, [NumberAdded(number)]) and None


def sound(*numbers: int) -> None:
    """The log holds these numbers in order, its chain is whole, and nothing is left waiting."""
    assert [one.data.number for one in store.read_all()] == list(numbers)
    assert verify_log().faults == []
    assert turns.current(connections["default"]) is None
    assert [one for one in connection.execute_wrappers if not isinstance(one, Watching)] == []
    assert not connection.in_atomic_block
    assert connection.get_autocommit()


def test_a_command_is_four_statements_or_two_round_trips(monkeypatch: pytest.MonkeyPatch) -> None:
    do(add())
    asked: list[str] = []
    if connection.vendor == "sqlite":
        connection.connection.set_trace_callback(asked.append)
        do(add())
        connection.connection.set_trace_callback(None)
        once = dict.fromkeys(asked)  # a statement is told again for each of its triggers
        assert [one.split()[0] for one in once] == ["BEGIN", "SELECT", "INSERT", "COMMIT"]
    else:
        ask = named.Server.ask

        def counted(self: Any, items: Any) -> Any:
            asked.append(str(len(items)))
            return ask(self, items)

        monkeypatch.setattr(named.Server, "ask", counted)
        do(add())
        assert asked == ["2", "3"]
    sound(1, 1)


def test_heads_are_read_anew_when_somebody_else_has_appended() -> None:
    do(add(1))

    def elsewhere() -> None:
        try:
            do(add(2))
            do(add(3, "thing-b"))
        finally:
            connections.close_all()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    do(add(4))
    do(add(5, "thing-b"))
    assert [one.data.number for one in store.read_all()] == [1, 2, 3, 4, 5]
    sound(1, 2, 3, 4, 5)


def test_what_waits_is_seen_by_every_query_that_asks_for_it() -> None:
    def body(unit: Unit) -> int:
        seen = []
        add(1)(unit)
        seen.append(Event.objects.count())
        add(2)(unit)
        with connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM eventstore_event")
            seen.append(cursor.fetchone()[0])
        add(3)(unit)
        seen.append(len(store.read_stream("thing-a")))
        add(4)(unit)
        seen.append(store.head_position())
        add(5)(unit)
        assert seen == [1, 2, 3, 4]
        return len(seen)

    assert do(body) == 4
    sound(1, 2, 3, 4, 5)


def test_a_savepoint_that_is_undone_takes_its_events_and_no_others() -> None:
    def body(unit: Unit) -> None:
        add(1)(unit)
        with pytest.raises(KeyError), transaction.atomic():
            add(2)(unit)
            raise KeyError
        add(3)(unit)
        with transaction.atomic():
            add(4)(unit)
        add(5)(unit)

    do(body)
    do(add(6))
    sound(1, 3, 4, 5, 6)


def test_a_query_within_a_savepoint_that_is_undone_undoes_nothing_from_before_it() -> None:
    def body(unit: Unit) -> None:
        add(1)(unit)
        with pytest.raises(KeyError), transaction.atomic():
            assert [one.data.number for one in store.read_stream("thing-a")] == [1]
            assert Event.objects.count() == 1
            raise KeyError
        add(2)(unit)

    do(body)
    sound(1, 2)


def test_a_command_that_fails_leaves_nothing_and_the_next_one_works() -> None:
    do(add(1))

    def body(unit: Unit) -> None:
        add(2)(unit)
        raise KeyError

    for _ in range(2):
        with pytest.raises(KeyError):
            do(body, command_id="one")
    do(add(3), command_id="two")
    assert set(CommandOutcome.objects.values_list("name", flat=True)) == {"sample.anything_do"}
    assert CommandOutcome.objects.count() == 2
    sound(1, 3)


def test_a_command_within_a_transaction_goes_with_it() -> None:
    do(add(1))
    with pytest.raises(KeyError), transaction.atomic():
        do(add(2))
        raise KeyError
    with transaction.atomic():
        do(add(3))
        do(add(4, "thing-b"))
    do(add(5))
    sound(1, 3, 4, 5)


def test_a_command_of_its_own_within_a_command() -> None:
    def body(unit: Unit) -> None:
        add(1)(unit)
        number_add(by_system(command_id="inner"), stream="thing-a", number=2)
        add(3)(unit)

    do(body)
    assert number_add(by_system(command_id="inner"), stream="thing-a", number=2).total == 3
    sound(1, 2, 3)


def test_the_guards_refuse_what_wrong_heads_would_write() -> None:
    do(add(1))
    database = connections["default"]
    mark, _ = database.eventstore_heads
    database.eventstore_heads = (mark, {"thing-a": (7, "0" * 64)})
    with pytest.raises(DatabaseError, match="append-only"):
        do(add(2), command_id="one")
    assert not CommandOutcome.objects.filter(command="one").exists()
    do(add(3), command_id="one")
    sound(1, 3)


def test_followers_and_hooks_are_called_after_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []

    def note(what: str) -> Callable[[], None]:
        return lambda: called.append(f"{what} {connection.in_atomic_block} {Event.objects.count()}")

    monkeypatch.setattr(wakeup, "ring", note("ring"))

    def body(unit: Unit) -> None:
        transaction.on_commit(note("hook"))
        add(1)(unit)
        assert called == []

    do(body)
    assert called == ["ring False 1", "hook False 1"]
    do(lambda unit: None)  # appends nothing: nobody is woken
    assert len(called) == 2

    def broken() -> None:
        raise KeyError

    monkeypatch.setattr(wakeup, "ring", broken)
    do(add(2))
    sound(1, 2)


def test_recorded_queries_take_the_long_way_to_the_same_rows() -> None:
    do(add(1))
    with CaptureQueriesContext(connection) as queries:
        do(add(2), command_id="one")
    assert any("eventstore_event" in one["sql"] for one in queries.captured_queries)
    do(add(3))
    assert CommandOutcome.objects.filter(command="one").exists()
    sound(1, 2, 3)


def test_several_events_and_none() -> None:
    do(lambda unit: unit.append("thing-a", 0, [NumberAdded(1), NumberAdded(2)]) and None)
    do(lambda unit: None, command_id="none")
    assert CommandOutcome.objects.filter(command="none").exists()
    with pytest.raises(store.WrongExpectedVersion) as fault:
        do(lambda unit: unit.append("thing-a", 1, [NumberAdded(3)]) and None)
    assert (fault.value.expected, fault.value.actual) == (1, 2)
    sound(1, 2)


def test_a_command_id_that_the_database_cannot_keep_is_refused_and_not_cut() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite keeps any text")
    with pytest.raises(DatabaseError):
        do(add(1), command_id="one\x00two")
    do(add(2), command_id="one")
    sound(2)


def test_a_connection_whose_first_command_fails_serves_the_next() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite keeps any text")
    connection.close()
    for _ in range(2):
        with pytest.raises(DatabaseError, match="too long"):
            do(add(1), command_id="x" * 65)
    do(add(2))
    sound(2)


def test_outcomes_of_an_installed_database_are_kept_by_the_migration(tmp_path: Path) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite's table is made anew")
    file = tmp_path / "old.sqlite3"
    env = {"DATABASE_URL": f"sqlite:///{file}", "DATA_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}

    def migrate(*names: str) -> None:
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--skip-checks", "--verbosity", "0", *names],
            cwd=ROOT, env={**os.environ, **env}, check=True,
        )  # fmt: skip

    migrate("eventstore", "0003")
    row = ("one", "sample.number_add", "f" * 64, b"5", "2026-01-01T00:00:00.000000Z")
    with sqlite3.connect(file) as line:
        line.execute("INSERT INTO eventstore_command VALUES (?, ?, ?, ?, ?)", row)
    migrate()
    with sqlite3.connect(file) as line:
        assert line.execute("SELECT * FROM eventstore_command").fetchall() == [row]
        for sql in (
            "INSERT OR REPLACE INTO eventstore_command SELECT * FROM eventstore_command",
            "UPDATE eventstore_command SET name = 'x'",
            "DELETE FROM eventstore_command",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                line.execute(sql)
