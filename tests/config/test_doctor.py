"""The doctor: finds what is broken, says what to do, and never breaks down itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from config.doctor import database, machine
from config.doctor.findings import BAD, GOOD, WARNING, Finding, Look, exit_code, looked
from eventstore import checkpoints, clock
from eventstore.commands import Context
from eventstore.models import BackupRow, OutboxRow, PeriodicRow, SubscriptionRow
from people import vault
from people.domain.actor import SYSTEM
from people.models import PersonKey
from tests.certificates import self_signed
from tests.conftest import Member
from tests.eventstore import sample

ROOT = Path(__file__).resolve().parent.parent.parent


def doctor(*arguments: str, **variables: str) -> tuple[int, str]:
    """Run the command in an environment of its own; returns exit code and what it said."""
    env = {"PATH": os.environ["PATH"], **variables}
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", *arguments], cwd=ROOT, env=env,
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout


def states(look: Look) -> dict[str, str]:
    """Run one look; returns what was said by the state of it."""
    found = list(looked([("this", look)]))
    assert found
    assert all(one.todo for one in found if one.state != GOOD), "each says what to do"
    return {one.said: one.state for one in found}


def test_wrong_settings_are_told_and_nothing_breaks(tmp_path: Path) -> None:
    code, said = doctor(
        PORT="x", DATABASE_URL="mysql://app:swordfish@h/n", DATABSE_URL="y", DATA_DIR=str(tmp_path)
    )
    assert code == 2
    assert "!!  settings: PORT='x': expected a port" in said
    assert "DATABSE_URL is no setting; DATABASE_URL is one" in said
    assert "swordfish" not in said
    assert list(tmp_path.iterdir()) == [], "a look makes no files"


def test_everything_around_is_away(tmp_path: Path) -> None:
    code, said = doctor(
        "--json", DATA_DIR=str(tmp_path / "none"), BACKGROUND="celery", WEB_WORKERS="2",
        DATABASE_URL="postgresql://app:swordfish@127.0.0.1:1/x", REDIS_URL="redis://127.0.0.1:1",
    )  # fmt: skip
    assert code == 2
    told = json.loads(said)
    assert told["code"] == 2
    assert "swordfish" not in said
    wrong = {one["subject"] for one in told["findings"] if one["state"] == BAD}
    assert wrong == {"data folder", "redis", "celery", "database", "log"}
    assert not (tmp_path / "none").exists()


def test_a_damaged_database_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "headjudge.sqlite3").write_bytes(b"no database at all " * 400)
    code, said = doctor(DATA_DIR=str(tmp_path))
    assert code == 2
    assert "it is damaged" in said
    assert "manage.py restore --force" in said


def test_a_look_that_fails_is_a_finding() -> None:
    def breaks() -> list[Finding]:
        raise RuntimeError("password=swordfish")

    found = list(looked([("this", breaks)]))
    assert [one.state for one in found] == [BAD]
    assert "swordfish" not in found[0].said
    assert exit_code([]) == 0
    assert exit_code([Finding("x", WARNING, "y", "z")]) == 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own, as the settings have it."""
    tmp_path.chmod(0o700)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    for name in ("SECRET_KEY", "LOG_SIGNING_KEY", "VAULT_KEY", "DATABASE_URL", "LAN", "HTTPS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_the_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(states(machine.python).values()) == {GOOD}
    assert set(states(machine.packages).values()) == {GOOD}
    assert GOOD in states(machine.folder).values()
    folder.chmod(0o755)
    assert WARNING in states(machine.folder).values()
    monkeypatch.setattr(machine, "TOO_LITTLE", 1 << 60)
    assert BAD in states(machine.folder).values()
    monkeypatch.setattr(machine, "file_system", lambda path: ("/mnt", "nfs4"))
    assert set(states(machine.network_file_system).values()) == {BAD}
    monkeypatch.setattr(machine, "file_system", lambda path: ("/media", "vfat"))
    assert set(states(machine.network_file_system).values()) == {WARNING}


def test_the_file_system_of_a_path_is_found() -> None:
    where, kind = machine.file_system(Path("/proc/self"))
    assert (where, kind) == ("/proc", "proc")


def test_keys(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(states(machine.keys).values()) == {GOOD}
    kept = folder / "vault.key"
    kept.write_text("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n")
    kept.chmod(0o644)
    assert states(machine.keys)[f"{kept} is open to others (644)"] == BAD
    kept.chmod(0o600)
    assert set(states(machine.keys).values()) == {GOOD}
    kept.write_text("cut o")
    assert states(machine.keys)[f"{kept} holds no key"] == BAD


@pytest.mark.django_db
def test_the_keys_that_a_database_was_written_with(
    folder: Path, settings: Any, olga: Member
) -> None:
    settings.DATA_DIR = folder
    PersonKey.objects.all().delete()
    vault.seal(olga.person_id, "a note")
    checkpoints.checkpoint_make()
    assert list(states(database.keys).values()) == [GOOD]
    (folder / "log-signing.key").unlink()
    kept = (folder / "vault.key").rename(folder / "elsewhere")
    assert [*states(database.keys).values()] == [BAD, BAD]
    assert not (folder / "vault.key").exists(), "a look makes no key"
    kept.unlink()
    vault.secret_key("VAULT_KEY", "vault.key")
    assert WARNING in states(database.keys).values()


def test_certificate_and_hosts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(states(machine.tls).values()) == {GOOD}
    chain, key = self_signed(folder, "localhost", "127.0.0.1")  # for a day
    monkeypatch.setenv("HTTPS_CERT", str(chain))
    monkeypatch.setenv("HTTPS_KEY", str(key))
    monkeypatch.setenv("ALLOWED_HOSTS", "localhost")
    assert list(states(machine.tls).values()) == [WARNING]
    monkeypatch.setenv("ALLOWED_HOSTS", "judge.example.org")
    assert states(machine.tls)["the certificate is not for judge.example.org"] == BAD
    monkeypatch.delenv("ALLOWED_HOSTS")
    assert BAD in states(machine.tls).values()


@pytest.mark.django_db
def test_backups(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_DIR = None
    assert list(states(database.backups).values()) == [WARNING]
    settings.BACKUP_DIR = tmp_path
    assert states(database.backups) == {f"no copy on {tmp_path} (never)": BAD}
    now = clock.as_text(clock.now())
    row = BackupRow.objects.create(place=str(tmp_path), made_at=now, current_at=now)
    assert list(states(database.backups).values()) == [GOOD]
    old = clock.as_text(clock.now() - timedelta(minutes=9))
    row.state, row.code, row.current_at, row.same_disk = "fault", "full", old, True
    row.save()
    assert states(database.backups) == {f"the last copy is 9 minutes old on {tmp_path} (full)": BAD}


@pytest.mark.pg
@pytest.mark.django_db
def test_a_sound_database_and_what_may_be_wrong_with_it(olga: Member) -> None:
    for look in (database.migrations, database.guarded, database.log, database.background):
        assert set(states(look).values()) == {GOOD}, look.__name__
    said = states(database.reached)
    if connection.vendor == "postgresql":
        assert BAD in said.values(), "the tests work as a superuser, without fsync"
    else:
        assert any("answers after" in one for one in said)

    with clock.clock_set(lambda: datetime(2099, 1, 1, tzinfo=UTC)):
        sample.number_add(Context(actor=SYSTEM, source="system"), stream="thing-a", number=1)
    assert BAD in states(database.log).values(), "the clock is behind the log"
    before = clock.now() - timedelta(hours=1)
    OutboxRow.objects.create(topic="sample.echo", payload={}, created_at=before)
    OutboxRow.objects.create(topic="x.y", payload={}, created_at=before, state="given_up")
    PeriodicRow.objects.create(name="some.work", next_at=before)
    SubscriptionRow.objects.update_or_create(
        pk="portal.webhooks", defaults={"failed_position": 1, "error": "broken", "position": 0}
    )
    said = states(database.background)
    assert sum(state == WARNING for state in said.values()) == 4
    with connection.cursor() as cursor:
        table = " ON eventstore_event" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER eventstore_event_update{table}")
        assert list(states(database.guarded).values()) == [BAD]
        cursor.execute("UPDATE eventstore_event SET recorded_at = '2020' WHERE position = 1")
        assert BAD in states(database.log).values()
        cursor.execute("DELETE FROM django_migrations WHERE app = 'portal'")
        assert states(database.migrations) != {}
    assert list(states(database.migrations).values()) == [BAD]
