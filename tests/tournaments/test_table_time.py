"""The time of a table: the round's clock in any order of pauses, and its own extensions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import floor_events as floor
from tournaments.domain.match import Match, evolve
from tournaments.domain.prediction import FIRST_GUESS_S, predict, usual
from tournaments.domain.round_clock import RoundClock, left, text_of
from tournaments.domain.round_clock import evolve as clock_after
from tournaments.domain.table_time import MOST_EXTENSION_S, extend, table_time

NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)
OPENED = ev.MatchOpened("m", "e", 1, "swiss", 31, "a", "b", (("x",), ("y",)), "ygo-classic", False)


def at(seconds: float) -> str:
    return text_of(NOON + timedelta(seconds=seconds))


acts = st.lists(
    st.tuples(
        st.sampled_from(["pause", "resume", "adjust"]),
        st.integers(0, 900),
        st.integers(-600, 600),
    ),
    max_size=12,
)


@given(st.integers(60, 3600), acts, st.integers(0, 1200))
def test_what_is_left_is_the_length_and_adjustments_less_the_time_it_ran(
    seconds: int, steps: list[tuple[str, int, int]], extension: int
) -> None:
    """Pause, resume and adjust in any order: what is left jumps only by an adjustment, and the
    phases in which the clock ran sum up to what is gone."""
    clock = clock_after(None, ev.ClockStarted("e", 1, seconds, at(0)))
    assert clock is not None
    now, ran, given_s, running = 0, 0, 0, True
    for act, wait, change in steps:
        before = table_time(clock, extension, at(now)).left_s
        now += wait
        ran += wait if running else 0
        reached = table_time(clock, extension, at(now)).left_s
        assert before - reached == (wait if running else 0)
        if act == "pause" and running:
            clock, running = clock_after(clock, ev.ClockPaused("e", 1, at(now))), False
        elif act == "resume" and not running:
            clock, running = clock_after(clock, ev.ClockResumed("e", 1, at(now))), True
        elif act == "adjust":
            clock = clock_after(clock, ev.ClockAdjusted("e", 1, change, at(now)))
            given_s += change
            reached += change
        assert clock is not None
        time = table_time(clock, extension, at(now))
        assert time.left_s == reached
        assert time.left_s == seconds + given_s - ran + extension
        assert time.over == (time.left_s <= 0)
        assert bool(time.ends_at) == running
        if running:
            assert left(RoundClock(0, time.ends_at), at(now)) == time.left_s


def test_each_table_has_its_own_end() -> None:
    clock = RoundClock(2400, at(2400))
    assert table_time(clock, 0, at(2400)).over
    later = table_time(clock, 540, at(2400))
    assert (later.left_s, later.ends_at, later.over) == (540, at(2940), False)
    paused = table_time(RoundClock(2400, "", 100), 240, at(9999))
    assert (paused.left_s, paused.ends_at) == (340, "")


def test_extensions_of_several_sources_add_up_and_the_newest_of_a_source_counts() -> None:
    match = fold(Match(), evolve, [OPENED])
    for source, seconds in (("call-1", 120), ("call-2", 60), ("call-1", 0), ("hand:1", 30)):
        made = extend(match, source=source, seconds=seconds)
        assert isinstance(made, list)
        match = fold(match, evolve, made)
    assert match.extension_s == 90
    assert extend(match, source="call-2", seconds=60) == []
    for wrong in (-1, MOST_EXTENSION_S + 1):
        refused = extend(match, source="call-2", seconds=wrong)
        assert isinstance(refused, Refusal)
        assert refused.code == "tournaments.extension_range"
    gone = extend(Match(), source="call-2", seconds=1)
    assert isinstance(gone, Refusal)
    assert gone.code == "tournaments.match_unknown"


def test_the_next_pairing_is_estimated_from_the_last_end_and_the_usual_time_to_a_slip() -> None:
    assert usual([]) == (FIRST_GUESS_S, 0)
    assert usual([10, 20]) == (FIRST_GUESS_S, 0)
    assert usual([100, 40, 60, 80, -5]) == (80, 4)
    found = predict(at(0), [at(300), at(900)], [60, 60, 60])
    assert found is not None
    assert (found.at, found.usual_s, found.samples) == (at(960), 60, 3)
    # over for long: it is expected soon, never in the past
    late = predict(at(5000), [at(900)], [60, 60, 60])
    assert late is not None
    assert late.at == at(5030)
    assert predict(at(0), [], [60, 60, 60]) is None
    assert predict(at(0), ["", at(5)], [60, 60, 60]) is None


@given(
    st.integers(0, 4000),
    st.lists(st.integers(0, 4000), min_size=1, max_size=8),
    st.lists(st.integers(-100, 1000), max_size=10),
)
def test_an_estimate_is_never_past_nor_before_an_end(
    now: int, ends: list[int], delays: list[int]
) -> None:
    found = predict(at(now), [at(one) for one in ends], delays)
    assert found is not None
    assert found.at >= at(max(now, *ends))
    more = predict(at(now), [at(one) for one in [*ends, max(ends) + 60]], delays)
    assert more is not None
    assert more.at >= found.at


def test_an_extension_stands_in_the_stream_of_its_match_alone() -> None:
    match = fold(Match(), evolve, [OPENED, floor.TimeExtended("m", "e", 1, "c", 240, None)])
    assert match.extension_s == 240
    assert match.extensions == {"c": 240}
