"""The catalogue: identity of arts and names, search."""

from __future__ import annotations

from pathlib import Path

import pytest

from cards.domain.catalogue import Catalogue, fold, merge
from cards.domain.facts import CardFacts
from cards.domain.read_cdb import read_cdb_file
from cards.domain.read_csv import read_csv


def card(
    key: str,
    name: str,
    *,
    konami_id: int | None = None,
    alias: int = 0,
    kind: str = "monster",
    subkind: str = "normal",
) -> CardFacts:
    passcode = int(key) if key.isdigit() else None
    return CardFacts(key, passcode, konami_id, name, kind, subkind, alias=alias)


def test_near_alias_is_art_and_far_alias_is_treated_as() -> None:
    catalogue = Catalogue(
        [
            card("5000", "Harpist"),
            card("5003", "Harpist", alias=5000),
            card("91000", "Harpist 1", alias=5000),
            card("91001", "Harpist 1", alias=91000),
            card("70000", "Harpist", alias=5000),
        ]
    )
    places = {key: catalogue.place(key) for key in catalogue.cards}
    assert {key: place.identity for key, place in places.items() if place} == {
        "5000": "5000",
        "5003": "5000",
        "91000": "91000",
        "91001": "91000",
        "70000": "5000",  # far away, but the same name and kind
    }
    assert {key for key, place in places.items() if place and place.counts_as == "5000"} == {
        "5000",
        "5003",
        "91000",
        "91001",
        "70000",
    }
    assert catalogue.arts("5000") == ("5000", "5003", "70000")


def test_far_arts_fold_by_the_official_number(shared: Path) -> None:
    catalogue = Catalogue(read_csv((shared / "data/cards/cards.csv.gz").read_bytes()).cards)
    assert catalogue.identity("27847700") == "24094653"
    assert catalogue.identity("36996508") == "46986414"
    (ritual, normal) = catalogue.by_name("Black Luster Soldier")
    assert ritual.subkind == "ritual"
    assert normal.subkind == "normal"


def test_what_is_treated_as_another_name_is_told_apart_from_art(shared: Path) -> None:
    catalogue = Catalogue(read_cdb_file(shared / "data/cards/cards-2017.cdb").cards)
    arts = treated = 0
    for one in catalogue.cards.values():
        place = catalogue.place(one.key)
        assert place is not None
        if one.is_token:
            continue
        arts += place.identity != one.key
        treated += place.counts_as != place.identity
    assert treated == 10  # Harpie Lady 1-3, Cyber Harpie Lady, three for Umi, ...
    for key in ("91932350", "80316585"):
        assert catalogue.place(key).counts_as == "76812113"  # type: ignore[union-attr]
    assert catalogue.place("74335036").counts_as == "24094653"  # type: ignore[union-attr]
    assert arts > 60


def test_an_unknown_id_after_a_known_one_is_taken_as_its_art() -> None:
    catalogue = Catalogue([card("100", "A"), card("103", "B")])
    for key, identity in (("101", "100"), ("102", "100"), ("104", "103"), ("105", "103")):
        place = catalogue.place(key)
        assert place is not None
        assert (place.identity, place.assumed) == (identity, True)
    assert catalogue.place("106") is None
    assert catalogue.place("kdb4") is None
    assert catalogue.identity("106") == "106"


def test_two_ids_that_name_each_other_are_one() -> None:
    catalogue = Catalogue([card("10", "A", alias=12), card("12", "A", alias=10)])
    assert {catalogue.identity("10"), catalogue.identity("12")} == {"10"}


def test_tokens_of_one_name_are_one() -> None:
    catalogue = Catalogue(
        [card("900", "Sheep Token", kind="token"), card("905", "Sheep Token", kind="token")]
    )
    assert catalogue.identity("905") == "900"


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Élan d'Or", "elan d or"),
        ("ŁÓDŹ đak Øre", "lodz dak ore"),
        ('Maxx "C"', "maxx c"),
        ("30,000-Year White Turtle", "30 000 year white turtle"),
        ("★", "★"),
    ],
)
def test_names_fold(name: str, folded: str) -> None:
    assert fold(name) == folded


def test_search_puts_the_best_first() -> None:
    names = ["Trap Hole", "Bottomless Trap Hole", "Hole", "Whole Lotta", "Holeshot"]
    catalogue = Catalogue([card(str(100 + 10 * at), name) for at, name in enumerate(names)])
    assert [one.name for one in catalogue.search("hole")] == [
        "Hole",
        "Holeshot",
        "Bottomless Trap Hole",
        "Trap Hole",
        "Whole Lotta",
    ]
    assert [one.name for one in catalogue.search("110")] == ["Bottomless Trap Hole"]
    assert catalogue.search("  ") == ()
    assert catalogue.suggest("Trap Hloe") == ("Trap Hole",)


def test_equal_cards_give_the_same_hash_and_other_facts_another() -> None:
    first = Catalogue([card("1", "A"), card("2", "B")])
    assert first.hash == Catalogue([card("2", "B"), card("1", "A")]).hash
    assert first.hash != Catalogue([card("1", "A"), card("2", "C")]).hash


def test_a_newer_source_keeps_what_it_does_not_say() -> None:
    old = card("1", "A", konami_id=7)
    new = card("1", "A new name", alias=3)
    merged = merge(old, new)
    assert (merged.name, merged.konami_id, merged.alias) == ("A new name", 7, 3)
    assert merge(merged, old).alias == 3
