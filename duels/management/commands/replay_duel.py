"""manage.py replay_duel FILE [--at N] [--viewer public|p1|p2|judge] [--json]: no database."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand
from django.utils import translation

import duels.events  # noqa: F401 - the registry must know every type
from duels import wording
from duels.domain import text
from duels.domain.lines import Line
from duels.domain.seats import PLAYERS, VIEWERS
from duels.rules.games import rules_in
from eventstore.domain.refusal import Refusal

SEATS = {player: player for player in PLAYERS}
REFUSED, UNREADABLE = 1, 2
"""Exit codes: the content of the file is refused; the file cannot be read at all (as argparse
ends for wrong arguments)."""


class Command(BaseCommand):
    help = "Show a duel from its log (text format or JSON list), after any event, for a viewer."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file, the event and the viewer."""
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--at", type=int, metavar="N", help="event to look at; the newest")
        parser.add_argument("--viewer", choices=VIEWERS, default="public")
        parser.add_argument("--json", action="store_true", help="one JSON value, nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Show the table and the lines up to it. Ends with 1 for a refused file, 2 for an
        unreadable one."""
        with translation.override("en"):
            self._show(options)

    def _show(self, options: dict[str, Any]) -> None:
        try:
            with options["file"].open("rb") as file:
                data = file.read(text.MAX_BYTES + 1)  # what is larger is refused, not read
        except OSError as fault:
            found = {"found": fault.strerror or type(fault).__name__}
            self._refuse(Refusal("duels.text_unreadable", found), UNREADABLE, options["json"])
        entries = text.read_any(data)
        if isinstance(entries, Refusal):
            self._refuse(entries, REFUSED, options["json"])
        raw = [one.event for one in entries]
        rules = rules_in(raw)
        made = rules.states(raw)
        if isinstance(made, Refusal):
            self._refuse(made, REFUSED, options["json"])
        head, at = len(raw), options["at"] if options["at"] is not None else len(raw)
        if not 1 <= at <= head:
            refusal = Refusal("duels.no_such_line", {"found": at, "allowed": [1, head]})
            self._refuse(refusal, REFUSED, options["json"])
        viewer = options["viewer"]
        try:
            table = rules.view(made[at - 1], viewer)
            told = rules.lines(raw, viewer)[:at]
        except (LookupError, TypeError, ValueError, AttributeError) as fault:
            broken = {"line": at, "found": f"{type(fault).__name__} {fault}"[:120]}
            self._refuse(Refusal("duels.text_log", broken), REFUSED, options["json"])
        shown: dict[str, Any] = {
            "viewer": viewer,
            "at": at,
            "head": head,
            "table": table,
            "lines": [_told(line) for line in told],
        }
        if viewer == "judge":
            flags = rules.status(made[at - 1])
            shown["flags"] = [{"code": flag.code, **dict(flag.params)} for flag in flags]
        if options["json"]:
            self.stdout.write(json.dumps(shown, ensure_ascii=False))
            return
        self._print(shown)

    def _refuse(self, refusal: Refusal, code: int, as_json: bool) -> NoReturn:
        """End with an exit code, the refusal on standard error or as the one JSON value."""
        sentence = wording.refusal_text(refusal)
        if as_json:
            error = {"code": refusal.code, "params": refusal.params, "text": sentence}
            self.stdout.write(json.dumps({"error": error}, ensure_ascii=False))
        else:
            self.stderr.write(f"{refusal.code}: {sentence}")
        sys.exit(code)

    def _print(self, shown: dict[str, Any]) -> None:
        table = shown["table"]
        for line in shown["lines"]:
            mark = "x" if line["struck"] else " "
            self.stdout.write(f"{line['seq']:>5}{mark} {line['text']}")
        phase = ".".join(word for word in (table["phase"], table["step"]) if word)
        self.stdout.write("")
        self.stdout.write(
            f"after {shown['at']} of {shown['head']}, seen by {shown['viewer']}:"
            f" turn {table['turn']}, {table['active'] or '-'}, {phase or '-'}"
        )
        for player in PLAYERS:
            self._print_side(player, table[player])
        if table["result"]:
            ended = table["result"]
            self.stdout.write(f"winner {ended['winner']} by {ended['by']} ({ended['how']})")
        for flag in shown.get("flags", []):
            self.stdout.write(f"flag {json.dumps(flag, ensure_ascii=False)}")

    def _print_side(self, player: str, side: dict[str, Any]) -> None:
        counts = " ".join(f"{zone} {n}" for zone, n in side["counts"].items())
        points = f"LP {side['life_points']}  " if "life_points" in side else ""
        self.stdout.write(f"{player}  {points}{counts}")
        for zone, row in side.items():
            if zone in ("counts", "deck", "fusion_deck", "shields", "field"):
                continue
            if isinstance(row, list):
                named = [_card(one) for one in row]
                if any(word != "-" for word in named):
                    self.stdout.write(f"    {zone}: {', '.join(named)}")
        if side.get("field"):
            self.stdout.write(f"    field: {_card(side['field'])}")


def _told(line: Line) -> dict[str, Any]:
    return {
        "seq": line.seq,
        "code": line.code,
        "params": line.params,
        "text": wording.line_text(line.code, line.params, SEATS),
        "turn": line.turn,
        "phase": line.phase,
        "struck": line.struck,
    }


def _card(card: dict[str, Any] | None) -> str:
    """Name a card with its position and values; `-` for an empty space, `?` for an unknown."""
    if card is None:
        return "-"
    name = str(card.get("name") or card.get("key") or "?")
    position = card.get("position")
    values = f" {card['atk_now']}/{card['def_now']}" if "atk_now" in card else ""
    values += f" {card['power_now']}" if "power_now" in card else ""
    values += " tapped" if card.get("tapped") else ""
    return f"{name}{values}{f' ({position})' if position else ''}"
