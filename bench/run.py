"""Run every bench here, or those named: `python -m bench.run [--quick] [--json] [NAME ...]`.

Each bench is a script of its own that takes --quick (under 60 s) and --json (one JSON value on
standard output, nothing else there). It exits with 1 when a number falls below its floor.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent


def benches() -> list[str]:
    """Return the names of the benches that are here."""
    return sorted(
        path.stem
        for path in FOLDER.glob("*.py")
        if path.stem != "run" and not path.stem.startswith("_")
    )


def main() -> int:
    """Run the benches one after the other; return 0 when all ended well."""
    known = benches()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under 60 s each")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known) or 'none'}")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no such bench: {', '.join(unknown)}")
    outcome: dict[str, Any] = {}
    failed: list[str] = []
    for name in options.names or known:
        print(f"== {name}", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", f"bench.{name}", *(["--quick"] if options.quick else [])]
        command += ["--json"] if options.json else []
        started = time.monotonic()
        done = subprocess.run(
            command,
            cwd=FOLDER.parent,
            text=True,
            stdout=subprocess.PIPE if options.json else None,
        )
        print(f"-- {name}: {time.monotonic() - started:.1f} s", file=sys.stderr, flush=True)
        if done.returncode:
            failed.append(name)
        if options.json:
            try:
                outcome[name] = json.loads(done.stdout)
            except ValueError:
                outcome[name] = None
                if name not in failed:
                    failed.append(name)
    if options.json:
        print(json.dumps({"benches": outcome, "failed": failed}))
    elif failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
