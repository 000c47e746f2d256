"""PostgreSQL: fewer round trips and fewer look-ups for each append.

The guard of INSERT looks at all rows of a statement at once, after they are in: the log and each
stream have no holes, so a row is the next one when the row before it is there and, by the unique
keys, it was not there itself. It also wakes the followers. A second trigger takes the writers'
lock first, whoever inserts. `eventstore_turn` takes the lock and looks up a command in one call.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

POSTGRESQL = """
DROP TRIGGER eventstore_event_insert ON eventstore_event;
DROP TRIGGER eventstore_event_notify ON eventstore_event;
DROP FUNCTION eventstore_next_only();
DROP FUNCTION eventstore_notify();
CREATE FUNCTION eventstore_lock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock(1214924150); RETURN NULL; END $$;
CREATE FUNCTION eventstore_next_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- scalar look-ups and no joins: each is one step in an index, whatever the planner believes
    IF EXISTS (
        SELECT FROM fresh f WHERE f.position < 1 OR f.version < 1
        OR (f.position > 1 AND (SELECT e.position FROM eventstore_event e
                                WHERE e.position = f.position - 1) IS NULL)
        OR (f.version > 1 AND (SELECT e.version FROM eventstore_event e
                               WHERE e.stream = f.stream AND e.version = f.version - 1) IS NULL)
    ) THEN RAISE EXCEPTION 'events are append-only: not the next position or version';
    END IF;
    PERFORM pg_notify('eventstore', '');
    RETURN NULL;
END $$;
CREATE TRIGGER eventstore_event_lock BEFORE INSERT ON eventstore_event
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_lock();
CREATE TRIGGER eventstore_event_insert AFTER INSERT ON eventstore_event
    REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_next_only();
CREATE FUNCTION eventstore_turn(asked text, OUT fingerprint text, OUT outcome bytea)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1214924150);
    SELECT c.fingerprint, c.outcome INTO fingerprint, outcome
        FROM eventstore_command c WHERE c.command = asked;
END $$;
CREATE FUNCTION eventstore_heads(asked text, OUT last bigint, OUT version int, OUT hash text)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT COALESCE(MAX(e.position), 0) INTO last FROM eventstore_event e;
    SELECT e.version, e.hash INTO version, hash FROM eventstore_event e
        WHERE e.stream = asked ORDER BY e.version DESC LIMIT 1;
END $$;
"""


def replace(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Replace the guard on PostgreSQL; nothing on SQLite."""
    if editor.connection.vendor == "postgresql":
        with editor.connection.cursor() as cursor:
            cursor.execute(POSTGRESQL)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("eventstore", "0002_checkpoints_followers_snapshots")]
    operations: ClassVar = [migrations.RunPython(replace)]
