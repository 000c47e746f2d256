"""Replay files: `python -m bench.replays [--quick] [--json]`.

A .yrpX of 2,500 messages is read, imported and audited (`import`), and handed in on SQLite. Then
the duel is looked at after events chosen at random: the table (`jump`: read, folded, masked), the
whole page, and what it weighs on the wire. Medians of 20 (quick: 5), processor
time. Ends with 1 when a figure
falls below its floor.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench._aims import held, told
from bench._child import child

ROOT = Path(__file__).resolve().parent.parent
MESSAGES = 2_500
# figure: (floor, reach), all downwards
AIMS = {
    "import ms": (600.0, 300.0),
    "jump ms": (100.0, 50.0),
    "page compressed kB": (80.0, 80.0),
}


def main() -> int:
    """Measure, print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="five times instead of twenty")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hj") as name:
        found = child("_replays_child", Path(name), MESSAGES, 5 if options.quick else 20)
    return told(found, held(found, AIMS), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
