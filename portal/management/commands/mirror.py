"""Copy the public pages of an event: `manage.py mirror EVENT --to FOLDER [--watch]`."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection

from eventstore import wakeup
from portal.live import topics
from portal.mirror.fetching import NotPublic, Unanswered
from portal.mirror.making import Mirror, NotOurs, Report, TooLarge

SWEEP_SECONDS = 60.0
"""How long a correction of an old round may wait; what is of the newest round does not wait."""


class Command(BaseCommand):
    help = "Copy the public pages of an event into a folder of plain files."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("event", metavar="EVENT", help="id of the event, as in its address")
        parser.add_argument("--to", required=True, type=Path, metavar="FOLDER")
        parser.add_argument("--watch", action="store_true", help="go on until SIGTERM")
        parser.add_argument(
            "--every", type=float, default=2.0, metavar="S", help="at most so often"
        )
        parser.add_argument(
            "--language", choices=[code for code, _ in settings.LANGUAGES], default="en"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Copy once, or whenever something public moves."""
        mirror = Mirror(options["event"], options["to"], options["language"])
        try:
            mirror.claim()
            self._tell(mirror.make())
        except NotOurs:
            raise CommandError(
                f"{options['to']} holds other things, or the copy of another event: give a new or "
                "an empty folder"
            ) from None
        except NotPublic:
            raise CommandError(
                f"no public event {options['event']}: it is not there, or still a draft"
            ) from None
        except (Unanswered, TooLarge) as fault:
            raise CommandError(f"nothing was copied: {fault}") from None
        except OSError as fault:
            raise CommandError(f"{options['to']}: {fault.strerror}") from None
        if options["watch"]:
            stop = threading.Event()
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop.set())
            self._watch(mirror, stop, max(0.2, options["every"]))

    def _watch(self, mirror: Mirror, stop: threading.Event, every: float) -> None:
        """Copy again when the counter of what everybody sees has moved; a database or a folder
        that is away is waited for."""
        watch, seen, swept, dirty = wakeup.Watch(), -1, time.monotonic(), False
        key = topics.board(mirror.event_id)
        try:
            while not stop.is_set():
                try:
                    (now,) = topics.moves([key])
                    sweep = dirty and time.monotonic() - swept > SWEEP_SECONDS
                    if now != seen or sweep:
                        self._tell(mirror.make(newest_only=not sweep))
                        seen, dirty = now, not sweep
                        swept = time.monotonic() if sweep else swept
                except (DatabaseError, OSError, NotPublic, Unanswered) as fault:
                    self.stderr.write(f"waiting: {fault}")
                    connection.close()
                    stop.wait(5)
                stop.wait(every)
                watch.wait(every)
        finally:
            watch.close()

    def _tell(self, report: Report) -> None:
        self.stdout.write(
            f"{report.pages} pages, {len(report.changed)} files written, "
            f"{len(report.removed)} taken away"
        )
        self.stdout.flush()
