"""A rebuild beside the tables: commands go on, a killed one goes on, nothing is sent out."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from typing import Any

import pytest

from tests.eventstore.conftest import OwnDatabase

pytestmark = [pytest.mark.pg]

EVENTS = 3_000
"""More than one batch of a rebuild: it is stopped after its first."""
COUNTS = ("people_role", "eventstore_outbox")
STOPS = """
import django; django.setup()
import os, signal
from django.core.management import call_command
from eventstore.management.commands import rebuild

usual, told = rebuild.Command._progress, []

def progress(self, name):
    show = usual(self, name)

    def stop(done, total):
        show(done, total)
        if not told:
            told.append(done)
            os.kill(os.getpid(), signal.SIGSTOP)

    return stop

rebuild.Command._progress = progress
call_command("rebuild", "people.roles")
"""
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


def _stopped(own: OwnDatabase) -> subprocess.Popen[str]:
    """Start a rebuild that stops itself (SIGSTOP) when its first batch is kept: the progress note
    comes after its commit. Returns it when it stands."""
    process = own.start("-c", STOPS)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("people.roles: 2000 of"), line + process.stderr.read()
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    return process


def test_a_killed_rebuild_goes_on_where_it_stood(own_database: OwnDatabase) -> None:
    own_database.run("-m", "tests.eventstore.partb.grants", str(EVENTS))
    assert _roles(own_database) == [0, 0]
    process = _stopped(own_database)
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
    process = _stopped(own_database)
    second = own_database.start("manage.py", "rebuild", "people.roles")
    _, err = second.communicate(timeout=120)
    assert second.returncode == 1
    assert "is being rebuilt already" in err
    own_database.run("-m", "tests.eventstore.partb.grants", "1000")  # the other one stands
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert f"{EVENTS + 1000} of {EVENTS + 1000}" in err
    own_database.run("-c", EQUAL)


def test_another_code_or_a_damaged_state_begins_anew(own_database: OwnDatabase) -> None:
    own_database.run("-m", "tests.eventstore.partb.grants", str(EVENTS))
    process = _stopped(own_database)
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
