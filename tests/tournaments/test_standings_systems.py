"""The systems of standings beside each other: real files, hand-made cases, switches, moves."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from eventstore.domain.refusal import Refusal
from tests.tournaments.test_pair_command import command
from tournaments.domain.exchange import kts
from tournaments.domain.records import Bye, Played
from tournaments.domain.standings import (
    SYSTEMS,
    USED,
    Switches,
    chosen,
    explain,
    full_name,
    moves,
    standings,
)

WINNERS = ("P1", "P2", "draw", "double_loss")


def finished(shared: Path) -> Path:
    return shared / "data" / "events" / "kts" / "finished-21p.Tournament"


def test_the_publishers_file_to_the_last_digit(shared: Path) -> None:
    data = finished(shared).read_bytes()
    sheet = kts.read(data)
    code, found, _ = command("standings", str(finished(shared)))
    assert code == 0
    assert len(found) == 21
    given = {kts.padded(one.id): one.given for one in sheet.players}
    for line in found:
        assert line["code"] == given[line["id"]]["Points"]
        assert str(line["tiebreaks"]["playoff_points"]) == given[line["id"]]["PlayoffPoints"]
        assert str(line["rank"]) == given[line["id"]]["Rank"]
        assert str(line["points"]) == given[line["id"]]["Wins"]
    assert [line["rank"] for line in found] == list(range(1, 22))
    # the winner of the event has fewer points than second place
    assert found[0]["code"] < found[1]["code"]


def test_the_publishers_file_after_its_swiss_rounds(shared: Path) -> None:
    code, found, _ = command("standings", str(finished(shared)), "--round", "5")
    assert code == 0
    codes = [int(line["code"]) for line in found]
    assert codes == sorted(codes, reverse=True)
    assert codes[0] == 12_600_542


def test_other_ways_to_average_do_not_give_the_publishers_figures(shared: Path) -> None:
    sheet = kts.read(finished(shared).read_bytes())
    played, byes = sheet.results(5)
    ids = [one.id for one in sheet.players]
    mean = {
        row.entrant_id: row.opponents_permille
        for row in standings(ids, played, byes, switches=Switches(byes_count=True))
    }
    floored = {
        row.entrant_id: row.opponents_permille
        for row in standings(
            ids, played, byes, switches=Switches(byes_count=True, floor_permille=333)
        )
    }
    given = {one.id: int(one.given["Points"]) // 1000 % 1000 for one in sheet.players}
    assert sum(mean[one] != given[one] for one in ids) == 3
    assert sum(floored[one] != given[one] for one in ids) >= 15


@pytest.mark.parametrize("system", ["konami-policy", "owm-gw-ogw@1", "duel-masters", "buchholz"])
def test_any_system_ranks_any_file(shared: Path, system: str) -> None:
    code, found, _ = command("standings", str(finished(shared)), "--system", system)
    assert code == 0
    assert sorted(line["id"] for line in found) == sorted({line["id"] for line in found})
    assert len(found) == 21


def test_the_default_system_is_that_of_the_format(shared: Path) -> None:
    file = shared / "data" / "events" / "wer" / "event3-24p.wer"
    code, found, _ = command("standings", str(file))
    assert code == 0
    assert list(found[0]["tiebreaks"]) == [
        "opponents_permille", "games_permille", "opponents_games_permille"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--system", "elo"], "system_unknown"),
        (["--round", "9"], "round_unknown"),
        (["--round", "-1"], "round_unknown"),
    ],
)
def test_wrong_options_are_refused_by_code(shared: Path, arguments: list[str], code: str) -> None:
    ended, found, _ = command("standings", str(finished(shared)), *arguments)
    assert ended == 1
    assert found["error"]["code"] == f"tournaments.{code}"


def test_a_missing_file_is_refused_by_code() -> None:
    ended, found, _ = command("standings", "/no/such/file")
    assert (ended, found["error"]["code"]) == (1, "tournaments.file_missing")


# match and game percentages


def test_match_and_game_percentages_by_hand() -> None:
    played = [
        Played(1, "a", "b", "P1", (2, 1, 0)),
        Played(1, "c", "d", "draw", (1, 1, 1)),
        Played(2, "a", "c", "P1", (2, 0, 0)),
        Played(2, "b", "d", "P2", (0, 2, 0)),
    ]
    rows = {row.entrant_id: row for row in standings("abcd", played, system="owm-gw-ogw")}
    # b 0 of 6 points: floor 0.33; c 1 of 6: floor 0.33
    assert rows["a"].tiebreak("opponents_permille") == 330
    assert rows["a"].tiebreak("games_permille") == 800  # 4 of 5 games
    # games of b: 1-4-0 = 0.2, floor 0.33; of c: 1-3-1 drawn = 4/15, floor 0.33
    assert rows["a"].tiebreak("opponents_games_permille") == 330
    assert rows["a"].code == "6-3300-8000-3300"
    plain = {row.entrant_id: row for row in standings("abcd", played, system="duel-masters")}
    assert plain["a"].tiebreak("opponents_permille") == int(1000 * Fraction(1, 12))
    assert plain["a"].tiebreak("opponents_games_permille") == int(
        1000 * (Fraction(1, 5) + Fraction(4, 15)) / 2
    )


def test_a_bye_is_two_games_won() -> None:
    row = standings("ab", [], [Bye(1, "a")], system="owm-gw-ogw")[0]
    assert (row.points, row.tiebreak("games_permille")) == (3, 1000)


def test_rates_that_look_equal_are_told_apart_exactly() -> None:
    # the opponents' rates are 1/30 and 1/32, and 1/31 twice: 0.03229 and 0.03226 on average, the
    # same to a hundredth of a percent
    def rate(one: str, won: int, of: int) -> list[Played]:
        return [Played(n + 9, one, f"{one}{n}", "P1" if n < won else "P2") for n in range(of - 1)]

    played: list[Played] = []
    for who, rates in (("a", (30, 32)), ("b", (31, 31))):
        for at, of in enumerate(rates):
            other = f"{who}-{at}"
            played += [Played(at + 1, who, other, "P1"), *rate(other, 1, of)]
    ids = ["a", "b", *(f"{who}-{at}" for who in "ab" for at in range(2))]
    rows = {row.entrant_id: row for row in standings(ids, played, system="duel-masters")}
    assert rows["a"].code.split("-")[1] == rows["b"].code.split("-")[1]
    assert rows["a"].rank < rows["b"].rank


# Buchholz


def test_buchholz_by_hand() -> None:
    played = [
        Played(1, "a", "b", "P1"),
        Played(1, "c", "d", "P1"),
        Played(2, "a", "c", "P1"),
        Played(2, "b", "d", "P1"),
    ]
    rows = {row.entrant_id: row for row in standings("abcd", played, system="buchholz")}
    assert rows["a"].code == "6-6-3-2"  # b 3 + c 3, without one of them 3
    assert rows["d"].code == "0-6-3-0"
    cut = standings("abcd", played, system="buchholz", switches=Switches(cut_lowest=1))
    assert next(row for row in cut if row.entrant_id == "a").code == "6-3-0-2"


# switches


def test_a_cap_for_opponents_who_dropped() -> None:
    played = [Played(1, "a", "b", "P2"), Played(1, "c", "d", "P1")]
    plain = standings("abcd", played, dropped=["b"])
    capped = standings("abcd", played, dropped=["b"], switches=Switches(dropped_cap_permille=750))
    assert [row.opponents_permille for row in plain if row.entrant_id == "a"] == [1000]
    assert [row.opponents_permille for row in capped if row.entrant_id == "a"] == [750]


def test_rounding_to_the_nearest() -> None:
    played = [Played(1, "a", "b", "draw"), Played(2, "b", "c", "P1")]
    # b: 4 of 6
    found = [
        next(row for row in standings("abc", played, switches=one) if row.entrant_id == "a")
        for one in (Switches(), Switches(rounding="nearest"))
    ]
    assert [row.opponents_permille for row in found] == [666, 667]


def test_draws_count_a_half_where_that_is_chosen() -> None:
    played = [Played(1, "a", "b", "draw")]
    row = standings("ab", played, switches=Switches(draw_sixths=3))[0]
    assert row.opponents_permille == 500
    assert explain(row)["opponents"][0]["thirds"] == 1.5  # type: ignore[index]


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_only_the_switches_of_a_system_can_be_set(system: str) -> None:
    assert chosen(system, {}) == SYSTEMS[system]
    for name in ("floor_permille", "pooled", "cut_lowest"):
        value: object = True if name == "pooled" else 1
        found = chosen(system, {name: value})
        assert isinstance(found, Refusal) == (name not in USED[system])


@pytest.mark.parametrize(
    "changes",
    [{"floor_permille": 1001}, {"floor_permille": "3"}, {"draw_sixths": 1}, {"rounding": "up"},
     {"byes_count": 1}, {"luck": True}],
)  # fmt: skip
def test_a_switch_cannot_take_any_value(changes: dict[str, object]) -> None:
    found = chosen("konami-policy@1", changes)
    assert isinstance(found, Refusal)
    assert found.code == "tournaments.switch_invalid"


def test_systems_have_versions() -> None:
    assert full_name("konami-kts") == "konami-kts@1"
    with pytest.raises(KeyError):
        full_name("konami-kts@9")


# every system


def event(seed: int, size: int = 16, rounds: int = 6) -> tuple[list[str], list[Played], list[Bye]]:
    rng = random.Random(seed)
    ids = [f"e{number:02}" for number in range(size)]
    played: list[Played] = []
    byes: list[Bye] = []
    for number in range(1, rounds + 1):
        order = rng.sample(ids, size)
        for at in range(0, size - 1, 2):
            winner = rng.choice(WINNERS)
            score = {"P1": (2, 1, 0), "P2": (0, 2, 0), "draw": (1, 1, 1), "double_loss": (1, 1, 0)}
            played.append(Played(number, order[at], order[at + 1], winner, score[winner]))
        if size % 2:
            byes.append(Bye(number, order[-1], rng.random() < 0.7))
    return ids, played, byes


@pytest.mark.parametrize("system", sorted(SYSTEMS))
@pytest.mark.parametrize("size", [2, 7, 16])
def test_standings_are_the_same_for_ever_and_sorted_by_their_key(system: str, size: int) -> None:
    for seed in range(20):
        ids, played, byes = event(seed, size)
        rows = standings(ids, played, byes, late=ids[:1], system=system)
        assert rows == standings(ids, played, byes, late=ids[:1], system=system)
        assert rows == standings(ids, played[::-1], byes[::-1], late=ids[:1], system=system)
        keys = [row.key for row in rows]
        assert keys == sorted(keys, reverse=True)
        for row in rows:
            told = explain(row)
            assert told["tiebreaks"] == [list(one) for one in row.tiebreaks]
            assert row.points == 3 * (row.wins + row.byes) + row.draws


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_no_match_at_all_breaks_nothing(system: str) -> None:
    rows = standings("ab", [], system=system)
    assert [row.rank for row in rows] == [1, 1]
    assert standings("", [], system=system) == []


def test_fifteen_rounds_and_full_rates_break_no_system() -> None:
    played = [Played(number, "a", f"x{number}", "P2") for number in range(1, 16)]
    for system in SYSTEMS:
        rows = standings(["a", *(f"x{n}" for n in range(1, 16))], played, system=system)
        assert rows[-1].entrant_id == "a"
        assert rows[-1].points == 0


# after a correction


def test_moves_say_which_ranks_moved_and_why() -> None:
    before = [
        Played(1, "a", "b", "P1"),
        Played(1, "c", "d", "P1"),
        Played(2, "a", "c", "P1"),
        Played(2, "b", "d", "P1"),
    ]
    after = [*before[:2], Played(2, "a", "c", "P2"), before[3]]
    found = {
        move.entrant_id: move for move in moves(standings("abcd", before), standings("abcd", after))
    }
    assert (found["a"].before, found["a"].after, found["a"].why) == (1, 2, "own_result")
    assert ("points", 6, 3) in found["a"].changed
    assert (found["c"].before, found["c"].after) == (3, 1) or found["c"].after == 1
    assert moves(standings("abcd", before), standings("abcd", before)) == []


def test_a_move_by_others_results_names_the_figure() -> None:
    base = [Played(1, "a", "x", "P1"), Played(1, "b", "y", "P1")]
    before = [*base, Played(2, "x", "z", "P1"), Played(2, "y", "w", "P2")]
    after = [*base, Played(2, "x", "z", "P2"), Played(2, "y", "w", "P1")]
    found = {
        move.entrant_id: move
        for move in moves(standings("abxyzw", before), standings("abxyzw", after))
    }
    assert found["a"].why == "opponents"
    assert "opponents_permille" in {name for name, _, _ in found["a"].changed}
