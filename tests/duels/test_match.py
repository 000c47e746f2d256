"""The match of three duels (YGO-1): every sequence of results, and who chooses."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.rules.yugioh import match
from duels.rules.yugioh.match import DRAW, P1, P2
from eventstore.domain.refusal import Refusal


@pytest.mark.parametrize(
    ("results", "winner", "by"),
    [
        ([P1, P1], P1, "YGO-1.2"),
        ([P1, P2, P2], P2, "YGO-1.2"),
        ([DRAW, P1, DRAW], P1, "YGO-1.3"),
        ([P2, DRAW, DRAW], P2, "YGO-1.3"),
        ([P1, P2, DRAW], DRAW, "YGO-1.4"),
        ([DRAW, DRAW, DRAW], DRAW, "YGO-1.4"),
    ],
)
def test_outcome_names_winner_and_rule(results: list[str], winner: str, by: str) -> None:
    ended = match.outcome(results)
    assert ended is not None
    assert (ended.winner, ended.by) == (winner, by)
    assert sum(ended.score) == len(results)


@pytest.mark.parametrize("results", [[], [P1], [P1, DRAW], [DRAW, DRAW], [P1, P2]])
def test_match_goes_on(results: list[str]) -> None:
    assert match.outcome(results) is None
    assert match.next_duel(results) == len(results) + 1


def test_duels_after_the_decision_do_not_count() -> None:
    ended = match.outcome([P1, P1, P2])
    assert ended is not None
    assert ended.score == (2, 0, 0)


def test_unknown_result_word_is_an_error() -> None:
    with pytest.raises(ValueError, match="no result"):
        match.outcome(["P3"])


def test_no_duel_after_two_wins_or_three_duels() -> None:
    assert isinstance(two := match.next_duel([P1, P1]), Refusal)
    assert two.code == "YGO-1.5"
    assert isinstance(three := match.next_duel([DRAW] * 3), Refusal)
    assert three.code == "YGO-1.1"


def test_close_refuses_early_end_and_wrong_winner() -> None:
    assert isinstance(early := match.close([P1, DRAW], P1), Refusal)
    assert early.code == "YGO-1.5"
    assert isinstance(wrong := match.close([P1, P1], P2), Refusal)
    assert wrong.code == "YGO-1.2"
    assert isinstance(drawn := match.close([P1, P2, DRAW], P1), Refusal)
    assert drawn.code == "YGO-1.4"
    assert match.close([P1, P1], P1) == match.MatchResult(P1, "YGO-1.2", (2, 0, 0))


def test_toss_winner_chooses_first_duel() -> None:
    assert match.needs_toss([])
    assert match.chooser([], None) is None
    assert match.choose_first([], P2, P2, P1) == P1
    refused = match.choose_first([], P2, P1, P1)
    assert isinstance(refused, Refusal)
    assert refused.code == "YGO-1.6"


def test_loser_chooses_later_duels_and_a_toss_is_refused() -> None:
    assert match.chooser([P2], P2) == P1
    assert match.choose_first([P2], None, P1, P2) == P2
    refused = match.choose_first([P2], P2, P2, P2)
    assert isinstance(refused, Refusal)
    assert refused.code == "YGO-1.7"
    toss = match.toss([P2], P2)
    assert isinstance(toss, Refusal)
    assert toss.code == "YGO-1.7"


def test_toss_again_after_a_draw() -> None:
    assert match.needs_toss([P2, DRAW])
    refused = match.choose_first([P2, DRAW], None, P1, P1)
    assert isinstance(refused, Refusal)
    assert refused.code == "YGO-1.8"
    assert refused.params["toss_due"] is True
    assert match.choose_first([P2, DRAW], P2, P2, P2) == P2


def test_every_sequence_of_three_ends_the_match() -> None:
    for results in product((P1, P2, DRAW), repeat=3):
        assert match.outcome(results) is not None


@given(st.lists(st.sampled_from([P1, P2, DRAW]), max_size=5))
def test_swapping_the_players_swaps_the_outcome(results: list[str]) -> None:
    swap = {P1: P2, P2: P1, DRAW: DRAW}
    one, two = match.outcome(results), match.outcome([swap[word] for word in results])
    if one is None:
        assert two is None
    else:
        assert two is not None
        assert two.winner == swap[one.winner]
        assert two.by == one.by
