"""The event store beside the raw driver and a peer: `python -m bench.eventstore [--quick]`.

On SQLite and PostgreSQL, on the disk and on a memory disk. Ratios are medians of interleaved
pairs: the store's commands (chain hash, command id, expected version, outcome, read tables)
beside the same rows written by hand with the driver at the same durability. The peer is the
package `eventsourcing`; it is installed into .venv-bench once (not with --quick) or left out
with the reason. Ends with 1 when a figure falls below its floor, which is what must never be
lost again; `reach` is the aim.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench._aims import held, print_aims
from bench._child import child
from bench._peer import peer_python
from tools.services import ServiceFault, postgres

ROOT = Path(__file__).resolve().parent.parent
MEMORY = Path("/dev/shm")
MODULES = {"sqlite": "sqlite", "postgresql": "postgres"}

# figure: (floor, reach); ratios and events per second upwards, milliseconds downwards
AIMS: dict[str, dict[str, tuple[float, float]]] = {
    "sqlite memory": {
        "one NORMAL ratio": (0.15, 0.5),
        "batch 100 ratio": (0.25, 0.4),
        "rebuild 2000 ms": (12, 5),
        "replay per s": (150_000, 400_000),
        "verify per s": (150_000, 500_000),
    },
    "postgresql memory": {
        "one ratio": (0.35, 0.8),
        "one, floor not prepared ratio": (0.45, 0.8),
        "rebuild 2000 ms": (20, 8),
    },
}
LIMITS = {
    "sqlite memory": (
        "one: the floor takes 18.5 microseconds. The four statements alone take 31 (BEGIN 4.7,"
        " look-up 3.2, INSERT of event and outcome past both guards 10, COMMIT 13.5: three pages"
        " to write, the floor has two), so without any Python it would be 0.6. Python takes 30:"
        " envelope and hash 7, rest of the append 6, transaction and queue 6, id and context 4,"
        " fingerprint 2, wake-up 1. batch: the guard looks up two keys for each row. verify: a"
        " row is read in 1.4 microseconds, hashed in 0.6, compared with its copies in 0.7."
    ),
    "postgresql memory": (
        "one: two round trips of 100 and 150 microseconds and 55 of Python, against four of 46"
        " (prepared). The server's share grew: look-up under the lock, two rows instead of one,"
        " triggers 25, NOTIFY."
    ),
}


def _peer(python: Path, vendor: str, url: str, folder: Path, quick: bool) -> dict[str, Any]:
    env = {**os.environ, "PERSISTENCE_MODULE": f"eventsourcing.{MODULES[vendor]}"}
    if vendor == "sqlite":
        env["SQLITE_DBNAME"] = str(folder / "peer.sqlite3")
    else:
        place, _, name = url.rpartition("/")
        user, _, address = place.rpartition("//")[2].rpartition("@")
        host, _, port = address.partition(":")
        env |= {
            "POSTGRES_DBNAME": name, "POSTGRES_HOST": host, "POSTGRES_PORT": port,
            "POSTGRES_USER": user, "POSTGRES_PASSWORD": "x",
        }  # fmt: skip
    script = ROOT / "bench" / "_eventsourcing_child.py"
    done = subprocess.run(
        [str(python), str(script), "200" if quick else "1000"],
        cwd=folder, env=env, text=True, capture_output=True,
    )  # fmt: skip
    if done.returncode:
        return {"skipped": done.stderr.strip()[-200:]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _fsync_us(folder: Path) -> float:
    """Return the microseconds of one small synced write here: disks differ by a factor of 50."""
    file = folder / "probe"
    with file.open("wb") as out:
        started = time.perf_counter()
        for _ in range(50):
            out.write(b"x" * 512)
            out.flush()
            os.fsync(out.fileno())
    return round((time.perf_counter() - started) / 50 * 1e6, 1)


@contextlib.contextmanager
def _place(name: str) -> Iterator[Path]:
    """Give a folder on the disk or on the memory disk, with a path short enough for a socket."""
    parent = str(MEMORY) if name == "memory" else "/tmp"
    with tempfile.TemporaryDirectory(prefix="hj", dir=parent) as folder:
        yield Path(folder)


def _aims(name: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    wanted = {**AIMS.get(name, {}), "replay MB": (200, 200)}
    ratios = {
        f"{key} ratio": value["ratio"]
        for key, value in found.items()
        if isinstance(value, dict) and "ratio" in value
    }
    return held({**found, **ratios}, wanted, on=name)


def main() -> int:
    """Measure, print, and return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under 60 s")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    python, why = peer_python(
        "eventsourcing", ["eventsourcing==9.5.*", "psycopg[binary,pool]"], quick=options.quick
    )
    found: dict[str, Any] = {}
    aims: list[dict[str, Any]] = []
    skipped: dict[str, str] = {} if python else {"eventsourcing": why}
    for place in ("disk", "memory"):
        if place == "memory" and not MEMORY.is_dir():
            skipped["memory"] = "no /dev/shm here"
            continue
        for vendor in ("sqlite", "postgresql"):
            name = f"{vendor} {place}"
            print(f"-- {name}", file=sys.stderr, flush=True)
            with _place(place) as folder, contextlib.ExitStack() as stack:
                url = f"sqlite:///{folder / 'bench.sqlite3'}"
                try:
                    if vendor == "postgresql":
                        url = stack.enter_context(postgres(folder))
                except ServiceFault as fault:
                    skipped[name] = str(fault)[-200:]
                    continue
                found[name] = {"fsync us": _fsync_us(folder)}
                quick = ["--quick"] if options.quick else []
                found[name] |= child("_eventstore_child", folder, *quick, url=url)
                aims += _aims(name, found[name])
                if python:
                    found[name]["eventsourcing"] = _peer(python, vendor, url, folder, options.quick)
    outcome = {"found": found, "aims": aims, "limits": LIMITS, "skipped": skipped}
    if options.json:
        print(json.dumps(outcome))
    else:
        for name, figures in found.items():
            for figure, value in figures.items():
                print(f"{name:20} {figure:18} {value}")
        print_aims(aims)
        for name, reason in {**LIMITS, **skipped}.items():
            print(f"{name}: {reason}")
    return 0 if all(one["above_floor"] for one in aims) else 1


if __name__ == "__main__":
    sys.exit(main())
