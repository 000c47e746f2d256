"""Calls all at once: `python -m bench.calls [--quick] [--json]`.

200 tables call a judge at the same moment (quick: 40), at every fifth both players; then 40 judges
(quick: 12) take them through the page of the queue, all going for the oldest one, and give every
seventh back. On SQLite and on PostgreSQL: none may be taken twice, none lost. Beside it what one
claim costs the server, all judges together, as a multiple of an empty page of the same run. Ends
with 1 when a figure falls below its floor.
"""

from __future__ import annotations

import argparse
import sys

from bench._both import on_both

# figure: (floor, reach), all downwards
AIMS = {
    "claimed twice": (0, 0),
    "lost": (0, 0),
    "claims of empty page": (60.0, 20.0),
}


def main() -> int:
    """Measure on both databases and print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="40 calls, 12 judges")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    calls, judges = (40, 12) if options.quick else (200, 40)
    return on_both("_calls_child", calls, judges, aims=AIMS, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
