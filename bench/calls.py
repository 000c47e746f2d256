"""Calls all at once: `python -m bench.calls [--quick] [--json]`.

200 tables call a judge at the same moment (quick: 40), at every fifth both players; then 40 judges
(quick: 12) take them through the page of the queue, all going for the oldest one, and give every
seventh back. On SQLite and on PostgreSQL: none may be taken twice, none lost. Beside it what one
claim costs the server, all judges together, as a multiple of an empty page of the same run. Ends
with 1 when a figure falls below its floor.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench._aims import held, print_aims
from bench._child import child
from tools import services

ROOT = Path(__file__).resolve().parent.parent
# figure: (floor, reach), all downwards
AIMS = {
    "claimed twice": (0, 0),
    "lost": (0, 0),
    "claims of empty page": (60.0, 20.0),
}


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """Give the URL of a new database of a kind."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'bench.sqlite3'}"
    else:
        with services.postgres(folder) as url:
            yield url


def main() -> int:
    """Measure on both databases and print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="40 calls, 12 judges")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    calls, judges = (40, 12) if options.quick else (200, 40)
    found: dict[str, Any] = {}
    lines: list[dict[str, Any]] = []
    for kind in ("sqlite", "postgresql"):
        with services.short_folder() as folder, database(kind, folder) as url:
            found[kind] = child("_calls_child", folder, calls, judges, url=url)
        lines += held(found[kind], AIMS, kind)
    if options.json:
        print(json.dumps({"found": found, "aims": lines}))
    else:
        for kind, figures in found.items():
            print(kind, ", ".join(f"{name} {value}" for name, value in figures.items()))
        print_aims(lines)
    return 0 if all(one["above_floor"] for one in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
