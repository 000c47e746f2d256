"""Golden samples of events: `manage.py golden [--write]`.

A sample is the stored data of one event of a type and schema version, in the folder
tests/golden. It is written once and kept for ever: as long as it decodes, old logs do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore import store
from eventstore.domain import registry
from eventstore.domain.envelope import Recorded


def sample_name(name: str, schema: int) -> str:
    """Return the file name of a sample."""
    return f"{name}.v{schema}.json"


def write_sample(folder: Path, one: Recorded) -> bool:
    """Write the sample of an event's type unless there is one; return whether it was written."""
    path = folder / sample_name(one.type, one.schema)
    if path.exists() or registry.registered().get(one.type) != one.schema:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(msgspec.to_builtins(one.data), indent=1, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")
    return True


class Command(BaseCommand):
    help = "List the event types without a golden sample; --write takes samples from the log."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--write", action="store_true", help="write what the log can give")
        parser.add_argument(
            "--folder", type=Path, default=settings.BASE_DIR / "tests" / "golden", metavar="DIR"
        )
        parser.add_argument("--json", action="store_true", help="one JSON value on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare registry and folder; exit code 1 while a sample is missing."""
        folder: Path = options["folder"]
        missing = {
            (name, schema)
            for name, schema in registry.registered().items()
            if not (folder / sample_name(name, schema)).exists()
        }
        written: list[str] = []
        if options["write"] and missing:
            for one in store.read_all():
                if (one.type, one.schema) in missing and write_sample(folder, one):
                    missing.remove((one.type, one.schema))
                    written.append(one.type)
        left = sorted(name for name, _ in missing)
        if options["json"]:
            self.stdout.write(json.dumps({"written": written, "missing": left}))
        else:
            for name in written:
                self.stderr.write(f"written: {name}")
        if left:
            raise CommandError(f"no sample of: {', '.join(left)}")
