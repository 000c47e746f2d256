"""Import card facts into the catalogue."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from cards.domain.load import MAX_BYTES
from cards.files import put_json, read_file, refused
from cards.services import catalogue_import
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from people.domain.actor import SYSTEM


class Command(BaseCommand):
    help = "Import card facts: cards.csv, .cdb, YGOPRODeck JSON or yaml-yugi JSON lines; gzip too."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add FILE, --dry-run and --json."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="say what would change")
        parser.add_argument("--json", action="store_true", help="one JSON value on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, compare, write; findings and progress go to standard error."""
        content = read_file(options["file"], MAX_BYTES)
        self.stderr.write(f"reading {len(content)} bytes")
        try:
            outcome = catalogue_import(
                Context(actor=SYSTEM, source="import"),
                source=Path(options["file"]).name,
                content=content,
                dry_run=options["dry_run"],
            )
        except Refused as fault:
            raise refused(fault) from None
        for one in outcome.first_findings:
            self.stderr.write(f"{one.severity} {one.code} line {one.line} {one.params}")
        self.stderr.write(
            f"{outcome.read} cards read: {outcome.added} added, {outcome.changed} changed, "
            f"{outcome.unchanged} unchanged; {outcome.names_changed} names in other languages; "
            f"{outcome.findings} findings; "
            f"{outcome.total} cards in all" + (" (dry run)" if outcome.dry_run else "")
        )
        if options["json"]:
            put_json(self, outcome)
