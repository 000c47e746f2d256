"""Replay files: `python -m bench.replays [--quick] [--json]`.

A .yrpX of 2,500 messages is read, imported and audited (`import`), and handed in on SQLite. Then
the duel is looked at after events chosen at random: the table (`jump`: read, folded, masked), the
whole page, and what it weighs on the wire. Medians of 20 (quick: 5), processor
time. Ends with 1 when a figure
falls below its floor.
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
MESSAGES = 2_500
# figure: (floor, reach), all downwards
AIMS = {
    "import ms": (600.0, 300.0),
    "jump ms": (100.0, 50.0),
    "page compressed kB": (80.0, 80.0),
}


def _child(folder: Path, times: int) -> dict[str, Any]:
    env = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{folder / 'bench.sqlite3'}",
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "BACKGROUND": "none",
        "REDIS_URL": "",
    }
    done = subprocess.run(
        [sys.executable, "-m", "bench._replays_child", str(MESSAGES), str(times)],
        cwd=ROOT, env=env, text=True, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> int:
    """Measure, print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="five times instead of twenty")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hj") as name:
        found = _child(Path(name), 5 if options.quick else 20)
    return told(found, held(found, AIMS), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
