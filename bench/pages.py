"""Pages under load of people: `python -m bench.pages [--quick] [--json]`.

An event of 500 players (quick: 100) with five Swiss rounds on SQLite, by the real commands. A
process that has answered nothing yet then serves the standings: the first answer, the median of
the next ones, bytes on the wire and queries, each beside a trivial view of the same run. Ends
with 1 when a figure falls below its floor.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench._aims import held, told

ROOT = Path(__file__).resolve().parent.parent
# figure: (floor, reach), all downwards
AIMS = {
    "standings first ms": (600.0, 150.0),
    "standings compressed kB": (60.0, 60.0),
    "standings queries": (12, 12),
}


def _child(folder: Path, *words: str) -> dict[str, Any]:
    env = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{folder / 'bench.sqlite3'}",
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "BACKGROUND": "none",
        "REDIS_URL": "",
    }
    done = subprocess.run(
        [sys.executable, "-m", "bench._pages_child", *words],
        cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> int:
    """Build, measure, print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="100 players")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    players = 100 if options.quick else 500
    with tempfile.TemporaryDirectory(prefix="hj") as name:
        folder = Path(name)
        built = _child(folder, "build", str(players), "5")
        found = {**built, **_child(folder, "measure", built["event"])}
    return told(found, held(found, AIMS), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
