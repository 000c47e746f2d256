"""Tables of the log and the base of every read model.

The table of events is made by raw SQL (migration 0001): triggers of the database keep it
append-only, on SQLite and PostgreSQL, whoever connects.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, TypeVar

from django.db import models


class Event(models.Model):
    """One event. `body` is the canonical envelope and the only truth; the other columns are
    copies of parts of it, for lookups."""

    position = models.BigIntegerField(primary_key=True)
    stream = models.CharField(max_length=80)
    version = models.IntegerField()
    type = models.CharField(max_length=80)
    schema = models.SmallIntegerField()
    recorded_at = models.CharField(max_length=27)
    body = models.BinaryField()
    hash = models.CharField(max_length=64)

    class Meta:
        db_table = "eventstore_event"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["stream", "version"], name="eventstore_event_stream"),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.stream}#{self.version} {self.type}"


class CommandOutcome(models.Model):
    """The first outcome of a command id, returned to whoever sends the command again."""

    command = models.CharField(max_length=64, primary_key=True)
    name = models.CharField(max_length=80)
    fingerprint = models.CharField(max_length=64)
    outcome = models.BinaryField()
    recorded_at = models.CharField(max_length=27)

    class Meta:
        db_table = "eventstore_command"

    def __str__(self) -> str:
        return f"{self.name} {self.command}"


class OutboxRow(models.Model):
    """Work to do after the commit of the command that wrote it (see eventstore.outbox).

    `state` is one of eventstore.domain.work.STATES. `holder` and `lease_until` say who is at it.
    `about` holds parameters of the sentence that names the work, `found` code and parameters of
    what came of it. `receiver` stands for the server elsewhere that it speaks to. `asked_by` is a
    person's id, empty for work nobody asked for by name.
    """

    topic = models.CharField(max_length=80)
    lane = models.CharField(max_length=8, blank=True, default="")
    receiver = models.CharField(max_length=32, blank=True, default="", db_default="")
    payload = models.JSONField()
    created_at = models.DateTimeField()
    state = models.CharField(max_length=10, default="waiting")
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True, default="")
    started_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    holder = models.CharField(max_length=36, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    progress = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    asked_by = models.CharField(max_length=64, blank=True, default="")
    event_id = models.CharField(max_length=36, blank=True, default="")
    about = models.JSONField(default=dict, blank=True)
    found = models.JSONField(default=dict, blank=True)
    correlation = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        db_table = "eventstore_outbox"
        indexes: ClassVar = [
            models.Index(
                fields=["lane", "id"],
                condition=models.Q(state__in=["waiting", "failed", "running"]),
                name="eventstore_outbox_due",
            ),
            models.Index(
                fields=["asked_by", "id"],
                condition=~models.Q(asked_by=""),
                name="eventstore_outbox_asked",
            ),
            models.Index(
                fields=["event_id", "id"],
                condition=~models.Q(event_id=""),
                name="eventstore_outbox_event",
            ),
            models.Index(
                fields=["id"],
                condition=models.Q(state="given_up"),
                name="eventstore_outbox_given_up",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic} {self.pk}"


class PeriodicRow(models.Model):
    """When a piece of periodic work is due, and who is at it (see eventstore.periodic)."""

    name = models.CharField(max_length=80, primary_key=True)
    next_at = models.DateTimeField()
    holder = models.CharField(max_length=36, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, default="")

    class Meta:
        db_table = "eventstore_periodic"

    def __str__(self) -> str:
        return self.name


class AliveRow(models.Model):
    """When a server of this log was last alive, and how far the log was (see
    eventstore.heartbeat): one row, on PostgreSQL."""

    at = models.CharField(max_length=27)
    position = models.BigIntegerField()
    hash = models.CharField(max_length=64)

    class Meta:
        db_table = "eventstore_alive"

    def __str__(self) -> str:
        return self.at


class NotTheProjector(RuntimeError):
    """Somebody other than its projector tried to write a read table."""


_projecting: ContextVar[bool] = ContextVar("projecting", default=False)


@contextmanager
def projector_writes() -> Iterator[None]:
    """Allow writes to read tables inside the block; only eventstore.projections uses it."""
    token = _projecting.set(True)
    try:
        yield
    finally:
        _projecting.reset(token)


def only_projectors(what: str) -> None:
    """Raise NotTheProjector, naming what was to be written, unless a projector runs."""
    if not _projecting.get():
        raise NotTheProjector(f"{what}: read tables are written by their projector only")


M = TypeVar("M", bound=models.Model)


class ReadQuerySet(models.QuerySet[M]):
    """A query set that writes only while a projector runs."""

    def update(self, **kwargs: Any) -> int:
        only_projectors(self.model.__name__)
        return super().update(**kwargs)

    def delete(self) -> tuple[int, dict[str, int]]:
        only_projectors(self.model.__name__)
        return super().delete()

    def bulk_create(self, *args: Any, **kwargs: Any) -> list[M]:
        only_projectors(self.model.__name__)
        return super().bulk_create(*args, **kwargs)

    def bulk_update(self, *args: Any, **kwargs: Any) -> int:
        only_projectors(self.model.__name__)
        return super().bulk_update(*args, **kwargs)


class ReadModel(models.Model):
    """Base of every read table: derived from events, rebuilt at will, never edited.

    Keys come from events (ids, or composed text), never from a sequence, so that a rebuild
    gives the same rows. People stand in it by id only.
    """

    objects = ReadQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the row; raises NotTheProjector outside a projector."""
        only_projectors(type(self).__name__)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the row; raises NotTheProjector outside a projector."""
        only_projectors(type(self).__name__)
        return super().delete(*args, **kwargs)


class CheckpointRow(models.Model):
    """One signed checkpoint of the log. Append-only by triggers (migration 0002).

    `edge` is the right edge of the Merkle tree at that size (merkle.Frontier.as_text).
    """

    id = models.CharField(max_length=36, primary_key=True)
    size = models.BigIntegerField()
    note = models.TextField()
    edge = models.TextField()
    reason = models.CharField(max_length=40)
    subject = models.CharField(max_length=120, blank=True, default="")
    made_at = models.CharField(max_length=27)

    class Meta:
        db_table = "eventstore_checkpoint"
        indexes: ClassVar = [models.Index(fields=["size"], name="eventstore_checkpoint_size")]

    def __str__(self) -> str:
        return f"{self.size} {self.reason}"


class LeafRow(models.Model):
    """Leaf hashes of the events that a checkpoint covered first, 32 bytes each, from position
    `first` on. A second copy: it tells which event was altered. Append-only by triggers."""

    first = models.BigIntegerField(primary_key=True)
    count = models.IntegerField()
    hashes = models.BinaryField()

    class Meta:
        db_table = "eventstore_leaves"

    def __str__(self) -> str:
        return f"{self.first}+{self.count}"


class SubscriptionRow(models.Model):
    """How far a follower of the log has come, and the event it stands before when it failed."""

    name = models.CharField(max_length=120, primary_key=True)
    position = models.BigIntegerField(default=0)
    moved_at = models.CharField(max_length=27, blank=True, default="")
    failed_position = models.BigIntegerField(null=True, blank=True)
    error = models.TextField(blank=True, default="")
    attempts = models.IntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "eventstore_subscription"

    def __str__(self) -> str:
        return f"{self.name} at {self.position}"


class SnapshotRow(models.Model):
    """A folded state of a stream, only ever a short cut: see eventstore.snapshots."""

    key = models.CharField(max_length=200, primary_key=True)
    stream = models.CharField(max_length=80, db_index=True)
    version = models.IntegerField()
    event_hash = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64)
    body = models.BinaryField()
    checksum = models.CharField(max_length=64)

    class Meta:
        db_table = "eventstore_snapshot"

    def __str__(self) -> str:
        return f"{self.key} at {self.version}"


class BackupRow(models.Model):
    """How backups to one second path go. No copy holds this table.

    `state`: `ok`, `copying` since `started_at`, or `fault` with `code` and `params`. `made_at` is
    the time of the newest good copy `file`; at `current_at` it was seen there and nothing had
    happened since it was made. Times are UTC text, empty: never.
    """

    place = models.CharField(max_length=500, primary_key=True)
    state = models.CharField(max_length=10, default="ok")
    code = models.CharField(max_length=20, blank=True, default="")
    params = models.JSONField(default=dict)
    started_at = models.CharField(max_length=27, blank=True, default="")
    fault_since = models.CharField(max_length=27, blank=True, default="")
    made_at = models.CharField(max_length=27, blank=True, default="")
    current_at = models.CharField(max_length=27, blank=True, default="")
    file = models.CharField(max_length=120, blank=True, default="")
    kind = models.CharField(max_length=10, blank=True, default="")
    size = models.BigIntegerField(default=0)
    took_ms = models.PositiveIntegerField(default=0)
    position = models.BigIntegerField(default=0)
    head = models.CharField(max_length=64, blank=True, default="")
    whole_at = models.CharField(max_length=27, blank=True, default="")
    since_whole = models.PositiveSmallIntegerField(default=0)
    copies = models.PositiveSmallIntegerField(default=0)
    free = models.BigIntegerField(default=0)
    same_disk = models.BooleanField(default=False)

    class Meta:
        db_table = "eventstore_backup"

    def __str__(self) -> str:
        return f"{self.place} {self.state}"


class RestoreRow(models.Model):
    """One restore of this database from a copy: what it may lack is what happened after
    `last_at`, the time of the newest event of the copy."""

    id = models.CharField(max_length=36, primary_key=True)
    restored_at = models.CharField(max_length=27)
    file = models.CharField(max_length=120)
    made_at = models.CharField(max_length=27)
    position = models.BigIntegerField()
    last_at = models.CharField(max_length=27, blank=True)

    class Meta:
        db_table = "eventstore_restore"

    def __str__(self) -> str:
        return f"{self.restored_at} from {self.file}"
