"""Standings of an event file, without a database."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.domain.exchange import detect, kts
from tournaments.domain.exchange.sheet import KTS, MAX_BYTES, Sheet, Unreadable
from tournaments.domain.standings import SYSTEMS, Standing, full_name, standings


class Command(BaseCommand):
    """Exit code 0: the standings are printed. 1: the file or an option was refused; the answer
    is then {"error": {code, params}}."""

    help = "Standings of a .Tournament, .wer, TRF, CSV or archive file (docs/standings.md)."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add FILE, --system, --round, --json."""
        parser.add_argument("file", metavar="FILE")
        names = ", ".join(sorted(SYSTEMS))
        parser.add_argument("--system", help=f"one of {names}; without it that of the format")
        parser.add_argument("--round", type=int, metavar="K", help="as they stood after round K")
        parser.add_argument("--json", action="store_true", help="one JSON list on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, rank, print."""
        try:
            sheet = detect.read(_bytes(Path(options["file"])))
            system = _system(options["system"] or sheet.system)
            upto = _round(sheet, options["round"])
        except Unreadable as fault:
            refusal = fault.refusal
            if options["json"]:
                error = {"error": {"code": refusal.code, "params": refusal.params}}
                self.stdout.write(json.dumps(error, ensure_ascii=False))
            raise CommandError(f"{refusal.code} {json.dumps(refusal.params)}") from None
        rows = ranked(sheet, system, upto)
        names = {one.id: one.name for one in sheet.players}
        for finding in sheet.findings:
            self.stderr.write(f"{finding.code} {json.dumps(dict(finding.params))}")
        if options["json"]:
            lines = [
                {
                    "rank": row.rank,
                    "id": kts.padded(row.entrant_id) if sheet.format == KTS else row.entrant_id,
                    "name": names[row.entrant_id],
                    "points": row.points,
                    "code": row.code,
                    "tiebreaks": ({"playoff_points": row.above} if sheet.cut_from else {})
                    | dict(row.tiebreaks),
                }
                for row in rows
            ]
            self.stdout.write(json.dumps(lines, ensure_ascii=False))
            return
        self.stdout.write(f"{sheet.name}: {system}, after round {upto}")
        for row in rows:
            self.stdout.write(f"{row.rank:4} {row.points:3} {row.code:>16} {names[row.entrant_id]}")


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or "not a file name"
        raise Unreadable("tournaments.file_missing", found=str(path), why=why) from None


def _system(name: str) -> str:
    try:
        return full_name(name)
    except KeyError:
        raise Unreadable(
            "tournaments.system_unknown", found=name[:40], allowed=sorted(SYSTEMS)
        ) from None


def _round(sheet: Sheet, number: int | None) -> int:
    if number is None:
        return sheet.last_round
    if not 0 <= number <= sheet.last_round:
        raise Unreadable("tournaments.round_unknown", found=number, allowed=[0, sheet.last_round])
    return number


def ranked(sheet: Sheet, system: str, upto: int) -> list[Standing]:
    """Return the standings of a sheet after a round; matches won in the cut count first."""
    played, byes = sheet.results(upto)
    return standings(
        [one.id for one in sheet.players],
        played,
        byes,
        last=[one.id for one in sheet.players if one.reason == "disqualified"],
        dropped=[
            one.id
            for one in sheet.players
            if one.dropped_after is not None and one.dropped_after <= upto
        ],
        above=sheet.cut_wins(upto),
        system=system,
    )
