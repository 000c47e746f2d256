"""One line of a slip: every documented form, and nothing half understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain.refusal import Refusal
from tournaments.domain import scores
from tournaments.domain.results import Result
from tournaments.domain.scores import Format
from tournaments.domain.slip import Slip, read, settle

P1, P2 = scores.P1, scores.P2
CLASSIC, MODERN = scores.MATCH_RULES[:2]
BOTH = (P1, P2)


@pytest.mark.parametrize(
    ("line", "slip"),
    [
        ("47 2-1", Slip(47, (2, 1, 0))),
        ("  47   2 - 1  ", Slip(47, (2, 1, 0))),
        ("47 2:1", Slip(47, (2, 1, 0))),
        ("47 2/1", Slip(47, (2, 1, 0))),
        ("47 2–1", Slip(47, (2, 1, 0))),
        ("４７ ２-１", Slip(47, (2, 1, 0))),
        ("47 1-1-1", Slip(47, (1, 1, 1))),
        ("47 0-0", Slip(47, (0, 0, 0))),
        ("47 1-0 t", Slip(47, (1, 0, 0), reason="time")),
        ("47 1-0 T D1", Slip(47, (1, 0, 0), reason="time", drops=(P1,))),
        ("47 d", Slip(47, drawn=True)),
        ("47 D t", Slip(47, drawn=True, reason="time")),
        ("47 d d2", Slip(47, drawn=True, drops=(P2,))),
        ("47 dl", Slip(47, reason="double_loss", losers=BOTH)),
        ("47 dl d12", Slip(47, reason="double_loss", losers=BOTH, drops=BOTH)),
        ("47 n1", Slip(47, reason="no_show", losers=(P1,))),
        ("47 n2 d2", Slip(47, reason="no_show", losers=(P2,), drops=(P2,))),
        ("47 n12", Slip(47, reason="no_show", losers=BOTH)),
        ("47 c2", Slip(47, reason="concession", losers=(P2,))),
        ("47 2-1 d2", Slip(47, (2, 1, 0), drops=(P2,))),
        ("47 2-1 d1 d2", Slip(47, (2, 1, 0), drops=BOTH)),
        ("47 2-1 d12", Slip(47, (2, 1, 0), drops=BOTH)),
    ],
)
def test_every_form_is_read(line: str, slip: Slip) -> None:
    assert read(line) == slip


@pytest.mark.parametrize(
    "line",
    [
        "", "47", "2-1", "47 2", "47 2-", "x 2-1", "0 2-1", "-4 2-1", "47 2-1-0-0", "47 21",
        "47 2-1 d3", "47 2-1 d1 d1", "47 2-1 d12 d2", "47 2-1 x", "47 c12", "47 n3", "47 dl t",
        "47 c1 t", "47 2-1 t t", "47 2-1 48 2-0", "4 7 2-1", "47 12-1", "47 ²-1 q", "1" * 41,
        "9999999 2-1", "47 2-1 d", "47 d1", "٤٧ 2-1 \x00",
    ],
)  # fmt: skip
def test_anything_else_is_refused_whole(line: str) -> None:
    found = read(line)
    assert isinstance(found, Refusal), found
    assert found.code == "tournaments.line_unreadable"


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(line: str) -> None:
    found = read(line)
    assert isinstance(found, Slip | Refusal)
    if isinstance(found, Slip):
        assert 1 <= found.table <= 999_999


def result(
    line: str,
    rules: str = CLASSIC,
    *,
    cut: bool = False,
    played: tuple[str, ...] = (),
    over: bool | None = True,
) -> Result | Refusal:
    slip = read(line)
    assert isinstance(slip, Slip)
    return settle(slip, Format(rules), cut=cut, played=played, time_over=over)


def test_scores_and_words_become_results() -> None:
    assert result("1 2-1") == Result(P1, (2, 1, 0), "played")
    assert result("1 1-2") == Result(P2, (1, 2, 0), "played")
    assert result("1 1-1-1") == Result("draw", (1, 1, 1), "played")
    assert result("1 n2") == Result(P1, (2, 0, 0), "no_show")
    assert result("1 n12") == Result("double_loss", (0, 0, 0), "no_show")
    assert result("1 c1") == Result(P2, (0, 2, 0), "concession")
    assert result("1 dl") == Result("double_loss", (0, 0, 0), "double_loss")


def test_a_draw_has_the_score_that_the_match_rules_give_it() -> None:
    assert result("1 d") == Result("draw", (1, 1, 1), "played")
    modern = result("1 d", MODERN)
    assert isinstance(modern, Result)
    assert (modern.winner, modern.reason) == ("draw", "time")
    after = result("1 d", CLASSIC, played=("draw", "draw"))
    assert after == Result("draw", (0, 0, 3), "played")
    refused = result("1 d", cut=True)
    assert isinstance(refused, Refusal)
    assert refused.code == "tournaments.cut_needs_winner"


def test_a_score_of_a_match_cut_short_needs_time_to_be_over() -> None:
    assert result("1 1-0") == Result(P1, (1, 0, 0), "time")
    assert result("1 0-0") == Result("draw", (0, 0, 0), "time")
    assert result("1 1-0", over=None) == Result(P1, (1, 0, 0), "time")
    early = result("1 1-0", over=False)
    assert isinstance(early, Refusal)
    assert early.code == "tournaments.time_not_over"
    assert [2, 1, 0] in early.params["allowed"]
    assert result("1 1-0 t", over=False) == Result(P1, (1, 0, 0), "time")


def test_duels_already_scored_bind_the_line() -> None:
    refused = result("1 2-0", played=(P2,))
    assert isinstance(refused, Refusal)
    assert refused.code == "tournaments.score_impossible"
