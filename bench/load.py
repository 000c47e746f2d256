"""A round end under load: `python -m bench.load [--quick] [--json] [--tables N] [--phones N]
[--sqlite]`.

2,000 tables report a round by real HTTP over loopback, to two server processes on PostgreSQL and
Valkey, while 2,000 phones watch: half of them players at their own match, half spectators at the
pairings, each with an open stream, asking again when they are told. Once spread over 60 seconds
("a round") and once with all reports in the first 10 ("a rush"). Then 200 tables and 200 phones on
SQLite and one process (--sqlite: only that).

Most tables report jointly; of a hundred five report in conflict, which the desk settles, and five
hand in a slip. Measured: what was acknowledged, and whether the log holds each result exactly
once, the chain holds and the read tables equal their rebuild; the times of reports and pages beside
a trivial view of the same server, idle and at the same moment; the processor and memory of each
part, the phones' own among them. Ends with 1 when a figure falls below its floor.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench._aims import held, print_aims
from bench._child import await_server, child, environment
from tools import services

ROOT = Path(__file__).resolve().parent.parent
# figure: (floor, reach); those of faults are 0 in any case
NEVER = {
    "lost": (0, 0),
    "doubled": (0, 0),
    "open tables": (0, 0),
    "streams lost": (0, 0),
    "spectators behind": (0, 0),
}
AIMS = {
    "a round": NEVER | {"reports in s": (75.0, 60.0), "report of trivial": (12.0, 4.0)},
    "a rush": NEVER | {"reports in s": (90.0, 60.0)},
    "on SQLite": NEVER | {"reports in s": (40.0, 31.0), "report of trivial": (12.0, 4.0)},
}
FULL, QUICK = (2000, 2000), (60, 60)
SQLITE, SQLITE_QUICK = (200, 200), (20, 20)
SECONDS, RUSH_SECONDS, SQLITE_SECONDS = 60.0, 10.0, 30.0
SPARE = 400
"""Files open besides the streams."""


@contextlib.contextmanager
def served(folder: Path, url: str, redis: str, workers: int) -> Iterator[tuple[int, int]]:
    """Run the product; yields port and process id."""
    port = services.free_port()
    values = environment(folder, url) | {
        "REDIS_URL": redis, "BACKGROUND": "thread", "PORT": str(port), "BIND": "127.0.0.1",
        "WEB_WORKERS": str(workers), "LAN": "",
    }  # fmt: skip
    server = subprocess.Popen(
        [sys.executable, "-m", "config.server"], cwd=ROOT, env=values, stdin=subprocess.DEVNULL
    )
    try:
        # each of the workers loads its address table at the first
        await_server(port, server, pages=8)
        yield port, server.pid
    finally:
        services.stop(server)


def played(
    folder: Path,
    url: str,
    redis: str,
    built: dict[str, Any],
    *,
    workers: int,
    phones: int,
    seconds: float,
    rush: float,
    roots: dict[str, int],
) -> dict[str, Any]:
    """Play one round on a server of its own and check the log; return the figures."""
    with served(folder, url, redis, workers) as (port, pid):
        plan = {
            **built, "port": port, "phones": phones, "seconds": seconds, "rush": rush,
            "files": 2 * phones + SPARE, "roots": {"server": pid, **roots},
        }  # fmt: skip
        sheet = folder / "plan.json"
        sheet.write_text(json.dumps(plan))
        done = subprocess.run(
            [sys.executable, "-m", "bench._phones", str(sheet)],
            cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True,
        )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    kept = child("_load_child", folder, "check", built["event"], url=url)
    counts = found["counts"]
    joint, clash = counts.get("joint", 0), counts.get("in conflict", 0)
    found |= {
        **kept,
        "tables": len(built["tables"]),
        "lost": 2 * (joint + clash) - kept["claims"] + counts.get("given up", 0),
        "doubled": kept["decided twice"] + kept["claimed twice"] + len(kept["read tables differ"]),
        "open tables": len(built["tables"]) - kept["decided"],
        "spectators behind": phones - phones // 2 - found["spectators up to date"],
        "events per s": round((kept["events in all"] - built["events"]) / found["reports in s"], 1),
    }
    for kind in ("report", "refresh"):
        if f"{kind} p50 ms" in found:
            base = found["trivial under load p50 ms"]
            found[f"{kind} of trivial"] = round(found[f"{kind} p50 ms"] / base, 1)
    return found


def lines_for(phones: int) -> int:
    """Let this process and those it starts open enough files for so many phones; return how many
    phones there can be."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < 2 * phones + SPARE:
        phones = (hard - SPARE) // 2
        print(f"only {phones} phones: {hard} files may be open here", file=sys.stderr)
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * phones + SPARE, hard))
    return phones


def _postmaster(folder: Path) -> int:
    return int((folder / "d" / "data" / "postmaster.pid").read_text().split("\n")[0])


def on_postgresql(tables: int, phones: int, seconds: float, *, rush: bool) -> dict[str, Any]:
    """The round and the rush, each on a copy of one prepared database."""
    import psycopg

    found: dict[str, Any] = {}
    with contextlib.ExitStack() as stack:
        home, other = (Path(stack.enter_context(services.short_folder())) for _ in range(2))
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hj")))
        url = stack.enter_context(services.postgres(home))
        redis = stack.enter_context(services.valkey(other))
        built = child("_load_child", data, "build", tables, url=url)
        print(f"built in {built['built s']} s", file=sys.stderr, flush=True)
        roots = {"postgresql": _postmaster(home)}
        parts = [("a round", seconds), ("a rush", min(RUSH_SECONDS, seconds))]
        for name, share in parts if rush else parts[:1]:
            copy = f"bench{len(found)}"
            with psycopg.connect(url.rsplit("/", 1)[0] + "/template1", autocommit=True) as line:
                line.execute(f"CREATE DATABASE {copy} TEMPLATE postgres")
            found[name] = played(
                data, url.rsplit("/", 1)[0] + f"/{copy}", redis, built, workers=2,
                phones=phones, seconds=share, rush=share / SECONDS, roots=roots,
            )  # fmt: skip
            print(f"{name}: {found[name]['reports in s']} s", file=sys.stderr, flush=True)
    return found


def on_sqlite(tables: int, phones: int, seconds: float) -> dict[str, Any]:
    """One process on a file, as `make run` starts it."""
    with tempfile.TemporaryDirectory(prefix="hj") as name:
        folder = Path(name)
        built = child("_load_child", folder, "build", tables)
        return {
            "on SQLite": played(
                folder, "", "", built, workers=1, phones=phones, seconds=seconds,
                rush=seconds / SECONDS, roots={},
            )
        }  # fmt: skip


def main() -> int:
    """Build, play, check, print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="60 tables, no rush; 20 on SQLite")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    parser.add_argument("--tables", type=int, help="tables that report")
    parser.add_argument("--phones", type=int, help="phones that watch")
    parser.add_argument("--sqlite", action="store_true", help="only on SQLite")
    options = parser.parse_args()
    tables, phones = QUICK if options.quick else FULL
    few, ears = SQLITE_QUICK if options.quick else SQLITE
    if options.sqlite:
        few, ears = options.tables or few, options.phones or ears
    tables, phones = options.tables or tables, options.phones or phones
    phones = lines_for(phones)
    found: dict[str, Any] = {}
    if not options.sqlite:
        found |= on_postgresql(
            tables, phones, 8.0 if options.quick else SECONDS, rush=not options.quick
        )
    found |= on_sqlite(few, ears, 5.0 if options.quick else SQLITE_SECONDS)
    aims = [line for part, figures in found.items() for line in held(figures, AIMS[part], part)]
    if options.json:
        print(json.dumps({"found": found, "aims": aims, "processors": os.cpu_count()}))
    else:
        for part, figures in found.items():
            print(f"== {part}")
            for figure, value in figures.items():
                print(f"{figure:30} {value}")
        print_aims(aims)
    return 0 if all(one["above_floor"] for one in aims) else 1


if __name__ == "__main__":
    sys.exit(main())
