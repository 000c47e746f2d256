"""The bracket of a single elimination."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain.pairing import elimination


def seeds(size: int) -> list[str]:
    return [f"s{number}" for number in range(1, size + 1)]


def test_a_bracket_of_eight_is_1v8_4v5_2v7_3v6() -> None:
    pairs, byes = elimination.matches(elimination.first_round(seeds(8)))
    assert pairs == [("s1", "s8"), ("s4", "s5"), ("s2", "s7"), ("s3", "s6")]
    assert byes == []


def test_line_12_a_cut_to_3_gives_the_bye_to_seed_1() -> None:
    pairs, byes = elimination.matches(elimination.first_round(seeds(3)))
    assert (pairs, byes) == ([("s2", "s3")], ["s1"])


def test_line_12_a_cut_to_6_gives_the_byes_to_seeds_1_and_2() -> None:
    pairs, byes = elimination.matches(elimination.first_round(seeds(6)))
    assert (pairs, byes) == ([("s4", "s5"), ("s3", "s6")], ["s1", "s2"])


@given(st.integers(2, 70), st.randoms(use_true_random=False))
def test_any_size_ends_with_one_winner_and_byes_for_the_best(size: int, rng: object) -> None:
    slots = elimination.first_round(seeds(size))
    assert len(slots) // 2 < size <= len(slots)
    _, byes = elimination.matches(slots)
    assert sorted(byes, key=lambda one: int(one[1:])) == seeds(size)[: len(slots) - size]
    played = 0
    while len(slots) > 1:
        pairs, _ = elimination.matches(slots)
        played += len(pairs)
        winners = {(one, two): rng.choice((one, two)) for one, two in pairs}  # type: ignore[attr-defined]
        slots = elimination.next_round(slots, winners)
    assert played == size - 1
    assert slots[0] is not None


def test_without_upsets_the_first_two_seeds_meet_last() -> None:
    slots = elimination.first_round(seeds(12))
    while len(slots) > 2:
        pairs, _ = elimination.matches(slots)
        better = {pair: min(pair, key=lambda one: int(one[1:])) for pair in pairs}
        slots = elimination.next_round(slots, better)
    assert slots == ("s1", "s2")


def test_who_left_gives_the_opponent_a_bye() -> None:
    slots = elimination.without(elimination.first_round(seeds(4)), frozenset({"s1"}))
    assert elimination.matches(slots) == ([("s2", "s3")], ["s4"])


@pytest.mark.parametrize("size", [1, 2])
def test_the_smallest_brackets(size: int) -> None:
    assert elimination.first_round(seeds(size)) == tuple(seeds(size))
