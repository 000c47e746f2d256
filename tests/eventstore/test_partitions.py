"""What of the log's guards holds on a table that PostgreSQL keeps in ranges of positions.

The product does not partition the table; docs/scale.md says from when on that would be worth it.
These tests say what would have to be made anew, on a partitioned twin of the real table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import Error, connection, transaction

pytestmark = [pytest.mark.pg, pytest.mark.django_db]
TWIN = """
CREATE TABLE twin (LIKE eventstore_event) PARTITION BY RANGE (position);
CREATE TABLE twin_1 PARTITION OF twin FOR VALUES FROM (1) TO (4);
CREATE TABLE twin_2 PARTITION OF twin FOR VALUES FROM (4) TO (1000);
ALTER TABLE twin ADD PRIMARY KEY (position);
CREATE INDEX twin_stream ON twin (stream, version);
CREATE TRIGGER twin_lock BEFORE INSERT ON twin
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_lock();
CREATE TRIGGER twin_insert AFTER INSERT ON twin REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION twin_next_only();
CREATE TRIGGER twin_update BEFORE UPDATE OR DELETE ON twin
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse();
CREATE TRIGGER twin_truncate BEFORE TRUNCATE ON twin
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse();
"""
ONCE = """
CREATE FUNCTION twin_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM fresh f WHERE
        (SELECT count(*) FROM twin e WHERE e.stream = f.stream AND e.version = f.version) > 1
    ) THEN RAISE EXCEPTION 'events are append-only: the version exists';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER twin_once AFTER INSERT ON twin REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION twin_once();
"""


@pytest.fixture
def cursor() -> Iterator[Any]:
    """A cursor beside whose tables the twin stands; both go with the transaction of the test."""
    if connection.vendor != "postgresql":
        pytest.skip("partitions are PostgreSQL's")
    with connection.cursor() as made:
        made.execute("SELECT pg_get_functiondef('eventstore_next_only'::regproc)")
        made.execute(made.fetchone()[0].replace("eventstore_event", "twin").replace(
            "eventstore_next_only", "twin_next_only"
        ))  # fmt: skip
        made.execute(TWIN)
        yield made


def _insert(cursor: Any, position: int, stream: str, version: int, table: str = "twin") -> None:
    cursor.execute(
        f"INSERT INTO {table} VALUES (%s, %s, %s, 'a.b', 1, '', '', %s)",
        [position, stream, version, "0" * 64],
    )


def _refused(cursor: Any, sql: str, match: str) -> None:
    with pytest.raises(Error, match=match), transaction.atomic():
        cursor.execute(sql)


def test_the_order_of_positions_and_versions_is_guarded_across_partitions(cursor: Any) -> None:
    for position in range(1, 7):
        _insert(cursor, position, "a-1", position)
    cursor.execute("SELECT tableoid::regclass::text, count(*) FROM twin GROUP BY 1 ORDER BY 1")
    assert cursor.fetchall() == [("twin_1", 3), ("twin_2", 3)]
    for position, version in ((8, 7), (7, 8), (6, 7), (7, 0)):
        with pytest.raises(Error), transaction.atomic():
            _insert(cursor, position, "a-1", version)
    _refused(cursor, "DELETE FROM twin WHERE position = 2", "append-only: no delete")
    _refused(cursor, "UPDATE twin SET type = 'x' WHERE position = 5", "append-only: no update")
    _refused(cursor, "DELETE FROM twin_2", "append-only: no delete")
    _refused(cursor, "TRUNCATE twin", "append-only: no truncate")


def test_one_version_twice_needs_a_guard_of_its_own(cursor: Any) -> None:
    """The key of stream and version cannot be there: it does not hold the position."""
    _refused(cursor, "ALTER TABLE twin ADD UNIQUE (stream, version)", "partition")
    for number in (1, 2):
        _insert(cursor, number, "a-1", number)
    kept = transaction.savepoint()
    _insert(cursor, 3, "a-1", 2)  # the guard of today lets it pass
    transaction.savepoint_rollback(kept)
    cursor.execute(ONCE)
    with pytest.raises(Error, match="the version exists"), transaction.atomic():
        _insert(cursor, 3, "a-1", 2)
    _insert(cursor, 3, "a-1", 3)


def test_who_writes_into_a_partition_itself_passes_the_guards_of_statements(cursor: Any) -> None:
    """So each partition would need them as well: PostgreSQL copies only those of rows."""
    _insert(cursor, 1, "a-1", 1)
    _insert(cursor, 5, "a-1", 9, table="twin_2")
    cursor.execute("TRUNCATE twin_2")
    cursor.execute("SELECT count(*) FROM twin")
    assert cursor.fetchone() == (1,)
