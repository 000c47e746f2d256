"""A rebuild beside the tables: commands go on, a killed one goes on, nothing is sent out."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from typing import Any

import pytest

from tests.eventstore.conftest import OwnDatabase

pytestmark = [pytest.mark.pg]

EVENTS = 3_000
"""More than one batch of a rebuild: it is stopped after its first."""
COUNTS = ("people_role", "eventstore_outbox")
EQUAL = """
import django; django.setup()
from tests.helpers import rebuilds_equal
rebuilds_equal("people.roles")
"""


def _roles(own: OwnDatabase) -> list[int]:
    """Return how many roles the table holds, and how many rows of work."""
    if own.vendor == "sqlite":
        line: Any = sqlite3.connect(own.path)
    else:
        import psycopg

        line = psycopg.connect(own.url)
    with closing(line):
        return [line.execute(f"SELECT COUNT(*) FROM {one}").fetchone()[0] for one in COUNTS]


def _run(own: OwnDatabase) -> tuple[dict[str, int], str]:
    process = own.start("manage.py", "rebuild", "people.roles", "--json")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out)["rebuilt"], err


def _wait_for_progress(process: subprocess.Popen[str]) -> None:
    """Wait until the first batch is kept: the progress note comes after its commit."""
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("people.roles: 2000 of"), line + process.stderr.read()


def test_a_killed_rebuild_goes_on_where_it_stood(own_database: OwnDatabase) -> None:
    own_database.run("-m", "tests.eventstore.partb.grants", str(EVENTS))
    assert _roles(own_database) == [0, 0]
    process = own_database.start("manage.py", "rebuild", "people.roles")
    _wait_for_progress(process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    # readers have seen nothing of it
    assert _roles(own_database) == [0, 0]
    rebuilt, shown = _run(own_database)
    assert rebuilt["people.roles"] <= EVENTS - 2000
    assert f"people.roles: {EVENTS} of {EVENTS}" in shown
    assert _roles(own_database) == [EVENTS - 2 * (EVENTS // 7), 0]
    own_database.run("-c", EQUAL)
    assert not list((own_database.path.parent / "rebuild").glob("*.sqlite3*"))
    # a second one has everything to do again, and gives the same
    assert _run(own_database)[0]["people.roles"] == EVENTS
    own_database.run("-c", EQUAL)


def test_commands_during_a_rebuild_are_in_it_and_only_one_runs(own_database: OwnDatabase) -> None:
    own_database.run("-m", "tests.eventstore.partb.grants", str(EVENTS))
    process = own_database.start("manage.py", "rebuild", "people.roles")
    _wait_for_progress(process)
    process.send_signal(signal.SIGSTOP)
    second = own_database.start("manage.py", "rebuild", "people.roles")
    _, err = second.communicate(timeout=120)
    assert second.returncode == 1
    assert "is being rebuilt already" in err
    started = time.monotonic()
    own_database.run("-m", "tests.eventstore.partb.grants", "1000")
    assert time.monotonic() - started < 60
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert f"{EVENTS + 1000} of {EVENTS + 1000}" in err
    own_database.run("-c", EQUAL)


def test_another_code_or_a_damaged_state_begins_anew(own_database: OwnDatabase) -> None:
    own_database.run("-m", "tests.eventstore.partb.grants", str(EVENTS))
    process = own_database.start("manage.py", "rebuild", "people.roles")
    _wait_for_progress(process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    if own_database.vendor == "sqlite":
        left = own_database.path.parent / "rebuild" / "people_roles.sqlite3"
        assert left.exists()
        left.write_bytes(b"no database at all" * 300)
        for more in left.parent.glob("people_roles.sqlite3-*"):
            more.unlink()
    else:
        import psycopg

        with psycopg.connect(own_database.url, autocommit=True) as line:
            line.execute("UPDATE rebuild_people_roles.eventstore_rebuild SET key = 'old code'")
    assert _run(own_database)[0]["people.roles"] == EVENTS
    own_database.run("-c", EQUAL)
