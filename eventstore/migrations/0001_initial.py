"""The log: tables and the triggers that keep it append-only, as raw SQL per database.

The triggers refuse UPDATE and DELETE, TRUNCATE on PostgreSQL, and any INSERT that is not the
next position of the log and the next version of its stream. The INSERT guard is what stops
SQLite's INSERT OR REPLACE, which passes by the other triggers on foreign connections.
"""

from __future__ import annotations

from typing import ClassVar

import django.db.models as models
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SQLITE = """
CREATE TABLE eventstore_event (
    position INTEGER NOT NULL PRIMARY KEY,
    stream TEXT NOT NULL,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    schema INTEGER NOT NULL,
    recorded_at TEXT NOT NULL,
    body BLOB NOT NULL,
    hash TEXT NOT NULL,
    CONSTRAINT eventstore_event_stream UNIQUE (stream, version)
);
CREATE TABLE eventstore_command (
    command TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    outcome BLOB NOT NULL,
    recorded_at TEXT NOT NULL
);
CREATE TRIGGER eventstore_event_insert BEFORE INSERT ON eventstore_event
WHEN NEW.position IS NOT (SELECT COALESCE(MAX(position), 0) + 1 FROM eventstore_event)
  OR NEW.version IS NOT (SELECT COALESCE(MAX(version), 0) + 1 FROM eventstore_event
                         WHERE stream = NEW.stream)
BEGIN SELECT RAISE(ABORT, 'events are append-only: not the next position or version'); END;
CREATE TRIGGER eventstore_event_update BEFORE UPDATE ON eventstore_event
BEGIN SELECT RAISE(ABORT, 'events are append-only: no update'); END;
CREATE TRIGGER eventstore_event_delete BEFORE DELETE ON eventstore_event
BEGIN SELECT RAISE(ABORT, 'events are append-only: no delete'); END;
CREATE TRIGGER eventstore_command_insert BEFORE INSERT ON eventstore_command
WHEN EXISTS (SELECT 1 FROM eventstore_command WHERE command = NEW.command)
BEGIN SELECT RAISE(ABORT, 'command outcomes are append-only: the id exists'); END;
CREATE TRIGGER eventstore_command_update BEFORE UPDATE ON eventstore_command
BEGIN SELECT RAISE(ABORT, 'command outcomes are append-only: no update'); END;
CREATE TRIGGER eventstore_command_delete BEFORE DELETE ON eventstore_command
BEGIN SELECT RAISE(ABORT, 'command outcomes are append-only: no delete'); END;
"""

POSTGRESQL = """
CREATE TABLE eventstore_event (
    position bigint NOT NULL PRIMARY KEY,
    stream varchar(80) NOT NULL,
    version integer NOT NULL,
    type varchar(80) NOT NULL,
    schema smallint NOT NULL,
    recorded_at varchar(27) NOT NULL,
    body bytea NOT NULL,
    hash varchar(64) NOT NULL,
    CONSTRAINT eventstore_event_stream UNIQUE (stream, version)
);
CREATE TABLE eventstore_command (
    command varchar(64) NOT NULL PRIMARY KEY,
    name varchar(80) NOT NULL,
    fingerprint varchar(64) NOT NULL,
    outcome bytea NOT NULL,
    recorded_at varchar(27) NOT NULL
);
CREATE FUNCTION eventstore_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '% is append-only: no %', TG_TABLE_NAME, lower(TG_OP); END $$;
CREATE FUNCTION eventstore_next_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1214924150);
    IF NEW.position IS DISTINCT FROM
           (SELECT COALESCE(MAX(position), 0) + 1 FROM eventstore_event)
       OR NEW.version IS DISTINCT FROM
           (SELECT COALESCE(MAX(version), 0) + 1 FROM eventstore_event WHERE stream = NEW.stream)
    THEN RAISE EXCEPTION 'events are append-only: not the next position or version';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER eventstore_event_insert BEFORE INSERT ON eventstore_event
    FOR EACH ROW EXECUTE FUNCTION eventstore_next_only();
CREATE TRIGGER eventstore_event_update BEFORE UPDATE OR DELETE ON eventstore_event
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse();
CREATE TRIGGER eventstore_event_truncate BEFORE TRUNCATE ON eventstore_event
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse();
CREATE TRIGGER eventstore_command_update BEFORE UPDATE OR DELETE ON eventstore_command
    FOR EACH ROW EXECUTE FUNCTION eventstore_refuse();
CREATE TRIGGER eventstore_command_truncate BEFORE TRUNCATE ON eventstore_command
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse();
"""


def make_tables(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Create tables and triggers in the database's own SQL."""
    if editor.connection.vendor == "sqlite":
        statements = SQLITE.replace("END;", "END@").replace(";\n", ";\n@").split("@")
    elif editor.connection.vendor == "postgresql":
        statements = [POSTGRESQL]
    else:
        raise NotImplementedError(f"no event table for {editor.connection.vendor}")
    with editor.connection.cursor() as cursor:
        for statement in statements:
            if statement.strip():
                cursor.execute(statement)


class Migration(migrations.Migration):
    initial = True
    dependencies: ClassVar = []
    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(make_tables)],
            state_operations=[
                migrations.CreateModel(
                    name="Event",
                    fields=[
                        ("position", models.BigIntegerField(primary_key=True, serialize=False)),
                        ("stream", models.CharField(max_length=80)),
                        ("version", models.IntegerField()),
                        ("type", models.CharField(max_length=80)),
                        ("schema", models.SmallIntegerField()),
                        ("recorded_at", models.CharField(max_length=27)),
                        ("body", models.BinaryField()),
                        ("hash", models.CharField(max_length=64)),
                    ],
                    options={"db_table": "eventstore_event"},
                ),
                migrations.AddConstraint(
                    model_name="event",
                    constraint=models.UniqueConstraint(
                        fields=("stream", "version"), name="eventstore_event_stream"
                    ),
                ),
                migrations.CreateModel(
                    name="CommandOutcome",
                    fields=[
                        (
                            "command",
                            models.CharField(max_length=64, primary_key=True, serialize=False),
                        ),
                        ("name", models.CharField(max_length=80)),
                        ("fingerprint", models.CharField(max_length=64)),
                        ("outcome", models.BinaryField()),
                        ("recorded_at", models.CharField(max_length=27)),
                    ],
                    options={"db_table": "eventstore_command"},
                ),
            ],
        ),
        migrations.CreateModel(
            name="OutboxRow",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("topic", models.CharField(max_length=80)),
                ("payload", models.JSONField()),
                ("created_at", models.DateTimeField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("error", models.TextField(blank=True, default="")),
                ("done_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "db_table": "eventstore_outbox",
                "indexes": [
                    models.Index(
                        condition=models.Q(("done_at", None)),
                        fields=["id"],
                        name="eventstore_outbox_open",
                    )
                ],
            },
        ),
    ]
