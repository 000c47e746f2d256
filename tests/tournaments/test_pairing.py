"""Swiss pairing: the objective against brute force, the proof, the certificate."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sizes import SIZES
from tournaments.domain.pairing import swiss
from tournaments.domain.pairing.field import Field, Player, Value
from tournaments.domain.records import Bye
from tournaments.domain.standings import standings


def best_value(players: list[Player]) -> Value:
    """The least objective over every complete pairing, by trying all of them on bit masks: no
    matching algorithm, no weights."""
    field = Field(players)
    size = len(field)

    @cache
    def solve(free: int, bye_open: bool) -> Value:
        if not free:
            return Value(0, 0, 0, 0)
        one = (free & -free).bit_length() - 1
        found: list[Value] = []
        if bye_open:
            rest = solve(free & ~(1 << one), False)
            mine = field.value([], one)
            found.append(Value(rest.rematches, mine.bye_count, mine.bye_level, rest.cost))
        for two in range(one + 1, size):
            if free >> two & 1:
                rest = solve(free & ~(1 << one) & ~(1 << two), bye_open)
                mine = field.value([(one, two)], None)
                found.append(
                    Value(
                        rest.rematches + mine.rematches,
                        rest.bye_count,
                        rest.bye_level,
                        rest.cost + mine.cost,
                    )
                )
        return min(found) if found else Value(10**6, 0, 0, 0)

    return solve((1 << size) - 1, field.odd)


@st.composite
def fields(draw: st.DrawFn) -> list[Player]:
    """Fields of 2 to 9 players with any points, any history of opponents and byes."""
    size = draw(st.integers(2, 9))
    ids = [f"p{number}" for number in range(size)]
    pairs = [(one, two) for at, one in enumerate(ids) for two in ids[:at]]
    met = draw(st.sets(st.sampled_from(pairs), max_size=len(pairs))) if pairs else set()
    return [
        Player(
            one,
            draw(st.integers(0, 5)),
            frozenset({b for a, b in met if a == one} | {a for a, b in met if b == one}),
            draw(st.integers(0, 2)),
        )
        for one in ids
    ]


@given(fields(), st.integers(0, 2**53 - 1))
def test_exact_equals_brute_force(players: list[Player], seed: int) -> None:
    made = swiss.pair(players, seed=seed)
    assert made.value == best_value(players)
    assert made.proven
    assert made.lower_bound <= made.value.cost


@given(fields(), st.integers(0, 2**53 - 1))
def test_everybody_is_paired_once(players: list[Player], seed: int) -> None:
    made = swiss.pair(players, seed=seed)
    seated = [one for pair in made.pairs for one in pair] + ([made.bye] if made.bye else [])
    assert sorted(seated) == sorted(one.player_id for one in players)
    assert (made.bye is None) == (len(players) % 2 == 0)


@given(fields(), st.integers(0, 2**53 - 1))
def test_same_seed_same_pairing_whatever_the_order(players: list[Player], seed: int) -> None:
    assert swiss.pair(players, seed=seed) == swiss.pair(players[::-1], seed=seed)


@given(fields())
def test_reported_value_is_that_of_the_pairs(players: list[Player]) -> None:
    made = swiss.pair(players, seed=7)
    field = Field(players)
    pairs = [(field.by_id[one], field.by_id[two]) for one, two in made.pairs]
    bye = field.by_id[made.bye] if made.bye else None
    assert made.value == field.value(pairs, bye)
    assert made.value.rematches == sum(
        two in players[[p.player_id for p in players].index(one)].met for one, two in made.pairs
    )


def simulated(size: int, rounds: int, seed: int) -> list[Player]:
    """A field after some rounds of its own pairings and random results."""
    rng = random.Random(seed)
    points = {f"{number:04}": 0 for number in range(size)}
    met: dict[str, set[str]] = {one: set() for one in points}
    byes = dict.fromkeys(points, 0)
    for number in range(rounds):
        made = swiss.pair(
            [Player(one, points[one], frozenset(met[one]), byes[one]) for one in points],
            seed=seed + number,
        )
        for one, two in made.pairs:
            met[one].add(two)
            met[two].add(one)
            drawn = rng.random() < 0.05
            winner = rng.choice((one, two))
            for player in (one, two):
                points[player] += 1 if drawn else 3 * (player == winner)
        if made.bye:
            points[made.bye] += 3
            byes[made.bye] += 1
    return [Player(one, points[one], frozenset(met[one]), byes[one]) for one in points]


def test_a_first_round_of_five_hundred_is_proven_by_its_bound() -> None:
    made = swiss.pair([Player(f"{number:03}") for number in range(500)], seed=3)
    assert (made.method, made.proven, made.value) == ("sampled", True, Value(0, 0, 0, 0))


def test_order_inside_a_group_is_random_by_the_seed() -> None:
    players = [Player(f"{number:02}") for number in range(32)]
    assert len({swiss.pair(players, seed=seed).pairs for seed in range(20)}) == 20


def test_forbidden_pairs_count_as_met() -> None:
    players = [Player("a", 3, frozenset("b")), Player("b", 3), Player("c"), Player("d")]
    made = swiss.pair(players, seed=1)
    assert made.value == Value(0, 0, 0, 2)
    assert set(made.reasons.values()) == {"no_unmet_partner"}


def test_odd_groups_name_why_somebody_is_paired_down() -> None:
    players = [Player("a", 3), Player("b", 3), Player("c", 3), Player("d", 0)]
    made = swiss.pair(players, seed=1)
    assert made.value.cost == made.lower_bound == 1
    assert list(made.reasons.values()) == ["odd_group"]


def test_a_player_named_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="twice"):
        swiss.pair([Player("a"), Player("a")], seed=1)


def test_a_field_of_one_is_an_error() -> None:
    with pytest.raises(ValueError, match="two players"):
        swiss.pair([Player("a")], seed=1)


# Acceptance lines: failures users of other tools reported (tournament notes, section 10)


def test_line_3_two_who_met_in_round_1_do_not_meet_while_a_free_round_exists() -> None:
    players = simulated(12, 4, seed=5)
    assert swiss.pair(players, seed=5).value.rematches == best_value(players).rematches == 0


@pytest.mark.parametrize("size", [6, 7, 8])
def test_line_15_small_fields_rematch_only_when_forced_and_pair_close_scores(size: int) -> None:
    for seed in range(SIZES.examples_slow):
        players = simulated(size, 3, seed=seed)
        assert swiss.pair(players, seed=seed).value == best_value(players)


def test_line_17_nobody_gets_a_second_bye_before_all_have_had_one() -> None:
    players = simulated(7, 7, seed=2)
    assert [one.byes for one in players] == [1] * 7


def test_line_17_the_leader_gets_no_bye_while_another_can() -> None:
    players = [Player("a", 9), *(Player(one, 3) for one in "bcde")]
    assert all(swiss.pair(players, seed=seed).bye != "a" for seed in range(20))


@pytest.mark.parametrize(("size", "rounds"), [(8, 7), (6, 6)])
def test_line_18_every_round_is_played_with_the_fewest_rematches(size: int, rounds: int) -> None:
    for played in range(rounds):
        players = simulated(size, played, seed=11)
        made = swiss.pair(players, seed=11)
        assert len(made.pairs) == size // 2
        assert made.value.rematches == best_value(players).rematches


def test_line_23_four_players_after_two_rounds() -> None:
    met = {"a": "bc", "b": "ad", "c": "da", "d": "cb"}
    points = {"a": 6, "b": 3, "c": 3, "d": 0}
    players = [Player(one, points[one], frozenset(met[one])) for one in "abcd"]
    made = swiss.pair(players, seed=4)
    assert {frozenset(pair) for pair in made.pairs} == {frozenset("ad"), frozenset("bc")}


def test_line_23_a_bye_scores_as_a_win() -> None:
    rows = standings("ab", [], [Bye(1, "a")])
    assert [(row.entrant_id, row.points) for row in rows] == [("a", 3), ("b", 0)]


@pytest.mark.parametrize("size", [5, 17, 63, 129, 513, 2049])
def test_line_25_the_same_algorithm_at_every_field_size(size: int) -> None:
    made = swiss.pair(simulated(size, 3, seed=size), seed=1)
    assert made.proven
    assert made.value.rematches == 0


def test_line_25_seventeen_players_the_bye_goes_to_the_lowest_group() -> None:
    players = [Player(f"{number:02}", 3) for number in range(4 * 3)]
    players += [Player("12", 1), Player("13", 1), *(Player(f"{n}", 0) for n in range(14, 17))]
    for seed in range(20):
        assert swiss.pair(players, seed=seed).bye in {"14", "15", "16"}


def test_line_2_players_who_had_byes_meet_no_more_often_than_chance() -> None:
    events, together = 400, 0
    for seed in range(events):
        players = [Player(f"{number}", 3, byes=int(number < 2)) for number in range(8)]
        pairs = {frozenset(pair) for pair in swiss.pair(players, seed=seed).pairs}
        together += frozenset({"0", "1"}) in pairs
    # Chance is 1 in 7; four standard deviations on either side.
    assert abs(together - events / 7) < 4 * (events * (1 / 7) * (6 / 7)) ** 0.5
