"""manage.py convert_duel FILE [--pool F]: a recording as the text of a duel log; no database."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

import duels.events  # noqa: F401 - the registry must know every type
from duels import wording
from duels.domain.text import Entry, write
from duels.imports.engine.importing import import_recording
from duels.imports.engine.recording import read
from duels.management.pools import Pools
from eventstore.domain.refusal import Refusal

SOURCE = "import"


class Command(BaseCommand):
    help = "Write a recorded duel (engine-duel/1) as a duel log in the text format."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file and the pool of cards."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--pool", metavar="F", help="cards; usual: ../pool.json from the file")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the log to standard output; exit code 1 with the refusal on standard error."""
        path: Path = options["file"]
        try:
            data = path.read_bytes()
        except OSError as trouble:
            _refuse(self, Refusal("duels.recording_unreadable", {"found": trouble.strerror or ""}))
        recording = read(data)
        if isinstance(recording, Refusal):
            _refuse(self, recording)
        pool = Pools(options["pool"]).beside(path)
        if isinstance(pool, Refusal):
            _refuse(self, pool)
        made = import_recording(recording, pool, path.name.partition(".")[0])
        if isinstance(made, Refusal):
            _refuse(self, made)
        entries = [Entry(event, source=SOURCE) for event in made.events]
        self.stdout.write(write(entries).decode(), ending="")


def _refuse(command: BaseCommand, refusal: Refusal) -> NoReturn:
    command.stderr.write(f"{refusal.code}: {wording.refusal_text(refusal)}")
    sys.exit(1)
