"""Backups: `python -m bench.backups [--quick] [--json]`.

A log of 200,000 events (quick: 20,000) on SQLite and on PostgreSQL: how long a checked copy takes,
how long writers wait meanwhile, and how long it takes to go on from the copy: brought over,
checked, verified, switched. Ends with 1 when a figure falls below its floor.
"""

from __future__ import annotations

import argparse
import sys

from bench._both import on_both

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
    return on_both("_backups_child", events, aims=AIMS, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
