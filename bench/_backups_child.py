"""Fill a database, copy it while others write, restore it: one process (DATABASE_URL, DATA_DIR).

`python -m bench._backups_child EVENTS`; prints the figures as one JSON value.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402

from eventstore import store  # noqa: E402
from eventstore.backups import making, place, restoring  # noqa: E402
from eventstore.domain.envelope import Meta  # noqa: E402
from eventstore.domain.registry import DomainEvent, event  # noqa: E402

META = Meta(actor="system", role="system", source="system", command="c" * 36)
STREAM = 100


@event("bench.backup_line")
class Line(DomainEvent, frozen=True):
    """About as large as an event of a duel."""

    seat: str
    note: str


def _write(stream: str, count: int) -> None:
    lines = [Line("P1", "attack with the monster in the second zone, no response")] * count
    with transaction.atomic():
        store.writing_turn()
        store.append([store.StreamWrite(stream, 0, lines)], meta=META)


class _Writer(threading.Thread):
    """Writes one event after the other and keeps the longest time one took."""

    def __init__(self, mark: str) -> None:
        super().__init__()
        self.mark, self.slowest, self.written = mark, 0.0, 0
        self.stop = threading.Event()

    def run(self) -> None:
        """Write until told to stop, as many events a second as a busy hall."""
        while not self.stop.wait(0.02):
            began = time.perf_counter()
            _write(f"bench-{self.mark}-{self.written}", 1)
            self.slowest = max(self.slowest, time.perf_counter() - began)
            self.written += 1
        connection.close()


def main(events: int) -> None:
    """Measure and print."""
    call_command("migrate", verbosity=0)
    for number in range(events // STREAM):
        _write(f"bench-{number}", STREAM)
    quiet = _Writer("alone")
    quiet.start()
    time.sleep(2)
    quiet.stop.set()
    quiet.join()
    with tempfile.TemporaryDirectory() as text:
        stick = Path(text)
        place.prepare(stick)
        writer = _Writer("copy")
        writer.start()
        try:
            made = making.make_copy(stick)
        finally:
            writer.stop.set()
            writer.join()
        minute = making.make_copy(stick, kind="minute")
        connection.close()
        began = time.perf_counter()
        done = restoring.restore(stick, force=True)
        restored = time.perf_counter() - began
    print(
        json.dumps(
            {
                "events": done.events,
                "MB": round(made.manifest.sums.size / 1e6, 1),
                "copy s": round(made.seconds, 2),
                "minute copy s": round(minute.seconds, 2),
                "restore s": round(restored, 2),
                "slowest write alone ms": round(quiet.slowest * 1000, 1),
                "slowest write beside a copy ms": round(writer.slowest * 1000, 1),
                "writes beside the copy": writer.written,
            }
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
