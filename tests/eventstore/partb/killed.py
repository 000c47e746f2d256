"""Kill writers at random moments: `python -m tests.eventstore.partb.killed KILLS SEED`.

A child sends commands and says each one that returned; it is killed with SIGKILL at a random
moment. The next child first sends the command again that was under way, under its old id.
Prints one JSON value: {id: [kind, number]} of every command that was acknowledged.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time

import django

django.setup()

from django.db import connections  # noqa: E402

from eventstore.commands import Context  # noqa: E402
from people.domain.actor import SYSTEM  # noqa: E402
from people.services import person_register, role_grant  # noqa: E402
from tests.eventstore.sample import pair_add  # noqa: E402

PERSON = "p1"


def send(kind: str, number: int) -> None:
    """Send one command whose id is made of its content."""
    context = Context(actor=SYSTEM, source="system", command_id=f"{kind}-{number}")
    if kind == "pair":
        pair_add(context, first=f"thing-{number % 3}", second="thing-shared", number=number)
    else:
        role_grant(context, person_id=PERSON, role="judge", event_id=f"e{number}")


def child(write: int, start: int) -> None:
    """Send commands until killed; one line for each that begins and that returned."""
    number = start
    while True:
        kind = "pair" if number % 2 else "role"
        os.write(write, f"begin {kind} {number}\n".encode())
        send(kind, number)
        os.write(write, f"done {kind} {number}\n".encode())
        number += 1


def heard(read: int, word: bytes) -> bytes:
    """Read what a child says until the word comes; at most 30 seconds."""
    said, until = b"", time.monotonic() + 30
    while word not in said and time.monotonic() < until:
        if select.select([read], [], [], 1)[0]:
            part = os.read(read, 4096)
            if not part:
                break
            said += part
    return said


def main(kills: int, seed: int) -> None:
    """Run and kill children."""
    draw = random.Random(seed)
    context = Context(actor=SYSTEM, source="system")
    person_register(context, person_id=PERSON, display_name="Alice")
    connections.close_all()
    done: dict[str, list[object]] = {}
    start = 1
    for turn in range(kills):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            try:
                child(write, start)
            finally:
                os._exit(3)
        os.close(write)
        # Every second child is left until something of it was acknowledged, however slow the
        # machine; the others may die within their first command.
        said = heard(read, b"done" if turn % 2 else b"begin")
        time.sleep(draw.uniform(0, 0.08))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with os.fdopen(read, "rb") as lines:
            for line in (said + lines.read()).decode().splitlines():
                word, kind, number = line.split(" ")
                if word == "done":
                    done[f"{kind}-{number}"] = [kind, int(number)]
                else:
                    start = int(number)
        if f"{'pair' if start % 2 else 'role'}-{start}" in done:
            start += 1
    send("pair" if start % 2 else "role", start)
    done[f"{'pair' if start % 2 else 'role'}-{start}"] = ["last", start]
    print(json.dumps(done))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
