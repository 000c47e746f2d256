"""Where a log is jumped to, and the marks of its lines."""

from __future__ import annotations

from typing import Any

from duels.domain.ledger import Ledger, ledger
from duels.pages.jumps import jumps, marks
from duels.selectors import LogLine

DRAWN, POINTS = "duels.cards_drawn", "duels.lp_changed"


def line(seq: int, code: str, *, struck: bool = False, **params: Any) -> LogLine:
    return LogLine(seq, code, params, 1, "main1", "", struck, "player", "full", "")


LINES = [
    line(1, "duels.duel_opened"),
    line(2, DRAWN),
    line(3, POINTS),
    line(4, DRAWN, struck=True),
    line(5, POINTS, struck=True),
    line(6, "duels.rewound"),
    line(7, DRAWN),
    line(8, "duels.line_disputed", line=3),
]
EMPTY: Ledger = ledger([], None, 8000)


def test_the_nearest_line_of_each_kind_struck_ones_left_out() -> None:
    found = {one.kind: (one.before, one.after) for one in jumps(LINES, EMPTY, 3, {6})}
    assert found == {
        "draw": (2, 7),
        "points": (None, None),
        "mismatch": (None, 6),
        "disputed": (None, None),
    }
    assert [one.kind for one in jumps(LINES[:2], EMPTY, 1, ())] == ["draw"]


def test_marks_stand_on_the_axis_and_struck_lines_are_a_run() -> None:
    drawn = marks(LINES)
    assert drawn.paths["draw"] == "M142.9 15V22M857.1 15V22"
    assert drawn.struck == ((428.6, 142.8),)
    assert set(drawn.paths) == {"draw", "points", "beside"}
    assert marks(LINES[:1]).paths == {}
