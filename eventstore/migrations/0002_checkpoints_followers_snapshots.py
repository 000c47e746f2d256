"""Checkpoints and leaf hashes (append-only by triggers), followers, snapshots.

On PostgreSQL every statement that appends also sends a NOTIFY, delivered at its commit, which
wakes the followers.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SQLITE = [
    """CREATE TRIGGER eventstore_{table}_insert BEFORE INSERT ON eventstore_{table}
WHEN EXISTS (SELECT 1 FROM eventstore_{table} WHERE {key} = NEW.{key})
BEGIN SELECT RAISE(ABORT, '{table} is append-only: the key exists'); END""",
    """CREATE TRIGGER eventstore_{table}_update BEFORE UPDATE ON eventstore_{table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only: no update'); END""",
    """CREATE TRIGGER eventstore_{table}_delete BEFORE DELETE ON eventstore_{table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only: no delete'); END""",
]
POSTGRESQL = [
    """CREATE TRIGGER eventstore_{table}_update BEFORE UPDATE OR DELETE ON eventstore_{table}
FOR EACH ROW EXECUTE FUNCTION eventstore_refuse()""",
    """CREATE TRIGGER eventstore_{table}_truncate BEFORE TRUNCATE ON eventstore_{table}
FOR EACH STATEMENT EXECUTE FUNCTION eventstore_refuse()""",
]
NOTIFY = """
CREATE FUNCTION eventstore_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('eventstore', ''); RETURN NULL; END $$;
CREATE TRIGGER eventstore_event_notify AFTER INSERT ON eventstore_event
    FOR EACH STATEMENT EXECUTE FUNCTION eventstore_notify();
"""


def add_triggers(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Guard the two append-only tables; wake followers on PostgreSQL."""
    postgresql = editor.connection.vendor == "postgresql"
    with editor.connection.cursor() as cursor:
        for table, key in (("checkpoint", "id"), ("leaves", "first")):
            for statement in POSTGRESQL if postgresql else SQLITE:
                cursor.execute(statement.format(table=table, key=key))
        if postgresql:
            cursor.execute(NOTIFY)


class Migration(migrations.Migration):
    dependencies: ClassVar = [("eventstore", "0001_initial")]
    operations: ClassVar = [
        migrations.CreateModel(
            name="CheckpointRow",
            fields=[
                ("id", models.CharField(max_length=36, primary_key=True, serialize=False)),
                ("size", models.BigIntegerField()),
                ("note", models.TextField()),
                ("edge", models.TextField()),
                ("reason", models.CharField(max_length=40)),
                ("subject", models.CharField(blank=True, default="", max_length=120)),
                ("made_at", models.CharField(max_length=27)),
            ],
            options={
                "db_table": "eventstore_checkpoint",
                "indexes": [models.Index(fields=["size"], name="eventstore_checkpoint_size")],
            },
        ),
        migrations.CreateModel(
            name="LeafRow",
            fields=[
                ("first", models.BigIntegerField(primary_key=True, serialize=False)),
                ("count", models.IntegerField()),
                ("hashes", models.BinaryField()),
            ],
            options={"db_table": "eventstore_leaves"},
        ),
        migrations.CreateModel(
            name="SubscriptionRow",
            fields=[
                ("name", models.CharField(max_length=120, primary_key=True, serialize=False)),
                ("position", models.BigIntegerField(default=0)),
                ("moved_at", models.CharField(blank=True, default="", max_length=27)),
                ("failed_position", models.BigIntegerField(blank=True, null=True)),
                ("error", models.TextField(blank=True, default="")),
                ("attempts", models.IntegerField(default=0)),
            ],
            options={"db_table": "eventstore_subscription"},
        ),
        migrations.CreateModel(
            name="SnapshotRow",
            fields=[
                ("key", models.CharField(max_length=200, primary_key=True, serialize=False)),
                ("stream", models.CharField(db_index=True, max_length=80)),
                ("version", models.IntegerField()),
                ("event_hash", models.CharField(max_length=64)),
                ("fingerprint", models.CharField(max_length=64)),
                ("body", models.BinaryField()),
                ("checksum", models.CharField(max_length=64)),
            ],
            options={"db_table": "eventstore_snapshot"},
        ),
        migrations.RunPython(add_triggers),
    ]
