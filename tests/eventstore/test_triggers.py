"""The log cannot be changed: by the ORM, by raw SQL, or by a connection that is not ours."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.checks import Tags, run_checks
from django.db import DatabaseError, connection, transaction

from eventstore.checks import TRIGGERS, missing_triggers
from eventstore.commands import Context
from eventstore.models import CommandOutcome, Event
from people.domain.actor import SYSTEM
from tests.eventstore.conftest import OwnDatabase
from tests.eventstore.sample import number_add

pytestmark = [pytest.mark.pg]

COLUMNS = "position, stream, version, type, schema, recorded_at, body, hash"
ROW = "({position}, '{stream}', {version}, 't', 1, 'x', {body}, 'h')"


def fill() -> None:
    for number in (1, 2, 3):
        number_add(Context(actor=SYSTEM, source="system"), stream="thing-a", number=number)


def snapshot() -> list[Any]:
    return [
        sorted(
            tuple(bytes(cell) if isinstance(cell, memoryview) else cell for cell in row)
            for row in table.objects.values_list()
        )
        for table in (Event, CommandOutcome)
    ]


def row(position: int, stream: str, version: int, vendor: str) -> str:
    body = "x'00'" if vendor == "sqlite" else "'\\x00'::bytea"
    return ROW.format(position=position, stream=stream, version=version, body=body)


def statements(vendor: str, after: int = 4) -> dict[str, str]:
    """Every way we know to change, remove or slip in a row, by name. `after` is the next position
    of the log, so that what else is wrong with an insert is the reason of its refusal."""
    insert = f"INSERT INTO eventstore_event ({COLUMNS}) VALUES "
    ways = {
        "update": "UPDATE eventstore_event SET body = hash WHERE position = 1",
        "update of the key": "UPDATE eventstore_event SET position = 9 WHERE position = 3",
        "update to the same": "UPDATE eventstore_event SET hash = hash",
        "delete": "DELETE FROM eventstore_event WHERE position = 3",
        "delete all": "DELETE FROM eventstore_event",
        "insert over a position": insert + row(2, "thing-z", 1, vendor),
        "insert over a version": insert + row(after, "thing-a", 2, vendor),
        "insert with a hole": insert + row(after + 5, "thing-z", 1, vendor),
        "insert before the first": insert + row(0, "thing-z", 1, vendor),
        "insert beyond the version": insert + row(after, "thing-a", 99, vendor),
        "insert of several": insert
        + row(after, "thing-z", 1, vendor)
        + ","
        + row(after, "thing-y", 1, vendor),
        "outcome update": "UPDATE eventstore_command SET outcome = fingerprint",
        "outcome delete": "DELETE FROM eventstore_command",
    }
    copied = "SELECT command, name, fingerprint, outcome, recorded_at FROM eventstore_command"
    if vendor == "sqlite":
        ways |= {
            "replace": "INSERT OR REPLACE" + insert[6:] + row(2, "thing-z", 1, vendor),
            "replace by version": "INSERT OR REPLACE"
            + insert[6:]
            + row(after, "thing-a", 2, vendor),
            "short replace": "REPLACE" + insert[6:] + row(2, "thing-z", 1, vendor),
            "update or replace": "UPDATE OR REPLACE eventstore_event SET position = 1",
            "upsert": insert
            + row(2, "thing-z", 1, vendor)
            + " ON CONFLICT (position) DO UPDATE SET body = excluded.body",
            "null position": insert + row(after, "t", 1, vendor).replace(f"({after},", "(NULL,"),
            "outcome replace": f"INSERT OR REPLACE INTO eventstore_command {copied}",
        }
    else:
        ways |= {
            "truncate": "TRUNCATE eventstore_event",
            "truncate cascade": "TRUNCATE eventstore_event CASCADE",
            "upsert": insert
            + row(2, "thing-z", 1, vendor)
            + " ON CONFLICT (position) DO UPDATE SET body = excluded.body",
            "merge": (
                "MERGE INTO eventstore_event e USING (SELECT 1 AS p) s ON e.position = s.p"
                " WHEN MATCHED THEN DELETE"
            ),
            "outcome truncate": "TRUNCATE eventstore_command",
            "outcome upsert": (
                f"INSERT INTO eventstore_command {copied}"
                " ON CONFLICT (command) DO UPDATE SET outcome = excluded.fingerprint"
            ),
        }
    return ways


@pytest.mark.django_db
def test_raw_sql_of_our_connection_cannot_change_the_log() -> None:
    fill()
    before = snapshot()
    for name, sql in statements(connection.vendor).items():
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
            pytest.fail(f"went through: {name}")
        assert snapshot() == before, name


def _orm_ways() -> dict[str, Callable[[], Any]]:
    first = Event.objects.order_by("position")[0]
    outcome = CommandOutcome.objects.all()[0]
    copied = Event(**{field.attname: getattr(first, field.attname) for field in Event._meta.fields})
    return {
        "save": first.save,
        "save with a new key": lambda: Event(position=2, stream="thing-z", version=1).save(),
        "delete": first.delete,
        "update": lambda: Event.objects.update(hash="x"),
        "queryset delete": lambda: Event.objects.filter(position=3).delete(),
        "bulk update": lambda: Event.objects.bulk_update([first], ["hash"]),
        "bulk create": lambda: Event.objects.bulk_create([copied]),
        "bulk upsert": lambda: Event.objects.bulk_create(
            [copied], update_conflicts=True, update_fields=["hash"], unique_fields=["position"]
        ),
        "outcome save": outcome.save,
        "outcome delete": outcome.delete,
        "outcome update": lambda: CommandOutcome.objects.update(name="x"),
    }


@pytest.mark.django_db
def test_the_orm_cannot_change_the_log() -> None:
    fill()
    before = snapshot()
    for name, act in _orm_ways().items():
        with pytest.raises(DatabaseError), transaction.atomic():
            act()
            pytest.fail(f"went through: {name}")
        assert snapshot() == before, name


@pytest.fixture
def filled(own_database: OwnDatabase) -> OwnDatabase:
    """A database of its own with three commands in its log."""
    own_database.run("-m", "tests.eventstore.appender", "a", "3")
    return own_database


class Foreign:
    """A plain driver connection without any of our settings."""

    def __init__(self, database: OwnDatabase, url: str | None = None) -> None:
        self.vendor = database.vendor
        if self.vendor == "sqlite":
            self.line: Any = sqlite3.connect(database.path, isolation_level=None)
            self.errors: tuple[type[Exception], ...] = (sqlite3.DatabaseError,)
        else:
            import psycopg

            self.line = psycopg.connect(url or database.url, autocommit=True)
            self.errors = (psycopg.Error,)

    def rows(self) -> list[Any]:
        events = self.line.execute("SELECT * FROM eventstore_event ORDER BY position").fetchall()
        return [events, self.line.execute("SELECT * FROM eventstore_command").fetchall()]


@pytest.fixture
def foreign(filled: OwnDatabase) -> Iterator[Foreign]:
    """A foreign connection to the filled database."""
    made = Foreign(filled)
    yield made
    made.line.close()


def assert_refused(foreign: Foreign, ways: dict[str, str], before: list[Any]) -> None:
    for name, sql in ways.items():
        try:
            foreign.line.execute(sql)
        except foreign.errors:
            pass
        else:
            pytest.fail(f"went through: {name}")
        assert foreign.rows() == before, name


def add_the_next_row(foreign: Foreign) -> None:
    """The control: the one row that may be added goes in, so the others failed for a reason."""
    foreign.line.execute(
        f"INSERT INTO eventstore_event ({COLUMNS}) VALUES " + row(7, "thing-z", 1, foreign.vendor)
    )
    assert len(foreign.rows()[0]) == 7


def test_a_foreign_connection_cannot_change_the_log(foreign: Foreign) -> None:
    before = foreign.rows()
    assert len(before[0]) == 6
    if foreign.vendor == "sqlite":
        assert foreign.line.execute("PRAGMA recursive_triggers").fetchone() == (0,)
    assert_refused(foreign, statements(foreign.vendor, 7), before)
    add_the_next_row(foreign)


def test_a_role_with_every_grant_cannot_change_the_log(filled: OwnDatabase) -> None:
    if filled.vendor != "postgresql":
        # SQLite has no roles: whoever opens the file is the foreign connection above, and
        # its triggers hold for the read-write open of the very same file as well.
        line = sqlite3.connect(f"file:{filled.path}?mode=rw", uri=True)
        with pytest.raises(sqlite3.DatabaseError, match="append-only"):
            line.execute("DELETE FROM eventstore_event")
        line.close()
        return
    role = f"clerk_{secrets.token_hex(4)}"
    owner = Foreign(filled)
    owner.line.execute(f"CREATE ROLE {role} LOGIN")
    try:
        owner.line.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
        host = filled.url.split("@", 1)[1]
        clerk = Foreign(filled, f"postgresql://{role}@{host}")
        before = clerk.rows()
        ways = statements("postgresql", 7) | {
            "switch the triggers off": "ALTER TABLE eventstore_event DISABLE TRIGGER ALL",
            "drop a trigger": "DROP TRIGGER eventstore_event_update ON eventstore_event",
            "be a replica": "SET session_replication_role = replica",
            "drop the table": "DROP TABLE eventstore_event",
        }
        assert_refused(clerk, ways, before)
        add_the_next_row(clerk)
        clerk.line.close()
    finally:
        owner.line.execute(f"DROP OWNED BY {role}")
        owner.line.execute(f"DROP ROLE {role}")
        owner.line.close()


@pytest.mark.django_db
def test_the_triggers_are_there_and_the_check_sees_one_that_is_not() -> None:
    assert missing_triggers(connection) == []
    assert run_checks(tags=[Tags.database], databases=["default"]) == []
    for name in sorted(TRIGGERS[connection.vendor]):
        with transaction.atomic():
            with connection.cursor() as cursor:
                on = ""
                if connection.vendor == "postgresql":
                    cursor.execute(
                        "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = %s", [name]
                    )
                    on = f" ON {cursor.fetchone()[0]}"
                cursor.execute(f"DROP TRIGGER {name}{on}")
            assert missing_triggers(connection) == [name]
            found = run_checks(tags=[Tags.database], databases=["default"])
            assert [fault.id for fault in found] == ["eventstore.E001"]
            assert name in found[0].msg
            transaction.set_rollback(True)
    assert missing_triggers(connection) == []


@pytest.mark.django_db
def test_a_trigger_that_is_switched_off_counts_as_missing() -> None:
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            # what a re-made table leaves behind: the same table, no triggers
            cursor.execute("ALTER TABLE eventstore_event RENAME TO old_event")
            cursor.execute("CREATE TABLE eventstore_event AS SELECT * FROM old_event")
            cursor.execute("DROP TABLE old_event")
        assert len(missing_triggers(connection)) == 3
        return
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE eventstore_event DISABLE TRIGGER eventstore_event_update")
    assert missing_triggers(connection) == ["eventstore_event_update"]


@pytest.mark.django_db(transaction=True)
def test_the_flush_between_transactional_tests_leaves_the_triggers() -> None:
    from django.core.management import call_command

    fill()
    call_command("flush", verbosity=0, interactive=False)
    assert Event.objects.count() == 0
    assert CommandOutcome.objects.count() == 0
    assert missing_triggers(connection) == []
    fill()
    with pytest.raises(DatabaseError):
        Event.objects.all().delete()
