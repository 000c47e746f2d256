"""The worker thread rests where commands come without a pause, and begins at once where none do."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eventstore.worker import APART_SECONDS, LONGEST_PAUSE_SECONDS, SHARE, next_turn

moments = st.floats(0, 1e6)


def test_turns_begin_apart_and_take_their_share_at_most() -> None:
    assert next_turn(10.0, 10.01) == 10.0 + APART_SECONDS
    assert next_turn(10.0, 10.2) == 10.0 + SHARE * (10.2 - 10.0)
    assert next_turn(10.0, 15.0) == 15.0 + LONGEST_PAUSE_SECONDS


@given(moments, st.floats(0, 3600))
def test_no_turn_begins_before_the_last_has_ended_or_waits_long(began: float, took: float) -> None:
    ended = began + took
    assert ended <= next_turn(began, ended) <= ended + LONGEST_PAUSE_SECONDS
