"""Export an event with its proofs: `manage.py export_bundle EVENT [--output FILE]`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore import bundles
from eventstore.checkpoints import LogFault, NotCovered


class Command(BaseCommand):
    help = "Write all events of one event with proofs, for tools/verify_bundle.py."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("event", metavar="EVENT", help="the id of the event")
        parser.add_argument("--output", type=Path, metavar="FILE", help="default: bundle-EVENT.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file wholly or not at all."""
        try:
            raw = bundles.export(options["event"])
        except bundles.NoSuchEvent:
            raise CommandError(f"no event {options['event']}") from None
        except (LogFault, NotCovered, ImproperlyConfigured) as fault:
            raise CommandError(f"{fault} (run verify_log)") from None
        file: Path = options["output"] or Path(f"bundle-{options['event']}.zip")
        fresh = file.with_name(f".{file.name}.part")
        try:
            fresh.write_bytes(raw)
            fresh.replace(file)
        except OSError as fault:
            fresh.unlink(missing_ok=True)
            raise CommandError(str(fault)) from None
        self.stdout.write(f"{file}: {len(raw)} bytes")
