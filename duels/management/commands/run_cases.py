"""manage.py run_cases PATH... [--json]: run rule cases without a database."""

from __future__ import annotations

import json
import os.path
import sys
import tomllib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from duels.domain.cases import Verdict
from duels.rules.case_runner import run_file, summary

DISPUTED = Path(__file__).resolve().parents[2] / "disputed.toml"
"""Case id -> why the case is believed to be wrong."""


class Command(BaseCommand):
    help = "Run rule cases (YAML files, or folders of them) and say which pass."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the paths and the form of the answer."""
        parser.add_argument("paths", nargs="+", metavar="PATH")
        parser.add_argument("--json", action="store_true", help="one JSON value, nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the cases; exit code 1 when one fails or a file cannot be read."""
        try:
            import yaml
        except ModuleNotFoundError as missing:
            raise CommandError("PyYAML is needed: install requirements-dev.txt") from missing
        verdicts: list[Verdict] = []
        disputed = tomllib.loads(DISPUTED.read_text(encoding="utf-8"))
        for path in _files(options["paths"]):
            try:
                document = yaml.safe_load(path.read_text(encoding="utf-8"))
            except (OSError, ValueError, RecursionError, yaml.YAMLError) as fault:
                verdicts.append(Verdict(path.name, "failed", f"unreadable: {fault}"[:200]))
                continue
            if not isinstance(document, dict):
                verdicts.append(Verdict(path.name, "failed", "not a case file"))
                continue
            verdicts += run_file(document, disputed)
        for one in verdicts:
            word = {"passed": "ok", "failed": "FAIL", "disputed": "skipped"}[one.outcome]
            reason = f"  {one.reason}" if one.reason else ""
            self.stderr.write(f"{word} {one.id}{reason}")
        counted = summary(verdicts)
        if options["json"]:
            self.stdout.write(json.dumps(counted))
        else:
            self.stdout.write(
                "passed {passed}, failed {failed}, disputed {disputed}".format(**counted)
            )
        if counted["failed"] or not verdicts:
            sys.exit(1)


def _files(paths: list[str]) -> list[Path]:
    found: list[Path] = []
    for text in paths:
        path = Path(text)
        found += sorted(path.rglob("*.yaml")) if os.path.isdir(path) else [path]
    return found
