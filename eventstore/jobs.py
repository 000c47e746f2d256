"""Background work of the store itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from eventstore import clock, jobfiles, outbox, periodic, subscriptions
from eventstore.backups import keeper
from eventstore.checkpoints import checkpoint_make
from eventstore.domain import copies, work
from eventstore.health import PULSE, PULSE_SECONDS
from eventstore.models import OutboxRow

CHECKPOINT = "eventstore.checkpoint"
"""Topic: sign the log. Payload: `reason`, a short code, and `subject`, what it is made for."""
KEPT = timedelta(days=30)
"""How long work that is done stays to be looked at."""

BACKUP = "eventstore.backup"
"""Topic: have a copy of the database made on the second path. No payload."""


@outbox.job(CHECKPOINT)
def checkpoint(payload: dict[str, Any]) -> None:
    """Sign the log after the command that asked for it; a backup follows, with the signature in it.

    Not in the command itself: a log that was altered, or a key file that is missing, must be
    seen (the row of work keeps the fault, verify_log names the event), but must not keep a hall
    waiting for its pairings.
    """
    reason = str(payload["reason"])
    checkpoint_make(reason=reason, subject=str(payload.get("subject", "")))
    keeper.ask(copies.PUBLISH, reason)


@outbox.job(BACKUP)
def backup(payload: dict[str, Any]) -> None:
    """Have a copy made that somebody asked for."""
    keeper.ask(copies.HAND, "demand")


@periodic.every(60, "eventstore.backup", wanted=lambda: keeper.place() is not None)
def backup_each_minute() -> None:
    """Have a copy made when something changed. It happens in a thread of its own: a stick that
    hangs holds up no other periodic work."""
    keeper.tick()


@periodic.every(1, "eventstore.followers", wanted=subscriptions.behind, celery_only=True)
def follow() -> None:
    """Bring followers and asynchronous projections forward; the embedded worker does so itself."""
    subscriptions.turn()


@periodic.every(3600, "eventstore.outbox_tidy")
def tidy() -> None:
    """Take out work that was done long ago."""
    old = clock.now() - KEPT
    OutboxRow.objects.filter(state=work.DONE, done_at__lt=old).delete()


@periodic.every(PULSE_SECONDS, PULSE)
def pulse() -> None:
    """Do nothing, in time: the note of it tells that periodic work is done at all."""


@periodic.every(3600, "eventstore.job_files_tidy")
def tidy_files() -> None:
    """Take away uploads and downloads of yesterday."""
    jobfiles.tidy()
