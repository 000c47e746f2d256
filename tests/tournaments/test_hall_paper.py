"""What is printed, and what comes back from paper, without a database: the order of slips, their
boxes and codes, seats, the sheet of the next round, a round as it is typed in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain.refusal import Refusal
from tests.altered import altered
from tournaments.domain.hall import sheets, slips
from tournaments.domain.hall.paper_round import (
    Row,
    Somebody,
    read_cell,
    read_round,
    who_is,
)
from tournaments.domain.scores import Format

PEOPLE = [
    Somebody("a", 1, "Dora Varga"),
    Somebody("b", 2, "Łukasz Nowak"),
    Somebody("c", 3, "Đặng Minh Châu"),
    Somebody("d", 4, "Dora Varga"),
    Somebody("e", 12, "Fay"),
]


def _cut(pages: list[tuple[int | None, ...]], per_page: int) -> list[int | None]:
    """Cut the printed pile at once and lay its parts on each other, the first on top."""
    return [page[place] for place in range(per_page) for page in pages]


@given(st.integers(0, 400), st.sampled_from(slips.PER_PAGE))
def test_a_pile_of_slips_cut_once_lies_in_table_order(tables: int, per_page: int) -> None:
    pages = slips.cut_stack(range(1, tables + 1), per_page)
    pile = _cut(pages, per_page)
    assert [one for one in pile if one is not None] == list(range(1, tables + 1))
    assert len(pages) == -(-tables // per_page), "no page more than is needed"
    blank = [at for at, one in enumerate(pile) if one is None]
    assert blank == list(range(len(pile) - len(blank), len(pile))), "blanks lie at the bottom"


def test_ten_slips_four_a_page_lie_as_they_are_to_be_cut() -> None:
    assert slips.cut_stack(range(1, 11), 4) == [
        (1, 4, 7, 10),
        (2, 5, 8, None),
        (3, 6, 9, None),
    ]
    with pytest.raises(ValueError, match="at least one"):
        slips.cut_stack([1], 0)


@pytest.mark.parametrize(
    ("form", "wins", "draws"),
    [
        (Format("ygo-classic"), (0, 1, 2), (0, 1, 2, 3)),
        (Format("ygo-modern"), (0, 1, 2), (0, 1, 2, 3)),
    ],
)
def test_a_slip_has_the_boxes_of_its_match_rules(
    form: Format, wins: tuple[int, ...], draws: tuple[int, ...]
) -> None:
    assert slips.boxes(form) == slips.Boxes(wins, draws)


@given(st.uuids(), st.uuids(), st.integers(1, 99), st.integers(1, 99_999))
def test_the_code_of_a_slip_is_read_in_its_own_event_only(
    event: object, other: object, number: int, table: int
) -> None:
    code = slips.table_code(str(event), number, table)
    assert slips.read_code(str(event), f" {code.lower()} ") == (number, table)
    assert slips.read_code(str(event), code[:-1]) is None
    assert slips.read_code(str(event), altered(code)) is None
    if slips.table_code(str(other), number, table) != code:
        assert slips.read_code(str(other), code) is None


def test_everybody_is_seated_two_to_a_table() -> None:
    seated = [(one.entrant_id, one.table, one.seat) for one in sheets.seat_all("abc", 10)]
    assert seated == [("a", 11, "A"), ("b", 11, "B"), ("c", 12, "A")]


def test_the_sheet_of_the_next_round_says_who_has_met_whom() -> None:
    lines = sheets.next_round(
        {"a": 1, "b": 2, "c": 3}, {"a": 3, "c": 3}, [("a", "b"), ("x", "c")], ["c", "x"]
    )
    assert [(one.entrant_id, one.points, one.met, one.byes) for one in lines] == [
        ("a", 3, (2,), 0),
        ("c", 3, (), 1),  # x has left: nobody to be kept from
        ("b", 0, (1,), 0),
    ]


def test_a_bracket_has_empty_places_up_to_the_winner() -> None:
    columns = sheets.bracket_columns([["a", "b", "c", None], ["a", "c"]])
    assert [len(one) for one in columns] == [4, 2, 1]
    assert columns[0][3] == sheets.Drawn(None, False), "a bye is none to be written in"
    assert columns[2] == [sheets.Drawn(None, True)]
    assert sheets.bracket_columns([]) == []


def test_a_field_of_the_grid_is_the_line_of_its_table() -> None:
    assert read_cell(12, " 2-1 d2 ") == "12 2-1 d2"
    assert read_cell(12, "n1") == "12 n1"
    assert read_cell(12, "  ") is None
    assert read_cell(12, "2-1 drop") == Refusal("tournaments.line_unreadable", {"found": "drop"})
    assert read_cell(12, "7 2-1") == Refusal("tournaments.line_unreadable", {"found": "7"})


def test_a_scanned_code_stands_for_its_table_in_a_line() -> None:
    event, other = "event", "another"
    code = slips.table_code(event, 3, 47)
    assert slips.plain_line(event, 3, f"{code.lower()} 2-1 d2") == "47 2-1 d2"
    assert slips.plain_line(event, 3, "47 2-1") == "47 2-1"
    for line in (f"{slips.table_code(other, 3, 47)} 2-1", f"{slips.table_code(event, 2, 47)} 2-1"):
        assert slips.plain_line(event, 3, line) == line, "refused as no table of this round"


def test_people_are_found_by_number_by_name_and_without_marks() -> None:
    for text, found in (("2", "b"), ("#12", "e"), ("lukasz", "b"), ("dang minh chau", "c")):
        one = who_is(text, PEOPLE)
        assert isinstance(one, Somebody)
        assert one.entrant_id == found
    assert who_is("Dora Varga", PEOPLE) == Refusal(
        "tournaments.paper_several",
        {"found": "Dora Varga", "allowed": ["#1 Dora Varga", "#4 Dora Varga"]},
    )
    assert who_is("99", PEOPLE) == Refusal("tournaments.paper_nobody", {"found": "99"})


def test_a_whole_round_is_read() -> None:
    read = read_round(
        [Row(1, "1", "fay", "2-1"), Row(2, "", "", ""), Row(3, "Chau", "#2", "")], ["4"], PEOPLE
    )
    assert not read.faults
    assert read.pairs == (("a", "e"), ("c", "b"))
    assert read.tables == (1, 3)
    assert read.byes == ("d",)
    assert read.results == {1: "1 2-1"}


def test_each_fault_stands_at_its_field_and_all_are_found_at_once() -> None:
    read = read_round(
        [
            Row(1, "1", "1", ""),
            Row(2, "zz", "2", "2-1"),
            Row(3, "3", "", ""),
            Row(4, "", "", "2-0"),
        ],
        ["Dora"],
        PEOPLE,
    )
    codes = {field: one.code.removeprefix("tournaments.") for field, one in read.faults.items()}
    assert codes == {
        "b1": "paper_twice",
        "a2": "paper_nobody",
        "b3": "paper_half",
        "a4": "paper_half",
        "bye": "paper_several",
    }


def test_whoever_stands_nowhere_is_named() -> None:
    read = read_round([Row(1, "1", "2", "")], [], PEOPLE)
    assert read.faults["all"] == Refusal(
        "tournaments.paper_missing",
        {"found": ["#3 Đặng Minh Châu", "#4 Dora Varga", "#12 Fay"]},
    )
    assert read_round([Row(1, "", "", "")], [], PEOPLE).faults["all"].code.endswith("paper_empty")
