"""Verify the log: `manage.py verify_log [--checkpoint FILE ...] [--json]`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.domain.checkpoint import BadNote, VerifierKey
from eventstore.verification import Report, verify_log

STATE_FILE = "verify_log.state"
SHOWN = 20


class Command(BaseCommand):
    help = "Check every event against its chain and the signed checkpoints; exit 1 on a fault."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument(
            "--checkpoint",
            action="append",
            default=[],
            type=Path,
            metavar="FILE",
            help="a checkpoint downloaded earlier, may be given again",
        )
        parser.add_argument(
            "--key", action="append", default=[], metavar="NAME+ID+KEY", help="a further public key"
        )
        parser.add_argument("--fresh", action="store_true", help="do not go on with an ended run")
        parser.add_argument("--json", action="store_true", help="one JSON value on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify and report. A run that was ended goes on where it stood."""
        state = Path(settings.DATA_DIR) / STATE_FILE
        if options["fresh"]:
            state.unlink(missing_ok=True)
        try:
            keys = [VerifierKey.from_text(text) for text in options["key"]]
            extra = [file.read_text(encoding="utf-8") for file in options["checkpoint"]]
        except (BadNote, OSError, UnicodeDecodeError) as fault:
            raise CommandError(str(fault)) from None
        report = verify_log(self._show, state_file=state, extra_notes=extra, extra_keys=keys)
        self._write(report, as_json=options["json"])
        if report.faults:
            first = report.faults[0]
            raise CommandError(
                f"{len(report.faults)} faults, the first at position {first.position}: {first.code}"
            )

    def _show(self, done: int, total: int) -> None:
        self.stderr.write(f"{done} of {total}")

    def _write(self, report: Report, *, as_json: bool) -> None:
        if as_json:
            faults = [
                {"position": one.position, "code": one.code, "params": one.params}
                for one in report.faults
            ]
            value = {
                "head": report.head,
                "vouched": report.vouched,
                "unvouched_from": report.unvouched_from,
                "checkpoints": report.checkpoints,
                "resumed_after": report.resumed_after,
                "faults": faults,
            }
            self.stdout.write(json.dumps(value))
            return
        if report.resumed_after:
            self.stdout.write(f"went on after position {report.resumed_after} of an ended run")
        self.stdout.write(f"{report.head} events, {report.checkpoints} checkpoints")
        if report.unvouched_from is not None:
            self.stdout.write(
                f"no checkpoint covers the log from position {report.unvouched_from} on"
            )
        for one in report.faults[:SHOWN]:
            self.stdout.write(f"position {one.position}: {one.code} {one.params or ''}".rstrip())
        if len(report.faults) > SHOWN:
            self.stdout.write(f"and {len(report.faults) - SHOWN} more")
