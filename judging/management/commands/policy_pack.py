"""Policy packs from the command line: `manage.py policy_pack check FILE` and what goes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from judging import packbook
from judging.domain.pack_toml import written
from judging.matches import pack_of
from judging.packs import UnknownPack, packs, values_of
from people.domain.actor import SYSTEM


class Command(BaseCommand):
    help = (
        "List, show and check policy packs; keep an own version for an event, choose the one it"
        " goes by. Exit code 1 and every fault of a file by its path."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """One word of what to do, and its arguments."""
        acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
        acts.add_parser("list", help="the packs that are shipped")
        show = acts.add_parser("show", help="a pack as TOML")
        show.add_argument("ref", help="id@version")
        check = acts.add_parser("check", help="check a file, change nothing")
        check.add_argument("file", type=Path)
        keep = acts.add_parser("keep", help="keep a file as the next own version of an event")
        keep.add_argument("event")
        keep.add_argument("file", type=Path)
        keep.add_argument("--use", action="store_true", help="the event goes by it too")
        choose = acts.add_parser("choose", help="choose the pack an event goes by")
        choose.add_argument("event")
        choose.add_argument("ref", help="id@version")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the act. Raises CommandError."""
        try:
            getattr(self, f"_{options['act']}")(options)
        except Refused as fault:
            for one in fault.refusal.params.get("faults", []):
                self.stderr.write(f"{one['path']}: found {one['found']}, allowed {one['allowed']}")
            told = {key: one for key, one in fault.refusal.params.items() if key != "faults"}
            raise CommandError(f"{fault.refusal.code}: {told}") from None
        except UnknownPack as fault:
            raise CommandError(f"there is no pack {fault}") from None

    def _list(self, options: dict[str, Any]) -> None:
        for versions in packs().values():
            for one in versions.values():
                marks = f"{len(one.confirm)} values to confirm"
                self.stdout.write(f"{one.ref}: {one.title['en']}, {marks}")

    def _show(self, options: dict[str, Any]) -> None:
        self.stdout.write(written(values_of(options["ref"])), ending="")

    def _check(self, options: dict[str, Any]) -> None:
        made, _values = packbook.checked(_read(options["file"]), pack_id="own-check", version="1")
        self.stdout.write(f"right: {len(made.infractions)} infractions, {len(made.confirm)} marks")

    def _keep(self, options: dict[str, Any]) -> None:
        kept = packbook.pack_keep(
            Context(actor=SYSTEM, source="system"),
            event_id=options["event"],
            content=_read(options["file"]),
            use=options["use"],
        )
        self.stdout.write(f"kept: {kept.ref}")
        self.stdout.write(f"the event goes by {pack_of(options['event']).ref}")

    def _choose(self, options: dict[str, Any]) -> None:
        ref = packbook.pack_choose(
            Context(actor=SYSTEM, source="system"), event_id=options["event"], ref=options["ref"]
        )
        self.stdout.write(f"the event goes by {ref}")


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as fault:
        raise CommandError(f"{file}: {fault.strerror}") from None
