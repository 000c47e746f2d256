"""Work until the power fails: `python -m tests.eventstore.partb.powered START COUNT`.

Sends COUNT commands, prints the id of each that returned, and ends without closing anything.
With SYNCHRONOUS=OFF in the environment the database does not sync: the test of the test.
"""

from __future__ import annotations

import os
import signal
import sys

import django

django.setup()

from django.db import connection  # noqa: E402

from tests.eventstore.partb.killed import send  # noqa: E402


def main(start: int, count: int) -> None:
    """Work and end."""
    wanted = os.environ.get("SYNCHRONOUS")
    if wanted:
        connection.settings_dict["OPTIONS"]["init_command"] += f"PRAGMA synchronous={wanted};"
    for number in range(start, start + count):
        kind = "pair" if number % 2 else "role"
        send(kind, number)
        print(f"{kind}-{number}", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
