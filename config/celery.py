"""Celery, for installations that run more than one process: it does the work of the outbox.

Nothing is kept in the broker that is not in the database: a message says only which row to look
at. A broker that is away or loses messages costs the wait until the next sweep.
"""

from __future__ import annotations

import os
import time

import structlog
from celery import Celery
from celery.signals import setup_logging, worker_init

from eventstore import measures

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("headjudge")
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def _own_logging(**_: object) -> None:
    """Keep Celery from making handlers of its own: django.setup() has made ours (config.logs),
    which blot secrets and name the correlation id."""


@worker_init.connect
def _work(**_: object) -> None:
    """A worker's connections give up on a database that has gone."""
    from config import database

    database.work()


BROKER_PAUSE_SECONDS = 5.0
SWEEP_SECONDS = 5.0
"""What a sweep hands over and nobody has begun by the next one is handed over by that."""
_silent_until = 0.0


@app.task(name="config.celery.run_outbox_row")
def run_outbox_row(pk: int) -> None:
    """Run one outbox row; the row itself keeps whether it is done."""
    from eventstore import outbox

    outbox.run_on(pk)


@app.task(name="config.celery.drain_outbox")
def drain_outbox(lane: str = "") -> None:
    """Run the rows of a lane that were missed, or whose time has come again; of long work one, so
    that other workers take the next. Messages to servers elsewhere are handed over, each receiver's
    for itself."""
    from eventstore import outbox

    if lane != outbox.OUTSIDE:
        outbox.drain(limit=1 if lane else 100, lane=lane)
        return
    for pk in outbox.first_of_each(outbox.LOOKED_AT).values():
        run_outbox_row.apply_async((pk,), queue=lane, expires=SWEEP_SECONDS, retry=False)


@app.task(name="config.celery.run_periodic")
def run_periodic() -> None:
    """Do the periodic work that is due."""
    from eventstore import periodic

    periodic.turn()


def hand_over(pk: int, lane: str) -> None:
    """Tell a worker of a committed row; long work has a queue of its own, and so have messages to
    servers elsewhere.

    A broker that does not answer is left alone for some seconds: the sweep finds the row, and no
    request waits for it.
    """
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    try:
        run_outbox_row.apply_async((pk,), queue=lane or "celery", retry=False)
    except Exception as fault:  # the transports have no common base
        _silent_until = time.monotonic() + BROKER_PAUSE_SECONDS
        measures.note(measures.FaultNote("redis", "broker"))
        structlog.get_logger("outbox").warning("the broker does not answer", fault=str(fault))
