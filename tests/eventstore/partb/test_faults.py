"""Whatever breaks, a command happened wholly or not at all, and the caller learns which."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.eventstore.conftest import OwnDatabase
from tests.sizes import SIZES

pytestmark = [pytest.mark.pg]

CHECK = """
import django; django.setup()
import json, sys
from collections import Counter
from eventstore import store
from eventstore.models import CommandOutcome
from eventstore.verification import verify_log
from tests.helpers import rebuilds_equal
import tests.eventstore.sample
found = list(store.read_all())
assert [one.position for one in found] == list(range(1, len(found) + 1))
report = verify_log()
assert report.faults == [], report.faults
rebuilds_equal()
kept = dict(CommandOutcome.objects.values_list("command", "name"))
events = Counter(one.meta.command for one in found)
assert set(kept) == set(events), set(kept) ^ set(events)
wanted = {"sample.pair_add": 2, "sample.number_add": 1, "people.role_grant": 1,
          "people.person_register": 1}
assert all(events[command] == wanted[name] for command, name in kept.items())
print(json.dumps(sorted(kept)))
"""
HEAD = """
import django; django.setup()
import json, time
from django.db import connection
from eventstore import store
from eventstore.commands import Context, Unit, command
from eventstore.faults import NotDone, OutcomeUnknown
from people.domain.actor import SYSTEM
from tests.eventstore.sample import NumberAdded, number_add, pair_add

def context(command_id):
    return Context(actor=SYSTEM, source="system", command_id=command_id)
"""


def kept_after(own: OwnDatabase) -> set[str]:
    """Verify the log, the read tables and the outcomes; return the ids of all commands kept."""
    return set(json.loads(own.run("-c", CHECK)))


def test_writers_killed_at_random_moments_lose_nothing_they_acknowledged(
    own_database: OwnDatabase,
) -> None:
    """kill -9, 20 times here, 200 times in the soak."""
    done = json.loads(
        own_database.run("-m", "tests.eventstore.partb.killed", str(SIZES.kills), "11")
    )
    assert len(done) > SIZES.kills // 2
    kept = kept_after(own_database)
    assert set(done) <= kept
    # nothing was left half: all but the first command, made under a random id, count up
    assert sorted(int(one.split("-")[1]) for one in done) == list(range(1, len(done) + 1))


@pytest.fixture
def keeper(tmp_path: Path) -> Path:
    """Build the library that keeps a copy of the files as last synced."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler here: the power failure is simulated by a small library")
    made = tmp_path / "synced.so"
    source = Path(__file__).with_name("synced.c")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(source), "-ldl"], check=True
    )
    return made


SYNCING = """
import os, sys
file = os.open(sys.argv[1], os.O_RDWR)
os.fsync(file)
print("synced", flush=True)
while True:
    os.fsync(file)
"""


def test_what_is_kept_as_synced_is_whole_wherever_the_power_goes(
    keeper: Path, tmp_path: Path
) -> None:
    file, synced = tmp_path / "own.sqlite3", tmp_path / "synced"
    file.write_bytes(b"x" * (4 << 20))
    synced.mkdir()
    env = {"LD_PRELOAD": str(keeper), "SYNCED": str(synced)}
    for pause in range(12):
        with subprocess.Popen(
            [sys.executable, "-c", SYNCING, str(file)], env=env, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(pause / 1000)
            process.kill()
        assert (synced / file.name).stat().st_size == 4 << 20


def _powered(own: OwnDatabase, keeper: Path, synced: Path, start: int, count: int) -> set[str]:
    """Work until the power fails; return the acknowledged ids. Then only synced bytes are left."""
    shutil.rmtree(synced, ignore_errors=True)
    synced.mkdir()
    shutil.copy(own.path, synced)  # nobody has it open: all of it is in this one file
    process = own.start(
        "-m", "tests.eventstore.partb.powered", str(start), str(count),
        LD_PRELOAD=str(keeper), SYNCED=str(synced),
    )  # fmt: skip
    out, err = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, err
    for file in own.path.parent.glob("own.sqlite3*"):
        file.unlink()
    for file in synced.iterdir():
        if not file.name.endswith("-shm"):
            shutil.copy(file, own.path.parent / file.name)
    return set(out.split())


REGISTER = (
    HEAD
    + """
from people.services import person_register
person_register(context("person"), person_id="p1", display_name="Alice")
"""
)


def test_power_loss_keeps_every_acknowledged_command(
    own_database: OwnDatabase, keeper: Path, tmp_path: Path
) -> None:
    """The files as they were last synced, nothing that was only written, after each ending."""
    if own_database.vendor != "sqlite":
        pytest.skip("the embedded default is SQLite; PostgreSQL's own promise is its fsync")
    own_database.run("-c", REGISTER)
    synced = tmp_path / "synced"
    done: set[str] = set()
    for turn in range(max(SIZES.kills // 7, 3)):
        done |= _powered(own_database, keeper, synced, turn * 7 + 1, 7)
        assert kept_after(own_database) == done | {"person"}
    assert len(done) == 7 * max(SIZES.kills // 7, 3)


def test_the_simulated_power_loss_does_lose_what_was_not_synced(
    own_database: OwnDatabase, keeper: Path, tmp_path: Path
) -> None:
    """The test of the test: with synchronous=OFF acknowledged commands are gone."""
    if own_database.vendor != "sqlite":
        pytest.skip("the embedded default is SQLite")
    own_database.run("-c", REGISTER)
    synced = tmp_path / "synced"
    own_database.env["SYNCHRONOUS"] = "OFF"
    done = _powered(own_database, keeper, synced, 1, 7)
    assert len(done) == 7
    assert not done & kept_after(own_database)


def test_a_busy_database_says_not_done_and_a_retry_does_it(own_database: OwnDatabase) -> None:
    hold = (
        HEAD
        + """
from django.db import transaction
with transaction.atomic():
    store.writing_turn()
    print("held", flush=True)
    time.sleep(60)
"""
    )
    holder = own_database.start("-c", hold)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    ask = (
        HEAD
        + """
limits = connection.settings_dict["OPTIONS"]
usual = dict(limits)
if connection.vendor == "sqlite":
    limits["timeout"] = 0.3
else:
    limits["options"] = "-c lock_timeout=300"
try:
    pair_add(context("one"), first="thing-a", second="thing-b", number=1)
    raise SystemExit("it was done")
except NotDone as fault:
    print(fault.reason, fault.command_id, flush=True)
input()
"""
    )
    process = own_database.start(
        "-c", ask.replace("input()", INPUT_THEN_RETRY), stdin=subprocess.PIPE
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    out, err = process.communicate("go\n", timeout=60)
    assert line == "busy one\n", err
    assert process.returncode == 0, err
    assert out == "[1, -1]\n"
    assert kept_after(own_database) == {"one"}


INPUT_THEN_RETRY = """
input()
limits.clear()
limits.update(usual)  # whoever was killed may hold the turn for a moment longer
connection.close()
print([one.total for one in
       pair_add(context("one"), first="thing-a", second="thing-b", number=1)])
"""


def test_a_full_disk_says_not_done_and_goes_on_when_there_is_room(
    own_database: OwnDatabase,
) -> None:
    if own_database.vendor != "sqlite":
        pytest.skip("SQLite's max_page_count; PostgreSQL needs a file system of its own")
    fill = (
        HEAD
        + """
with connection.cursor() as cursor:
    cursor.execute("PRAGMA page_count")
    pages = cursor.fetchone()[0]
    cursor.execute(f"PRAGMA max_page_count={pages + 8}")
done = []
for number in range(1, 500):
    try:
        pair_add(context(f"c{number}"), first="thing-a", second="thing-b", number=number)
    except NotDone as fault:
        assert fault.reason == "full", fault.reason
        break
    done.append(f"c{number}")
else:
    raise SystemExit("never full")
assert store.head_position() == 2 * len(done)
# room again: NotDone closed the connection, and with it the limit
pair_add(context(f"c{number}"), first="thing-a", second="thing-b", number=number)
done.append(f"c{number}")
print(json.dumps(done))
"""
    )
    done = json.loads(own_database.run("-c", fill))
    assert len(done) > 2
    assert kept_after(own_database) == set(done)


@contextmanager
def cutting_proxy(url: str) -> Iterator[tuple[str, threading.Event]]:
    """Stand between a client and PostgreSQL; once armed, cut the line after the next COMMIT
    has been carried out and before the client hears of it."""
    target = urlsplit(url)
    armed = threading.Event()
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]

    def carry(client: socket.socket) -> None:
        with client, socket.create_connection((target.hostname, target.port)) as upstream:
            cut = threading.Event()

            def answers() -> None:
                held = b""
                while data := _received(upstream):
                    if not cut.is_set():
                        client.sendall(data)
                        continue
                    held += data
                    if b"COMMIT\x00" in held:  # it says that it has done it
                        break
                _shut(client)

            back = threading.Thread(target=answers, daemon=True)
            back.start()
            while data := _received(client):
                if armed.is_set() and b"COMMIT" in data:
                    armed.clear()
                    cut.set()
                upstream.sendall(data)
            _shut(upstream)
            back.join(10)

    def accept() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=carry, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield url.replace(f":{target.port}/", f":{port}/"), armed
    finally:
        server.close()


def _received(line: socket.socket) -> bytes:
    try:
        return line.recv(65536)
    except OSError:
        return b""


def _shut(line: socket.socket) -> None:
    try:
        line.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


def test_a_connection_lost_after_the_commit_returns_the_outcome(
    own_database: OwnDatabase,
) -> None:
    if own_database.vendor != "postgresql":
        pytest.skip("SQLite has no connection to lose")
    with cutting_proxy(own_database.url) as (url, armed):
        ask = (
            HEAD
            + """
pair_add(context("one"), first="thing-a", second="thing-b", number=1)
print("ready", flush=True)
input()
print([one.total for one in
       pair_add(context("two"), first="thing-a", second="thing-b", number=5)])
"""
        )
        process = own_database.start("-c", ask, stdin=subprocess.PIPE, DATABASE_URL=url)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        armed.set()
        out, err = process.communicate("go\n", timeout=60)
        assert process.returncode == 0, err
        assert out == "[6, -6]\n"
        assert not armed.is_set(), "the line was never cut"
    assert kept_after(own_database) == {"one", "two"}


def test_a_connection_lost_within_says_not_done_and_a_retry_does_it(
    own_database: OwnDatabase,
) -> None:
    if own_database.vendor != "postgresql":
        pytest.skip("SQLite has no connection to lose")
    ask = (
        HEAD
        + """
import psycopg, os
lose = [True]

def cut(pid):
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as line:
        line.execute("SELECT pg_terminate_backend(%s)", [pid])

@command("sample.number_add")
def add_and_lose(unit: Unit, *, number: int) -> int:
    unit.append("thing-a", 0, [NumberAdded(number)])
    if lose:
        lose.clear()
        cut(connection.connection.info.backend_pid)
    return number

try:
    add_and_lose(context("one"), number=1)
    raise SystemExit("it was done")
except NotDone as fault:
    assert fault.reason == "lost", fault
assert store.head_position() == 0
assert add_and_lose(context("one"), number=1) == 1
"""
    )
    own_database.run("-c", ask)
    assert kept_after(own_database) == {"one"}


def test_a_database_that_does_not_come_back_leaves_the_outcome_unknown(
    own_database: OwnDatabase,
) -> None:
    if own_database.vendor != "postgresql":
        pytest.skip("SQLite has no connection to lose")
    with cutting_proxy(own_database.url) as (url, armed):
        ask = (
            HEAD
            + """
import sys
pair_add(context("one"), first="thing-a", second="thing-b", number=1)
connection.settings_dict["PORT"] = 1  # nothing answers there: the next connection fails
print("ready", flush=True)
input()
try:
    pair_add(context("two"), first="thing-a", second="thing-b", number=5)
except OutcomeUnknown as fault:
    print(fault.command_id, fault.reason)
"""
        )
        process = own_database.start("-c", ask, stdin=subprocess.PIPE, DATABASE_URL=url)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        armed.set()
        out, err = process.communicate("go\n", timeout=60)
        assert process.returncode == 0, err
        assert out == "two lost\n"
    assert kept_after(own_database) == {"one", "two"}
