"""Slowing down of guesses: the rule, and its state in both stores under many hands."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from eventstore import clock
from people import throttle
from people.domain.throttle import (
    FORGET_SECONDS,
    FREE,
    LONGEST_SECONDS,
    Attempts,
    attempt,
    pause,
    refund,
)
from people.models import ThrottleRow

NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)


def test_the_first_wrong_attempts_are_free_and_pauses_double_to_a_limit() -> None:
    assert [pause(count) for count in range(FREE)] == [0] * FREE
    assert [pause(FREE + more) for more in range(4)] == [2, 4, 8, 16]
    assert pause(10**9) == LONGEST_SECONDS


def test_an_attempt_that_has_to_wait_prolongs_nothing() -> None:
    state, now = Attempts(FREE, 1000.0), 1001.0
    assert attempt(state, now) == (state, 1.0)
    assert attempt(state, 1002.0) == (Attempts(FREE + 1, 1002.0), 0.0)


def test_a_quiet_quarter_of_an_hour_forgets() -> None:
    assert attempt(Attempts(40, 1000.0), 1000.0 + FORGET_SECONDS) == (Attempts(1, 1900.0), 0.0)


@given(st.integers(0, 60), st.integers(1, 20))
def test_right_attempts_never_slow_anybody(wrong: int, right: int) -> None:
    """Whatever was wrong before: a right attempt leaves the count as it found it."""
    state = Attempts(wrong % FREE, 0.0)
    for second in range(right):
        counted, wait = attempt(state, float(second))
        assert wait == 0
        state = refund(counted)
    assert state.count == wrong % FREE


@pytest.fixture
def own_prefix(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keys of this test only, in the server of the run; the test is skipped without one."""
    if not os.environ.get("REDIS_URL"):
        pytest.skip("no REDIS_URL: the run without services")
    settings.REDIS_URL = os.environ["REDIS_URL"]
    settings.THROTTLE_PREFIX = f"test-{secrets.token_hex(4)}"
    monkeypatch.setattr(throttle, "REDIS_SECONDS", 30.0)  # ten hands on a busy machine
    monkeypatch.setattr(throttle, "_redis", None)
    yield
    for name in throttle._redis.scan_iter(f"{settings.THROTTLE_PREFIX}:*"):
        throttle._redis.delete(name)


def _looked_at(key: str, guesses: int) -> int:
    """Guess so many times at noon: no pause ends meanwhile; returns how many were looked at."""
    with clock.clock_set(lambda: NOON):
        return sum(throttle._change(key, count=True) == 0 for _ in range(guesses))


def _many_at_once(key: str) -> int:
    """Let thirty hands guess at the same moment; returns how many guesses were looked at."""
    start = threading.Barrier(10)

    def guess(_: int) -> int:
        try:
            start.wait()
            return _looked_at(key, 3)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(10) as hands:
        return sum(hands.map(guess, range(10)))


def test_many_guesses_at_one_moment_are_counted_in_redis(own_prefix: None) -> None:
    assert _many_at_once("k" * 64) == FREE


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_many_guesses_at_one_moment_are_counted_in_the_database(settings: Any) -> None:
    settings.REDIS_URL = ""
    # threads share no database in memory; the processes of a server share the file
    many = connection.vendor != "sqlite"
    looked = _many_at_once("k" * 64) if many else _looked_at("k" * 64, 30)
    assert looked == FREE
    assert ThrottleRow.objects.get(pk="k" * 64).count == looked


@pytest.mark.django_db
def test_a_redis_that_does_not_answer_hands_over_to_the_database(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1"
    monkeypatch.setattr(throttle, "_redis", None)
    request = RequestFactory().get("/")
    with clock.clock_set(lambda: NOON):
        gates = [throttle.gate(request, "sign_in", "olga") for _ in range(FREE + 1)]
    assert [one.open for one in gates] == [True] * FREE + [False]


@pytest.mark.django_db
def test_forgotten_keys_are_swept_and_no_name_stands_in_the_table(settings: Any) -> None:
    settings.REDIS_URL = ""
    request = RequestFactory().get("/")
    with clock.clock_set(lambda: NOON):
        for name in ("olga", "hedda", "jude"):
            throttle.gate(request, "sign_in", name)
    assert ThrottleRow.objects.count() == 3
    kept = " ".join(ThrottleRow.objects.values_list("key", flat=True))
    assert "olga" not in kept
    with clock.clock_set(lambda: NOON + timedelta(seconds=FORGET_SECONDS + 1)):
        throttle.gate(request, "sign_in", "nadja")
    assert ThrottleRow.objects.count() == 1
