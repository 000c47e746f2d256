"""Prepare the database for a new version: `python -m tools.prepare`.

Waits until the database answers, then migrates and loads what ships with the product. One at a
time: a second one waits for the first and finds nothing to do. Servers and workers never do this
themselves, so they can run under a role that cannot change the shape of the database.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

WAIT_SECONDS = 60
TURN = 0x48454144
"""The advisory lock of PostgreSQL that means: somebody prepares."""


def wait_for_database(seconds: float = WAIT_SECONDS) -> None:
    """Wait until the database answers; raises OperationalError when it never does."""
    from django.db import OperationalError, connection

    limit = time.monotonic() + seconds
    while True:
        try:
            connection.ensure_connection()
            return
        except OperationalError:
            if time.monotonic() > limit:
                raise
            time.sleep(1)


@contextlib.contextmanager
def turn() -> Iterator[None]:
    """One at a time, on either database."""
    from django.conf import settings
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [TURN])
        try:
            yield
        finally:
            connection.close()  # which gives the lock back
        return
    with (Path(settings.DATA_DIR) / "prepare.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Prepare; return the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import CommandError, call_command
    from django.db import OperationalError

    try:
        django.setup()
        wait_for_database()
        with turn():
            call_command("migrate", verbosity=1, interactive=False)
            call_command("load_shipped")
    except ImproperlyConfigured as fault:
        raise SystemExit(f"A setting is wrong: {fault}") from None
    except OperationalError as fault:
        raise SystemExit(f"The database cannot be used: {fault}") from None
    except CommandError as fault:
        raise SystemExit(f"The data could not be prepared: {fault}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
