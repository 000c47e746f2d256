"""manage.py import_replay FILE... [--json]: replay files of simulators, read and audited."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import translation

import duels.events  # noqa: F401 - the registry must know every type
from duels import wording
from duels.imports.replay.container import MOST_FILE
from duels.imports.replay.summary import examine, summary
from eventstore.domain.refusal import Refusal

DAMAGED, UNREADABLE = 1, 2
"""Exit codes: a file is refused or damaged; a file cannot be read at all."""
DUEL = "replay"


class Command(BaseCommand):
    help = "Read replay files (.yrpX, .yrp), import and audit them; needs no database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the files and the form of the answer."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--json", action="store_true", help="one JSON list, nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what each file holds. Ends with 1 when one is refused or damaged (what could
        be read of it is printed all the same), 2 when one cannot be opened."""
        code, told = 0, []
        with translation.override("en"):
            for path in options["files"]:
                one, trouble = _one(path)
                code = max(code, trouble)
                told.append(one)
                if not options["json"]:
                    self._print(one)
        if options["json"]:
            self.stdout.write(json.dumps(told, ensure_ascii=False))
        if code:
            sys.exit(code)

    def _print(self, one: dict[str, Any]) -> None:
        if "error" in one:
            self.stderr.write(
                f"ERROR {one['file']}  {one['error']['code']}: {one['error']['text']}"
            )
            return
        ended = "no end" if one["winner"] is None else f"winner {one['winner']} ({one['reason']})"
        self.stdout.write(
            f"{one['file']}  {one['format']} {one['client']}: {' - '.join(one['players'])},"
            f" turns {one['turns']}, events {one['events']}, LP {one['lp']}, {ended}"
        )
        for number in one["unknown_messages"]:
            self.stdout.write(f"    unknown message {json.dumps(number)}")
        for finding in one["findings"]:
            word = wording.FINDINGS.get(finding["code"], finding["code"])
            params = json.dumps(finding["params"], ensure_ascii=False)
            self.stdout.write(f"    line {finding['line']}: {word} {params}")


def _one(path: Path) -> tuple[dict[str, Any], int]:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_FILE + 1)  # what is larger is refused, not read
    except (OSError, ValueError) as fault:
        why = {"found": getattr(fault, "strerror", None) or type(fault).__name__}
        return _error(path, Refusal("duels.replay_unreadable", why)), UNREADABLE
    found = examine(data, DUEL)
    if isinstance(found, Refusal):
        return _error(path, found), DAMAGED
    told = summary(found, str(path))
    damaged = any(one.code == "DAMAGED" for one in found.findings)
    return told, DAMAGED if damaged else 0


def _error(path: Path, refusal: Refusal) -> dict[str, Any]:
    text = wording.refusal_text(refusal)
    return {
        "file": str(path),
        "error": {"code": refusal.code, "params": refusal.params, "text": text},
    }
