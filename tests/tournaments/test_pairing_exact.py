"""Pairings against exact maximum-weight matching on the complete graph, and what stands beside
the objective: locks, wishes, the order inside a group, explanations, the cost of a hand."""

from __future__ import annotations

import random

import pytest

from tests.sizes import SIZES
from tests.tournaments.fields import Round, optimum, random_round
from tournaments.domain.pairing import relaxed, swiss
from tournaments.domain.pairing.explain import explain
from tournaments.domain.pairing.field import CLUB, STANDING, TWICE_DOWN, Options, Player


def assert_optimal(made: Round, seed: int) -> swiss.Pairing:
    found = made.pair(seed)
    seated = [one for pair in found.pairs for one in pair] + ([found.bye] if found.bye else [])
    assert sorted(seated) == sorted(made.points)
    told = found.value
    counted = made.objective(list(found.pairs), found.bye)
    assert counted == (told.rematches, told.bye_count, told.bye_level, told.cost)
    assert found.proven == (counted == optimum(made))
    assert found.proven
    assert found.lower_bound <= told.cost
    assert all({one, two} in map(set, found.pairs) for one, two in made.locked)
    return found


def test_random_rounds_equal_exact_matching_on_the_complete_graph() -> None:
    rng = random.Random(20_260_704)
    methods = {assert_optimal(random_round(rng), seed).method for seed in range(SIZES.rounds)}
    assert methods >= {"exact", "sampled", "block"}


def test_larger_fields_equal_exact_matching_on_the_complete_graph() -> None:
    rng = random.Random(7)
    for seed in range(SIZES.rounds // 50):
        assert_optimal(random_round(rng, 65, 301), seed)


def test_groups_taken_as_large_too_early_are_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every group of two counts as large here, so that most rounds need their blocks widened.
    monkeypatch.setattr(swiss, "large_from", lambda field: 2)
    rng = random.Random(3)
    methods = [assert_optimal(random_round(rng), seed).method for seed in range(SIZES.rounds // 5)]
    assert methods.count("widened") > len(methods) // 4


def test_the_relaxed_optimum_never_exceeds_the_real_one() -> None:
    rng = random.Random(5)
    for seed in range(SIZES.rounds // 10):
        made = random_round(rng, 20, 60)
        players = [
            Player(one, made.points[one], frozenset(made.met[one]), made.byes[one])
            for one in made.points
        ]
        field = swiss.Field(players, made.forbidden, made.locked)
        members = swiss.members_of(field, Options(), random.Random(seed))
        large = [at for at, group in enumerate(members) if len(group) >= 3]
        blocks = relaxed.Blocks(field, members, Options())
        best = relaxed.solve(field, blocks, large, relaxed.full_units(field))
        assert best is not None
        units = relaxed.full_units(field)
        rematches, count, level, cost = optimum(made)
        locked = sum(made.apart(one, two) for one, two in made.locked)
        real = (rematches - locked) * units.rematch + count * units.bye_count
        real += level * units.bye_level + cost - field.locked_cost()
        assert best.weight <= real


def test_a_thousand_many_groups_and_clubs_stay_within_seconds() -> None:
    # A hang limit, not a speed: bench/pairing.py measures.
    players = [Player(f"{number:04}", number // 2) for number in range(1_000)]
    assert swiss.pair(players, seed=1).proven
    clubs = [{f"{one:03}" for one in range(at, 300, 3)} for at in range(3)]
    players = [
        Player(one, 3 * (int(one) % 7), frozenset(club - {one})) for club in clubs for one in club
    ]
    assert swiss.pair(players, seed=1).value.rematches == 0


def test_locked_pairs_are_kept_and_the_rest_is_optimal_beside_them() -> None:
    players = [
        Player(one, points) for one, points in zip("abcdef", (9, 9, 6, 6, 3, 3), strict=True)
    ]
    made = swiss.pair(players, seed=1, locked=[("a", "f")])
    assert {frozenset(pair) for pair in made.pairs} >= {frozenset("af")}
    # b, c, d, e are left: 9, 6, 6, 3
    assert made.value.cost == 4 + 2
    assert made.reasons["a"] == "locked"


@pytest.mark.parametrize("locked", [[("a", "a")], [("a", "b"), ("b", "c")], [("a", "z")]])
def test_a_lock_that_cannot_be_kept_is_an_error(locked: list[tuple[str, str]]) -> None:
    with pytest.raises(ValueError, match="free players"):
        swiss.pair([Player(one) for one in "abcd"], seed=1, locked=locked)


@pytest.mark.parametrize("size", [12, 200])
def test_clubs_are_kept_apart_where_that_costs_nothing(size: int) -> None:
    third = f"{size // 3:03}"
    players = [
        Player(f"{n:03}", 3 * (n % 2), club="one" if f"{n:03}" < third else "") for n in range(size)
    ]
    met = 0
    for seed in range(10):
        plain = swiss.pair(players, seed=seed)
        met += sum(max(pair) < third for pair in plain.pairs)
        kind = swiss.pair(players, seed=seed, options=Options(soft=frozenset({CLUB})))
        assert (kind.wishes, kind.value) == (0, plain.value)
    assert met


def test_a_wish_never_costs_a_group_or_a_rematch() -> None:
    rng = random.Random(11)
    for seed in range(SIZES.rounds // 5):
        made = random_round(rng, 6, 40)
        wished = [
            Player(
                one,
                made.points[one],
                frozenset(made.met[one]),
                made.byes[one],
                rng.choice(["", "a", "b"]),
                rng.randint(0, 2),
            )
            for one in made.points
        ]
        found = swiss.pair(
            wished,
            seed=seed,
            forbidden=made.forbidden,
            locked=made.locked,
            options=Options(soft=frozenset({CLUB, TWICE_DOWN})),
        )
        value = found.value
        assert (value.rematches, value.bye_count, value.bye_level, value.cost) == optimum(made)


def test_nobody_is_paired_down_twice_while_another_can_go() -> None:
    players = [Player("a", 3, downs=1), Player("b", 3), Player("c", 3, downs=1), Player("d", 0)]
    for seed in range(20):
        made = swiss.pair(players, seed=seed, options=Options(soft=frozenset({TWICE_DOWN})))
        assert set(made.reasons) == {"b"}


def test_order_by_standing_pairs_neighbours() -> None:
    players = [Player(f"{n}", 0, place=n) for n in range(8)]
    made = swiss.pair(players, seed=9, options=Options(order=STANDING))
    assert {frozenset(pair) for pair in made.pairs} == {
        frozenset(f"{n}{n + 1}") for n in (0, 2, 4, 6)
    }


def test_every_player_can_be_told_why() -> None:
    rng = random.Random(2)
    for seed in range(SIZES.examples_slow):
        made = random_round(rng)
        made.locked, made.forbidden = [], []
        found = made.pair(seed)
        players = [
            Player(one, made.points[one], frozenset(made.met[one]), made.byes[one])
            for one in made.points
        ]
        told = [explain(players, found, one) for one in made.points]
        assert sum(why.kind == "down" for why in told) == sum(why.kind == "up" for why in told)
        assert all(why.reason for why in told if why.kind != "same_group")
        assert sum(why.rematch for why in told) == 2 * found.value.rematches
        assert [why.player_id for why in told if why.kind == "bye"] == [found.bye] * bool(found.bye)


def test_the_last_of_an_odd_group_and_one_without_partner_are_told_apart() -> None:
    players = [Player("a", 3), Player("b", 3), Player("c", 3), Player("d", 0)]
    made = swiss.pair(players, seed=1)
    down = next(iter(made.reasons))
    why = explain(players, made, down)
    assert (why.kind, why.reason, why.group, why.unmet) == ("down", "odd_group", 3, 2)
    up = explain(players, made, "d")
    assert (up.kind, up.reason, up.opponent) == ("up", "odd_group", down)
    players = [Player("a", 3, frozenset("b")), Player("b", 3), Player("c"), Player("d")]
    why = explain(players, swiss.pair(players, seed=1), "a")
    assert (why.reason, why.unmet) == ("no_unmet_partner", 0)
    with pytest.raises(KeyError):
        explain(players, made, "z")


def test_the_cost_of_a_pair_made_by_hand() -> None:
    points = {"a": 6, "b": 6, "c": 3, "d": 0, "e": 0}
    players = [
        Player(one, had, frozenset("b" if one == "a" else "")) for one, had in points.items()
    ]
    best = swiss.pair(players, seed=1)
    assert best.bye in {"d", "e"}
    other = "d" if best.bye == "e" else "e"
    same = swiss.assess(players, *swiss.swapped(best.pairs, best.bye, other, best.bye))
    assert same.extra == swiss.Value(0, 0, 0, 0)
    worse = swiss.assess(players, [("a", "b"), ("d", "e")], "c")
    assert worse.rematches == (("a", "b"),)
    assert (worse.extra.rematches, worse.extra.bye_level) == (1, 1)
    with pytest.raises(ValueError, match="one place"):
        swiss.assess(players, [("a", "b")], "c")
