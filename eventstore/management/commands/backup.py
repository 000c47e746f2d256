"""Make a verified copy of the database: `manage.py backup [--to PATH] [--init PATH] [--json]`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.backups import making, place
from eventstore.backups.facts import StageFault
from eventstore.checkpoints import LogFault
from eventstore.domain import copies

SAID = {
    "absent": "the folder is not there; is the stick plugged in and mounted?",
    "no_marker": "this folder is no place for copies: manage.py backup --init PATH makes it one",
    "gone": "the stick does not answer any more; was it pulled out?",
    "full": "there is not enough room, even without the older copies",
    "read_only": "the folder cannot be written to",
    "too_large": "the file system takes no file of this size (FAT32: 4 GB); format it as exFAT",
    "unreadable": "what was written cannot be read back: take another stick",
    "other": "the folder cannot be used",
}
KEYS = """The keys are in no copy. Without them another machine cannot read free texts, nor sign
under this log's key, and printed join codes do not open. Keep them apart, under a passphrase:
  ./manage.py keys_export --to FILE"""


class Command(BaseCommand):
    help = "Make a verified copy of the database in BACKUP_DIR or another prepared folder."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--to", type=Path, metavar="PATH", help="instead of BACKUP_DIR")
        parser.add_argument(
            "--init", type=Path, metavar="PATH", help="make a folder a place for copies, and end"
        )
        parser.add_argument("--json", action="store_true", help="one JSON value on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare a place, or make a copy and say what it is."""
        try:
            if options["init"] is not None:
                self._init(options["init"].absolute(), as_json=options["json"])
                return
            path = options["to"] or settings.BACKUP_DIR
            if path is None:
                raise CommandError("no place: say --to PATH, or set BACKUP_DIR")
            made = making.make_copy(path.absolute(), kind=copies.HAND, reason="demand")
        except place.PlaceFault as fault:
            found = fault.params.get("found", "")
            raise CommandError(f"{SAID[fault.code]} ({fault.code} {found})".rstrip()) from None
        except (LogFault, StageFault, ImproperlyConfigured, OSError) as fault:
            raise CommandError(f"no copy was made: {fault}") from None
        except making.Busy:
            raise CommandError("another copy is being made; try again in a moment") from None
        self._say(made, as_json=options["json"])

    def _init(self, path: Path, *, as_json: bool) -> None:
        place.prepare(path)
        if as_json:
            self.stdout.write(json.dumps({"place": str(path)}))
            return
        self.stdout.write(f"{path} is a place for copies now. Start with BACKUP_DIR={path}")
        self.stdout.write(KEYS)

    def _say(self, made: making.Made, *, as_json: bool) -> None:
        manifest = made.manifest
        if as_json:
            value = {
                "file": manifest.file,
                "position": manifest.position,
                "head": manifest.head,
                "last_at": manifest.last_at,
                "size": manifest.sums.size,
                "sha256": manifest.sums.sha256,
                "seconds": round(made.seconds, 3),
                "copies": made.copies,
                "free": made.free,
            }
            self.stdout.write(json.dumps(value))
            return
        self.stdout.write(
            f"{manifest.file}: {manifest.position} events, {manifest.sums.size} bytes, checked and"
            f" read back, {made.seconds:.1f} s"
        )
        if made.same_disk:
            self.stdout.write("It lies on the same disk as the database: that is no second place.")
