"""Presets as data: read, every fault with its path, written and read again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.domain.findings import Unreadable
from decks.domain.preset_data import (
    parse_preset,
    preset_data,
    preset_hash,
    read_preset,
    write_preset,
)
from decks.domain.presets import PRESETS
from decks.domain.read import read_deck
from decks.domain.validate import check, validate
from tests.decks.cardbox import CATALOGUE, FUSION, LANCER, SYNCHRO, deck, filler

TEXT = """
id = "pond"
title = "Pond singles"
[main]
least = 40
most = 60
[extra]
most = 2
kinds = ["fusion"]
[side]
sizes = [15, 0]
extra_cards = false
[copies]
most = 2
[cards]
monsters = ["normal", "effect", "fusion"]
[limits.cards]
1000 = 1
"Élan, the 3rd" = 0
[points]
budget = 10
decks = ["main"]
[points.cards]
"Twin Name" = 4
8000 = 11
"""


def _wrong(data: dict[str, Any]) -> list[tuple[str, str]]:
    return [(str(one.params["path"]), one.code) for one in read_preset(data).findings]


def _data(**changes: Any) -> dict[str, Any]:
    return {"id": "pond", "title": "Pond", "main": {"least": 40}, **changes}


def test_a_preset_says_what_a_list_breaks_by_its_path() -> None:
    read = parse_preset(TEXT.encode(), 3)
    preset = read.preset
    assert read.findings == ()
    assert preset is not None
    assert preset.id == "pond@3"
    held = deck(
        (*filler(36), LANCER, LANCER, "8300", "8000"),
        (SYNCHRO, FUSION, FUSION),
        (FUSION, *filler(4, 40)),
    )
    report = validate(held, CATALOGUE, preset.own_list, preset)
    assert {one.code: one.rule for one in report.errors} == {
        "kind_not_in_format": "pond@3/cards.monsters",
        "extra_card_in_side": "pond@3/side.extra_cards",
        "extra_too_large": "pond@3/extra.most",
        "side_size": "pond@3/side",
        "forbidden": "pond@3/limits",
        "limited": "pond@3/limits",
        "too_many_copies": "pond@3/copies.most",
        "points_over_budget": "pond@3/points.budget",
    }


def test_defaults_are_generous() -> None:
    preset = read_preset(_data()).preset
    assert preset is not None
    assert (preset.main_max, preset.extra_max, preset.side_max, preset.copies) == (
        None,
        None,
        15,
        3,
    )
    assert preset.own_list is None
    assert validate(deck(filler(40)), CATALOGUE, None, preset).legal


def test_a_whitelist_by_name_lets_nothing_else_in() -> None:
    limits = {"whitelist": True, "cards": {"Heron": 3}}
    preset = read_preset(_data(main={"least": 1}, limits=limits), 1).preset
    assert preset is not None
    for text, legal in (("3 Heron", True), ("1 Heron LV3", False)):
        _, report = check(read_deck(text, CATALOGUE), CATALOGUE, preset.own_list, preset)
        assert report.legal is legal


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ({}, [("id", "preset_key_missing"), ("title", "preset_key_missing"),
              ("main.least", "preset_key_missing")]),
        (_data(id="Pond"), [("id", "preset_value_unknown")]),
        (_data(id="classic"), [("id", "preset_value_unknown")]),
        (_data(id="a" * 25), [("id", "preset_value_unknown")]),
        (_data(title=" "), [("title", "preset_out_of_range")]),
        (_data(title="a\x00b"), [("title", "preset_value_unknown")]),
        (_data(title="a" * 81), [("title", "preset_out_of_range")]),
        (_data(game="chess"), [("game", "preset_value_unknown")]),
        (_data(sides={}), [("sides", "preset_key_unknown")]),
        (_data(main=40), [("main", "preset_wrong_type"), ("main.least", "preset_key_missing")]),
        (_data(main={"least": "40"}), [("main.least", "preset_wrong_type")]),
        (_data(main={"least": True}), [("main.least", "preset_wrong_type")]),
        (_data(main={"least": -1}), [("main.least", "preset_out_of_range")]),
        (_data(main={"least": 60, "most": 40}), [("main.most", "preset_contradiction")]),
        (_data(extra={"kinds": ["link", "lonk"]}), [("extra.kinds[1]", "preset_value_unknown")]),
        (_data(side={"sizes": [0, 999]}), [("side.sizes[1]", "preset_out_of_range")]),
        (_data(side={"sizes": []}), [("side.sizes", "preset_wrong_type")]),
        (_data(side={"sizes": [0], "most": 3}), [("side.most", "preset_contradiction")]),
        (_data(copies={"most": 100}), [("copies.most", "preset_out_of_range")]),
        (_data(copies={"treated_as": 1}), [("copies.treated_as", "preset_wrong_type")]),
        (_data(cards={"kinds": ["creature"]}), [("cards.kinds[0]", "preset_value_unknown")]),
        (_data(limits={"cards": {"5": 4}}), [("limits.cards.5", "preset_out_of_range")]),
        (_data(limits={"cards": {"0": 1}}), [("limits.cards.0", "preset_value_unknown")]),
        (_data(limits={"cards": {"a\x07": 1}}), [("limits.cards.a\ufffd", "preset_value_unknown")]),
        (_data(limits={"whitelist": True}), [("limits.cards", "preset_contradiction")]),
        (_data(points={}), [("points.budget", "preset_key_missing")]),
        (_data(points={"budget": 1, "decks": []}), [("points.decks", "preset_out_of_range")]),
        (_data(points={"budget": 10**9}), [("points.budget", "preset_out_of_range")]),
    ],
)  # fmt: skip
def test_every_fault_names_its_path(data: dict[str, Any], wrong: list[tuple[str, str]]) -> None:
    assert _wrong(data) == wrong
    assert read_preset(data).preset is None


@pytest.mark.parametrize("content", [b"=", b"\xff\xfe", b"{", b"[" * 5_000, b"a." * 900 + b"=1"])
def test_what_is_no_data_at_all_is_said_so(content: bytes) -> None:
    with pytest.raises(Unreadable, match="bad_preset"):
        parse_preset(content)


def test_too_much_is_refused_before_it_is_read() -> None:
    with pytest.raises(Unreadable, match="too_large"):
        parse_preset(b" " * (257 << 10))


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_of_the_house_can_be_written_as_data(name: str) -> None:
    held = PRESETS[name]
    again = read_preset({**preset_data(held), "id": f"my-{name}"}).preset
    assert again is not None
    assert {**preset_data(again), "id": name, "title": ""} == {**preset_data(held), "title": ""}


COUNT = st.integers(0, 200)
CARD = st.one_of(
    st.integers(1, 2**32 - 1).map(str), st.text("aé '\"\\#=9", min_size=1, max_size=9)
).filter(lambda name: name == " ".join(name.split()) and name.strip("0") != "")
DATA = st.fixed_dictionaries(
    {
        "id": st.from_regex(r"[a-z]{1,24}", fullmatch=True).filter(lambda one: one not in PRESETS),
        "title": st.text("aéß\"\\'🃏", min_size=1, max_size=80),
        "main": st.fixed_dictionaries({"least": st.just(0)}, optional={"most": COUNT}),
    },
    optional={
        "extra": st.fixed_dictionaries({}, optional={"most": COUNT}),
        "side": st.one_of(
            st.fixed_dictionaries({"most": COUNT}),
            st.fixed_dictionaries({"sizes": st.lists(COUNT, min_size=1, max_size=4)}),
        ),
        "limits": st.fixed_dictionaries({"cards": st.dictionaries(CARD, st.integers(0, 3))}),
        "points": st.fixed_dictionaries({"budget": COUNT, "cards": st.dictionaries(CARD, COUNT)}),
    },
)


@given(DATA)
def test_write_and_read_is_the_identity(data: dict[str, Any]) -> None:
    first = read_preset(data, 7)
    assert first.preset is not None, first.findings
    again = parse_preset(write_preset(first.preset).encode(), 7).preset
    assert again is not None
    assert preset_data(again) == preset_data(first.preset)
    assert preset_hash(again) == preset_hash(first.preset)
