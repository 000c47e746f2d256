"""manage.py compare_duel FILE...: recordings of the field's own engine against ours."""

from __future__ import annotations

import json
import os.path
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from duels.imports.engine.folding import Step
from duels.imports.engine.recording import Recording
from duels.imports.engine.report import Report, compare_decisions, compare_file, fault
from duels.management.pools import POOL, Pools
from duels.wording import refusal_text
from eventstore.domain.refusal import Refusal

ENDINGS = (".json.gz", ".json")


class Command(BaseCommand):
    help = "Fold recorded duels (engine-duel/1) and compare; with --decisions play them again."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the files, the pool of cards, and the form of the answer."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="files, or folders of them")
        parser.add_argument(
            "--decisions", action="store_true", help="play again, compare what was lawful"
        )
        parser.add_argument("--pool", metavar="F", help="cards; usual: ../pool.json from the file")
        parser.add_argument("--json", action="store_true", help="one JSON value, nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare; exit code 1 when a file cannot be used or anything differs."""
        whole, pools = Report(), Pools(options["pool"])
        for path in _files(options["files"]):
            one = Report()
            folded = _fold(one, path)
            if folded is not None and options["decisions"]:
                pool = pools.beside(path)
                if isinstance(pool, Refusal):
                    fault(one, str(path), pool)
                else:
                    compare_decisions(one, str(path), *folded, pool)
            self._tell(path, one, decisions=options["decisions"])
            whole.add(one)
        if options["json"]:
            self.stdout.write(json.dumps(whole.plain()))
        else:
            self.stdout.write(f"files {whole.files} {_counts(whole, options['decisions'])}")
        if not whole.clean:
            sys.exit(1)

    def _tell(self, path: Path, one: Report, *, decisions: bool) -> None:
        """One line a file, and one for each trouble, on the standard error."""
        for error in one.errors:
            said = refusal_text(Refusal(error["code"], error["params"]))
            self.stderr.write(f"ERROR {path}  {error['code']}: {said}")
        if one.batches:
            word = "ok" if one.clean else "DIFFERS"
            self.stderr.write(f"{word} {path}  {_counts(one, decisions)}")
        for skip in one.skipped:
            self.stderr.write(f"  skipped after {skip['decisions']} decisions: {skip['reason']}")
        for what, count in one.explained.items():
            self.stderr.write(f"  stays: {what}, {count} times")
        for difference in one.first:
            self.stderr.write(f"  {json.dumps(difference, default=str)}")


def _counts(report: Report, decisions: bool) -> str:
    said = f"batches {report.batches} mismatches {report.mismatches}"
    if decisions:
        said += f" decisions {report.decisions} unequal {report.unequal}"
    if report.skipped and report.files > 1:
        said += f" skipped {len(report.skipped)}"
    if report.beyond:
        said += f" beyond {report.beyond['decisions']} equal {report.beyond['equal']}"
    return said


def _fold(report: Report, path: Path) -> tuple[Recording, list[Step]] | None:
    try:
        data = path.read_bytes()
    except OSError as trouble:
        report.files += 1
        fault(report, str(path), _unreadable(trouble))
        return None
    return compare_file(report, str(path), data)


def _unreadable(trouble: OSError) -> Refusal:
    return Refusal("duels.recording_unreadable", {"found": trouble.strerror or ""})


def _files(names: list[str]) -> list[Path]:
    found: list[Path] = []
    for name in names:
        path = Path(name)
        if os.path.isdir(path):
            found += sorted(
                one for one in path.rglob("*") if one.name.endswith(ENDINGS) and one.name != POOL
            )
        else:
            found.append(path)
    return found
