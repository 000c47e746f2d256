"""A match: scores, coin and choice, claims, penalties, corrections, exchanges."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.domain.catalogue import EMPTY
from decks.domain.decklist import DeckList
from decks.domain.presets import CLASSIC
from decks.domain.siding import Swap
from eventstore.domain.envelope import fold
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import play, reporting, results, scores, sides
from tournaments.domain.match import Match, evolve
from tournaments.domain.scores import Format


def opened(stage: str = "swiss", rules: str = "ygo-classic", play_on: bool = False) -> Match:
    first = ev.MatchOpened(
        "m", "e", 1, stage, 4, "alice-e", "bob-e", (("alice",), ("bob",)), rules, play_on
    )
    return evolve(Match(), first)


def after(state: Match, decided: list[DomainEvent] | Refusal) -> Match:
    assert not isinstance(decided, Refusal), decided
    return fold(state, evolve, decided)


def refused(decided: object) -> Refusal:
    assert isinstance(decided, Refusal), decided
    return decided


def duel(state: Match, winner: str) -> Match:
    """Play the next duel to its end."""
    if scores.needs_toss(state.form, state.results):
        state = after(state, play.toss_coin(state, winner="P2", seed=None))
    chooser = scores.chooser(state.form, state.results, state.toss)
    assert chooser is not None
    state = after(state, play.choose_starter(state, by=chooser, first="P1"))
    duel_id = f"d{len(state.duels) + 1}"
    state = after(state, play.open_duel(state, duel_id=duel_id))
    return after(state, play.score_duel(state, duel_id=duel_id, winner=winner, rule="YGO-2.2"))


def duels(state: Match, winners: Sequence[str]) -> Match:
    for winner in winners:
        state = duel(state, winner)
    return state


@pytest.mark.parametrize(
    ("winners", "winner", "score"),
    [
        (["P1", "P1"], "P1", (2, 0, 0)),
        (["P1", "P2", "P2"], "P2", (1, 2, 0)),
        (["draw", "P1", "draw"], "P1", (1, 0, 2)),
        (["P1", "P2", "draw"], "draw", (1, 1, 1)),
        (["draw", "draw", "draw"], "draw", (0, 0, 3)),
    ],
)
def test_a_match_is_decided_by_its_duels(
    winners: list[str], winner: str, score: tuple[int, int, int]
) -> None:
    state = duels(opened(), winners)
    assert state.result == results.Result(winner, score, "played", "log")
    assert state.word == "decided"


def test_one_win_and_one_draw_do_not_end_it() -> None:
    assert duels(opened(), ["P1", "draw"]).result is None


def test_nothing_is_played_after_the_result() -> None:
    state = duels(opened(), ["P1", "P1"])
    for decided in (
        play.toss_coin(state, winner="P1", seed=1),
        play.choose_starter(state, by="P2", first="P2"),
        play.open_duel(state, duel_id="d9"),
        play.score_duel(state, duel_id="d2", winner="P2", rule=None),
        play.apply_game_loss(state, seats=("P1",), rule=None, note=None),
        reporting.claim(state, seat="P2", score=[0, 2, 0], reason="played"),
        reporting.enter(state, score=[0, 2, 0], reason="played", winner=None),
    ):
        assert refused(decided).code == "tournaments.match_decided"
        assert refused(decided).params["score"] == [2, 0, 0]


def test_a_stream_without_a_match_takes_nothing() -> None:
    assert refused(play.toss_coin(Match(), winner="P1", seed=1)).code == "tournaments.match_unknown"


class TestCoinAndChoice:
    def test_no_start_without_a_choice(self) -> None:
        no = refused(play.open_duel(opened(), duel_id="d1"))
        assert (no.code, no.params["toss_due"]) == ("tournaments.starter_open", True)

    def test_the_loser_of_the_toss_may_not_choose(self) -> None:
        state = after(opened(), play.toss_coin(opened(), winner="P2", seed=5))
        assert refused(play.choose_starter(state, by="P1", first="P1")).code == "YGO-1.6"

    def test_the_loser_of_a_duel_chooses_without_a_coin(self) -> None:
        state = duel(opened(), "P1")
        assert refused(play.toss_coin(state, winner="P1", seed=1)).code == "YGO-1.7"
        assert refused(play.choose_starter(state, by="P1", first="P1")).code == "YGO-1.7"
        assert after(state, play.choose_starter(state, by="P2", first="P1")).starter == "P1"

    def test_after_a_draw_the_coin_is_tossed_again(self) -> None:
        state = duels(opened(), ["P1", "draw"])
        assert refused(play.choose_starter(state, by="P2", first="P1")).code == "YGO-1.8"
        assert after(state, play.toss_coin(state, winner="P1", seed=1)).toss == "P1"

    def test_one_toss_and_one_choice_per_duel(self) -> None:
        state = after(opened(), play.toss_coin(opened(), winner="P2", seed=5))
        assert refused(play.toss_coin(state, winner="P1", seed=6)).code == "tournaments.coin_tossed"
        state = after(state, play.choose_starter(state, by="P2", first="P2"))
        again = refused(play.choose_starter(state, by="P2", first="P1"))
        assert again.code == "tournaments.starter_chosen"

    def test_words_that_are_no_seat(self) -> None:
        no = refused(play.toss_coin(opened(), winner="P3", seed=None))
        assert (no.code, no.params["allowed"]) == ("tournaments.seat_unknown", ["P1", "P2"])
        state = after(opened(), play.toss_coin(opened(), winner="P2", seed=5))
        assert refused(play.choose_starter(state, by="P2", first="nobody")).code == "YGO-1.6"

    def test_one_duel_at_a_time(self) -> None:
        state = after(opened(), play.toss_coin(opened(), winner="P2", seed=5))
        state = after(state, play.choose_starter(state, by="P2", first="P2"))
        state = after(state, play.open_duel(state, duel_id="d1"))
        assert refused(play.open_duel(state, duel_id="d2")).code == "tournaments.duel_running"
        other = refused(play.score_duel(state, duel_id="d2", winner="P1", rule=None))
        assert (other.code, other.params["allowed"]) == ("tournaments.duel_unknown", "d1")


class TestScores:
    def test_possible_scores_of_the_classic_match(self) -> None:
        assert set(scores.possible(Format())) == {
            (2, 0, 0), (2, 1, 0), (2, 0, 1), (0, 2, 0), (1, 2, 0), (0, 2, 1),
            (1, 0, 2), (0, 1, 2), (1, 1, 1), (0, 0, 3),
        }  # fmt: skip

    @given(st.lists(st.sampled_from(["P1", "P2", "draw"]), max_size=2))
    def test_possible_scores_equal_every_continuation(self, played: list[str]) -> None:
        form = Format()
        final = set()
        for more in itertools.product(["P1", "P2", "draw"], repeat=3):
            for length in range(4):
                line = [*played, *more[:length]]
                ended = scores.outcome(form, line)
                if ended and (not line[:-1] or scores.outcome(form, line[:-1]) is None):
                    final.add(scores.score(line))
        if scores.outcome(form, played) is None:
            assert set(scores.possible(form, played)) == final

    def test_modern_matches_need_two_wins(self) -> None:
        form = Format("ygo-modern")
        assert scores.outcome(form, ["P1", "draw", "draw"]) is None
        assert scores.next_duel(form, ["P1", "P2", "draw"]) == 4
        assert all(2 in one[:2] for one in scores.possible(form))

    def test_a_drawn_cut_match_is_played_on_to_the_next_win(self) -> None:
        state = duels(opened("cut", play_on=True), ["P1", "P2", "draw"])
        assert state.result is None
        state = duels(state, ["draw", "P2"])
        assert state.result == results.Result("P2", (1, 2, 2), "played", "log")

    def test_a_drawn_cut_match_without_playing_on_waits_for_staff(self) -> None:
        state = duels(opened("cut"), ["P1", "P2", "draw"])
        assert state.result is None
        assert refused(play.toss_coin(state, winner="P1", seed=1)).code == "YGO-1.1"
        no = refused(reporting.enter(state, score=[1, 1, 1], reason="played", winner=None))
        assert no.code == "tournaments.cut_needs_winner"


class TestClaims:
    def test_equal_claims_confirm_each_other(self) -> None:
        state = after(
            opened(), reporting.claim(opened(), seat="P1", score=[2, 1, 0], reason="played")
        )
        assert (state.word, state.result) == ("claimed", None)
        state = after(state, reporting.claim(state, seat="P2", score=[2, 1, 0], reason="played"))
        assert state.result == results.Result("P1", (2, 1, 0), "played", "admitted")

    def test_equal_claims_of_a_draw_confirm_each_other(self) -> None:
        state = opened()
        for seat in ("P1", "P2"):
            state = after(
                state, reporting.claim(state, seat=seat, score=[1, 1, 1], reason="played")
            )
        assert state.result == results.Result("draw", (1, 1, 1), "played", "players")

    def test_an_admitted_loss_counts_at_once(self) -> None:
        state = after(
            opened(), reporting.claim(opened(), seat="P2", score=[2, 0, 0], reason="played")
        )
        assert state.result == results.Result("P1", (2, 0, 0), "played", "admitted")

    def test_a_win_only_its_winner_reports_never_counts(self) -> None:
        state = opened()
        for _ in range(3):
            state = after(
                state, reporting.claim(state, seat="P1", score=[2, 0, 0], reason="played")
            )
        assert state.result is None

    def test_differing_claims_wait_side_by_side_for_staff(self) -> None:
        state = after(
            opened(), reporting.claim(opened(), seat="P1", score=[2, 0, 0], reason="played")
        )
        state = after(state, reporting.claim(state, seat="P2", score=[0, 2, 0], reason="played"))
        assert (state.word, state.result) == ("disputed", None)
        assert {seat: claim.score for seat, claim in state.claims.items()} == {
            "P1": (2, 0, 0),
            "P2": (0, 2, 0),
        }
        state = after(state, reporting.enter(state, score=[2, 1, 0], reason="played", winner=None))
        assert state.result == results.Result("P1", (2, 1, 0), "played", "staff")

    def test_a_claim_can_be_changed_until_there_is_a_result(self) -> None:
        state = opened()
        for seat, score in (("P1", [2, 0, 0]), ("P2", [0, 2, 0]), ("P2", [2, 0, 0])):
            state = after(state, reporting.claim(state, seat=seat, score=score, reason="played"))
        assert state.result is not None
        assert state.result.winner == "P1"

    @pytest.mark.parametrize("score", [[3, 0, 0], [1, 0, 0], [2, 2, 0], [0, 0, 0], [1, 1, 0]])
    def test_an_impossible_score_is_refused_with_those_that_are_right(
        self, score: list[int]
    ) -> None:
        no = refused(reporting.claim(opened(), seat="P1", score=score, reason="played"))
        assert no.code == "tournaments.score_impossible"
        assert no.params["found"] == score
        assert [2, 1, 0] in no.params["allowed"]

    def test_scored_duels_bind_a_claim(self) -> None:
        state = duel(opened(), "P2")
        no = refused(reporting.claim(state, seat="P1", score=[2, 0, 0], reason="played"))
        assert no.params["allowed"] == [
            [0, 1, 2], [0, 2, 0], [0, 2, 1], [1, 1, 1], [1, 2, 0], [2, 1, 0],
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "score", [None, [], [2], [2, 0, 0, 0], [-1, 2, 0], [2, 0, "0"], [2.0, 0, 0], [True, 0, 0]]
    )
    def test_what_is_no_score_is_refused(self, score: Any) -> None:
        no = refused(reporting.claim(opened(), seat="P1", score=score, reason="played"))
        assert no.code == "tournaments.score_malformed"

    @pytest.mark.parametrize("reason", ["no_show", "double_loss", "disqualification", "nonsense"])
    def test_players_do_not_report_what_staff_decide(self, reason: str) -> None:
        no = refused(reporting.claim(opened(), seat="P1", score=[2, 0, 0], reason=reason))
        assert (no.code, no.params["allowed"]) == (
            "tournaments.reason_unknown",
            ["played", "time", "concession"],
        )

    def test_time_decides_by_duel_wins(self) -> None:
        state = opened()
        for seat in ("P1", "P2"):
            state = after(state, reporting.claim(state, seat=seat, score=[1, 1, 0], reason="time"))
        assert state.result == results.Result("draw", (1, 1, 0), "time", "players")

    def test_a_player_concedes(self) -> None:
        state = after(
            opened(),
            reporting.claim(opened(), seat="P1", score=None, reason="concession", winner="P2"),
        )
        assert state.result == results.Result("P2", (0, 2, 0), "concession", "admitted")

    def test_a_third_seat_claims_nothing(self) -> None:
        no = refused(reporting.claim(opened(), seat="P3", score=[2, 0, 0], reason="played"))
        assert no.code == "tournaments.seat_unknown"


class TestStaff:
    @pytest.mark.parametrize(
        ("reason", "score", "winner", "result"),
        [
            ("played", [2, 1, 0], None, ("P1", (2, 1, 0))),
            ("time", [1, 0, 0], None, ("P1", (1, 0, 0))),
            ("time", [0, 0, 0], None, ("draw", (0, 0, 0))),
            ("game_loss", [1, 2, 0], "P2", ("P2", (1, 2, 0))),
            ("match_loss", None, "P2", ("P2", (0, 2, 0))),
            ("no_show", None, "P1", ("P1", (2, 0, 0))),
            ("no_show", None, "double_loss", ("double_loss", (0, 0, 0))),
            ("concession", [2, 1, 0], "P1", ("P1", (2, 1, 0))),
            ("double_loss", None, None, ("double_loss", (0, 0, 0))),
            ("disqualification", None, "P1", ("P1", (2, 0, 0))),
        ],
    )
    def test_every_reason(
        self, reason: str, score: list[int] | None, winner: str | None, result: tuple[str, Any]
    ) -> None:
        state = after(
            opened(), reporting.enter(opened(), score=score, reason=reason, winner=winner)
        )
        assert state.result == results.Result(*result, reason, "staff")

    @pytest.mark.parametrize(
        ("reason", "score", "winner", "code"),
        [
            ("played", [2, 1, 0], "P2", "winner_differs"),
            ("no_show", None, None, "winner_missing"),
            ("no_show", None, "P9", "winner_missing"),
            ("concession", None, "double_loss", "winner_missing"),
            ("double_loss", None, "P1", "winner_differs"),
            ("no_show", [0, 2, 0], "P1", "score_impossible"),
            ("weather", [2, 0, 0], None, "reason_unknown"),
        ],
    )
    def test_what_does_not_fit_is_refused(
        self, reason: str, score: list[int] | None, winner: str | None, code: str
    ) -> None:
        no = refused(reporting.enter(opened(), score=score, reason=reason, winner=winner))
        assert no.code == f"tournaments.{code}"
        assert "allowed" in no.params

    def test_a_correction_appends_and_says_what_was(self) -> None:
        state = duels(opened(), ["P1", "P1"])
        made = reporting.correct(state, score=[1, 2, 0], reason="played", winner=None, note=None)
        state = after(state, made)
        assert state.result == results.Result("P2", (1, 2, 0), "played", "staff")
        assert isinstance(made, list)
        assert made[0].was == "P1"  # type: ignore[attr-defined]
        assert (state.corrections, len(state.duels)) == (1, 2)

    def test_a_correction_needs_a_result_and_a_change(self) -> None:
        no = refused(
            reporting.correct(opened(), score=[2, 0, 0], reason="played", winner=None, note=None)
        )
        assert no.code == "tournaments.result_missing"
        state = duels(opened(), ["P1", "P1"])
        same = refused(
            reporting.correct(state, score=[2, 0, 0], reason="played", winner=None, note=None)
        )
        assert same.code == "tournaments.nothing_changed"

    def test_a_cut_match_needs_a_winner(self) -> None:
        state = opened("cut", play_on=True)
        no = refused(reporting.enter(state, score=[1, 1, 0], reason="time", winner=None))
        assert no.code == "tournaments.cut_needs_winner"
        assert [1, 0, 0] in no.params["allowed"]


class TestPenalties:
    def test_a_game_loss_ends_the_running_duel(self) -> None:
        state = after(opened(), play.toss_coin(opened(), winner="P2", seed=5))
        state = after(state, play.choose_starter(state, by="P2", first="P2"))
        state = after(state, play.open_duel(state, duel_id="d1"))
        state = after(state, play.apply_game_loss(state, seats=("P2",), rule="x", note=None))
        assert (state.results, state.running, state.duels[0].duel_id) == (("P1",), None, "d1")
        assert state.duels[0].reason == "game_loss"

    def test_a_second_game_loss_decides_the_match(self) -> None:
        state = duel(opened(), "P1")
        state = after(state, play.apply_game_loss(state, seats=("P2",), rule=None, note=None))
        assert state.result == results.Result("P1", (2, 0, 0), "game_loss", "penalty")

    def test_both_at_one_loss_and_both_get_one_more_is_a_double_loss(self) -> None:
        state = duels(opened(), ["P1", "P2"])
        state = after(state, play.apply_game_loss(state, seats=("P1", "P2"), rule=None, note=None))
        assert state.result is not None
        assert (state.result.winner, state.result.reason) == ("double_loss", "double_loss")

    def test_a_game_loss_for_both_at_the_start_leaves_it_level(self) -> None:
        state = opened()
        state = after(state, play.apply_game_loss(state, seats=("P1", "P2"), rule=None, note=None))
        assert (scores.score(state.results), state.result) == ((1, 1, 0), None)

    def test_a_match_loss(self) -> None:
        state = duel(opened(), "P1")
        made = play.apply_match_loss(
            state, seats=("P1",), reason="match_loss", rule=None, note=None
        )
        assert after(state, made).result == results.Result("P2", (1, 2, 0), "match_loss", "penalty")

    @pytest.mark.parametrize("seats", [(), ("P3",), ("P1", "P1")])
    def test_seats_that_are_none(self, seats: tuple[str, ...]) -> None:
        no = refused(play.apply_game_loss(opened(), seats=seats, rule=None, note=None))
        assert no.code == "tournaments.seat_unknown"


class TestSides:
    registered = DeckList(
        tuple(f"m{number}" for number in range(40)), (), tuple(f"s{n}" for n in range(15))
    )
    swap = Swap(("s0", "s1"), ("m0", "m1"))

    def exchange(self, state: Match, swap: Swap) -> list[DomainEvent] | Refusal:
        return sides.exchange(
            state,
            seat="P1",
            registered=self.registered,
            swap=swap,
            catalogue=EMPTY,
            preset=CLASSIC,
        )

    def test_between_duels_cards_change_places(self) -> None:
        state = duel(opened(), "P1")
        state = after(state, self.exchange(state, self.swap))
        now = sides.current(self.registered, state, "P1", CLASSIC)
        assert now.counts == self.registered.counts
        assert {"s0", "s1"} <= set(now.main)
        assert {"m0", "m1"} <= set(now.side)
        assert sides.current(self.registered, state, "P2", CLASSIC) == self.registered

    def test_a_second_exchange_starts_from_the_first(self) -> None:
        state = duel(opened(), "P1")
        state = after(state, self.exchange(state, self.swap))
        no = refused(self.exchange(state, self.swap))
        assert no.code == "decks.card_not_there"
        back = Swap(self.swap.out_of_main, self.swap.into_main)
        state = after(state, self.exchange(state, back))
        now = sides.current(self.registered, state, "P1", CLASSIC)
        assert (set(now.main), set(now.side)) == (
            set(self.registered.main),
            set(self.registered.side),
        )

    def test_the_next_match_begins_with_the_registered_list(self) -> None:
        assert sides.current(self.registered, opened(), "P1", CLASSIC) == self.registered

    def test_only_between_duels(self) -> None:
        assert refused(self.exchange(opened(), self.swap)).code == "YGO-4.1"
        state = duel(opened(), "P1")
        state = after(state, play.choose_starter(state, by="P2", first="P2"))
        state = after(state, play.open_duel(state, duel_id="d2"))
        assert refused(self.exchange(state, self.swap)).code == "YGO-4.1"
        over = duels(opened(), ["P1", "P1"])
        assert refused(self.exchange(over, self.swap)).code == "tournaments.match_decided"

    def test_one_for_one(self) -> None:
        state = duel(opened(), "P1")
        assert refused(self.exchange(state, Swap(("s0",), ("m0", "m1")))).code == "YGO-4.2"


@given(st.lists(st.sampled_from(["P1", "P2", "draw"]), min_size=1, max_size=3))
def test_the_log_of_duels_and_one_entry_come_to_the_same(winners: list[str]) -> None:
    state = opened()
    for winner in winners:
        if state.result is None:
            state = duel(state, winner)
    if state.result is not None:
        entered = after(
            opened(),
            reporting.enter(opened(), score=list(state.result.score), reason="played", winner=None),
        )
        assert entered.result is not None
        assert entered.result.winner == state.result.winner


class TestSecondGame:
    """Match rules of the other game (DM-10.16, DM-1.4)."""

    BO1, BO3 = Format("dm-bo1", True), Format("dm-bo3", True)

    def test_one_duel_or_two_wins_of_three(self) -> None:
        assert scores.outcome(self.BO1, ["draw"]) is None, "a drawn duel counts for neither"
        ended = scores.outcome(self.BO1, ["draw", "P2"])
        assert ended is not None
        assert (ended.winner, ended.by, ended.score) == ("P2", "DM-10.16", (0, 1, 1))
        refused = scores.next_duel(self.BO1, ["P1"])
        assert isinstance(refused, Refusal)
        assert refused.code == "DM-10.16"
        assert scores.outcome(self.BO3, ["P1", "P2", "draw"]) is None
        assert {max(one[:2]) for one in scores.possible(self.BO3)} == {2}
        assert {one[:2] for one in scores.possible(self.BO1)} == {(1, 0), (0, 1)}

    def test_a_match_is_awarded_with_the_wins_it_needs(self) -> None:
        for form, score in ((self.BO1, (1, 0, 0)), (self.BO3, (2, 0, 0))):
            result = results.judge(
                form, cut=False, played=(), score=None, reason="no_show", winner="P1"
            )
            assert isinstance(result, results.Result)
            assert result.score == score

    def test_the_lot_says_who_starts_before_every_duel(self) -> None:
        state = opened(rules="dm-bo3")
        made = play.toss_coin(state, winner="P1", seed=None)
        assert isinstance(made, list)
        assert [type(one).__name__ for one in made] == ["CoinTossed", "StarterChosen"]
        refused = play.choose_starter(state, by="P2", first="P2")
        assert isinstance(refused, Refusal)
        assert refused.code == "DM-1.4"
