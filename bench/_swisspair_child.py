"""Pair one field with PyPI swisspair: JSON lines in, milliseconds out.

Runs in .venv-bench. Players are made before the clock starts, as they are for the product.
"""

from __future__ import annotations

import json
import sys
import time

import swisspair


def main() -> None:
    """Answer each field with the time of one pairing, or the error."""
    for line in sys.stdin:
        players = [
            swisspair.Player(one, points, rank, not byes, set(met))
            for rank, (one, points, met, byes) in enumerate(json.loads(line), 1)
        ]
        started = time.perf_counter()
        try:
            made = swisspair.create_matches(players)
        except Exception as fault:
            print(json.dumps({"error": str(fault)[:100]}), flush=True)
            continue
        ms = (time.perf_counter() - started) * 1000
        print(json.dumps({"ms": ms, "matches": len(made)}), flush=True)


if __name__ == "__main__":
    main()
