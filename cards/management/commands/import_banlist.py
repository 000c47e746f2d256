"""Import lists of card limits."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from cards.domain.banlist import MAX_BYTES
from cards.files import put_json, read_file, refused
from cards.services import banlist_import
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from people.domain.actor import SYSTEM


class Command(BaseCommand):
    help = "Import every list of a *.lflist.conf."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add FILE, --dry-run and --json."""
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="say what would change")
        parser.add_argument("--json", action="store_true", help="one JSON value on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, compare, write; findings and progress go to standard error."""
        content = read_file(options["file"], MAX_BYTES)
        try:
            outcome = banlist_import(
                Context(actor=SYSTEM, source="import"),
                source=Path(options["file"]).name,
                content=content,
                dry_run=options["dry_run"],
            )
        except Refused as fault:
            raise refused(fault) from None
        for one in outcome.first_findings:
            self.stderr.write(f"{one.severity} {one.code} line {one.line} {one.params}")
        for held in outcome.lists:
            for one in held.first_findings:
                self.stderr.write(
                    f"{held.title}: {one.severity} {one.code} line {one.line} {one.params}"
                )
            state = "new" if held.new else "already there"
            self.stderr.write(
                f"{held.title}: {state}, {held.entries} entries, hash {held.client_hash}: "
                f"{held.added} added, {held.changed} changed, {held.removed} removed, "
                f"{held.unchanged} unchanged" + (" (dry run)" if outcome.dry_run else "")
            )
        if options["json"]:
            put_json(self, outcome)
