"""One of several processes that append at the same time:
`python -m tests.eventstore.appender NAME COUNT`. Prints one JSON value: commands done, retries.

Each command adds to a stream of its own and to one that all share, so that every pair of
processes gets in each other's way.
"""

from __future__ import annotations

import json
import sys

import django

django.setup()

from eventstore.commands import Context  # noqa: E402
from people.domain.actor import SYSTEM  # noqa: E402
from tests.eventstore.sample import pair_add  # noqa: E402


def main(name: str, count: int) -> None:
    """Send `count` commands. Any fault ends the process with its traceback."""
    for _ in range(count):
        context = Context(actor=SYSTEM, source="system")
        pair_add(context, first=f"thing-{name}", second="thing-shared", number=1)
    print(json.dumps({"name": name, "done": count}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
