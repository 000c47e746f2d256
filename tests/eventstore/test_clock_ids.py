"""Times and identifiers: their stored forms, and that both can be set from outside."""

from __future__ import annotations

import random
import uuid
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore import clock, ids


@given(st.datetimes(timezones=st.just(UTC), min_value=datetime(1000, 1, 1)))
def test_a_time_comes_back_from_its_text(moment: datetime) -> None:
    assert clock.from_text(clock.as_text(moment)) == moment


def test_a_time_is_stored_in_utc_with_microseconds() -> None:
    moment = datetime(2026, 3, 1, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    assert clock.as_text(moment) == "2026-03-01T10:00:00.000000Z"


@pytest.mark.parametrize("text", ["", "2026-03-01", "2026-03-01T10:00:00Z", "x" * 27])
def test_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="does not match"):
        clock.from_text(text)


def test_the_clock_can_be_set() -> None:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    with clock.clock_set(lambda: moment):
        assert clock.now() == moment
    assert clock.now() != moment


def test_ids_are_of_version_seven_and_sort_by_time() -> None:
    start = datetime(2026, 3, 1, tzinfo=UTC)
    made = []
    for second in range(5):
        moment = start + timedelta(seconds=second)
        with clock.clock_set(lambda moment=moment: moment):
            made.append(ids.new_id())
    assert made == sorted(made)
    for text in made:
        read = uuid.UUID(text)
        assert (read.version, read.variant, ids.is_id(text)) == (7, uuid.RFC_4122, True)


def test_ids_from_a_seed_come_again() -> None:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    with clock.clock_set(lambda: moment):
        with ids.ids_from(random.Random(5)):
            first = [ids.new_id() for _ in range(3)]
        with ids.ids_from(random.Random(5)):
            assert [ids.new_id() for _ in range(3)] == first
    assert len(set(first)) == 3


@pytest.mark.parametrize("text", ["", "x", "0" * 36, "00000000-0000-7000-8000-00000000000A"])
def test_what_is_no_id_is_seen(text: str) -> None:
    assert not ids.is_id(text)
