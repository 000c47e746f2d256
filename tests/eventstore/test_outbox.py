"""Work after the commit: never before it, never lost with it, done by thread or by Celery."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from django.db import transaction

from eventstore import outbox, projections
from eventstore.commands import Context
from eventstore.models import OutboxRow
from people.domain.actor import SYSTEM
from tests.eventstore import sample
from tests.eventstore.conftest import OwnDatabase
from tests.eventstore.test_triggers import Foreign

pytestmark = [pytest.mark.pg]

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
def test_a_failure_is_kept_and_tried_again_until_it_is_enough(heard: list[str]) -> None:
    ask("bad")
    ask("good")
    for _ in range(outbox.MAX_ATTEMPTS + 2):
        outbox.drain()
    row = OutboxRow.objects.get(payload={"word": "bad"})
    assert (row.attempts, row.done_at) == (outbox.MAX_ATTEMPTS, None)
    assert row.error == "ValueError: a bad word"
    assert heard == ["good"]


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
        "delay",
        lambda pk: told.append((pk, transaction.get_connection().in_atomic_block)),
    )
    with transaction.atomic():
        ask("one")
        assert told == []
    assert told == [(OutboxRow.objects.get().pk, False)]
    with pytest.raises(RuntimeError):
        ask("two", fail=True)
    assert len(told) == 1


def wait_until_done(database: OwnDatabase, words: int, seconds: float = 60) -> None:
    line = Foreign(database).line
    limit = time.monotonic() + seconds
    try:
        while time.monotonic() < limit:
            done = line.execute(
                "SELECT COUNT(*) FROM eventstore_outbox WHERE done_at IS NOT NULL"
            ).fetchone()[0]
            if done == words:
                return
            time.sleep(0.1)
        pytest.fail(f"only {done} of {words} done after {seconds} s")
    finally:
        line.close()


def test_the_worker_thread_does_the_work(own_database: OwnDatabase) -> None:
    program = ASK + (
        "import time\n"
        "from eventstore import worker\n"
        "from eventstore.models import OutboxRow\n"
        "worker.start(); worker.start()\n"
        "for word in ('one', 'two'):\n"
        "    echo_ask(Context(actor=SYSTEM, source='system'), word=word)\n"
        "limit = time.monotonic() + 60\n"
        "while OutboxRow.objects.filter(done_at=None).exists() and time.monotonic() < limit:\n"
        "    time.sleep(0.05)\n"
        "from tests.eventstore.sample import HEARD\n"
        "print(','.join(HEARD))\n"
    )
    assert own_database.run("-c", program).strip() == "one,two"
    wait_until_done(own_database, 2, seconds=1)


def test_a_real_celery_worker_does_the_work(own_database: OwnDatabase) -> None:
    redis = os.environ.get("REDIS_URL")
    if not redis:
        if os.environ.get("CI") == "true":
            pytest.fail("CI needs REDIS_URL, and it is not set")
        pytest.skip("REDIS_URL is not set (make test starts a server)")
    prefix = f"{os.environ.get('REDIS_PREFIX', 'test')}-{own_database.path.parent.name}"
    extra = {"BACKGROUND": "celery", "REDIS_URL": redis, "REDIS_PREFIX": prefix}
    worker = own_database.start(
        "-m", "celery", "-A", "tests.eventstore.celery_app", "worker", "-P", "solo",
        "--without-gossip", "--without-mingle", "--loglevel", "WARNING", **extra,
    )  # fmt: skip
    try:
        program = ASK + (
            "for word in ('one', 'two'):\n"
            "    echo_ask(Context(actor=SYSTEM, source='system'), word=word)\n"
        )
        own_database.run("-c", program, **extra)
        wait_until_done(own_database, 2)
    finally:
        worker.terminate()
        worker.communicate(timeout=30)
