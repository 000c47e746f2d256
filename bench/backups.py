"""Backups: `python -m bench.backups [--quick] [--json]`.

A log of 200,000 events (quick: 20,000) on SQLite and on PostgreSQL: how long a checked copy takes,
how long writers wait meanwhile, and how long it takes to go on from the copy: brought over,
checked, verified, switched. Ends with 1 when a figure falls below its floor.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from bench._aims import held, print_aims
from bench._child import child
from bench.calls import database
from tools import services

# figure: (floor, reach), all downwards
AIMS = {
    "restore s": (300.0, 60.0),
    "copy s": (60.0, 20.0),
    "slowest write beside a copy ms": (2_000.0, 200.0),
}


def main() -> int:
    """Measure on both databases and print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="20,000 events")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    events = 20_000 if options.quick else 200_000
    found: dict[str, Any] = {}
    lines: list[dict[str, Any]] = []
    for kind in ("sqlite", "postgresql"):
        with services.short_folder() as folder, database(kind, folder) as url:
            found[kind] = child("_backups_child", folder, events, url=url)
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
