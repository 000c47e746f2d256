"""Decks and cards: `python -m bench.decks [--quick] [--json]`.

The field's own decks are checked against the full catalogue and a list of limits, 10,000 times
in all (quick: 2,000, scaled), and searched for by name; a process of its own imports the
catalogue into an empty SQLite file. The reference folder is needed (SHARED, or ../shared).
Times are processor time of one thread, so that a busy machine does not count. Ends with 1 when
a figure falls below its floor; `reach` is the aim.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench._aims import held, told
from bench._child import child
from cards.domain.banlist import read_banlists
from cards.domain.catalogue import Catalogue
from cards.domain.load import read_cards
from decks.domain.presets import ADVANCED
from decks.domain.read import read_deck
from decks.domain.validate import check

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("SHARED") or ROOT.parent / "shared")
DECKS = 10_000
SEARCHES = 2_000
# figure: (floor, reach); seconds and milliseconds downwards, cards per second upwards
AIMS = {
    "check of 10,000 decks s": (2.0, 1.0),
    "read and check of 10,000 s": (4.0, 2.0),
    "import cards per s": (10_000, 15_000),
    "search p95 ms": (20.0, 12.0),
}


def checked(catalogue: Catalogue, count: int) -> dict[str, Any]:
    """Check `count` decks as read before, then read and check as many anew."""
    lists = SHARED / "data" / "lflist" / "0TCG.lflist.conf"
    banlist = read_banlists(lists.read_bytes()).lists[0]
    files = [path.read_bytes() for path in sorted((SHARED / "data" / "decks").glob("*.ydk"))]
    read = [read_deck(data, catalogue) for data in files]
    started = time.process_time()
    legal = sum(
        check(read[at % len(read)], catalogue, banlist, ADVANCED)[1].legal for at in range(count)
    )
    first = time.process_time() - started
    started = time.process_time()
    for at in range(count):
        check(read_deck(files[at % len(files)], catalogue), catalogue, banlist, ADVANCED)
    both = time.process_time() - started
    return {
        "decks checked": count,
        "of these legal": legal,
        "check of 10,000 decks s": round(first * DECKS / count, 2),
        "read and check of 10,000 s": round(both * DECKS / count, 2),
    }


def searched(catalogue: Catalogue, count: int) -> dict[str, Any]:
    """Search as people type: the first signs of a name, a word of it, an id, a slip."""
    rng = random.Random(20)
    names = [card.name for card in catalogue.cards.values()]
    keys = list(catalogue.cards)
    catalogue.search("first")  # the index is made once per process
    times = []
    for at in range(count):
        name = rng.choice(names)
        typed = (
            name[: rng.randint(1, 8)],
            rng.choice(name.split()),
            rng.choice(keys),
            name[:4] + "q" + name[5:9],
        )[at % 4]
        started = time.process_time()
        catalogue.search(typed)
        times.append(1000 * (time.process_time() - started))
    times.sort()
    return {
        "search median ms": round(times[count // 2], 3),
        "search p95 ms": round(times[int(count * 0.95)], 3),
        "search longest ms": round(times[-1], 3),
    }


def imported(cards: Path) -> dict[str, Any]:
    """Import the catalogue into an empty database file, and once more."""
    with tempfile.TemporaryDirectory(prefix="hj") as folder:
        return child("_decks_child", Path(folder), cards)


def main() -> int:
    """Measure, print; return 0 when every floor holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="2,000 decks, 400 searches")
    parser.add_argument("--json", action="store_true", help="one JSON value on standard output")
    options = parser.parse_args()
    cards = SHARED / "data" / "cards" / "cards.csv.gz"
    if not cards.is_file():
        parser.error("the reference folder is not here (variable SHARED, or ../shared)")
    catalogue = Catalogue(read_cards(cards.read_bytes()).cards)
    part = 5 if options.quick else 1
    found = {
        "cards": len(catalogue),
        **checked(catalogue, DECKS // part),
        **searched(catalogue, SEARCHES // part),
        **imported(cards),
    }
    return told(found, held(found, AIMS), as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
