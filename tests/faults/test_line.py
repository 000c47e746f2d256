"""A connection to PostgreSQL that says nothing any more is given up, in the middle of a command
too, and nothing of the command is kept."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection

from config import database
from config.postgresql.base import Line
from eventstore import store
from eventstore.commands import Context, Unit, command
from eventstore.faults import LOST, NotDone
from people.domain.actor import SYSTEM
from tests.eventstore.sample import NumberAdded
from tests.faults.clients import until

pytestmark = [pytest.mark.pg, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of a second of silence is too long."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no line")
    monkeypatch.setattr(Line, "silence", 0.2)


def test_a_silent_connection_is_given_up_and_the_next_one_works() -> None:
    with pytest.raises(OperationalError, match="said nothing"), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(2)")
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


def test_what_was_sent_in_part_holds_nobody_up_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line breaks between the pieces of a command: PostgreSQL waits for the rest, with the lock,
    and does not count that as idling."""
    monkeypatch.setattr(Line, "longest", 0.5)
    connection.close()
    connection.ensure_connection()
    server = connection.connection.pgconn
    with psycopg.connect(connection.connection.info.dsn, autocommit=True) as other:
        server.enter_pipeline_mode()
        server.send_query_params(b"BEGIN", None)
        server.send_query_params(b"SELECT pg_advisory_xact_lock(77)", None)
        server.send_flush_request()
        server.flush()
        ask = "SELECT pg_try_advisory_lock(77)"
        until(lambda: not _free(other), 5, "the lock is held")
        assert other.execute(ask).fetchone() == (False,)
        until(lambda: other.execute(ask).fetchone() == (True,), 5, "the lock is free again")
    connection.connection.close()
    connection.close()


def test_a_worker_has_time_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker may take long over a statement; where its line breaks, its hold on the log ends."""
    shared = connection.settings_dict["OPTIONS"]
    monkeypatch.setitem(shared, "options", shared.get("options", ""))
    monkeypatch.setattr(Line, "longest", 0.0)
    database.work()
    assert Line.silence == 70.0
    names = ("statement_timeout", "idle_in_transaction_session_timeout", "transaction_timeout")
    found = []
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute("SELECT setting::int / 1000 FROM pg_settings WHERE name = %s", [name])
            found += cursor.fetchall()
    connection.close()
    assert found == [(0,), (15,), (700,)]


def _free(other: Any) -> bool:
    """Try the lock and give it back at once; whether it was to be had."""
    got = other.execute("SELECT pg_try_advisory_lock(77)").fetchone() == (True,)
    if got:
        other.execute("SELECT pg_advisory_unlock(77)")
    return got


@command("sample.number_add")
def _slow(unit: Unit, *, number: int, sleep: float) -> int:
    unit.append("thing-a", 0, [NumberAdded(number)])
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [sleep])
    return number


def test_a_command_whose_database_falls_silent_is_not_done() -> None:
    sent = Context(actor=SYSTEM, source="system")
    with pytest.raises(NotDone) as fault:
        _slow(sent, number=1, sleep=2.0)
    assert fault.value.reason == LOST
    assert store.head_position() == 0
