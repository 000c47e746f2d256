"""Several processes append at the same time: nobody is turned away, nothing is lost."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.eventstore.conftest import OwnDatabase
from tests.eventstore.test_triggers import Foreign
from tests.sizes import SIZES

pytestmark = [pytest.mark.pg]


def test_processes_append_without_locked_database_or_holes(own_database: OwnDatabase) -> None:
    names = [f"p{number}" for number in range(SIZES.writers)]
    started = [
        own_database.start("-m", "tests.eventstore.appender", name, str(SIZES.appends_each))
        for name in names
    ]
    for process in started:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, err
        assert json.loads(out)["done"] == SIZES.appends_each
        assert "locked" not in err
    line = Foreign(own_database).line
    rows = line.execute(
        "SELECT position, stream, version FROM eventstore_event ORDER BY position"
    ).fetchall()
    outcomes = line.execute("SELECT COUNT(*) FROM eventstore_command").fetchone()[0]
    line.close()
    commands = SIZES.writers * SIZES.appends_each
    assert outcomes == commands
    assert [position for position, _, _ in rows] == list(range(1, 2 * commands + 1))
    assert Counter(stream for _, stream, _ in rows) == Counter(
        {"thing-shared": commands} | {f"thing-{name}": SIZES.appends_each for name in names}
    )
    seen: dict[str, list[int]] = {}
    for _, stream, version in rows:
        seen.setdefault(stream, []).append(version)
    assert all(versions == list(range(1, len(versions) + 1)) for versions in seen.values())
