"""Checks that many rooms use: projections equal their rebuild, queries are counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction
from django.test.utils import CaptureQueriesContext

from eventstore import projections

Dump = dict[str, dict[str, str]]


class _RollBack(Exception):
    """Ends the block whose rebuild must leave nothing behind."""


def _dump(projection: projections.Projection) -> Dump:
    """Return the rows of a projection: {table: {key: row as JSON text}}."""
    tables: Dump = {}
    for table in projection.tables:
        rows: dict[str, str] = {}
        for row in table._default_manager.order_by("pk"):
            values = {field.attname: _plain(field, row) for field in table._meta.concrete_fields}
            rows[str(row.pk)] = json.dumps(values, cls=DjangoJSONEncoder, sort_keys=True)
        tables[table._meta.label] = rows
    return tables


def _plain(field: models.Field[Any, Any], row: models.Model) -> Any:
    value = getattr(row, field.attname)
    return value.hex() if isinstance(value, bytes) else value


def _difference(before: Dump, after: Dump) -> list[str]:
    lines: list[str] = []
    for table in before:
        old, new = before[table], after[table]
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                lines.append(f"{table} {key}\n  kept:    {old.get(key)}\n  rebuilt: {new.get(key)}")
    return lines


def rebuilds_equal(*names: str) -> int:
    """Assert that every registered projection (or those named) equals its rebuild.

    The rebuild happens in a transaction that is rolled back, so that the test goes on with
    the rows it had. Returns how many projections were compared. Raises AssertionError with
    the rows that differ.
    """
    compared = names or tuple(projections.registered())
    faults: list[str] = []
    for name in compared:
        projection = projections.registered()[name]
        before = _dump(projection)
        after: Dump = {}
        try:
            with transaction.atomic():
                projections.rebuild(name)
                after = _dump(projection)
                raise _RollBack
        except _RollBack:
            pass
        faults += [f"{name}: {line}" for line in _difference(before, after)]
    assert not faults, "projection differs from its rebuild:\n" + "\n".join(faults[:40])
    return len(compared)


@contextmanager
def queries(exactly: int | None = None, *, at_most: int | None = None) -> Iterator[list[str]]:
    """Count the SQL statements of the block; yields a list that holds them at its end.

    Savepoints are not counted. Raises AssertionError, statements printed, when the number is
    another than `exactly` or above `at_most`.
    """
    seen: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield seen
    seen += [
        str(query["sql"])
        for query in captured.captured_queries
        if "SAVEPOINT" not in str(query["sql"])
    ]
    listing = "\n".join(seen)
    if exactly is not None:
        assert len(seen) == exactly, f"{len(seen)} queries, not {exactly}:\n{listing}"
    if at_most is not None:
        assert len(seen) <= at_most, f"{len(seen)} queries, more than {at_most}:\n{listing}"


def query_count(call: Callable[[], Any]) -> int:
    """Return how many SQL statements `call()` sends."""
    with queries() as seen:
        call()
    return len(seen)
