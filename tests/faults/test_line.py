"""A connection to PostgreSQL that says nothing any more is given up, in the middle of a command
too, and nothing of the command is kept."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection

from config.postgresql.base import Line
from eventstore import store
from eventstore.commands import Context, Unit, command
from eventstore.faults import LOST, NotDone
from people.domain.actor import SYSTEM
from tests.eventstore.sample import NumberAdded

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
