"""Work after the commit: never before it, never lost with it, done by thread or by Celery."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import OperationalError, transaction
from hypothesis import given
from hypothesis import strategies as st

from eventstore import clock, outbox, periodic, projections
from eventstore.commands import Context
from eventstore.domain import work
from eventstore.leases import LeaseLost
from eventstore.models import OutboxRow, PeriodicRow
from eventstore.runs import Run
from people.domain.actor import SYSTEM
from tests.eventstore import sample
from tests.eventstore.conftest import OwnDatabase
from tests.eventstore.test_triggers import Foreign

pytestmark = [pytest.mark.pg]

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)

ASK = """
import django
django.setup()
from eventstore.commands import Context
from people.domain.actor import SYSTEM
from tests.eventstore.sample import echo_ask
"""


@pytest.fixture(autouse=True)
def heard() -> Iterator[list[str]]:
    """What the job was given, emptied around each test."""
    sample.HEARD.clear()
    yield sample.HEARD
    sample.HEARD.clear()


def ask(word: str, **more: bool) -> None:
    sample.echo_ask(Context(actor=SYSTEM, source="system"), word=word, **more)


@pytest.mark.django_db
def test_work_waits_for_the_drain_and_is_done_once(heard: list[str]) -> None:
    ask("one")
    ask("two")
    assert heard == []
    assert outbox.drain() == 2
    assert heard == ["one", "two"]
    assert outbox.drain() == 0
    assert OutboxRow.objects.filter(done_at=None).count() == 0


@pytest.mark.django_db
def test_a_broken_command_leaves_no_work() -> None:
    with pytest.raises(RuntimeError):
        ask("one", fail=True)
    assert OutboxRow.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_work_needs_a_transaction() -> None:
    with pytest.raises(outbox.NotCommitted):
        outbox.enqueue("sample.echo", {"word": "one"})


@pytest.mark.django_db
def test_an_unknown_topic_is_refused_and_a_taken_one_too() -> None:
    with pytest.raises(KeyError), transaction.atomic():
        outbox.enqueue("sample.nobody", {})
    with pytest.raises(ValueError, match="taken"):
        outbox.job("sample.echo")(sample.echo)


@pytest.mark.django_db
def test_a_failure_is_tried_again_after_growing_pauses_until_it_is_given_up(
    heard: list[str],
) -> None:
    now, pauses = NOON, []
    with clock.clock_set(lambda: now):
        ask("bad")
        ask("good")
        bad = OutboxRow.objects.get(payload={"word": "bad"}).pk
        while outbox.run_row(bad, chance=lambda: 0.5) is not None:
            again = OutboxRow.objects.get(pk=bad).not_before
            if again is None:
                break
            pauses.append((again - now).total_seconds())
            now = again - timedelta(microseconds=1)
            assert outbox.run_row(bad) is None, "not before its time"
            now = again
        now += timedelta(days=1)
        assert outbox.drain() == 1
    assert pauses == [3.75, 15, 60, 240, 960]
    row = OutboxRow.objects.get(pk=bad)
    assert (row.state, row.attempts, row.done_at) == ("given_up", outbox.MAX_ATTEMPTS, None)
    assert row.error == "ValueError: a bad word"
    assert heard == ["good"]


@pytest.mark.django_db
def test_what_was_given_up_is_started_again_once() -> None:
    ask("bad")
    row = OutboxRow.objects.get()
    assert not outbox.start_again(row.pk), "it is not given up"
    OutboxRow.objects.update(state="given_up", attempts=6, payload={"word": "well"})
    assert outbox.start_again(row.pk)
    assert not outbox.start_again(row.pk)
    assert outbox.drain() == 1
    row.refresh_from_db()
    assert (row.state, row.attempts, row.error) == ("done", 1, "")


@pytest.mark.django_db
def test_work_without_a_handler_holds_up_nobody(heard: list[str]) -> None:
    OutboxRow.objects.create(topic="sample.gone", payload={}, created_at=NOON)
    OutboxRow.objects.create(topic="sample.echo", payload={"no": "word"}, created_at=NOON)
    ask("good")
    assert outbox.drain() == 3
    assert heard == ["good"]
    gone, broken = OutboxRow.objects.exclude(state="done").order_by("pk")
    assert (gone.state, gone.error) == ("failed", "no handler of sample.gone")
    assert (broken.state, broken.error) == ("failed", "KeyError: 'word'")


@pytest.mark.django_db
def test_a_job_that_kills_its_workers_is_given_up() -> None:
    ask("one")
    past = NOON - timedelta(days=1)
    OutboxRow.objects.update(
        state="running", holder="dead", lease_until=past, attempts=outbox.MAX_ATTEMPTS
    )
    assert outbox.drain() == 1
    row = OutboxRow.objects.get()
    assert (row.state, row.error) == ("given_up", "the worker died")


@pytest.mark.django_db
def test_a_job_that_is_refused_is_not_tried_again() -> None:
    with transaction.atomic():
        outbox.enqueue("sample.add", {"numbers": [1, 0, 2]})
    outbox.drain()
    row = OutboxRow.objects.get(topic="sample.add")
    assert (row.state, row.attempts, row.progress) == ("given_up", 1, 1)
    assert row.found == {"code": "sample.zero", "params": {"found": 0}}


@pytest.mark.django_db
def test_who_lost_the_lease_writes_nothing_more() -> None:
    """A worker that was away so long that another took its job over."""
    with transaction.atomic():
        outbox.enqueue("sample.add", {"numbers": [1, 2]})
    row = OutboxRow.objects.get()
    run = Run(row.pk, row.topic, holder="mine")
    OutboxRow.objects.update(state="running", holder="theirs", progress=1, total=2)
    with pytest.raises(LeaseLost):
        run.progress(2, 2)
    row.refresh_from_db()
    assert (row.holder, row.progress) == ("theirs", 1)


@pytest.mark.django_db
@given(
    state=st.sampled_from(work.STATES),
    wait=st.none() | st.integers(-2, 2),
    lease=st.none() | st.integers(-2, 2),
    lanes=st.sampled_from([None, "", "long"]),
)
def test_a_row_is_claimed_once_and_only_when_it_is_due(
    state: str, wait: int | None, lease: int | None, lanes: str | None
) -> None:
    def at(seconds: int | None) -> datetime | None:
        return None if seconds is None else NOON + timedelta(seconds=seconds)

    held = state == "running" and lease is not None
    with clock.clock_set(lambda: NOON):
        row = OutboxRow.objects.create(
            topic="sample.echo",
            payload={"word": "once"},
            created_at=NOON,
            state=state,
            not_before=at(wait),
            holder="other" if held else "",
            lease_until=at(lease) if held else None,
        )
        free = state in ("waiting", "failed") and (wait is None or wait <= 0)
        orphaned = held and lease is not None and lease <= 0
        mine = lanes in (None, "")
        before = len(sample.HEARD)
        assert outbox.drain(lane=lanes) == int((free or orphaned) and mine)
        again = outbox.run_row(row.pk)
    ran = len(sample.HEARD) - before
    assert ran == int(free or orphaned), "once, however often it is asked for"
    assert again is (None if mine or not ran else True)
    OutboxRow.objects.all().delete()


@given(st.integers(1, 60), st.floats(0, 1, exclude_max=True))
def test_pauses_grow_to_an_hour_and_jitter_takes_away_half_at_most(
    failures: int, chance: float
) -> None:
    whole = work.pause(failures, 0)
    assert whole / 2 <= work.pause(failures, chance) <= whole <= work.LONGEST_PAUSE
    assert work.pause(failures + 1, 0) >= whole
    assert work.after_failure(failures, failures + 1, chance, NOON).state == "failed"
    assert work.after_failure(failures, failures, chance, NOON) == work.Next("given_up")


@pytest.mark.django_db
def test_periodic_work_is_done_by_one_and_never_made_up_for() -> None:
    now = NOON
    works = {"sample.beat": periodic.registered()["sample.beat"]}
    sample.BEATS.clear()
    with pytest.MonkeyPatch.context() as patch, clock.clock_set(lambda: now):
        patch.setattr(periodic, "_list", works)
        assert (periodic.turn(), periodic.turn()) == (1, 0)
        now += timedelta(seconds=60)
        assert (periodic.turn(), periodic.turn()) == (1, 0), "thirty were missed"
        now += timedelta(seconds=2)
        PeriodicRow.objects.update(holder="other", lease_until=now + timedelta(seconds=1))
        assert periodic.turn() == 0, "another process is at it"
        now += timedelta(seconds=1)
        assert periodic.turn() == 1, "that one died"
    assert len(sample.BEATS) == 3


@pytest.mark.django_db
def test_periodic_work_that_fails_waits_for_its_next_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = NOON

    def broken() -> None:
        raise RuntimeError("out of order")

    with pytest.MonkeyPatch.context() as patch, clock.clock_set(lambda: now):
        patch.setattr(periodic, "_list", {})
        periodic.every(5, "sample.broken")(broken)
        with pytest.raises(ValueError, match="exists"):
            periodic.every(5, "sample.broken")(broken)
        for _ in range(11):
            periodic.turn()
            now += timedelta(seconds=1)
    row = PeriodicRow.objects.get()
    assert (row.failures, row.error, row.holder) == (3, "RuntimeError: out of order", "")


@pytest.mark.django_db
def test_a_rebuild_sends_nothing_out_again() -> None:
    with transaction.atomic(), outbox.held_back():
        outbox.enqueue("sample.echo", {"word": "one"})
    for name in projections.registered():
        projections.rebuild(name)
    assert OutboxRow.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_celery_is_told_on_commit_and_not_before(
    settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from config.celery import run_outbox_row

    settings.BACKGROUND = "celery"  # type: ignore[attr-defined]
    told: list[tuple[int, bool]] = []
    monkeypatch.setattr(
        run_outbox_row,
        "apply_async",
        lambda args, **more: told.append((*args, transaction.get_connection().in_atomic_block)),
    )
    with transaction.atomic():
        ask("one")
        assert told == []
    assert told == [(OutboxRow.objects.get().pk, False)]
    with pytest.raises(RuntimeError):
        ask("two", fail=True)
    assert len(told) == 1


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_holds_up_nobody(settings: Any, monkeypatch: Any) -> None:
    from config import celery

    settings.BACKGROUND = "celery"
    tried: list[int] = []

    def away(args: tuple[int], **options: Any) -> None:
        tried.extend(args)
        raise OperationalError("no broker")

    monkeypatch.setattr(celery.run_outbox_row, "apply_async", away)
    monkeypatch.setattr(celery, "_silent_until", 0.0)
    ask("one")
    ask("two")
    assert len(tried) == 1, "left alone for some seconds"
    assert outbox.drain() == 2


def redis_or_skip() -> str:
    """The server of the run; the tests that need one are skipped without, but never in CI."""
    redis = os.environ.get("REDIS_URL")
    if not redis:
        if os.environ.get("CI") == "true":
            pytest.fail("CI needs REDIS_URL, and it is not set")
        pytest.skip("REDIS_URL is not set (make test starts a server)")
    return redis


class Workers:
    """Real worker processes of one mode on a database of their own."""

    def __init__(self, database: OwnDatabase, mode: str) -> None:
        self.database, self.mode = database, mode
        self.env = {
            "BACKGROUND": mode, "LEASE_SECONDS": "5", "LOG_FORMAT": "json", "LOG_LEVEL": "INFO",
        }  # fmt: skip
        self.log: list[dict[str, Any]] = []
        if mode == "celery":
            prefix = f"{os.environ.get('REDIS_PREFIX', 'test')}-{database.path.parent.name}"
            self.env |= {"REDIS_URL": redis_or_skip(), "REDIS_PREFIX": prefix}
        self.running: list[subprocess.Popen[str]] = []

    def ask(self, program: str) -> None:
        """Run a command of the product in this mode."""
        self.database.run("-c", ASK + program, **self.env)

    def clock(self) -> None:
        """Start what ticks: with Celery a process of its own."""
        if self.mode == "celery":
            schedule = str(self.database.path.with_name("beat"))
            self._celery("beat", "--schedule", schedule)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start one worker; `words` of its own for Celery."""
        if self.mode == "celery":
            words = words or ("-P", "solo")
            return self._celery("worker", *words, "--without-gossip", "--without-mingle")
        program = "from eventstore import worker\nworker.start()\nthreading.Event().wait()"
        return self._process("-c", f"{ASK}\nimport threading\n{program}")

    def _celery(self, *words: str) -> subprocess.Popen[str]:
        celery = ["-m", "celery", "-A", "tests.eventstore.celery_app"]
        return self._process(*celery, *words, "--loglevel", "WARNING")

    def _process(self, *words: str) -> subprocess.Popen[str]:
        made = self.database.start(*words, **self.env)
        self.running.append(made)
        return made

    def stop(self) -> None:
        """End them all."""
        for one in self.running:
            one.kill()
            _, told = one.communicate(timeout=30)
            # the last line of a process that was killed may be cut
            whole = [line for line in told.splitlines() if line[:1] + line[-1:] == "{}"]
            self.log += [json.loads(line) for line in whole]

    def until(self, sql: str, wanted: list[tuple[Any, ...]], seconds: float = 120) -> None:
        """Wait until the database answers so."""
        line = Foreign(self.database).line
        limit = time.monotonic() + seconds
        try:
            while (found := [tuple(row) for row in line.execute(sql).fetchall()]) != wanted:
                if time.monotonic() > limit:
                    pytest.fail(f"after {seconds} s: {found}")
                time.sleep(0.1)
        finally:
            line.close()


def tell(receiver: str, word: str, **more: str) -> int:
    with transaction.atomic():
        row = outbox.enqueue("sample.tell", {"word": word, **more}, receiver=receiver)
    assert row is not None
    return row


@pytest.mark.django_db
def test_a_receiver_belongs_to_an_outside_job_and_to_no_other() -> None:
    for topic, receiver in (("sample.tell", ""), ("sample.echo", "a")):
        with pytest.raises(ValueError, match="receiver"), transaction.atomic():
            outbox.enqueue(topic, {"word": "x"}, receiver=receiver)
    assert outbox.receiver_of("Push.Example") == outbox.receiver_of("push.example")
    assert "push" not in outbox.receiver_of("push.example" * 20)


@pytest.mark.django_db
def test_one_is_spoken_to_once_at_a_time_and_the_others_meanwhile(heard: list[str]) -> None:
    now = NOON
    with clock.clock_set(lambda: now):
        slow, behind = tell("a", "slow"), tell("a", "behind")
        others = [tell("b", "b1"), tell("b", "b2"), tell("c", "c1")]
        assert outbox.first_of_each(9) == {"a": slow, "b": others[0], "c": others[2]}
        assert outbox.first_of_each(1) == {"a": slow}
        assert outbox.first_of_each(9, {"a", "c"}) == {"b": others[0]}
        held = OutboxRow.objects.filter(pk=slow)
        held.update(state="running", holder="other", lease_until=now + timedelta(seconds=9))
        assert outbox.first_of_each(9) == {"b": others[0], "c": others[2]}
        assert outbox.run_row(behind) is None, "its receiver is being spoken to"
        assert OutboxRow.objects.get(pk=behind).attempts == 0
        outbox.run_on(others[0])
        assert heard == ["b1", "b2"], "and what else is for that receiver"
        assert outbox.drain(lane="") == 0, "no short work"
        now += timedelta(seconds=9)  # whoever spoke to it died
        outbox.run_on(slow)
        assert heard == ["b1", "b2", "slow", "behind"]
        assert outbox.first_of_each(9) == {"c": others[2]}


@pytest.mark.django_db
def test_a_receiver_that_fails_rests_and_what_is_behind_it_is_tried(heard: list[str]) -> None:
    with clock.clock_set(lambda: NOON):
        bad, good = tell("a", "bad"), tell("a", "good")
        OutboxRow.objects.filter(pk=bad).update(payload={"no": "word"})
        outbox.run_on(bad)
        assert heard == ["good"]
        assert outbox.first_of_each(9) == {}
        states = OutboxRow.objects.order_by("pk").values_list("pk", "state", "attempts")
        assert list(states) == [(bad, "failed", 1), (good, "done", 1)]


@pytest.mark.django_db(transaction=True)
def test_a_sweep_hands_over_one_row_of_each_receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    from config import celery

    told: list[tuple[int, str]] = []
    monkeypatch.setattr(
        celery.run_outbox_row,
        "apply_async",
        lambda args, **more: told.append((*args, more["queue"])),
    )
    rows = [tell("a", "a1"), tell("a", "a2"), tell("b", "b1")]
    celery.drain_outbox("outside")
    assert told == [(rows[0], "outside"), (rows[2], "outside")]


ROWS = "SELECT topic, state, attempts, progress, total, holder FROM eventstore_outbox ORDER BY id"
LOG = (
    "SELECT stream, COUNT(*) FROM eventstore_event"
    " WHERE stream IN ('thing-added', 'thing-echo', 'thing-once') GROUP BY stream ORDER BY stream"
)


@pytest.mark.parametrize("mode", ["thread", "celery"])
def test_both_modes_do_the_same_and_a_killed_worker_loses_nothing(
    own_database: OwnDatabase, mode: str
) -> None:
    """Two workers; the one at the long job is killed when it is half through. What it did stays
    done, the rest is done by the other, and nothing twice."""
    workers = Workers(own_database, mode)
    mark = own_database.path.with_name("half")
    try:
        workers.start()
        workers.start()
        workers.clock()
        workers.ask(
            "from django.db import transaction\n"
            "from eventstore import outbox\n"
            "from eventstore.models import OutboxRow\n"
            "from eventstore import clock\n"
            "from eventstore import correlation\n"
            "with correlation.following('asked-by-somebody'):\n"
            "    for word in ('one', 'two'):\n"
            "        echo_ask(Context(actor=SYSTEM, source='system'), word=word)\n"
            "OutboxRow.objects.create(topic='sample.gone', payload={}, created_at=clock.now(),"
            " attempts=5)\n"
            "with transaction.atomic():\n"
            "    for _ in range(12):\n"
            "        outbox.enqueue('sample.once', {})\n"
        )
        done = [
            ("sample.echo", "done", 1, 0, 0, ""),
            ("sample.echo", "done", 1, 0, 0, ""),
            ("sample.gone", "given_up", 6, 0, 0, ""),
            *[("sample.once", "done", 1, 0, 0, "")] * 12,
        ]
        workers.until(ROWS, done)  # else the kill might hit one of these as well
        workers.ask(
            "from django.db import transaction\n"
            "from eventstore import outbox\n"
            "with transaction.atomic():\n"
            f"    outbox.enqueue('sample.add', {{'numbers': [1, 2, 3], 'mark': {str(mark)!r}}})\n"
        )
        limit = time.monotonic() + 120
        while not mark.exists():
            assert time.monotonic() < limit, "the job was not begun"
            time.sleep(0.05)
        os.kill(int(mark.read_text()), signal.SIGKILL)
        workers.until(ROWS, [*done, ("sample.add", "done", 2, 3, 3, "")])
        workers.until(
            LOG,
            [("thing-added", 3), ("thing-echo", 2), ("thing-once", 12)],
            seconds=1,
        )
        # followers move, and periodic work is done
        workers.until(
            "SELECT COUNT(*) > 0 FROM eventstore_subscription WHERE name = 'portal.webhooks'"
            " AND position >= 5",
            [(True if own_database.vendor == "postgresql" else 1,)],
        )
        workers.until(
            "SELECT COUNT(*) > 1 FROM eventstore_event WHERE stream = 'thing-beat'",
            [(True if own_database.vendor == "postgresql" else 1,)],
        )
    finally:
        workers.stop()
    told = [one for one in workers.log if one.get("topic") == "sample.echo"]
    assert [(one["logger"], one["state"], one["correlation"]) for one in told] == [
        ("outbox", "done", "asked-by-somebody")
    ] * 2, "the log of a worker leads back to who asked"


STATES = "SELECT state, COUNT(*) FROM eventstore_outbox GROUP BY state ORDER BY state"


@pytest.mark.parametrize("mode", ["thread", "celery"])
def test_a_receiver_that_hangs_holds_up_nothing_but_what_is_for_itself(
    own_database: OwnDatabase, mode: str
) -> None:
    """One worker; three messages for one that hangs, then two for others and short work."""
    workers = Workers(own_database, mode)
    answers = own_database.path.with_name("answers")
    hung = f"{{'word': 'hung', 'until': {str(answers)!r}}}"
    try:
        workers.start("-P", "threads", "--concurrency", "4")
        workers.clock()
        workers.ask(
            "from django.db import transaction\n"
            "from eventstore import outbox\n"
            "with transaction.atomic():\n"
            "    for _ in range(3):\n"
            f"        outbox.enqueue('sample.tell', {hung}, receiver='hangs')\n"
            "    for word in ('one', 'two'):\n"
            "        outbox.enqueue('sample.tell', {'word': word}, receiver=word)\n"
            "echo_ask(Context(actor=SYSTEM, source='system'), word='short')\n"
        )
        workers.until(STATES, [("done", 3), ("running", 1), ("waiting", 2)])
        answers.touch()
        workers.until(STATES, [("done", 6)])
    finally:
        workers.stop()
    line = Foreign(own_database).line
    try:
        rows = line.execute("SELECT state, attempts FROM eventstore_outbox").fetchall()
    finally:
        line.close()
    assert [tuple(row) for row in rows] == [("done", 1)] * 6, "nobody gave up and tried again"
