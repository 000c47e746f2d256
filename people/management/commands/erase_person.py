"""Erase a person: `manage.py erase_person ID` shows, `--yes` does."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from people.domain.actor import SYSTEM
from people.erasure import erasure_preview, person_erase, scrub


class Command(BaseCommand):
    help = "Show what an erasure takes away; with --yes erase the person for good."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("person", metavar="ID")
        parser.add_argument("--yes", action="store_true", help="erase; there is no way back")

    def handle(self, *args: Any, **options: Any) -> None:
        """Show or erase."""
        person_id = options["person"]
        try:
            if options["yes"]:
                counts = person_erase(
                    Context(actor=SYSTEM, source="system"), person_id=person_id
                )  # fmt: skip
                scrub()
            else:
                counts = erasure_preview(person_id)
        except Refused as fault:
            raise CommandError(f"{fault.refusal.code}: {fault.refusal.params}") from None
        self.stdout.write("erased:" if options["yes"] else "would be erased (--yes does it):")
        for name, number in sorted(counts.items()):
            self.stdout.write(f"  {name}: {number}")
