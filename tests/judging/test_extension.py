"""The time extension: the acceptance lines of job J2."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.extension import compute
from tests.judging.material import house

TIME = house().time


def at(seconds: int) -> str:
    hours, rest = divmod(12 * 3600 + seconds, 3600)
    return f"2026-01-01T{hours:02d}:{rest // 60:02d}:{rest % 60:02d}.000000Z"


def given_for(length: int, left: int | None, **values: object) -> tuple[int, str]:
    arguments: dict[str, object] = {
        "kind": "ruling",
        "claimed_at": at(0),
        "arrived_at": at(0),
        "closed_at": at(length),
        "table_end": None if left is None else at(left),
        "loses_game": False,
        "policy": TIME,
    }
    made = compute(**(arguments | values))  # type: ignore[arg-type]
    return made.seconds, made.why


@pytest.mark.parametrize(
    ("length", "left", "seconds", "why"),
    [
        (420, 180, 180, "up_to_table_end"),
        (270, 1860, 270, "whole_length"),
        (60, 1000, 0, "within_grace"),
        (61, 1000, 61, "whole_length"),
        (300, 0, 0, "end_of_match"),
        (300, None, 300, "whole_length"),
    ],
)
def test_the_whole_length_counts_and_never_more_than_what_remained(
    length: int, left: int | None, seconds: int, why: str
) -> None:
    assert given_for(length, left) == (seconds, why)


def test_a_lost_game_gives_none() -> None:
    assert given_for(420, 1000, loses_game=True) == (0, "game_loss")


def test_the_pack_says_from_when_it_counts() -> None:
    late = {"arrived_at": at(100)}
    assert given_for(300, None, **late) == (300, "whole_length")
    from_table = replace(TIME, from_event="at_table")
    assert given_for(300, None, policy=from_table, **late) == (200, "whole_length")
    assert given_for(300, None, policy=from_table, arrived_at=None) == (0, "not_started")


def test_slow_play_and_deck_checks_have_their_own_numbers() -> None:
    slow = replace(TIME, slow_play_min_s=180)
    assert given_for(30, 100, kind="slow_play", policy=slow) == (180, "slow_play_minimum")
    assert given_for(240, 100, kind="deck_check") == (420, "deck_check")


def test_rounding_up_stays_within_what_remained() -> None:
    rounded = replace(TIME, round_up_s=60)
    assert given_for(245, 1000, policy=rounded) == (300, "whole_length")
    assert given_for(245, 250, policy=rounded) == (250, "up_to_table_end")


@given(st.integers(0, 4000), st.integers(0, 4000), st.sampled_from([1, 30, 60]))
def test_an_ordinary_call_never_gives_more_than_length_rounded_or_remainder(
    length: int, left: int, step: int
) -> None:
    seconds, _ = given_for(length, left, policy=replace(TIME, round_up_s=step))
    assert 0 <= seconds <= min(length + step - 1, left)
