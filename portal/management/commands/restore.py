"""Bring the database back from a backup: `manage.py restore FILE|FOLDER [--to ...] [--force]`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from eventstore import heartbeat
from eventstore.backups import making
from eventstore.backups.restoring import InUse, NotEmpty, Restored, restore
from eventstore.checkpoints import LogFault
from eventstore.domain.manifest import BadCopy
from people.vault import unreadable_keys
from portal import restore_report

SAID = {
    "no_copy": "There is no copy at {found}.",
    "no_manifest": "{found} has no manifest beside it: it was never finished, take an older copy.",
    "manifest_damaged": "The manifest of the copy is damaged ({why}). Take an older copy.",
    "format_unknown": "The copy is of the form {found}, this product reads {allowed}.",
    "renamed": "{found} was renamed, its manifest is of {allowed}. Give it its name back.",
    "truncated": "The copy ends after {found} of {allowed} bytes. Take an older copy.",
    "too_long": "The copy has {found} bytes, not {allowed}: something was added to it.",
    "damaged": "The copy is damaged between byte {first} and byte {last}. Take an older copy.",
    "unreadable": "The stick does not give the copy from byte {first} on ({why}).",
    "unsound": "The inside of the copy is not in order: {why}. Take an older copy.",
    "log_fault": "The log in the copy is not what was written: position {position}, {why}.",
    "other_database": "This is a copy of {found}, the database is {allowed}: set DATABASE_URL.",
    "newer_product": "The copy is of a newer version ({found} is not known here). Update first.",
    "old_unreadable": "The old database cannot be put aside: {why}.",
}


class Command(BaseCommand):
    help = "Bring the database back from a copy, or from the newest good copy of a folder."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("source", type=Path, metavar="FILE|FOLDER")
        parser.add_argument(
            "--to", metavar="DATA_DIR|DATABASE_URL", help="instead of this machine's settings"
        )
        parser.add_argument(
            "--force", action="store_true", help="although there is a database; it is put aside"
        )
        parser.add_argument("--json", action="store_true", help="one JSON value on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore and say what may be missing."""
        source: Path = options["source"].absolute()
        if options["to"]:
            self._elsewhere(source, options)
            return
        try:
            done = restore(source, force=options["force"], say=self.stderr.write)
        except BadCopy as fault:
            raise CommandError(SAID[fault.code].format(**fault.params)) from None
        except NotEmpty:
            raise CommandError(
                f"There is a database with something in it ({settings.DATA_DIR}). With --force it"
                " is put aside, not deleted."
            ) from None
        except InUse:
            raise CommandError("The database is in use. Stop the server first.") from None
        except making.Busy:
            raise CommandError("A backup or another restore is running.") from None
        except LogFault as fault:
            raise CommandError(f"The log in the copy does not verify: {fault}") from None
        except (OSError, DatabaseError, ImproperlyConfigured) as fault:
            raise CommandError(f"Nothing was changed: {fault}") from None
        heartbeat.mark_copy(done.manifest.last_at or done.manifest.made_at)
        self._write(done, as_json=options["json"])

    def _elsewhere(self, source: Path, options: dict[str, Any]) -> None:
        """Run again under the settings of the other place: they are read at the start."""
        where = options["to"]
        given = {"DATABASE_URL": where}
        if "://" not in where:
            given = {"DATA_DIR": str(Path(where).absolute()), "DATABASE_URL": ""}
        env = {name: text for name, text in os.environ.items() if name != "DATABASE_URL_FILE"}
        again = [name for name in ("force", "json") if options[name]]
        command = [sys.executable, sys.argv[0], "restore", str(source)]
        ended = subprocess.run(
            [*command, *(f"--{name}" for name in again)], env={**env, **given}, check=False
        )
        if ended.returncode:
            raise SystemExit(ended.returncode)

    def _write(self, done: Restored, *, as_json: bool) -> None:
        if not as_json:
            self.stdout.write("\n".join(restore_report.lines(done)))
            return
        value = {
            "file": done.manifest.file,
            "events": done.events,
            "last_at": done.manifest.last_at,
            "vouched": done.vouched,
            "new_key": done.new_key,
            "rebuilt": done.rebuilt,
            "skipped": [name for name, _ in done.skipped],
            "unreadable_keys": unreadable_keys(),
            "kept": done.kept,
            "seconds": round(done.seconds, 2),
        }
        self.stdout.write(json.dumps(value))
