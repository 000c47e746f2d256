"""Sign the log as it stands: `manage.py checkpoint [--prove STREAM] [--key]`."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore import checkpoints, signing


class Command(BaseCommand):
    help = "Make a signed checkpoint and print it, or print proofs, or the public key."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--prove", metavar="STREAM", help="print an inclusion proof of every event of a stream"
        )
        what.add_argument(
            "--key", action="store_true", help="print the public key that checkpoints open with"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what was asked for."""
        try:
            if options["key"]:
                self.stdout.write(signing.signing_key().verifier.as_text())
                return
            note = checkpoints.checkpoint_make()
            if options["prove"] is None:
                self.stdout.write(note, ending="")
                return
            positions = checkpoints.stream_positions(options["prove"])
            if not positions:
                raise CommandError(f"no stream {options['prove']}")
            for text in checkpoints.inclusion_texts(positions).values():
                self.stdout.write(text)
        except (checkpoints.LogFault, ImproperlyConfigured) as fault:
            raise CommandError(str(fault)) from None
