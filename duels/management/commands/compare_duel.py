"""manage.py compare_duel FILE...: recordings of the field's own engine against ours."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from duels.imports.engine.report import Report, compare_file, fault
from duels.wording import refusal_text
from eventstore.domain.refusal import Refusal

ENDINGS = (".json.gz", ".json")


class Command(BaseCommand):
    help = "Fold recorded duels (engine-duel/1) and compare with the recorded tables."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the files, the pool of cards, and the form of the answer."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="files, or folders of them")
        parser.add_argument("--json", action="store_true", help="one JSON value, nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare; exit code 1 when a file cannot be read or anything differs."""
        report = Report()
        for path in _files(options["files"]):
            before = (report.batches, report.mismatches, len(report.errors))
            try:
                data = path.read_bytes()
            except OSError as trouble:
                why = {"found": trouble.strerror or ""}
                report.files += 1
                fault(report, str(path), Refusal("duels.recording_unreadable", why))
            else:
                compare_file(report, str(path), data)
            self._tell(path, report, before)
        if options["json"]:
            self.stdout.write(json.dumps(report.plain()))
        else:
            self.stdout.write(
                f"files {report.files} batches {report.batches} mismatches {report.mismatches}"
            )
        if not report.clean:
            sys.exit(1)

    def _tell(self, path: Path, report: Report, before: tuple[int, int, int]) -> None:
        """One line a file, on the standard error."""
        batches, mismatches, errors = before
        if len(report.errors) > errors:
            error = report.errors[-1]
            said = refusal_text(Refusal(error["code"], error["params"]))
            self.stderr.write(f"ERROR {path}  {error['code']}: {said}")
            return
        wrong = report.mismatches - mismatches
        word = "DIFFERS" if wrong else "ok"
        self.stderr.write(f"{word} {path}  batches {report.batches - batches} mismatches {wrong}")


def _files(names: list[str]) -> list[Path]:
    found: list[Path] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            found += sorted(one for one in path.rglob("*") if one.name.endswith(ENDINGS))
        else:
            found.append(path)
    return found
