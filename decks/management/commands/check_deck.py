"""Check deck files against a preset, without a database."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from cards.domain.findings import Unreadable
from decks.cli import add_source_arguments, check_file, load_sources, report_json
from decks.domain.report import Fault


class Command(BaseCommand):
    """Exit code 0: every file was read and answered, legal or not. 1: a file, or a source of
    cards or limits, could not be read."""

    help = "Check deck files (.ydk, ydke, text) and say every fault with its rule."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add FILE..., the sources and --json."""
        parser.add_argument("files", nargs="+", metavar="FILE")
        add_source_arguments(parser)
        parser.add_argument("--json", action="store_true", help="one JSON list on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check every file once, in the order given."""
        try:
            sources = load_sources(options["cards"], options["banlist"], options["rules"])
        except Unreadable as fault:
            finding = fault.finding
            raise CommandError(f"{finding.code} {json.dumps(finding.params)}") from None
        answers: list[dict[str, Any]] = []
        unread = 0
        for name in options["files"]:
            _, report, was_read = check_file(Path(name), sources)
            unread += not was_read
            answers.append(report_json(Path(name), report))
            if not options["json"]:
                self._say(name, report.legal, report.counts, report.errors, report.warnings)
        if options["json"]:
            self.stdout.write(json.dumps(answers, ensure_ascii=False))
        legal = sum(answer["legal"] for answer in answers)
        self.stderr.write(f"{len(answers)} checked, {legal} legal, {unread} not read")
        if unread:
            raise CommandError(f"{unread} of {len(answers)} files could not be read")

    def _say(
        self,
        name: str,
        legal: bool,
        counts: dict[str, int],
        errors: tuple[Fault, ...],
        warnings: tuple[Fault, ...],
    ) -> None:
        sizes = " / ".join(str(count) for count in counts.values())
        self.stdout.write(f"{name}: {'legal' if legal else 'illegal'} ({sizes})")
        for word, faults in (("error", errors), ("warning", warnings)):
            for one in faults:
                about = one.name or one.card or ""
                line = f" line {one.line}" if one.line is not None else ""
                limit = "" if one.allowed is None else f", allowed {one.allowed}"
                self.stdout.write(
                    f"  {word} {one.code} {one.rule or ''}{line} {about}: found {one.found}{limit}"
                )
