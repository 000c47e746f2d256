"""Pack the keys of this machine under a passphrase: `manage.py keys_export --to FILE`."""

from __future__ import annotations

import os
from getpass import getpass
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore import signing
from eventstore.domain.chest import DIFFERENT_SIGNS, PASSPHRASE_SIGNS, BadChest
from portal import keys


class Command(BaseCommand):
    help = "Pack the keys, which are in no backup, under a passphrase for another machine."

    def add_arguments(self, parser: CommandParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--to", type=Path, required=True, metavar="FILE")
        parser.add_argument(
            "--passphrase-file", type=Path, metavar="FILE", help="instead of asking for it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask for a passphrase twice and write the file, never over one that is there."""
        try:
            passphrase = _asked(options["passphrase_file"])
            packed = keys.packed(passphrase)
            handle = os.open(options["to"], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as out:
                out.write(packed)
                out.flush()
                os.fsync(out.fileno())
        except BadChest:
            raise CommandError(
                f"A passphrase has {PASSPHRASE_SIGNS} signs or more, {DIFFERENT_SIGNS} of them"
                " different."
            ) from None
        except FileExistsError:
            raise CommandError(f"{options['to']} is there already.") from None
        except (OSError, UnicodeDecodeError, ImproperlyConfigured) as fault:
            raise CommandError(str(fault)) from None
        self.stdout.write(
            f"{options['to']} holds the keys of this machine. Keep it apart from the copies, and"
            " the passphrase apart from it: whoever has both reads every text and signs this log."
        )
        self.stdout.write(
            "Write the public key of this log down, to compare it after a restore: "
            + signing.signing_key().verifier.as_text()
        )


def _asked(file: Path | None) -> str:
    if file is not None:
        return file.read_text(encoding="utf-8").strip()
    first = getpass("Passphrase: ")
    if first != getpass("Once more: "):
        raise CommandError("The two are not the same.")
    return first
