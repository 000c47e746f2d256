"""Names: what is taken, what is refused, and how search folds them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain.refusal import Refusal
from people.domain.names import clean_card_game_id, clean_name, distinct, fold, joined


@pytest.mark.parametrize(
    ("typed", "name"),
    [("Đặng Thị Ánh", "dang thi anh"), ("Łukasz", "lukasz"), ("ŠIMIĆ  Čedo", "simic cedo")],
)
def test_ascii_input_finds_the_marked_name(typed: str, name: str) -> None:
    assert fold(typed) == name


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_decomposed_name_is_kept_composed() -> None:
    assert clean_name(unicodedata.normalize("NFD", "Ánh  Đặng")) == "Ánh Đặng"


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("   ", "people.name_missing"),
        ("x" * 81, "people.name_too_long"),
        ("Al\x07ice", "people.name_signs"),
        ("Al\u202eice", "people.name_signs"),
    ],
)
def test_a_bad_name_is_refused_with_its_code(typed: str, code: str) -> None:
    refused = clean_name(typed)
    assert isinstance(refused, Refusal)
    assert refused.code == code


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("123456789", "0123456789"), (" 0123-456 789 ", "0123456789"), ("", None)],
)
def test_card_game_ids_are_kept_padded(typed: str, kept: str | None) -> None:
    assert clean_card_game_id(typed) == kept


@pytest.mark.parametrize("typed", ["12345678901", "12a", "١٢٣"])
def test_a_bad_card_game_id_is_refused(typed: str) -> None:
    refused = clean_card_game_id(typed)
    assert isinstance(refused, Refusal)
    assert refused.code == "people.card_game_id"


def test_ids_of_one_human_give_one_name() -> None:
    known = {"a": "Alice", "b": "Alice", "c": "Bob"}
    assert joined(["a", "b"], known) == "Alice"
    assert distinct(["a", "c", "b", "x"], known) == ("Alice", "Bob", "–")
    assert joined([], known) == ""
