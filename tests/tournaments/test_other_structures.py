"""Round robin, double elimination, the cut to a second day."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain.pairing import day_two, double_elimination, round_robin
from tournaments.domain.pairing.double_elimination import FINAL, LOWER, UPPER, Key, state
from tournaments.domain.records import Played
from tournaments.domain.standings import standings


@pytest.mark.parametrize("size", range(2, 14))
@pytest.mark.parametrize("twice", [False, True])
def test_everybody_meets_everybody(size: int, twice: bool) -> None:
    players = [f"p{number}" for number in range(size)]
    made = round_robin.rounds(players, twice=twice)
    assert len(made) == (size - 1 + size % 2) * (1 + twice)
    met = Counter(frozenset(pair) for pairs, _ in made for pair in pairs)
    assert len(met) == size * (size - 1) // 2
    assert set(met.values()) == {1 + twice}
    for pairs, free in made:
        seated = [one for pair in pairs for one in pair] + ([free] if free else [])
        assert sorted(seated) == sorted(players)
        assert (free is None) == (size % 2 == 0)
    if twice:
        first = Counter(pair[0] for pairs, _ in made for pair in pairs)
        assert set(first.values()) == {size - 1}


@pytest.mark.parametrize("players", [[], ["a"], ["a", "a"]])
def test_a_round_robin_of_nobody_is_an_error(players: list[str]) -> None:
    with pytest.raises(ValueError, match="player"):
        round_robin.rounds(players)


def play(size: int, rng: random.Random) -> tuple[dict[Key, str], Counter[str], str]:
    """Play a double elimination to its end; (results, losses of each, champion)."""
    seeds = [f"s{number}" for number in range(1, size + 1)]
    results: dict[Key, str] = {}
    lost: Counter[str] = Counter()
    for _ in range(4 * size):
        now = state(seeds, results)
        if now.champion is not None:
            assert not now.open
            assert sorted([*now.out, now.champion]) == sorted(seeds)
            return results, lost, now.champion
        # Something can always be played: no match waits for a bye.
        assert now.open
        fixture = rng.choice(now.open)
        winner = rng.choice((fixture.one, fixture.two))
        results[fixture.key] = winner
        lost[fixture.one if winner == fixture.two else fixture.two] += 1
    raise AssertionError("never over")


@given(st.integers(2, 40), st.integers(0, 10**6))
def test_who_has_lost_twice_is_out_and_nobody_else(size: int, seed: int) -> None:
    _, lost, champion = play(size, random.Random(seed))
    assert lost[champion] <= 1
    assert {one for one, times in lost.items() if times == 2} == {
        f"s{number}" for number in range(1, size + 1)
    } - {champion}


def test_line_13_eight_places_with_one_bye_no_match_waits_and_losers_propagate() -> None:
    seeds = [f"s{number}" for number in range(1, 8)]
    now = state(seeds, {})
    # seed 1 has the bye: its match is settled, three are open
    assert [(one.one, one.two) for one in now.open] == [("s4", "s5"), ("s2", "s7"), ("s3", "s6")]
    results: dict[Key, str] = {one.key: one.one for one in now.open}
    now = state(seeds, results)
    found = {one.key: (one.one, one.two) for one in now.open}
    # the loser of the match beside the bye has no opponent in the lower bracket and goes on
    assert found == {
        (UPPER, 2, 0): ("s1", "s4"),
        (UPPER, 2, 1): ("s2", "s3"),
        (LOWER, 1, 1): ("s7", "s6"),
    }
    for seed in range(50):
        play(7, random.Random(seed))


def test_the_winner_of_the_upper_bracket_may_lose_the_final_once() -> None:
    results: dict[Key, str] = {(UPPER, 1, 0): "a"}
    now = state(["a", "b"], results)
    assert [one.key for one in now.open] == [(FINAL, 1, 0)]
    results[FINAL, 1, 0] = "b"
    now = state(["a", "b"], results)
    assert [one.key for one in now.open] == [(FINAL, 2, 0)]
    assert now.champion is None
    results[FINAL, 2, 0] = "b"
    assert state(["a", "b"], results).champion == "b"


def test_a_winner_who_does_not_play_is_an_error() -> None:
    with pytest.raises(ValueError, match="does not play"):
        state(["a", "b", "c", "d"], {(UPPER, 1, 0): "b"})
    with pytest.raises(ValueError, match="two entrants"):
        state(["a"], {})


def test_two_do_not_meet_again_at_once_in_the_lower_bracket() -> None:
    seeds = [f"s{number}" for number in range(1, 9)]
    results: dict[Key, str] = {}
    played: list[frozenset[str]] = []
    while (now := state(seeds, results)).champion is None:
        for one in now.open:
            pair = frozenset((one.one, one.two))
            if one.key[0] == LOWER and one.key[1] <= 2:
                assert pair not in played
            played.append(pair)
            results[one.key] = min(pair, key=lambda seed: int(seed[1:]))
    assert double_elimination.state(seeds, results).champion == "s1"


def test_the_second_day_takes_everybody_with_the_points() -> None:
    played = [
        Played(1, "a", "b", "P1"),
        Played(1, "c", "d", "P1"),
        Played(2, "a", "c", "P1"),
        Played(2, "b", "d", "P1"),
    ]
    rows = standings("abcd", played)
    assert day_two.points_for(rows, 2) == 3
    assert sorted(day_two.by_points(rows, 3)) == ["a", "b", "c"]
    assert day_two.by_points(rows, 9) == []
    assert day_two.points_for(rows, 9) == 0
