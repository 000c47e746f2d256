"""The pages of the wall screen, and what a message may be, without a database."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain.hall import messages, wall
from tournaments.domain.hall.messages import Meant


@given(st.integers(0, 500), st.sampled_from(wall.LINES))
def test_every_name_stands_on_the_wall_once_and_in_order(number: int, lines: int) -> None:
    made = wall.pages(range(number), lines)
    assert [one for page in made for column in page for one in column] == list(range(number))
    for page in made:
        assert len(page) <= wall.COLUMNS
        assert all(len(column) <= lines for column in page)
        assert len(page[0]) - len(page[-1]) in range(lines)
    assert all(len(page[0]) == lines for page in made[:-1]), "only the last page is short"


def test_a_short_page_stands_in_even_columns() -> None:
    assert wall.pages("abcde", 12) == [["abc", "de"]]
    assert wall.pages("a", 12) == [["a"]]


@given(st.integers(0, 300), st.integers(1, wall.MOST_SCREENS))
def test_screens_side_by_side_show_everybody_once(number: int, of: int) -> None:
    shares = [wall.share(range(number), part, of) for part in range(1, of + 1)]
    assert [one for share in shares for one in share] == list(range(number))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize(("part", "of"), [(0, 1), (2, 1), (1, 0)])
def test_a_screen_that_is_not_there_shows_nothing(part: int, of: int) -> None:
    with pytest.raises(ValueError, match="screen"):
        wall.share("abc", part, of)


def test_the_wall_goes_from_the_pairings_to_the_standings() -> None:
    slides = wall.rotation(range(30), range(10), 8)
    assert [(one.kind, one.number, one.of) for one in slides] == [
        ("pairings", 1, 2),
        ("pairings", 2, 2),
        ("standings", 1, 1),
    ]
    assert wall.rotation([], []) == []


@pytest.mark.parametrize(
    ("text", "meant", "minutes", "code"),
    [
        ("  ", Meant("all"), 5, "message_empty"),
        ("x" * 301, Meant("all"), 5, "message_long"),
        ("Hear", Meant("judges"), 5, "message_audience"),
        ("Hear", Meant("all"), 0, "message_minutes"),
        ("Hear", Meant("all"), 721, "message_minutes"),
        ("Hear", Meant("tables"), 5, "message_tables"),
        ("Hear", Meant("tables", 3, 2), 5, "message_tables"),
        ("Hear", Meant("tables", 20, 30), 5, "message_tables"),
    ],
)
def test_a_message_that_nobody_could_read_is_refused(
    text: str, meant: Meant, minutes: int, code: str
) -> None:
    refused = messages.checked(text, meant, minutes, [1, 2, 3])
    assert refused is not None
    assert refused.code == f"tournaments.{code}"


@pytest.mark.parametrize("meant", [Meant("all"), Meant("staff"), Meant("tables", 2, 9)])
def test_a_message_to_somebody_is_taken(meant: Meant) -> None:
    assert messages.checked("Lunch until 14:00", meant, 60, [1, 2, 3]) is None
