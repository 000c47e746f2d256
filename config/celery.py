"""Celery, for installations that run more than one process: it does the work of the outbox."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("headjudge")
app.config_from_object("django.conf:settings", namespace="CELERY")


@app.task(name="config.celery.run_outbox_row")
def run_outbox_row(pk: int) -> None:
    """Run one outbox row; the row itself keeps whether it is done."""
    from eventstore import outbox

    outbox.run_row(pk)


@app.task(name="config.celery.drain_outbox")
def drain_outbox() -> None:
    """Run every row that was missed."""
    from eventstore import outbox

    outbox.drain()
