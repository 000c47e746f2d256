"""Hold a whole tournament through the real commands, from a seed."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from cards.domain.findings import Unreadable
from decks.cli import split_banlist
from decks.domain.presets import PRESETS
from duels.rules.games import PLAYED, is_played
from eventstore.domain.refusal import Refused
from portal.demo.clockwork import clockwork
from portal.demo.show import NotPossible, Programme, rehearse
from tournaments.domain.scores import MATCH_RULES


@contextmanager
def throw_away_database() -> Iterator[None]:
    """Work in an empty database that is destroyed at the end; the real one is not touched."""
    kept = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(kept, verbosity=0)


def _preset(rules: str | None, game: str | None) -> str:
    """Return the deck preset: the one named, else the first of the game. Raises NotPossible for
    one of another game."""
    if rules is None:
        return next(one.id for one in PRESETS.values() if one.game == (game or PLAYED[0]))
    if game not in (None, PRESETS[rules].game):
        raise NotPossible(f"{rules} are rules of {PRESETS[rules].game}")
    return rules


class Command(BaseCommand):
    help = (
        "Rehearse a tournament: registration with deck lists, Swiss rounds and cut, every duel"
        " played act by act, disputes and penalties; then rebuild every read table and compare."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Arguments of the command."""
        parser.add_argument("--players", type=int, default=16, metavar="N")
        parser.add_argument("--decks", type=Path, metavar="DIR", help="folder of deck lists")
        parser.add_argument("--cards", type=Path, metavar="FILE", help="cards.csv(.gz) or .cdb")
        parser.add_argument("--banlist", metavar="FILE[:TITLE]")
        playable = sorted(one.id for one in PRESETS.values() if is_played(one.game))
        parser.add_argument("--game", choices=PLAYED, help="the game; else that of --rules")
        parser.add_argument("--rules", choices=playable, help="deck rules; else those of --game")
        parser.add_argument("--match", choices=MATCH_RULES, help="match rules of that game")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--keep", action="store_true", help="in the real database, and leave the event there"
        )
        parser.add_argument("--json", action="store_true", help="one JSON value on stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        """Rehearse and print what came of it. Raises CommandError with a reason."""
        started = time.monotonic()

        def say(text: str) -> None:
            self.stderr.write(f"{time.monotonic() - started:6.1f} s  {text}")

        keep = options["keep"]
        try:
            programme = Programme(
                players=options["players"],
                seed=options["seed"],
                decks=options["decks"],
                cards=options["cards"],
                banlist=split_banlist(options["banlist"]),
                rules=_preset(options["rules"], options["game"]),
                match_rules=options["match"],
            )
            with (
                nullcontext() if keep else throw_away_database(),
                nullcontext() if keep else clockwork(options["seed"]),
            ):
                summary = rehearse(programme, say)
                result = summary.as_json()
        except Unreadable as fault:
            raise CommandError(f"{fault.finding.code} {fault.finding.params}") from fault
        except Refused as fault:
            raise CommandError(f"refused: {fault}") from fault
        except (NotPossible, OSError) as fault:
            raise CommandError(str(fault)) from fault
        for line in summary.unequal[:20]:
            self.stderr.write(line)
        if options["json"]:
            self.stdout.write(json.dumps(result, ensure_ascii=False))
        else:
            self._print(result)
        if summary.unequal:
            raise CommandError("read tables differ from their rebuild")

    def _print(self, result: dict[str, Any]) -> None:
        for name in ("registered", "rounds", "matches", "duels", "events", "rewinds"):
            self.stdout.write(f"{name:<12}{result[name]}")
        self.stdout.write(f"{'refused':<12}{len(result['refused'])} lists")
        for one in result["refused"]:
            self.stdout.write(f"  {one['file']}: {', '.join(one['codes'])}")
        reasons = ", ".join(f"{name} {count}" for name, count in result["reasons"].items())
        self.stdout.write(f"{'results':<12}{reasons}")
        for line in result["standings"][:8]:
            self.stdout.write(f"{line['rank']:>4}  {line['code']}  {line['name']}")
        self.stdout.write(f"read tables equal their rebuild: {result['rebuild_equal']}")
