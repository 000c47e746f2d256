"""A whole event through its commands, on SQLite: `python -m bench.event [--quick] [--json]`.

10,000 players enrol, check in and play 15 Swiss rounds and a cut; each command is one
transaction. Growth is the time of a step at the end over the one at the beginning. Memory is that
of the process over one that only migrates. Beside it a round of 200 tables, each entry of a
result next to a trivial write of the same database. Ends with 1 when a figure is beyond its floor.

What limits it stands in LIMITS.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench._aims import held, print_aims
from bench._child import child

ROOT = Path(__file__).resolve().parent.parent
FULL, QUICK = (10_000, 15), (200, 5)
TABLES, ROUNDS = 200, 3
MEMORY = Path("/dev/shm")
AIMS = {
    "enrol growth": (12.0, 3.0),
    "result growth": (2.5, 1.5),
    "last result growth": (15.0, 8.0),
    "pair s": (10.0, 4.0),
    "publish s": (30.0, 15.0),
    "last result s": (20.0, 10.0),
    "preview s": (15.0, 6.0),
    "grown MB": (1500.0, 600.0),
    "entry p95 ms": (100.0, 40.0),
    "entry of trivial": (40.0, 15.0),
}
LIMITS = {
    "result": (
        "about 15 statements an entry, most of them rows of read tables written one by one through"
        " Django's models; the log itself is a tenth. None of it grows with the field or the round."
    ),
    "publish": "one update of a row for each match that is opened",
    "last result": (
        "the standings of everybody with what each number is made of, as one more revision: grows"
        " with players times rounds"
    ),
    "enrol": (
        "one copy of the table of entrants per event folded, and one look through the entrants"
        " for the person: a tenth of a command at 10,000 players"
    ),
    "memory": "the folded event (entrants, pairs of all rounds) once per process",
}


def _child(folder: Path, *words: str) -> dict[str, Any]:
    folder.mkdir()
    return child("_event_child", folder, *words)


def main() -> int:
    """Play, measure, print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="200 players, 5 rounds")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    players, rounds = QUICK if options.quick else FULL
    with tempfile.TemporaryDirectory(prefix="hj") as name:
        folder = Path(name)
        idle = _child(folder / "idle", "idle")["MB"]
        found = _child(
            folder / "results", "results", str(TABLES), "1" if options.quick else str(ROUNDS)
        )
    # What a disk costs is measured above; the long event tells what the commands cost.
    with tempfile.TemporaryDirectory(prefix="hj", dir=MEMORY if MEMORY.is_dir() else None) as name:
        found |= _child(Path(name) / "play", "play", str(players), str(rounds))
    found["grown MB"] = round(found.pop("MB") - idle, 1)
    aims = held(found, AIMS)
    if options.json:
        print(json.dumps({"found": found, "aims": aims, "limits": LIMITS}))
    else:
        for figure, value in found.items():
            print(f"{figure:28} {value}")
        print_aims(aims)
        for what, why in LIMITS.items():
            print(f"{what}: {why}")
    return 0 if all(one["above_floor"] for one in aims) else 1


if __name__ == "__main__":
    sys.exit(main())
