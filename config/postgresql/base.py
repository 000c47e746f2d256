"""Django's back end, with connections that do not wait for ever.

A line can be half open: one end believes in it and the other has gone, or something in between
took what was sent and says nothing. TCP alone finds that out after minutes (config.database sets
it to seconds), and never where something in between answers for the dead. A server process would
lose a thread, and a place of its pool, to each such line, and its listeners would hear no more.
"""

from __future__ import annotations

from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg import errors
from psycopg.abc import RV, PQGen


class Line(psycopg.Connection[Any]):
    """A connection that takes the database for gone when it says nothing for `silence` seconds;
    0: it waits for ever."""

    silence: float = 0.0
    """For all connections of this process (config.database)."""
    longest: float = 0.0
    """How many seconds a transaction of this process may take; 0: any. Also where the server
    waits for the rest of what was sent at once: that is no idling, and no other limit ends it."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Let psycopg wait for an answer; raises OperationalError, closed, when none comes."""
        limit = self.silence if timeout is None else 0.0
        if not limit:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, limit)
        except errors._WaitTimeout:
            self.close()
            raise psycopg.OperationalError(f"the database said nothing for {limit:.0f} s") from None


class _Driver:
    """psycopg, but for the class of connections that it makes."""

    connect = staticmethod(Line.connect)

    def __getattr__(self, name: str) -> Any:
        return getattr(psycopg, name)


class DatabaseWrapper(base.DatabaseWrapper):  # type: ignore[misc, name-defined]
    """Django's connection to PostgreSQL."""

    Database: Any = _Driver()

    def _configure_connection(self, connection: Any) -> bool:
        """Set what cannot be a start parameter, as older servers would refuse it."""
        changed: bool = super()._configure_connection(connection)  # type: ignore[misc]
        if not Line.longest or connection.info.server_version < 170000:
            return changed
        with connection.cursor() as cursor:
            cursor.execute(f"SET transaction_timeout = {int(1000 * Line.longest)}")
        return True
