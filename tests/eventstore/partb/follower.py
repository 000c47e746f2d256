"""A follower in a process of its own: `python -m tests.eventstore.partb.follower UPTO POLL`.

Follows until it has seen position UPTO and prints the positions in the order in which they
came, as one JSON list. The line `ready` says that it waits, with its ear at the bell.
"""

from __future__ import annotations

import json
import sys
import threading

import django

django.setup()

from eventstore import subscriptions, wakeup  # noqa: E402
from eventstore.domain.envelope import Recorded  # noqa: E402
from tests.eventstore.sample import NumberAdded  # noqa: E402


def main(upto: int, poll: float) -> None:
    """Follow from the start."""
    seen: list[int] = []
    stop = threading.Event()
    follower = subscriptions.Subscription("sample.seen")

    @follower.on(NumberAdded)
    def number_added(event: NumberAdded, recorded: Recorded) -> None:
        seen.append(recorded.position)
        if recorded.position >= upto:
            stop.set()

    usual = wakeup.Watch.wait

    def wait(self: wakeup.Watch, seconds: float) -> bool:
        if not stop.is_set():
            self._made()
            print("ready", flush=True)
        return stop.is_set() or usual(self, seconds)

    wakeup.Watch.wait = wait  # type: ignore[method-assign]
    subscriptions.follow(stop, ["sample.seen"], poll=poll)
    print(json.dumps(seen))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
