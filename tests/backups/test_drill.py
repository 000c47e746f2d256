"""The drill: an event goes on, the machine is lost, another one takes over from the stick."""

from __future__ import annotations

import json
import os
import random
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection

from eventstore import heartbeat, signing
from eventstore.backups import place, reading, restoring, sqlite
from eventstore.domain.checkpoint import SigningKey
from eventstore.domain.manifest import BadCopy
from tests.backups.test_copies import made
from tests.eventstore.conftest import ROOT, OwnDatabase
from tests.sizes import SOAK

pytestmark = [pytest.mark.pg]


DIES = """
import django; django.setup()
import os, signal, sys
from django.core.management import call_command
from eventstore.backups import restoring

usual = restoring.verify_log

def verify_log():
    usual()
    os.kill(os.getpid(), signal.SIGKILL)

restoring.verify_log = verify_log
call_command("restore", sys.argv[1], force=True)
"""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine: the environment of its processes."""

    env: dict[str, str]

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *words], cwd=ROOT, env=self.env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *words: str, given: str = "") -> str:
        process = self.start(*words)
        out, err = process.communicate(given, timeout=300)
        assert process.returncode == 0, err
        return out


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    folder = tmp_path / "stick"
    folder.mkdir()
    place.prepare(folder)
    return folder


@pytest.fixture
def other(own_database: OwnDatabase, tmp_path: Path) -> Iterator[Machine]:
    """Another machine: another data folder, another database with nothing in it."""
    folder = tmp_path / "other"
    folder.mkdir()
    env = {**own_database.env, "DATA_DIR": str(folder), "BACKGROUND": "none"}
    if own_database.vendor == "sqlite":
        yield Machine({**env, "DATABASE_URL": f"sqlite:///{folder / 'headjudge.sqlite3'}"})
        return
    import psycopg

    where, _, _ = own_database.url.rpartition("/")
    name = f"test_other_{secrets.token_hex(6)}"
    with psycopg.connect(f"{where}/postgres", autocommit=True) as line:
        line.execute(f'CREATE DATABASE "{name}"')
        try:
            yield Machine({**env, "DATABASE_URL": f"{where}/{name}"})
        finally:
            line.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def flip(file: Path, at: int, bit: int = 3) -> None:
    raw = bytearray(file.read_bytes())
    raw[at] ^= 1 << bit
    file.write_bytes(raw)


def check_first(seen: dict[str, Any], stick: Path) -> None:
    """The machine that is lost: the keeper made copies, missed the stick, and went on."""
    assert seen["before"] == {"minutes": None, "code": "never"}
    assert (seen["kept"], seen["ok"], seen["unchanged"]) == ("publish", None, True)
    assert (seen["absent"], seen["written"]) == ("no_marker", [])
    assert seen["warned"] == {"minutes": 4, "code": "no_marker"}
    assert (seen["again"], seen["position"], seen["busy"]) == (True, True, True)
    assert (seen["stuck"], seen["slow"]) == ("copying", {"minutes": 3, "code": "slow"})
    assert seen["freed"] == ["ok", None]
    every = b"".join(one.read_bytes() for one in stick.iterdir())
    assert b"session-of-the-hall" not in every


def check_second(seen: dict[str, Any], first: dict[str, Any]) -> None:
    """The machine that takes over."""
    report = seen["report"]
    assert f"Not used: {first['damaged']} (damaged" in report
    assert f"events from {first['good']}" in report
    assert "Harbour Open: nothing after" in report
    assert "(Europe/Zagreb), check slips." in report
    assert "Round 1, tables without a result: 3-4" in report
    assert "Open calls: table 3 since" in report
    assert "No key of this machine vouches for the copy." in report
    assert "Free texts of 1 persons cannot be read here" in report
    state = seen["state"]
    assert (state["faults"], state["vouched"], state["head"]) == ([], True, first["head"])
    assert state["projections"] > 10
    assert (state["sessions"], state["backups"], state["restores"]) == (0, 0, 1)
    assert (state["gone"], state["gone_key"]) == ("—", False)
    assert seen["copy"], "this machine never served it: it knows that it runs a copy"
    assert set(seen["pages"].values()) == {200}
    assert seen["closed"] is None
    assert seen["fresh"] == "written on the other machine"
    assert "With --force" in seen["refused"]
    older = seen["older"]
    assert older["file"] == first["old"]
    assert Path(older["kept"]).is_file()
    assert seen["older_state"]["faults"] == []
    assert seen["older_state"]["head"] < first["head"] + 2
    assert (seen["older_state"]["gone"], seen["older_state"]["gone_key"]) == ("—", False), (
        "the copy is from before the erasure, the list beside it is not"
    )


def test_another_machine_takes_over_from_the_stick(
    own_database: OwnDatabase, other: Machine, stick: Path
) -> None:
    here = Machine({**own_database.env, "BACKUP_DIR": str(stick), "BACKGROUND": "none"})
    first = json.loads(here.run("-m", "tests.backups.drill", "first", str(stick)))
    check_first(first, stick)
    flip(stick / first["damaged"], 9_000)
    unfinished = stick / first["damaged"].replace("-hand.", "-publish.")
    unfinished.write_bytes(b"half of it")
    forged = _forged(stick / first["good"])
    second = json.loads(
        other.run("-m", "tests.backups.drill", "second", str(stick), given=json.dumps(first))
    )
    check_second(second, first)
    assert f"Not used: {forged} (log_fault" in second["report"]
    _killed_in_the_middle(other, stick / first["good"])
    _every_flip_is_found(stick / first["good"], stick.with_name("fetched"))


def _forged(good: Path) -> str:
    """Lay a copy beside it that is newer by its name, signed by a key of somebody else's."""
    key = SigningKey("headjudge/test", Ed25519PrivateKey.from_private_bytes(b"o" * 32))
    name = re.sub(r"-\d{8}T", "-29990101T", good.name)
    told = replace(
        reading.open_one(good).manifest, file=name, keys=(key.verifier.as_text(),)
    ).as_note(key)
    good.with_name(name).write_bytes(good.read_bytes())
    good.with_name(f"{name}.manifest").write_text(told)
    return name


def _killed_in_the_middle(other: Machine, copy: Path) -> None:
    """A restore that dies, loaded and verified, leaves the old state: that of the second one."""
    process = other.start("-c", DIES, str(copy))
    _, told = process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL, told
    assert "Verifying the log" in told
    count = "from eventstore.models import RestoreRow; print(RestoreRow.objects.count())"
    assert other.run("-c", f"import django; django.setup(); {count}").strip() == "1"


def _every_flip_is_found(copy: Path, target: Path) -> None:
    """A flipped bit at positions all over the copy and its manifest is found, and where."""
    whole = copy.read_bytes()
    draw = random.Random(11)
    places = {0, 17, 18, 100, len(whole) - 1, *(draw.randrange(len(whole)) for _ in range(24))}
    for at in sorted(places):
        flip(copy, at, draw.randrange(8))
        with pytest.raises(BadCopy) as fault:
            reading.fetch(reading.open_one(copy), target)
        target.unlink()
        assert fault.value.code == "damaged"
        assert fault.value.params["first"] <= at <= fault.value.params["last"]
        copy.write_bytes(whole)
    beside = copy.with_name(copy.name + ".manifest")
    told = beside.read_bytes()
    for at in sorted(draw.randrange(len(told)) for _ in range(24)):
        flip(beside, at, draw.randrange(8))
        with pytest.raises(BadCopy):
            reading.open_one(copy)
        beside.write_bytes(told)
    copy.write_bytes(whole[:-1])
    with pytest.raises(BadCopy, match="truncated"):
        reading.fetch(reading.open_one(copy), target)


def test_writers_go_on_while_a_copy_is_taken_and_it_is_of_one_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "live.sqlite3", tmp_path / "copy.sqlite3"
    live = sqlite3.connect(source, isolation_level=None, timeout=0)
    live.execute("PRAGMA journal_mode=WAL")
    live.execute("CREATE TABLE t (n INTEGER, filler BLOB)")
    live.executemany("INSERT INTO t VALUES (?, zeroblob(3000))", [(n,) for n in range(200)])
    written: list[int] = []

    def write(_: float) -> None:
        live.execute("INSERT INTO t VALUES (?, zeroblob(3000))", (1000 + len(written),))
        written.append(1)

    monkeypatch.setattr(sqlite, "PAGES_A_STEP", 10)
    monkeypatch.setattr(sqlite.time, "sleep", write)
    sqlite.stage(source, target)
    monkeypatch.undo()
    assert len(written) > 10, "no write waited for the copy"
    with sqlite3.connect(target) as copy:
        assert copy.execute("SELECT COUNT(*), MAX(n) FROM t").fetchone() == (200, 199)
    live.close()


def test_a_database_that_is_in_use_is_not_replaced(tmp_path: Path) -> None:
    live = tmp_path / "headjudge.sqlite3"
    server = sqlite3.connect(live, isolation_level=None)
    server.execute("PRAGMA journal_mode=WAL")
    server.execute("CREATE TABLE t (n INTEGER)")
    with pytest.raises(restoring.InUse):
        restoring._put_aside(live)
    server.execute("INSERT INTO t VALUES (1)")
    server.close()
    aside = restoring._put_aside(live)
    assert not live.with_name(live.name + "-wal").exists()
    with sqlite3.connect(aside) as old:
        assert old.execute("SELECT n FROM t").fetchall() == [(1,)]


def test_no_copy_is_put_under_a_server_that_idles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "headjudge.sqlite3-alive"
    monkeypatch.setattr(heartbeat, "_file", lambda: str(mark))
    monkeypatch.setattr(heartbeat, "_held", [])
    assert not heartbeat.served()
    heartbeat.hold()
    mark.write_bytes(b"a sign of life, by another handle that is closed again")
    with pytest.raises(restoring.InUse):
        restoring.restore(tmp_path, force=True, say=print)
    os.close(heartbeat._held[0])
    assert not heartbeat.served()


def test_a_damaged_database_is_put_aside_with_its_write_ahead_log(tmp_path: Path) -> None:
    live = tmp_path / "headjudge.sqlite3"
    live.write_bytes(b"no database at all " * 400)
    live.with_name(live.name + "-wal").write_bytes(b"left over")
    aside = restoring._put_aside(live)
    assert aside.read_bytes() == live.read_bytes()
    assert not live.with_name(live.name + "-wal").exists()
    assert aside.with_name(aside.name + "-wal").read_bytes() == b"left over"


@pytest.mark.django_db
def test_a_copy_of_a_newer_version_or_of_another_kind_of_database_is_refused() -> None:
    fits = made()
    here = replace(fits, vendor=connection.vendor)
    restoring._fitting(here)
    for wrong, code in (
        (replace(here, migrations={"eventstore": ["0001_initial", "0999_later"]}), "newer_product"),
        (replace(here, vendor="oracle"), "other_database"),
    ):
        with pytest.raises(BadCopy, match=code):
            restoring._fitting(wrong)


def test_keys_of_a_copy_that_was_not_taken_are_not_trusted(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    file = tmp_path / signing.OLD_KEYS_FILE
    with pytest.raises(ZeroDivisionError), restoring._trusted_if_taken():
        restoring._trust(made())
        assert made().keys[0] in file.read_text()
        raise ZeroDivisionError
    assert not file.exists()
    file.write_text("# mine\n")
    with pytest.raises(ZeroDivisionError), restoring._trusted_if_taken():
        restoring._trust(made())
        raise ZeroDivisionError
    assert file.read_text() == "# mine\n"
    with restoring._trusted_if_taken():
        restoring._trust(made())
    assert made().keys[0] in file.read_text()


@pytest.mark.skipif(not SOAK, reason="migrates twice: soak only")
def test_a_copy_of_an_older_version_is_brought_up_to_date(
    own_database: OwnDatabase, other: Machine, stick: Path
) -> None:
    here = Machine({**own_database.env, "BACKGROUND": "none"})
    here.run("-m", "tests.backups.fill")
    for app, name in (("portal", "0001_live"), ("people", "0004_names_and_merges")):
        here.run("manage.py", "migrate", app, name, "--verbosity", "0", "--skip-checks")
    here.run("manage.py", "backup", "--to", str(stick), "--skip-checks")
    assert "check slips" in other.run("manage.py", "restore", str(stick))
    assert json.loads(other.run("manage.py", "verify_log", "--json"))["faults"] == []
    assert "No planned migration operations" in other.run("manage.py", "migrate", "--plan")
