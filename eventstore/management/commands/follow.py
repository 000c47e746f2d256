"""Run the followers of the log: `manage.py follow [NAME ...] [--once]`."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore import subscriptions


class Command(BaseCommand):
    help = "Bring followers and asynchronous projections forward, until SIGTERM or once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("names", nargs="*", metavar="NAME", help="all without a name")
        parser.add_argument("--once", action="store_true", help="end when the log's end is reached")
        parser.add_argument("--poll", type=float, default=subscriptions.POLL_SECONDS, metavar="S")

    def handle(self, *args: Any, **options: Any) -> None:
        """Follow; a handler under way is finished before the end."""
        known = subscriptions.registered()
        unknown = sorted(set(options["names"]) - known.keys())
        if unknown:
            raise CommandError(
                f"no follower {', '.join(unknown)}; there are: {', '.join(known) or 'none'}"
            )
        if options["once"]:
            passed = subscriptions.advance_all(options["names"])
            self.stdout.write(f"{passed} events passed")
            return
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        subscriptions.follow(stop, options["names"], poll=options["poll"])
