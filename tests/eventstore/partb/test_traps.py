"""Traps that event stores fell into, one test each, by their numbers in docs/eventstore.md.

Others stand with their subject: 2 and 4 in test_followers, 8 in test_snapshots, 14 in
test_envelope, 15 in test_verify_log, 17 in test_privacy.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError

from eventstore import clock, outbox, projections, store
from eventstore.commands import CommandReused, Context
from eventstore.domain import registry
from eventstore.domain.envelope import leaf_hash, unseal
from eventstore.domain.registry import UnknownEventType
from eventstore.models import OutboxRow
from eventstore.subscriptions import Subscription
from people.domain.actor import SYSTEM
from tests.eventstore.conftest import OwnDatabase
from tests.eventstore.partb.conftest import write
from tests.eventstore.sample import META, NumberAdded, ThingNoted, echo_ask, number_add
from tests.eventstore.test_triggers import Foreign

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


def context(command_id: str = "one") -> Context:
    return Context(actor=SYSTEM, source="system", command_id=command_id)


SLOW = """
import django; django.setup()
import sys
from django.db import transaction
from eventstore import store
from tests.eventstore.sample import META, NumberAdded
with transaction.atomic():
    store.writing_turn()
    store.append([store.StreamWrite("thing-slow", 0, [NumberAdded(7)])], meta=META)
    print("appended", flush=True)
    sys.stdin.read()
"""
QUICK = """
import sys
from tests.eventstore.appender import main
print("begins", flush=True)
main(sys.argv[1], 2)
"""


def said(process: subprocess.Popen[str], word: str) -> None:
    """Wait until a process says a word of its own accord."""
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == f"{word}\n", process.stderr.read()


def until_waiting(own_database: OwnDatabase, number: int) -> None:
    """Wait until so many connections of the database stand before a lock."""
    import psycopg

    with psycopg.connect(own_database.url, autocommit=True) as line:
        limit = time.monotonic() + 120
        while (
            found := line.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            ).fetchone()
        ) != (number,):
            assert time.monotonic() < limit, found
            time.sleep(0.05)


def test_trap_1_and_12_what_is_committed_late_is_not_passed_by_and_nothing_forks(
    own_database: OwnDatabase,
) -> None:
    """One row stays invisible for a while; others that come meanwhile wait their turn."""
    reader = own_database.start("-m", "tests.eventstore.partb.follower", "9", "0.02")
    said(reader, "ready")
    slow = own_database.start("-c", SLOW, stdin=subprocess.PIPE)
    said(slow, "appended")
    quick = [own_database.start("-c", QUICK, f"q{at}") for at in range(2)]
    for process in quick:
        said(process, "begins")
    if own_database.vendor == "postgresql":
        until_waiting(own_database, 2)
    for process in (slow, *quick):  # the first of them ends when it reads nothing more
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    out, err = reader.communicate(timeout=300)
    assert reader.returncode == 0, err
    assert json.loads(out.splitlines()[-1]) == list(range(1, 10))
    own_database.run("manage.py", "verify_log")  # every chain is one chain


def test_trap_1_a_trigger_that_holds_one_row_back_makes_nobody_skip_it(
    own_database: OwnDatabase,
) -> None:
    if own_database.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time; the delayed commit is tested above")
    import psycopg

    with psycopg.connect(own_database.url, autocommit=True) as line:
        line.execute(
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            " IF NEW.stream = 'thing-w0' AND NEW.version = 1 THEN"
            " PERFORM pg_advisory_xact_lock(99); END IF;"
            " RETURN NEW; END $$"
        )
        line.execute(
            "CREATE TRIGGER a_slow BEFORE INSERT ON eventstore_event"
            " FOR EACH ROW EXECUTE FUNCTION slow()"
        )
        line.execute("SELECT pg_advisory_lock(99)")
        reader = own_database.start("-m", "tests.eventstore.partb.follower", "18", "0.02")
        said(reader, "ready")
        writers = []
        for at in range(3):  # the first is held up by the trigger, the others stand behind it
            words = ("-m", "tests.eventstore.appender", f"w{at}", "3")
            writers.append(own_database.start(*words))
            until_waiting(own_database, at + 1)
        line.execute("SELECT pg_advisory_unlock(99)")
    for process in writers:
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    out, err = reader.communicate(timeout=300)
    assert reader.returncode == 0, err
    assert json.loads(out.splitlines()[-1]) == list(range(1, 19))


def test_trap_3_an_append_that_was_undone_leaves_no_gap_to_wait_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from eventstore import subscriptions

    monkeypatch.setattr(subscriptions, "_registry", {})
    seen: list[int] = []
    follower = Subscription("sample.gaps")
    follower.on(NumberAdded)(lambda event, recorded: seen.append(recorded.position))
    number_add(context("a"), stream="thing", number=1)
    for number in range(3):
        with pytest.raises(RuntimeError):
            number_add(context(f"b{number}"), stream="thing", number=2, fail=True)
    number_add(context("c"), stream="thing", number=3)
    assert subscriptions.advance(follower) == 2
    assert seen == [1, 2]


def test_trap_5_a_command_that_reads_first_waits_for_its_turn_and_is_not_turned_away(
    own_database: OwnDatabase,
) -> None:
    slow = own_database.start("-c", SLOW)
    assert slow.stdout is not None
    assert slow.stdout.readline() == "appended\n"
    own_database.run("-m", "tests.eventstore.appender", "w", "1")  # loads, decides, appends
    _, err = slow.communicate(timeout=300)
    assert slow.returncode == 0, err
    line = Foreign(own_database).line
    rows = line.execute("SELECT stream FROM eventstore_event ORDER BY position").fetchall()
    line.close()
    assert [row[0] for row in rows] == ["thing-slow", "thing-w", "thing-shared"]


def test_trap_6_two_writers_never_take_the_same_position() -> None:
    """The guard of the table refuses a position that a writer without the turn worked out."""
    write("thing-a", 1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT body, hash FROM eventstore_event WHERE position = 1")
        body, known = cursor.fetchone()
        for position, stream, version in ((1, "x", 1), (3, "x", 1), (2, "thing-a", 1),
                                          (2, "thing-a", 3), (0, "x", 1)):  # fmt: skip
            with pytest.raises(DatabaseError), transaction.atomic():
                cursor.execute(
                    "INSERT INTO eventstore_event (position, stream, version, type, schema,"
                    " recorded_at, body, hash) VALUES (%s, %s, %s, 't', 1, 'r', %s, %s)",
                    [position, stream, version, bytes(body), known],
                )
    assert store.head_position() == 1


def test_trap_7_the_same_command_twice_is_one_event_and_other_content_is_refused() -> None:
    first = number_add(context(), stream="thing", number=4)
    assert number_add(context(), stream="thing", number=4) == first
    with pytest.raises(CommandReused):
        number_add(context(), stream="thing", number=5)
    assert store.head_position() == 1


def test_trap_9_an_upcast_event_keeps_its_place_and_names_are_no_module_paths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("thing", "old")
    body = store_bytes(1).replace(b'"data":{"value":"old"}', b'"data":{"word":"old"}')
    body = body.replace(b'"type":"sample.value_kept"', b'"type":"sample.thing_noted"')
    old = unseal(body)
    assert old.data == ThingNoted(("old",))
    assert (old.position, old.version, old.stream, old.schema) == (1, 1, "thing", 1)
    # the class may move anywhere: its stored name stays
    moved = msgspec.defstruct(
        "Moved", [("words", tuple[str, ...])], bases=(registry.DomainEvent,), frozen=True,
        module="somewhere.else",
    )  # fmt: skip
    decode = msgspec.json.Decoder(moved).decode
    monkeypatch.setitem(registry._by_name, "sample.thing_noted", moved)
    monkeypatch.setitem(registry._name_of, moved, ("sample.thing_noted", 2))
    monkeypatch.setitem(registry._newest, "sample.thing_noted", (2, decode))
    assert type(unseal(body).data) is moved
    with pytest.raises(UnknownEventType):
        registry.decode("sample.thing_noted", 3, b"{}")


def store_bytes(position: int) -> bytes:
    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM eventstore_event WHERE position = %s", [position])
        return bytes(cursor.fetchone()[0])


def test_trap_10_a_rebuild_sends_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projections, "_registry", {})
    view = projections.Projection("sample.mails", [])
    calls: list[int] = []

    @view.on(ThingNoted)
    def noted(event: ThingNoted, recorded: Any) -> None:
        calls.append(recorded.position)
        outbox.enqueue("sample.echo", {"word": "mail"})

    echo_ask(context(), word="hello")
    assert OutboxRow.objects.count() == 2
    assert projections.rebuild("sample.mails") == 1
    assert calls == [1, 1]
    assert OutboxRow.objects.count() == 2


def test_trap_11_times_are_text_of_microseconds_and_the_stored_bytes_are_what_is_hashed() -> None:
    write("thing", "x")
    one = store.read_stream("thing")[0]
    assert clock.as_text(clock.from_text(one.recorded_at)) == one.recorded_at
    assert len(one.recorded_at) == 27
    with connection.cursor() as cursor:
        cursor.execute("SELECT recorded_at, hash FROM eventstore_event")
        assert cursor.fetchone() == (one.recorded_at, one.hash)
    assert leaf_hash(store_bytes(1)) == one.hash


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM eventstore_event",
        "UPDATE eventstore_event SET type = 'x'",
        "sqlite: INSERT OR REPLACE INTO eventstore_event SELECT * FROM eventstore_event",
        "postgresql: TRUNCATE eventstore_event",
        "postgresql: INSERT INTO eventstore_event SELECT * FROM eventstore_event"
        " ON CONFLICT (position) DO UPDATE SET type = 'x'",
    ],
)
def test_trap_13_no_way_round_the_triggers(sql: str) -> None:
    vendor, mark, statement = sql.partition(": ")
    if mark and vendor != connection.vendor:
        pytest.skip(f"a statement of {vendor}")
    write("thing", "x")
    before = store_bytes(1)
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement if mark else sql)
    assert store_bytes(1) == before


def test_trap_16_work_is_not_there_before_the_command_is_committed() -> None:
    with pytest.raises(RuntimeError):
        echo_ask(context("a"), word="hello", fail=True)
    assert OutboxRow.objects.count() == 0
    echo_ask(context("b"), word="hello")
    assert OutboxRow.objects.filter(done_at=None).count() == 1


REPLAY = """
import django; django.setup()
import resource, sys
from django.db import transaction
from eventstore import store
from tests.eventstore.sample import META, NumberAdded
count = int(sys.argv[1])
for start in range(0, count, 1000):
    with transaction.atomic():
        store.writing_turn()
        events = [NumberAdded(number) for number in range(1000)]
        store.append([store.StreamWrite(f"thing-{start}", 0, events)], meta=META)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
total = sum(1 for one in store.read_all())
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
assert total == count, total
assert grown < 200, grown
"""


def test_replaying_the_whole_log_does_not_grow_memory(own_database: OwnDatabase) -> None:
    """1,000,000 events in the soak: below 200 MB."""
    from tests.sizes import SIZES

    process = own_database.start("-c", REPLAY, str(SIZES.replayed_events))
    _, err = process.communicate(timeout=1200)
    assert process.returncode == 0, err


def test_a_wrong_expected_version_tells_both_numbers() -> None:
    write("thing", "x")

    def append(expected: int) -> Callable[[], object]:
        return lambda: store.append(
            [store.StreamWrite("thing", expected, [NumberAdded(1)])], meta=META
        )

    for expected in (0, 2, 5):
        with pytest.raises(store.WrongExpectedVersion) as wrong, transaction.atomic():
            append(expected)()
        assert (wrong.value.expected, wrong.value.actual) == (expected, 1)
    assert store.head_position() == 1
