"""System checks: the triggers that keep the log append-only are there.

A table that is made anew (Django does so on SQLite when a column changes) loses its triggers
without a word; so every start that touches the database looks for them by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

TRIGGERS = {
    "sqlite": frozenset(
        {
            "eventstore_event_insert",
            "eventstore_event_update",
            "eventstore_event_delete",
            "eventstore_command_insert",
            "eventstore_command_update",
            "eventstore_command_delete",
            "eventstore_checkpoint_insert",
            "eventstore_checkpoint_update",
            "eventstore_checkpoint_delete",
            "eventstore_leaves_insert",
            "eventstore_leaves_update",
            "eventstore_leaves_delete",
        }
    ),
    "postgresql": frozenset(
        {
            "eventstore_event_lock",
            "eventstore_event_insert",
            "eventstore_event_update",
            "eventstore_event_truncate",
            "eventstore_command_update",
            "eventstore_command_truncate",
            "eventstore_checkpoint_update",
            "eventstore_checkpoint_truncate",
            "eventstore_leaves_update",
            "eventstore_leaves_truncate",
        }
    ),
}
"""Names of migrations 0001 to 0004, per kind of database."""

_FOUND = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    # a trigger that was switched off (tgenabled D or R) does not guard anything
    "postgresql": (
        "SELECT tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')"
        " AND pg_table_is_visible(c.oid)"
    ),
}


def missing_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the names of the triggers that should guard the log and are not there."""
    with connection.cursor() as cursor:
        cursor.execute(_FOUND[connection.vendor])
        found = {name for (name,) in cursor.fetchall()}
    return sorted(TRIGGERS[connection.vendor] - found)


@register(Tags.database)
def log_is_guarded(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Report an unguarded log as an error; nothing before the first migration."""
    faults: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if "eventstore_event" not in connection.introspection.table_names():
            continue
        missing = missing_triggers(connection)
        if missing:
            faults.append(
                Error(
                    f"The event log can be changed: missing triggers {', '.join(missing)}.",
                    hint="Restore the database, or run the migrations of eventstore again.",
                    id="eventstore.E001",
                )
            )
    return faults
