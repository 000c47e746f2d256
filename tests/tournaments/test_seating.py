"""Tables: offset, ranges, fixed seats, feature and accessible tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain.refusal import Refusal
from tournaments.domain.seating import Plan, Seated, overlaps, seat

PAIRS = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]


def seated(plan: Plan) -> Seated:
    found = seat(PAIRS, plan)
    assert isinstance(found, Seated)
    return found


def test_better_pairs_sit_at_lower_tables() -> None:
    assert seated(Plan()).tables == (1, 2, 3, 4)
    assert seated(Plan(ranges=((11, 12), (31, 40)))).tables == (11, 12, 31, 32)


def test_a_fixed_seat_keeps_its_table_and_nobody_else_gets_it() -> None:
    assert seated(Plan(fixed={"f": 1})).tables == (2, 3, 1, 4)
    # x does not play this round: its table stays empty
    assert seated(Plan(fixed={"x": 2})).tables == (1, 3, 4, 5)


def test_two_fixed_players_meet_at_the_lower_table_and_the_other_stays_empty() -> None:
    found = seated(Plan(fixed={"g": 1, "h": 7}))
    assert (found.tables, found.empty) == ((2, 3, 4, 1), (7,))
    # the freed table is the best one of the room, and stays empty all the same
    found = seated(Plan(fixed={"g": 1, "h": 1 + 2}))
    assert (found.tables, found.empty) == ((2, 4, 5, 1), (3,))


def test_feature_tables_are_for_the_featured_only() -> None:
    plan = Plan(feature=(1,), featured=frozenset("d"))
    assert seated(plan).tables == (2, 1, 3, 4)
    assert seated(Plan(feature=(1,))).tables == (2, 3, 4, 5)


def test_accessible_tables_go_first_and_whoever_gets_none_is_named() -> None:
    plan = Plan(accessible=(2,), needs=frozenset("ae"))
    found = seated(plan)
    assert found.tables == (2, 1, 3, 4)
    assert found.unmet == ("e",)


def test_a_fixed_accessible_seat_is_kept() -> None:
    found = seated(Plan(accessible=(2, 3), needs=frozenset("a"), fixed={"a": 3}))
    assert found.tables[0] == 3
    assert found.unmet == ()


def test_too_few_tables_are_refused() -> None:
    found = seat(PAIRS, Plan(ranges=((1, 3),)))
    assert isinstance(found, Refusal)
    assert (found.code, found.params) == ("tournaments.tables_short", {"found": 4, "allowed": 3})


@pytest.mark.parametrize(
    "plan",
    [
        Plan(ranges=((3, 1),)),
        Plan(ranges=((1, 5), (5, 9))),
        Plan(ranges=((0, 9),)),
        Plan(fixed={"a": 1, "b": 1}),
        Plan(fixed={"a": 0}),
        Plan(feature=(1, 1)),
        Plan(feature=(1,), accessible=(1,)),
        Plan(feature=(1,), fixed={"a": 1}),
        Plan(offset=10**9),
    ],
)
def test_a_wrong_plan_is_refused(plan: Plan) -> None:
    found = seat(PAIRS, plan)
    assert isinstance(found, Refusal)
    assert found.code == "tournaments.seating_invalid"


def test_events_that_reserve_the_same_table_of_a_venue_are_named() -> None:
    assert overlaps({"one": [(1, 20)], "two": [(21, 40), (60, 70)], "three": [(50, 59)]}) == []
    assert overlaps({"one": [(1, 20)], "two": [(15, 40)]}) == [("one", "two", 15)]


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 12), max_size=5),
    st.sets(st.integers(1, 12), max_size=3),
    st.sets(st.sampled_from("abcdefgh")),
)
def test_no_table_is_given_twice(fixed: dict[str, int], special: set[int], needs: set[str]) -> None:
    found = seat(PAIRS, Plan(fixed=fixed, accessible=tuple(special), needs=frozenset(needs)))
    if isinstance(found, Refusal):
        assert len(set(fixed.values())) < len(fixed)
        return
    assert len(set(found.tables)) == len(PAIRS)
    for pair, table in zip(PAIRS, found.tables, strict=True):
        own = [fixed[one] for one in pair if one in fixed]
        assert table in own if own else table not in fixed.values()
