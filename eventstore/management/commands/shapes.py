"""Released shapes of events: `manage.py shapes [--write]`.

tests/released_shapes.json holds a fingerprint of the fields, types and defaults of each event
type and version. A line is written once (`--write`) and never changed: a released type that
needs other fields gets a new version and an upcaster. A type that was never released is written
anew after its line was taken out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.domain import evolution


def released(file: Path) -> dict[str, str]:
    """Return the kept shapes: `name.vN` to fingerprint."""
    kept: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return kept


class Command(BaseCommand):
    help = "Compare event types with their released shapes; --write adds what is new."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--write", action="store_true", help="add the shapes of new types")
        parser.add_argument(
            "--file",
            type=Path,
            default=settings.BASE_DIR / "tests" / "released_shapes.json",
            metavar="FILE",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare; exit code 1 while a type is new, changed, or has a version without path."""
        file: Path = options["file"]
        found = evolution.shapes()
        kept = released(file)
        if options["write"]:
            kept = {**found, **kept}
            text = json.dumps(kept, indent=1, sort_keys=True)
            file.write_text(text + "\n", encoding="utf-8")
        faults = [
            f"{what}: {', '.join(names)}"
            for what, names in (
                ("not released", sorted(found.keys() - kept.keys())),
                ("released and changed", [one for one in found if kept.get(one, found[one])
                                          != found[one]]),
                ("no upcaster from", evolution.without_path()),
            )
            if names
        ]  # fmt: skip
        if faults:
            raise CommandError("; ".join(faults))
        self.stdout.write(f"{len(found)} types, as released")
