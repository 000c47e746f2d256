"""When the server was last alive, and what a silence means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from eventstore import clock, heartbeat
from eventstore.domain.absence import LIMIT_S, Absence, Mark, absence
from tests.eventstore.partb.conftest import write

NOON = datetime(2026, 7, 4, 12, 0, tzinfo=UTC)


def at(seconds: float) -> str:
    return clock.as_text(NOON + timedelta(seconds=seconds))


def mark(seconds: float, position: int = 7) -> Mark:
    return Mark(at(seconds), position, f"hash-{position}")


def found(
    last: Mark | None,
    newest: Mark,
    now: float,
    *,
    ours: bool = True,
    elapsed: float | None = None,
) -> Absence | None:
    return absence(last, newest, ours=ours, now=at(now), elapsed_s=elapsed)


def test_a_start_counts_from_the_later_of_the_last_sign_and_the_newest_event() -> None:
    assert found(mark(100), mark(40), 640) == Absence(at(100), at(640), 540, False)
    # a sign that was never synced is older than the log, which is
    assert found(mark(10), mark(100), 640) == Absence(at(100), at(640), 540, False)
    assert found(mark(100), mark(40), 100 + LIMIT_S) is None
    assert found(mark(100), mark(100), 101 + LIMIT_S) is not None


def test_a_clock_that_went_back_says_no_length() -> None:
    away = found(mark(100), mark(90), -7200)
    assert away == Absence(at(100), at(-7200), None, False)


def test_a_log_that_was_not_served_here_is_a_copy() -> None:
    # another machine: no sign of life, the newest event is all there is
    assert found(None, mark(65), 600, ours=False) == Absence(at(65), at(600), 535, True)
    # the same machine with an older copy: its own sign of life is of a later log
    assert found(mark(100), mark(65), 600, ours=False) == Absence(at(65), at(600), 535, True)
    assert found(mark(100), mark(65), 80, ours=False) == Absence(at(65), at(80), 15, True)
    # a log just made and never served
    assert found(None, mark(65), 80, ours=False) is None


def test_a_running_server_tells_an_outage_from_a_clock_that_was_set() -> None:
    assert found(mark(100), mark(90), 105, elapsed=5) is None
    # the database, or the machine asleep, for nine minutes
    assert found(mark(100), mark(90), 640, elapsed=540) == Absence(at(100), at(640), 540, False)
    # another process gave signs meanwhile
    assert found(mark(636), mark(90), 640, elapsed=540) is None
    # the clock was set, forward and back; nobody was away
    assert found(mark(100), mark(90), 7300, elapsed=5) == Absence(at(100), at(7300), 0, False)
    assert found(mark(100), mark(90), -7100, elapsed=5) == Absence(at(100), at(-7100), 0, False)
    # set back once: the events of the later time say nothing at the next sign
    assert found(mark(-7100), mark(90), -7095, elapsed=5) is None
    # asleep, and the clock wrong afterwards: the length is known all the same
    assert found(mark(100), mark(90), -7100, elapsed=540) == Absence(at(100), at(-7100), 540, False)


@dataclass
class Told:
    """What the rooms were told; `fails`: the next telling does."""

    absences: list[Absence]
    fails: bool = False

    def __call__(self, away: Absence) -> None:
        if self.fails:
            self.fails = False
            raise RuntimeError("the database is busy")
        self.absences.append(away)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Told:
    """The only listener; the mark of a SQLite database stands in a folder of the test."""
    one = Told([])
    monkeypatch.setattr(heartbeat, "_listeners", [one])
    if connection.vendor == "sqlite":
        monkeypatch.setattr(heartbeat, "_file", lambda: str(tmp_path / "db.sqlite3-alive"))
    return one


@pytest.mark.pg
@pytest.mark.django_db
def test_signs_of_life_are_kept_and_a_silence_is_told_once(told: Told) -> None:
    def beat(seconds: float, elapsed: float | None = None) -> Any:
        with clock.clock_set(lambda: NOON + timedelta(seconds=seconds)):
            return heartbeat.beat(elapsed)

    assert beat(0) is None  # nothing in the log
    assert heartbeat.mark_read() is None
    with clock.clock_set(lambda: NOON):
        write("person-1", "begun")
    assert beat(1) is None
    first = heartbeat.mark_read()
    assert first is not None
    assert (first.at, first.position) == (at(1), 1)
    assert beat(6, 5) is None
    told.fails = True
    with pytest.raises(RuntimeError):
        beat(546)
    kept = heartbeat.mark_read()
    assert kept is not None
    assert kept.at == at(6)  # no sign while the rooms do not know
    assert beat(547) == Absence(at(6), at(547), 541, False)
    assert beat(549) is None  # the second of two processes comes to look
    assert told.absences == [Absence(at(6), at(547), 541, False)]


@pytest.mark.pg
@pytest.mark.django_db
def test_a_restored_log_counts_from_its_copy_whatever_the_restore_wrote(told: Told) -> None:
    for seconds in (0, 600):  # the newest event of the copy; a person erased again by the restore
        with clock.clock_set(lambda seconds=seconds: NOON + timedelta(seconds=seconds)):
            write("person-1", "begun")
    heartbeat.mark_copy(at(0))
    with clock.clock_set(lambda: NOON + timedelta(seconds=610)):
        assert heartbeat.beat() == Absence(at(0), at(610), 610, True)
        assert heartbeat.beat(5) is None


@pytest.mark.django_db
def test_a_mark_that_cannot_be_read_is_none(told: Told, tmp_path: Path) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL keeps the mark in a row")
    file = tmp_path / "db.sqlite3-alive"
    for damaged in ("", "\0" * 160, "yesterday 7 hash", f"{at(0)} seven hash", f"{at(0)} 7"):
        file.write_text(damaged)
        assert heartbeat.mark_read() is None, damaged
    heartbeat.mark_write(mark(10, 12345))
    heartbeat.mark_write(mark(11, 7))
    assert heartbeat.mark_read() == mark(11, 7)
