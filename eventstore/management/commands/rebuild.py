"""Rebuild read tables from the log: `manage.py rebuild [NAME ...] [--json]`.

Commands go on meanwhile, a run that was killed goes on where it stood, nothing is sent out.
"""

from __future__ import annotations

import json
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore import projections
from eventstore.rebuilding import RebuildRuns, can_build_beside, rebuild_beside


class Command(BaseCommand):
    help = "Rebuild the named projections (all of them without a name) from the event log."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("names", nargs="*", metavar="NAME", help="such as people.roles")
        parser.add_argument("--json", action="store_true", help="one JSON value on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Rebuild one projection after the other, each beside its tables and then switched."""
        known = projections.registered()
        unknown = sorted(set(options["names"]) - known.keys())
        if unknown:
            raise CommandError(
                f"no projection {', '.join(unknown)}; there are: {', '.join(known) or 'none'}"
            )
        rebuilt: dict[str, int] = {}
        for name in options["names"] or known:
            started = time.monotonic()
            build = rebuild_beside if can_build_beside() else projections.rebuild
            try:
                rebuilt[name] = build(name, self._progress(name))
            except RebuildRuns:
                raise CommandError(f"{name} is being rebuilt already") from None
            seconds = time.monotonic() - started
            self.stderr.write(f"{name}: {rebuilt[name]} events, {seconds:.1f} s")
        if options["json"]:
            self.stdout.write(json.dumps({"rebuilt": rebuilt}))

    def _progress(self, name: str) -> projections.Progress:
        def show(done: int, total: int) -> None:
            self.stderr.write(f"{name}: {done} of {total}")

        return show
