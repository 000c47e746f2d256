"""One step of the event bench, in a process of its own: `idle`, `play PLAYERS ROUNDS`,
`results TABLES ROUNDS`."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from eventstore.commands import Context  # noqa: E402
from eventstore.ids import new_id  # noqa: E402
from people.domain.actor import SYSTEM  # noqa: E402
from tournaments import selectors, services  # noqa: E402
from tournaments.models import MatchRow  # noqa: E402

SCORES = ([2, 0, 0], [2, 1, 0], [1, 2, 0], [0, 2, 0], [1, 1, 1])
TENTH = 10


def context() -> Context:
    """A new command of the house."""
    return Context(SYSTEM, "system")


def memory_mb() -> float:
    """Return the most memory the process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def seconds(act: Callable[[], Any]) -> float:
    """Return how long an act takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def p95(values: list[float]) -> float:
    """Return the 95th of a hundred."""
    return sorted(values)[max(0, int(len(values) * 0.95) - 1)]


def growth(values: list[float]) -> float:
    """Return the median of the last tenth over that of the first."""
    part = max(1, len(values) // TENTH)
    return statistics.median(values[-part:]) / statistics.median(values[:part])


def fill(players: int, rounds: int) -> tuple[str, list[float]]:
    """Create an event and check its players in; return its id and the seconds of each player."""
    event_id = new_id()
    services.event_create(
        context(), event_id=event_id, name="Bench", decks_required=False, rounds=rounds, cut=8
    )
    services.registration_open(context(), event_id=event_id)

    def one(number: int) -> None:
        made = services.entrant_enrol(
            context(), event_id=event_id, display_name=f"Player {number:05}"
        )
        services.entrant_check_in(context(), event_id=event_id, entrant_id=made.entrant_id)

    took = [seconds(lambda number=number: one(number)) for number in range(players)]  # type: ignore[misc]
    services.registration_close(context(), event_id=event_id)
    return event_id, took


def open_matches(event_id: str, number: int) -> list[str]:
    """Return the open matches of a round."""
    rows = MatchRow.objects.filter(event_id=event_id, round=number, state="waiting")
    return list(rows.order_by("table").values_list("pk", flat=True))


def play(players: int, rounds: int) -> dict[str, Any]:
    """Run an event through its commands; seconds per step, growth from round to round."""
    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    event_id, enrolled = fill(players, rounds)
    start = seconds(lambda: services.event_start(context(), event_id=event_id))
    steps: dict[str, list[float]] = {"pair": [], "publish": [], "last result": [], "result": []}
    for number in range(1, rounds + 1):
        steps["pair"].append(
            seconds(lambda n=number: services.round_pair(context(), event_id=event_id, seed=n))  # type: ignore[misc]
        )
        steps["publish"].append(
            seconds(
                lambda n=number: services.round_publish(context(), event_id=event_id, number=n)  # type: ignore[misc]
            )
        )
        took = []
        for at, pk in enumerate(open_matches(event_id, number)):
            score = SCORES[(at + number) % len(SCORES)]
            took.append(
                seconds(
                    lambda pk=pk, score=score: services.result_enter(  # type: ignore[misc]
                        context(), match_id=pk, score=score
                    )
                )
            )
        steps["last result"].append(took.pop())
        steps["result"].append(statistics.median(took))
        print(
            f"round {number}: "
            + ", ".join(f"{name} {values[-1]:.3f} s" for name, values in steps.items())
            + f", {memory_mb():.0f} MB",
            file=sys.stderr,
            flush=True,
        )
    swiss = time.perf_counter() - began
    finish = seconds(lambda: _cut(event_id))
    changed = MatchRow.objects.filter(event_id=event_id, round=rounds, winner="P1").first()
    assert changed is not None
    look = seconds(
        lambda: selectors.undo_preview(
            SYSTEM, event_id, "result", match_id=changed.pk, score=[0, 2, 0]
        )
    )
    correct = seconds(
        lambda: services.result_correct(
            context(), match_id=changed.pk, score=[0, 2, 0], note="bench"
        )
    )
    return {
        "players": players,
        "rounds": rounds,
        "swiss s": round(swiss, 1),
        "enrol and check in ms": round(statistics.median(enrolled) * 1000, 2),
        "enrol growth": round(growth(enrolled), 2),
        "start s": round(start, 2),
        "pair s": round(max(steps["pair"]), 2),
        "publish s": round(max(steps["publish"]), 2),
        "result ms": round(statistics.median(steps["result"]) * 1000, 2),
        "result growth": round(steps["result"][-1] / steps["result"][0], 2),
        "last result s": round(max(steps["last result"]), 2),
        "last result growth": round(steps["last result"][-1] / steps["last result"][0], 2),
        "cut and finish s": round(finish, 2),
        "preview s": round(look, 2),
        "correction s": round(correct, 2),
        "MB": round(memory_mb(), 1),
    }


def _cut(event_id: str) -> None:
    services.cut_make(context(), event_id=event_id)
    while selectors.bracket(SYSTEM, event_id).champion is None:
        number = services.round_pair(context(), event_id=event_id)
        services.round_publish(context(), event_id=event_id, number=number)
        for pk in open_matches(event_id, number):
            services.result_enter(context(), match_id=pk, score=[2, 0, 0])
    services.event_finish(context(), event_id=event_id)


def results(tables: int, rounds: int) -> dict[str, Any]:
    """Enter results beside a trivial write of the same database, in turn."""
    call_command("migrate", verbosity=0)
    event_id, _ = fill(2 * tables, rounds)
    services.event_start(context(), event_id=event_id)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_trivial (id integer primary key, body text)")

    def trivial() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("INSERT INTO bench_trivial (body) VALUES (%s)", ["x" * 200])

    ours, base = [], []
    for number in range(1, rounds + 1):
        services.round_pair(context(), event_id=event_id, seed=number)
        services.round_publish(context(), event_id=event_id, number=number)
        for pk in open_matches(event_id, number):
            base.append(seconds(trivial))
            ours.append(
                seconds(
                    lambda pk=pk: services.result_enter(  # type: ignore[misc]
                        context(), match_id=pk, score=[2, 0, 0]
                    )
                )
            )
    return {
        "tables": tables,
        "entry p95 ms": round(p95(ours) * 1000, 2),
        "trivial p95 ms": round(p95(base) * 1000, 2),
        "entry of trivial": round(p95(ours) / p95(base), 1),
        "entry median of trivial": round(statistics.median(ours) / statistics.median(base), 1),
    }


if __name__ == "__main__":
    if sys.argv[1] == "play":
        outcome = play(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1] == "results":
        outcome = results(int(sys.argv[2]), int(sys.argv[3]))
    else:
        call_command("migrate", verbosity=0)
        outcome = {"MB": round(memory_mb(), 1)}
    print(json.dumps(outcome))
