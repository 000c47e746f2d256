"""Export all that is kept of a person as JSON: `manage.py export_person ID`."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.domain.refusal import Refused
from people.domain.actor import SYSTEM
from people.erasure import person_export


class Command(BaseCommand):
    help = "Write all that is kept of a person as JSON on standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("person", metavar="ID")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the JSON."""
        try:
            found = person_export(SYSTEM, options["person"])
        except Refused as fault:
            raise CommandError(f"{fault.refusal.code}: {fault.refusal.params}") from None
        self.stdout.write(json.dumps(found, ensure_ascii=False, indent=1))
