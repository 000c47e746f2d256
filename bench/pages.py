"""Pages under load of people: `python -m bench.pages [--quick] [--json]`.

An event of 500 players (quick: 100) with five Swiss rounds on SQLite, by the real commands. A
process that has answered nothing yet then serves the standings: the first answer, the median of
the next ones, bytes on the wire and queries, each beside a trivial view of the same run. Ends
with 1 when a figure falls below its floor.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench._aims import held, told
from bench._child import child

ROOT = Path(__file__).resolve().parent.parent
# figure: (floor, reach), all downwards
AIMS = {
    "standings first ms": (600.0, 150.0),
    "standings compressed kB": (60.0, 60.0),
    "standings queries": (12, 12),
}


def main() -> int:
    """Build, measure, print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="100 players")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    players = 100 if options.quick else 500
    with tempfile.TemporaryDirectory(prefix="hj") as name:
        folder = Path(name)
        built = child("_pages_child", folder, "build", str(players), "5")
        found = {**built, **child("_pages_child", folder, "measure", built["event"])}
    return told(found, held(found, AIMS), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
