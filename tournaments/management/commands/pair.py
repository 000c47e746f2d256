"""Pair one Swiss round read from standard input, without a database."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from eventstore.domain.refusal import Refusal
from tournaments.domain.pairing import problem, swiss


class Command(BaseCommand):
    """Exit code 0: the round is paired. 1: the input was refused; the answer is then
    {"error": {code, params}}."""

    help = "Pair a Swiss round: JSON on standard input (docs/pairing.md), the pairs with proof."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add --json."""
        parser.add_argument("--json", action="store_true", help="one JSON value on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, pair, answer."""
        given = problem.read(sys.stdin.buffer.read(problem.MAX_BYTES + 1))
        if isinstance(given, Refusal):
            raise self._refused(given, options["json"])
        started = time.perf_counter()
        made = swiss.pair(
            given.players,
            seed=given.seed,
            forbidden=given.forbidden,
            locked=given.locked,
            options=given.options,
        )
        answer = problem.answer(given, made, (time.perf_counter() - started) * 1000)
        if isinstance(answer, Refusal):
            raise self._refused(answer, options["json"])
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        for one, two in answer["pairs"]:
            self.stdout.write(f"{one} - {two}")
        if answer["bye"] is not None:
            self.stdout.write(f"{answer['bye']} - bye")
        proof = "proven optimal" if answer["proven"] else "best found"
        self.stdout.write(
            f"{proof}: {answer['rematches']} rematches, cost {answer['cost']}, at least"
            f" {answer['lower_bound']} ({answer['method']}, {answer['ms']} ms)"
        )

    def _refused(self, refusal: Refusal, as_json: bool) -> CommandError:
        if as_json:
            error = {"error": {"code": refusal.code, "params": refusal.params}}
            self.stdout.write(json.dumps(error, ensure_ascii=False))
        return CommandError(f"{refusal.code} {json.dumps(refusal.params, ensure_ascii=False)}")
