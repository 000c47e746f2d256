"""Checks that many rooms use: projections equal their rebuild, queries are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from eventstore import projections
from eventstore.rebuilt import differences


def rebuilds_equal(*names: str) -> int:
    """Assert that every registered projection (or those named) equals its rebuild.

    The rebuild happens in a transaction that is rolled back, so that the test goes on with
    the rows it had. Returns how many projections were compared. Raises AssertionError with
    the rows that differ.
    """
    compared = names or tuple(projections.registered())
    faults = differences(compared)
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
