"""One step of the pages bench, in a process of its own: `build PLAYERS ROUNDS`, `measure EVENT`."""

from __future__ import annotations

import json
import logging
import statistics
import sys
import time
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from eventstore.commands import Context  # noqa: E402
from eventstore.ids import new_id  # noqa: E402
from people.domain.actor import SYSTEM  # noqa: E402
from tournaments import services  # noqa: E402
from tournaments.models import MatchRow  # noqa: E402

TIMES = 30
PAGES = {
    "standings": "/events/{event}/standings/",
    "pairings": "/events/{event}/pairings/",
    "event home": "/events/{event}/",
}
SCORES = ([2, 0, 0], [2, 1, 0], [1, 2, 0], [0, 2, 0], [1, 1, 1])


def context() -> Context:
    """A new command of the house."""
    return Context(SYSTEM, "system")


def build(players: int, rounds: int) -> dict[str, Any]:
    """Play an event up to its last Swiss round; the results of that round are in."""
    call_command("migrate", verbosity=0)
    started = time.perf_counter()
    event_id = new_id()
    services.event_create(
        context(), event_id=event_id, name="Bench", decks_required=False, rounds=rounds, cut=8
    )
    services.registration_open(context(), event_id=event_id)
    for number in range(players):
        made = services.entrant_enrol(
            context(), event_id=event_id, display_name=f"Player {number:04}"
        )
        services.entrant_check_in(context(), event_id=event_id, entrant_id=made.entrant_id)
    services.registration_close(context(), event_id=event_id)
    services.event_start(context(), event_id=event_id)
    for number in range(1, rounds + 1):
        services.round_pair(context(), event_id=event_id, seed=number)
        services.round_publish(context(), event_id=event_id, number=number)
        rows = MatchRow.objects.filter(event_id=event_id, round=number, state="waiting")
        for at, pk in enumerate(rows.order_by("table").values_list("pk", flat=True)):
            services.result_enter(context(), match_id=pk, score=SCORES[at % len(SCORES)])
    took = time.perf_counter() - started
    return {"event": event_id, "players": players, "built s": round(took, 1)}


def _timed(client: Client, path: str) -> tuple[float, Any]:
    started = time.perf_counter()
    answer = client.get(path, headers={"accept-encoding": "gzip"})
    took = (time.perf_counter() - started) * 1000
    assert answer.status_code == 200, (path, answer.status_code)
    return took, answer


def measure(event_id: str) -> dict[str, Any]:
    """Serve the pages: milliseconds of the first and of later answers, bytes, queries."""
    logging.disable(logging.CRITICAL)
    client = Client(SERVER_NAME="localhost")
    found: dict[str, Any] = {}
    # the trivial view comes first, so that it pays for the start of the process itself
    found["trivial first ms"] = round(_timed(client, "/sign-in/")[0], 1)
    for name, page in PAGES.items():
        path = page.format(event=event_id)
        first, answer = _timed(client, path)
        found[f"{name} first ms"] = round(first, 1)
        found[f"{name} compressed kB"] = round(len(answer.content) / 1000, 1)
        with CaptureQueriesContext(connection) as seen:
            client.get(path)
        found[f"{name} queries"] = len(seen.captured_queries)
        trivial, ours = [], []
        for _ in range(TIMES):
            trivial.append(_timed(client, "/sign-in/")[0])
            ours.append(_timed(client, path)[0])
        found[f"{name} ms"] = round(statistics.median(ours), 1)
        found[f"{name} of trivial"] = round(
            statistics.median(one / base for one, base in zip(ours, trivial, strict=True)), 1
        )
    found["trivial ms"] = round(statistics.median(trivial), 1)
    return found


if __name__ == "__main__":
    if sys.argv[1] == "build":
        outcome = build(int(sys.argv[2]), int(sys.argv[3]))
    else:
        outcome = measure(sys.argv[2])
    print(json.dumps(outcome))
