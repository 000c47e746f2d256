"""Standings by konami-policy: the printed number, the switches, the order."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain.records import Bye, Played, records
from tournaments.domain.standings import Switches, code, explain, final_order, standings
from tournaments.policies import advised

WINNERS = ("P1", "P2", "draw", "double_loss")


def test_the_worked_example_of_the_policy() -> None:
    assert code(18, 726, 677, 2**2 + 7**2) == "18726677053"


def test_four_players_by_hand() -> None:
    played = [
        Played(1, "a", "b", "P1"),
        Played(1, "c", "d", "draw"),
        Played(2, "a", "c", "P1"),
        Played(2, "d", "b", "P1"),
    ]
    rows = {row.entrant_id: row for row in standings("abcd", played)}
    # rates: a 6/6, b 0/6, c 1/6, d 4/6
    assert [(one, rows[one].code) for one in "adcb"] == [
        ("a", "6083833000"),  # b 0, c 1/6: mean 1/12
        ("d", "4083833000"),
        ("c", "1833083004"),  # lost round 2
        ("b", "0833083005"),  # lost rounds 1 and 2
    ]
    assert rows["a"].rank == 1
    assert rows["b"].lost_rounds == (1, 2)


def test_a_bye_is_three_points_and_no_opponent() -> None:
    (row,) = [
        row
        for row in standings("abc", [Played(1, "a", "b", "P1")], [Bye(1, "c")])
        if row.entrant_id == "c"
    ]
    assert (row.points, row.byes, row.wins, row.facing) == (3, 1, 0, ())


def test_a_late_entrant_has_lost_round_one() -> None:
    rows = standings("ab", [Played(2, "a", "b", "P1")], late=["a"])
    late = next(row for row in rows if row.entrant_id == "a")
    assert (late.losses, late.lost_rounds, late.points) == (1, (1,), 3)


def test_a_double_loss_is_a_loss_for_both() -> None:
    rows = standings("ab", [Played(3, "a", "b", "double_loss")])
    assert [(row.points, row.losses, row.lost_squares) for row in rows] == [(0, 1, 9), (0, 1, 9)]
    assert [row.rank for row in rows] == [1, 1]


def test_numbers_beyond_their_digits_sort_by_the_tuple() -> None:
    # a lost rounds 8 to 15: the squares are 1,100; b lost round 1 only.
    played = [Played(number, "a", f"x{number}", "P2") for number in range(8, 16)]
    played.append(Played(1, "b", "y", "P2"))
    order = [row.entrant_id for row in standings("ab", played)]
    assert order == ["a", "b"]
    assert standings("ab", played)[0].code == "00000001100"


def test_a_full_rate_is_printed_as_999_and_kept_as_1000() -> None:
    rows = standings("ab", [Played(1, "a", "b", "P1")])
    loser = rows[1]
    assert (loser.opponents_permille, loser.code) == (1000, "0999000001")


def test_switches_change_what_the_policy_leaves_open() -> None:
    played = [Played(1, "a", "b", "P1"), Played(2, "a", "c", "P1"), Played(2, "b", "d", "draw")]
    byes = [Bye(1, "c")]

    def omw(**values: object) -> int:
        rows = standings("abcd", played, byes, switches=Switches(**values))  # type: ignore[arg-type]
        return next(row for row in rows if row.entrant_id == "a").opponents_permille

    assert omw() == 83  # b 1/6, c 0
    assert omw(floor_permille=330) == 330
    assert omw(byes_count=True) == 333  # c 1/2
    assert omw(draw_sixths=0) == 0
    assert omw(pooled=True) == 111  # 1 of 9


def test_the_disqualified_come_last_whatever_their_points() -> None:
    rows = standings("ab", [Played(1, "a", "b", "P1")], last=["a"])
    assert [(row.entrant_id, row.rank) for row in rows] == [("b", 1), ("a", 2)]


def test_two_equal_players_go_by_their_match_and_more_by_lot() -> None:
    played = [Played(1, "a", "b", "P2"), Played(1, "c", "d", "draw")]
    rows = standings("cd", [Played(1, "c", "d", "draw")])
    assert final_order(rows, played, ["d", "c"]) == ["d", "c"]
    level = standings("ab", [Played(1, "a", "b", "draw")])
    assert final_order(level, played, ["a", "b"]) == ["b", "a"]


@st.composite
def events(draw: st.DrawFn) -> tuple[list[str], list[Played], list[Bye]]:
    ids = [f"e{number}" for number in range(draw(st.integers(2, 9)))]
    played: list[Played] = []
    byes: list[Bye] = []
    for number in range(1, draw(st.integers(1, 5)) + 1):
        order = draw(st.permutations(ids))
        for at in range(0, len(order) - 1, 2):
            played.append(Played(number, order[at], order[at + 1], draw(st.sampled_from(WINNERS))))
        if len(order) % 2:
            byes.append(Bye(number, order[-1]))
    return ids, played, byes


@given(events())
def test_rates_equal_plain_fractions(event: tuple[list[str], list[Played], list[Bye]]) -> None:
    ids, played, byes = event
    made = records(ids, played, byes)

    def rate(one: str) -> Fraction | None:
        mine = made[one]
        matches = len(mine.opponents)
        won = 3 * mine.count("win") + mine.count("draw")
        return Fraction(won, 3 * matches) if matches else None

    def mean(parts: list[Fraction]) -> Fraction:
        return sum(parts, Fraction(0)) / len(parts) if parts else Fraction(0)

    first = {
        one: mean([r for other in made[one].opponents if (r := rate(other)) is not None])
        for one in ids
    }
    for row in standings(ids, played, byes):
        opponents = made[row.entrant_id].opponents
        second = mean([first[other] for other in opponents if made[other].opponents])
        assert row.opponents_permille == int(1000 * first[row.entrant_id])
        assert row.opponents_opponents_permille == int(1000 * second)


@given(events())
def test_points_add_up_and_ranks_follow_the_tuple(
    event: tuple[list[str], list[Played], list[Bye]],
) -> None:
    ids, played, byes = event
    rows = standings(ids, played, byes)
    worth = {"P1": 3, "P2": 3, "draw": 2, "double_loss": 0}
    assert sum(row.points for row in rows) == sum(worth[one.winner] for one in played) + 3 * len(
        byes
    )
    keys = [row.key for row in rows]
    assert keys == sorted(keys, reverse=True)
    assert [row.rank for row in rows] == [keys.index(row.key) + 1 for row in rows]


@given(events())
def test_every_number_is_explained(event: tuple[list[str], list[Played], list[Bye]]) -> None:
    ids, played, byes = event
    for row in standings(ids, played, byes):
        told = explain(row)
        facing = told["opponents"]
        assert isinstance(facing, list)
        rates = [Fraction(one["thirds"], 3 * one["matches"]) for one in facing if one["matches"]]
        mean = sum(rates, Fraction(0)) / len(rates) if rates else Fraction(0)
        assert told["opponents_permille"] == int(1000 * mean)
        assert told["lost_squares"] == sum(number**2 for number in row.lost_rounds)


def test_recommended_advised() -> None:
    found = [advised(players) for players in (4, 8, 9, 32, 33, 127, 129, 512, 2049)]
    assert found == [
        (3, 0), (3, 0), (4, 4), (5, 4), (6, 8), (7, 8), (8, 16), (9, 16), (12, 64)
    ]  # fmt: skip
