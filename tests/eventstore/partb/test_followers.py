"""Followers: every event once, in order, whatever fails, stops or does not ring."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.db import connection, transaction

from eventstore import clock, measures, projections, store, subscriptions, wakeup
from eventstore.domain.envelope import Recorded
from eventstore.models import NotTheProjector, SubscriptionRow
from eventstore.subscriptions import Subscription, advance, advance_all, position_of
from tests.eventstore.conftest import OwnDatabase
from tests.eventstore.partb.conftest import write
from tests.eventstore.partb.models import Seen, make_table
from tests.eventstore.sample import NumberAdded, ValueKept
from tests.helpers import rebuilds_equal
from tests.sizes import SIZES
from tools.services import short_folder, valkey

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test register followers and projections of its own."""
    monkeypatch.setattr(subscriptions, "_registry", {})
    monkeypatch.setattr(projections, "_registry", {})


@pytest.fixture
def seen(registries: None) -> list[int]:
    """A follower `sample.values` that keeps positions, and fails at the value `bad`."""
    kept: list[int] = []
    follower = Subscription("sample.values")

    @follower.on(ValueKept)
    def value_kept(event: ValueKept, recorded: Recorded) -> None:
        kept.append(recorded.position)
        if event.value == "bad":
            SubscriptionRow.objects.create(pk="half done")
            raise ValueError("a bad value")

    return kept


def follower() -> Subscription:
    return subscriptions.registered()["sample.values"]


def test_each_event_comes_once_and_in_order(seen: list[int]) -> None:
    for number in range(7):
        write(f"thing-{number % 2}", number)
    assert advance(follower(), batch=3) == 7
    assert seen == [1, 2, 3, 4, 5, 6, 7]
    assert position_of("sample.values") == 7
    assert advance_all() == 0
    write("thing-0", "later")
    assert advance_all(["sample.values"]) == 1
    assert seen[-1] == 8


def test_a_follower_that_nobody_knows_or_that_exists_is_refused(seen: list[int]) -> None:
    with pytest.raises(KeyError):
        advance_all(["sample.unknown"])
    with pytest.raises(ValueError, match="exists"):
        Subscription("sample.values")
    with pytest.raises(ValueError, match="already"):
        follower().on(ValueKept)(lambda event, recorded: None)


def test_trap_2_the_position_never_passes_an_event_that_was_only_seen(seen: list[int]) -> None:
    for value in ("a", "b", "bad", "c"):
        write("thing", value)
    assert advance(follower()) == 2
    row = SubscriptionRow.objects.get(pk="sample.values")
    assert (row.position, row.failed_position, row.attempts) == (2, 3, 1)
    assert row.error == "ValueError: a bad value"
    assert not SubscriptionRow.objects.filter(pk="half done").exists()
    assert advance(follower()) == 0
    assert SubscriptionRow.objects.get(pk="sample.values").attempts == 2


def test_a_repaired_handler_goes_on_and_others_were_never_held(seen: list[int]) -> None:
    other = Subscription("sample.other")
    calm: list[int] = []
    other.on(ValueKept)(lambda event, recorded: calm.append(recorded.position))
    for value in ("a", "bad", "c"):
        write("thing", value)
    advance_all()
    assert calm == [1, 2, 3]
    follower()._handlers["sample.value_kept"] = lambda event, recorded: seen.append(99)
    assert advance(follower()) == 2
    row = SubscriptionRow.objects.get(pk="sample.values")
    assert (row.position, row.failed_position, row.error, row.attempts) == (3, None, "", 0)


def test_a_follower_that_fails_is_tried_less_and_less_often(seen: list[int]) -> None:
    write("thing", "bad")
    now, tries = datetime(2026, 5, 1, 9, tzinfo=UTC), []
    with clock.clock_set(lambda: now):
        for second in range(400):
            before = len(seen)
            subscriptions.turn()
            if len(seen) > before:
                tries.append(second)
            now += timedelta(seconds=1)
        assert not subscriptions.behind(), "it rests"
    gaps = [later - sooner for sooner, later in pairwise(tries)]
    assert gaps[:5] == [2, 4, 8, 16, 32]
    assert set(gaps[5:]) == {60}


def test_an_asynchronous_projection_follows_and_equals_its_rebuild(registries: None) -> None:
    make_table()
    view = projections.Projection("sample.seen", [Seen], asynchronous=True)

    @view.on(ValueKept)
    def value_kept(event: ValueKept, recorded: Recorded) -> None:
        if event.value != "skip":
            Seen(position=recorded.position, stream=recorded.stream).save()

    for value in ("a", "skip", "b"):
        write("thing", value)
    projections.project(store.read_batch(after=0, batch=10))
    assert Seen.objects.count() == 0
    assert advance_all() == 3
    assert [one.position for one in Seen.objects.order_by("position")] == [1, 3]
    assert rebuilds_equal("sample.seen") == 1
    write("thing", "later")
    projections.rebuild("sample.seen")
    assert position_of("projection:sample.seen") == 4
    assert advance_all() == 0
    assert Seen.objects.count() == 3
    with pytest.raises(NotTheProjector):
        Seen(position=9, stream="x").save()


def test_a_bell_that_rang_before_the_wait_is_heard() -> None:
    bell = wakeup.LocalBell()
    wakeup.ring()
    assert bell.wait(30)
    assert not bell.wait(0.01)


def test_a_redis_that_does_not_answer_costs_the_command_nothing(
    monkeypatch: pytest.MonkeyPatch, settings: object
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"  # type: ignore[attr-defined]
    monkeypatch.setattr(wakeup, "_redis", None)
    monkeypatch.setattr(wakeup, "_redis_silent_until", 0.0)
    measures.taken()
    for _ in range(50):
        wakeup.ring()
    asked = [measures.FaultNote("redis", "wakeup")] if connection.vendor == "sqlite" else []
    assert measures.taken() == asked, "asked once, then left alone; PostgreSQL rings by itself"


def test_the_command_follows_once_and_refuses_unknown_names(seen: list[int]) -> None:
    from io import StringIO

    from django.core.management import CommandError, call_command

    write("thing", "a")
    out = StringIO()
    call_command("follow", "--once", stdout=out)
    assert out.getvalue() == "1 events passed\n"
    with pytest.raises(CommandError, match=r"there are: sample\.values"):
        call_command("follow", "sample.x", "--once")


def test_crowd_every_event_once_in_order_no_hole_none_lost(own_database: OwnDatabase) -> None:
    """16 writers x 500 in the soak: shared streams, a follower that catches up meanwhile."""
    total = SIZES.crowd * SIZES.crowd_appends * 2
    reader = own_database.start("-m", "tests.eventstore.partb.follower", str(total), "0.05")
    writers = [
        own_database.start("-m", "tests.eventstore.appender", f"w{at}", str(SIZES.crowd_appends))
        for at in range(SIZES.crowd)
    ]
    for writer in writers:
        _, err = writer.communicate(timeout=1200)
        assert writer.returncode == 0, err  # 'database is locked' would stand here
    out, err = reader.communicate(timeout=300)
    assert reader.returncode == 0, err
    assert json.loads(out.splitlines()[-1]) == list(range(1, total + 1))
    own_database.run("manage.py", "verify_log")


def _await_ready(process: object) -> None:
    line = process.stdout.readline()  # type: ignore[attr-defined]
    assert line == "ready\n", process.stderr.read()  # type: ignore[attr-defined]


def test_a_commit_wakes_a_follower_that_looks_only_every_minutes(
    own_database: OwnDatabase,
) -> None:
    """NOTIFY on PostgreSQL, Redis beside SQLite."""
    with short_folder() as folder, valkey(folder) as url:
        own_database.env["REDIS_URL"] = url
        reader = own_database.start("-m", "tests.eventstore.partb.follower", "2", "600")
        _await_ready(reader)
        own_database.run("-m", "tests.eventstore.appender", "w", "1")
        out, err = reader.communicate(timeout=300)
    assert reader.returncode == 0, err
    assert json.loads(out.splitlines()[-1]) == [1, 2]


def test_trap_4_a_bell_that_is_lost_for_ever_does_not_block_the_follower(
    own_database: OwnDatabase,
) -> None:
    """The LISTEN connection is cut (PostgreSQL), the Redis server is gone (SQLite)."""
    with short_folder() as folder:
        with valkey(folder) as url:
            own_database.env["REDIS_URL"] = url
            reader = own_database.start("-m", "tests.eventstore.partb.follower", "2", "0.5")
            _await_ready(reader)
        if own_database.vendor == "postgresql":
            import psycopg

            with psycopg.connect(own_database.url, autocommit=True) as line:
                cut = line.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE query LIKE 'LISTEN%' AND datname = current_database()"
                ).fetchall()
            assert cut == [(True,)]
        own_database.run("-m", "tests.eventstore.appender", "w", "1")
        out, err = reader.communicate(timeout=300)
    assert reader.returncode == 0, err
    assert json.loads(out.splitlines()[-1]) == [1, 2]


def test_the_follower_outlives_a_lost_database_connection(
    registries: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from django.db.utils import OperationalError

    stop = threading.Event()
    tries: list[int] = []

    def broken(*arguments: object) -> int:
        tries.append(1)
        if len(tries) == 3:
            stop.set()
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(subscriptions, "turn", broken)
    monkeypatch.setattr(subscriptions.connection, "close", lambda: None)
    monkeypatch.setattr(subscriptions, "close_old_connections", lambda: None)
    subscriptions.follow(stop, poll=0.01)
    assert len(tries) == 3


def test_numbers_and_values_are_told_apart(seen: list[int]) -> None:
    with transaction.atomic():
        store.writing_turn()
        from tests.eventstore.sample import META

        store.append([store.StreamWrite("thing", 0, [NumberAdded(1), ValueKept(1)])], meta=META)
    assert advance(follower()) == 2
    assert seen == [2]
    assert connection.vendor in {"sqlite", "postgresql"}
