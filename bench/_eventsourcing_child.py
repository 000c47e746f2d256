"""The peer: the package `eventsourcing` doing the same work, in an environment of its own.

Run by bench.eventstore with the Python of that environment; prints one JSON value. Environment:
PERSISTENCE_MODULE and the variables that the package reads.
"""

from __future__ import annotations

import json
import sys
import time

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class Lines(Aggregate):
    """A stream of lines, each about as large as an event of a duel."""

    def __init__(self) -> None:
        self.total = 0

    @event("Written")
    def write(self, seat: str, card: int, zone: str, note: str) -> None:
        """Add one."""
        self.total += card


def main(times: int) -> dict[str, float]:
    """Measure single saves, batches and a rebuild."""
    app = Application()
    found: dict[str, float] = {}

    def run(rounds: int, count: int) -> float:
        lines = Lines()
        app.save(lines)
        started = time.perf_counter()
        for number in range(rounds):
            for _ in range(count):
                lines.write("P1", number, "monster-3", "normal summon")
            app.save(lines)
        return round(rounds * count / (time.perf_counter() - started))

    run(20, 1)
    found["one"] = max(run(times, 1) for _ in range(3))
    found["batch 10"] = max(run(times // 10, 10) for _ in range(3))
    found["batch 100"] = max(run(max(times // 40, 2), 100) for _ in range(3))
    lines = Lines()
    for number in range(2000):
        lines.write("P1", number, "monster-3", "normal summon")
    app.save(lines)
    best = 1e9
    for _ in range(5):
        started = time.perf_counter()
        app.repository.get(lines.id)
        best = min(best, time.perf_counter() - started)
    found["rebuild 2000 ms"] = round(best * 1000, 2)
    return found


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
