"""Fill a log with many roles: `python -m tests.eventstore.partb.grants COUNT`.

Straight to the store, 500 a transaction, read tables left as they are: a rebuild has work to do.
"""

from __future__ import annotations

import sys

import django

django.setup()

from django.db import transaction  # noqa: E402

from eventstore import store  # noqa: E402
from people.events import RoleEnded, RoleGranted  # noqa: E402
from tests.eventstore.sample import META  # noqa: E402


def main(count: int) -> None:
    """Append `count` events on 50 streams; every seventh ends the role before it."""
    for start in range(0, count, 500):
        with transaction.atomic():
            store.writing_turn()
            writes = []
            for number in range(start, min(start + 500, count)):
                kind = RoleEnded if number % 7 == 6 else RoleGranted
                # every seventh takes away what the one before it gave
                mark = number - 1 if number % 7 == 6 else number
                event = kind(f"p{mark % 50}", "judge", f"e{mark}")
                writes.append(store.StreamWrite(f"person-{mark % 50}", store.ANY, [event]))
            store.append(writes, meta=META)


if __name__ == "__main__":
    main(int(sys.argv[1]))
