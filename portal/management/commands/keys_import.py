"""Take over the keys of another machine: `manage.py keys_import FILE`."""

from __future__ import annotations

from getpass import getpass
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.domain.chest import CHEST_AT_MOST, BadChest, open_chest
from portal import keys

SAID = {
    "malformed": "This is no file of keys_export.",
    "format_unknown": "This file of keys is of another version.",
    "closed": "The passphrase is another, or the file was changed.",
}


class Command(BaseCommand):
    help = "Take over the keys that keys_export packed on another machine."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--passphrase-file", type=Path, metavar="FILE", help="instead of asking for it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Open the file and put its keys to use."""
        file: Path | None = options["passphrase_file"]
        try:
            with options["file"].open(encoding="utf-8") as source:
                text = source.read(CHEST_AT_MOST)
            given = getpass("Passphrase: ") if file is None else file.read_text("utf-8").strip()
            said = keys.brought_in(open_chest(text, given))
        except BadChest as fault:
            raise CommandError(SAID[fault.code]) from None
        except (OSError, UnicodeDecodeError, ValueError, KeyError, ImproperlyConfigured) as fault:
            raise CommandError(str(fault)) from None
        self.stdout.write("\n".join(said or ["Every key was here already."]))
