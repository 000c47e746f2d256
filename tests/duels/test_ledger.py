"""Statements and the Life Point ledger."""

from __future__ import annotations

from typing import Any

import pytest

from duels.domain import events as ev
from duels.domain import statements
from duels.domain.ledger import ledger
from duels.rules.yugioh.duel import fold
from duels.rules.yugioh.status import status
from eventstore.domain.refusal import Refusal
from tests.duels.made import opening


def said(player: Any, about: Any, value: int, delta: int | None, seq: int) -> ev.LpDeclared:
    return ev.LpDeclared(player, about, value, delta, seq, None)


def agreed(p1: int, p2: int) -> ev.LpAgreed:
    return ev.LpAgreed({"P1": p1, "P2": p2})


def test_pads_that_say_the_same_count_a_change_once() -> None:
    raw = [said("P1", "P2", 7500, -500, 1), said("P2", "P2", 7500, -500, 1)]
    made = ledger(raw, None)
    assert made.life_points == {"P1": 8000, "P2": 7500}
    assert made.first_divergence is None
    assert [row.seq for row in made.rows] == [1, 2]


def test_the_own_pad_goes_before_the_opponents() -> None:
    raw = [said("P1", "P2", 7500, -500, 1), said("P2", "P2", 7400, -600, 1)]
    made = ledger(raw, None)
    assert made.life_points["P2"] == 7400
    assert made.first_divergence == 2
    assert made.rows[1].pads == {
        "P1": {"P1": None, "P2": 7500},
        "P2": {"P1": None, "P2": 7400},
    }


def test_a_disputed_delta_is_left_out_and_an_anchor_settles() -> None:
    raw = [
        said("P2", "P2", 7400, -600, 1),
        ev.LineDisputed("P1", 1, None),
        said("P2", "P2", 7000, -400, 2),
    ]
    made = ledger(raw, None)
    assert made.life_points["P2"] == 7600
    assert made.rows[0].disputed
    settled = ledger([*raw, agreed(8000, 7500), said("P1", "P2", 7200, -300, 1)], None)
    assert settled.life_points == {"P1": 8000, "P2": 7200}
    assert settled.rows[-2].agreed


def test_a_pad_that_lags_behind_is_no_divergence() -> None:
    raw = [
        said("P1", "P1", 7000, -1000, 1),
        said("P1", "P1", 6500, -500, 2),
        said("P2", "P1", 7000, -1000, 1),
        said("P2", "P1", 6500, -500, 2),
    ]
    assert ledger(raw, None).first_divergence is None
    assert ledger(raw, None).life_points["P1"] == 6500


def test_a_delta_left_out_is_worked_out_from_the_pad() -> None:
    raw = [said("P1", "P1", 7000, None, 1), said("P1", "P1", 6800, None, 2)]
    assert ledger(raw, None).life_points["P1"] == 6800


def test_pads_beside_a_table_are_compared_with_it() -> None:
    derived = [{"P1": 8000, "P2": 7500}, {"P1": 8000, "P2": 7500}, {"P1": 8000, "P2": 7500}]
    raw = [ev.TurnMarked("P1", 1, "P1"), said("P1", "P2", 7500, -500, 1)]
    right = ledger([*raw, said("P2", "P2", 7500, -500, 1)], derived)
    assert right.first_divergence is None
    wrong = ledger([*raw, said("P2", "P2", 6500, -1500, 1)], derived)
    assert wrong.first_divergence == 3
    assert wrong.life_points["P2"] == 7500
    anchor = ledger([*raw, agreed(8000, 7000)], derived)
    assert anchor.first_divergence == 3


def test_statements_never_change_the_table_and_raise_marks() -> None:
    log = opening(1)
    before = fold(log)
    told = [
        said("P1", "P2", 7000, -1000, 1),
        said("P2", "P2", 8000, 0, 1),
        ev.CountDeclared("P2", "P2", "hand", 4),
        ev.LineDisputed("P2", len(log) + 1, None),
        ev.TurnMarked("P1", 9, "P2"),
        agreed(1, 1),
    ]
    after = fold([*log, *told])
    assert after.table == before.table
    assert {flag.code for flag in status(after)} == {
        "LP_MISMATCH",
        "PADS_DIFFER",
        "HAND_COUNT_MISMATCH",
    }


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (None, "duels.statement_malformed"),
        ({"statement": "shout", "player": "P1"}, "duels.statement_malformed"),
        ({"statement": "lp_declared", "player": "P1"}, "duels.statement_malformed"),
        (
            {"statement": "lp_declared", "player": "P1", "about": "P2", "value": -1, "pad_seq": 1},
            "duels.statement_malformed",
        ),
        (
            {"statement": "lp_declared", "player": "P1", "about": "P2", "value": 1, "pad_seq": 7},
            "duels.pad_line_repeated",
        ),
        (
            {
                "statement": "lp_declared",
                "player": "P1",
                "about": "P2",
                "value": 1,
                "pad_seq": 1,
                "client_time": "yesterday",
            },
            "duels.statement_malformed",
        ),
        (
            {"statement": "lp_agreed", "player": "P1", "p1": 1, "p2": 10**9},
            "duels.statement_malformed",
        ),
        (
            {
                "statement": "count_declared",
                "player": "P1",
                "about": "P1",
                "zone": "attic",
                "value": 1,
            },
            "duels.statement_malformed",
        ),
        ({"statement": "line_disputed", "player": "P1", "line": 99}, "duels.no_such_line"),
        (
            {"statement": "turn_marked", "player": "P1", "turn": -3, "active": "P1"},
            "duels.statement_malformed",
        ),
    ],
)
def test_hostile_statements_are_refused(raw: object, code: str) -> None:
    read = statements.read(raw)
    if not isinstance(read, Refusal):
        decided = statements.decide(read, lines=10, pad_lines={("P1", 7)})
        assert isinstance(decided, Refusal)
        read = decided
    assert read.code == code


def test_good_statements_become_events() -> None:
    for raw, kind in (
        (
            {
                "statement": "lp_declared",
                "player": "P1",
                "about": "P2",
                "value": 1,
                "pad_seq": 1,
                "delta": -5,
                "client_time": "2026-01-01T10:00:00Z",
            },
            ev.LpDeclared,
        ),
        ({"statement": "lp_agreed", "player": "P1", "p1": 1, "p2": 2}, ev.LpAgreed),
        (
            {
                "statement": "count_declared",
                "player": "P1",
                "about": "P1",
                "zone": "hand",
                "value": 5,
            },
            ev.CountDeclared,
        ),
        ({"statement": "turn_marked", "player": "P1", "turn": 3, "active": "P1"}, ev.TurnMarked),
        ({"statement": "hand_shuffled", "player": "P2"}, ev.HandShuffled),
        ({"statement": "line_disputed", "player": "P1", "line": 9}, ev.LineDisputed),
    ):
        read = statements.read(raw)
        assert not isinstance(read, Refusal)
        decided = statements.decide(read, lines=10, pad_lines=())
        assert not isinstance(decided, Refusal)
        assert [type(event) for event in decided] == [kind]
