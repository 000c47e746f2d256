"""Card facts out of JSON of the field, with names in other languages."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from cards import selectors
from cards.domain.catalogue import Catalogue
from cards.domain.facts import LocalName
from cards.domain.findings import Unreadable
from cards.domain.json_values import spoken_name
from cards.domain.load import read_cards
from cards.models import CardName
from cards.services import CATALOGUE_STREAM, catalogue_import
from decks.domain.read import read_deck
from eventstore import store
from eventstore.commands import Context
from people.domain.actor import ANONYMOUS, SYSTEM

LANCER = {
    "konami_id": 4001,
    "password": 1000,
    "name": {
        "en": "Bronze Lancer",
        "de": "Bronzelanzenträger",
        "ja": "<ruby>青<rt>ブ</rt></ruby>の<ruby>槍<rt>やり</rt></ruby>",
        "zh": "x",
    },
    "card_type": "Monster",
    "monster_type_line": "Warrior / Normal",
    "attribute": "EARTH",
    "level": 4,
    "atk": 1800,
    "def": "?",
}
RITE = {
    "konami_id": 4002,
    "password": None,
    "name": {"en": "Moon Rite", "fr": "Rite de la Lune"},
    "card_type": "Spell",
    "property": "Quick-Play",
}
LINK = {
    "konami_id": 4003,
    "password": 3000,
    "name": {"en": "Star Link"},
    "card_type": "Monster",
    "monster_type_line": "Cyberse / Link / Effect",
    "attribute": "LIGHT",
    "link_arrows": ["↑", "↓"],
    "atk": 2000,
}


def lines(*records: Any) -> bytes:
    return b"\n".join(json.dumps(one).encode() for one in records) + b"\n"


def context() -> Context:
    return Context(actor=SYSTEM, source="import")


@pytest.mark.parametrize(
    "data",
    [
        lines(LANCER, RITE, LINK),
        json.dumps([LANCER, RITE, LINK]).encode(),
        gzip.compress(lines(LANCER, RITE, LINK)),
        b"\xef\xbb\xbf" + lines(LANCER, RITE, LINK),
    ],
)
def test_records_a_line_or_in_a_list(data: bytes) -> None:
    read = read_cards(data)
    assert read.findings == ()
    lancer, rite, link = read.cards
    assert (lancer.key, lancer.subkind, lancer.race, lancer.attribute) == (
        "1000",
        "normal",
        "warrior",
        "earth",
    )
    assert (lancer.atk, lancer.defence, lancer.has_stats) == (1800, None, True)
    assert (rite.key, rite.kind, rite.subkind) == ("kdb4002", "spell", "quick_play")
    assert (link.link, link.is_extra) == (2, True)
    assert read.names == (
        LocalName("1000", "de", "Bronzelanzenträger"),
        LocalName("1000", "ja", "青の槍"),
        LocalName("kdb4002", "fr", "Rite de la Lune"),
    )


def test_bad_records_are_said_and_the_rest_is_read() -> None:
    data = b"\n".join(
        [
            lines(LANCER).strip(),
            b"{not json",
            lines({**LANCER, "name": "plain"}).strip(),
            lines({**LANCER, "password": -5}).strip(),
            lines({**LANCER, "card_type": "Vehicle"}).strip(),
            lines({**LANCER, "atk": 1.5}).strip(),
            lines({**LINK, "link_arrows": list("123456789")}).strip(),
            lines(LANCER).strip(),
            b"17",
        ]
    )
    read = read_cards(data)
    assert [one.key for one in read.cards] == ["1000"]
    assert [(one.code, one.line, one.params.get("field")) for one in read.findings] == [
        ("bad_row", 2, "json"),
        ("bad_row", 3, "name"),
        ("bad_row", 4, "password"),
        ("bad_row", 5, "card_type"),
        ("bad_row", 6, "atk"),
        ("bad_row", 7, "link_arrows"),
        ("repeated_key", 8, None),
        ("bad_row", 9, "record"),
    ]


DECK = {
    "data": [
        {
            "id": 1000,
            "name": "Bronze Lancer",
            "type": "Normal Monster",
            "frameType": "normal",
            "race": "Warrior",
            "attribute": "EARTH",
            "atk": 1800,
            "def": 1000,
            "level": 4,
            "card_images": [{"id": 1000}, {"id": 77000}],
            "misc_info": [{"konami_id": 4001}],
        },
        {
            "id": 2000,
            "name": "Twin Drake",
            "type": "XYZ Monster",
            "frameType": "xyz",
            "race": "Dragon",
            "attribute": "FIRE",
            "atk": -1,
            "def": 0,
            "level": 4,
        },
        {
            "id": 2500,
            "name": "Pendulum Drake",
            "type": "Pendulum Effect Fusion Monster",
            "frameType": "fusion_pendulum",
            "race": "Dragon",
            "attribute": "FIRE",
            "atk": 10,
            "def": 20,
            "level": 8,
            "scale": 4,
        },
        {
            "id": 3000,
            "name": "Moon Rite",
            "type": "Spell Card",
            "frameType": "spell",
            "race": "Ritual",
        },
        {"id": 4000, "name": "Sheep Token", "type": "Token", "frameType": "token", "race": "Beast"},
        {"id": 0, "name": "No number", "type": "Trap Card", "frameType": "trap"},
        {"id": 5000, "name": "What", "type": "Hat", "frameType": "hat"},
        "junk",
    ]
}


def test_the_list_of_ygoprodeck() -> None:
    read = read_cards(json.dumps(DECK).encode())
    cards = {one.key: one for one in read.cards}
    assert sorted(cards) == ["1000", "2000", "2500", "3000", "4000", "77000"]
    assert (cards["77000"].alias, cards["77000"].name) == (1000, "Bronze Lancer")
    assert (cards["2000"].rank, cards["2000"].level, cards["2000"].atk) == (4, None, None)
    assert (cards["2500"].subkind, cards["2500"].scale, cards["2500"].is_extra) == (
        "fusion",
        4,
        True,
    )
    assert (cards["3000"].kind, cards["3000"].subkind) == ("spell", "ritual")
    assert cards["4000"].is_token
    assert [(one.code, one.line, one.params["field"]) for one in read.findings] == [
        ("bad_row", 6, "id"),
        ("bad_row", 7, "type"),
        ("bad_row", 8, "record"),
    ]
    assert Catalogue(read.cards).identity("77000") == "1000"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"data":[', "bad_json"),
        (b'{"data":[1,2', "bad_json"),
        (b'{"data":[]}', "no_cards"),
        (b'[{"konami_id": 1', "bad_json"),
        (b'{"konami_id": 1}', "no_cards"),
        (b'[{"konami_id":' + b"[" * 100_000, "bad_json"),
        (gzip.compress(b'{"data":[]}' + b" " * (140 << 20)), "too_large"),
    ],
)
def test_damaged_sources_have_a_code(data: bytes, code: str) -> None:
    with pytest.raises(Unreadable) as fault:
        read_cards(data)
    assert fault.value.finding.code == code


def test_names_without_their_readings() -> None:
    assert spoken_name("<ruby>青<rt>ブルー</rt></ruby>眼") == "青眼"
    assert spoken_name("<rb>青</rb><rp>(</rp>") == "青("
    assert spoken_name(None) == spoken_name(["x"]) == spoken_name("x" * 300) == ""


@pytest.mark.django_db
def test_names_in_other_languages_answer_after_an_import() -> None:
    first = catalogue_import(context(), source="a.json", content=lines(LANCER, RITE))
    assert (first.added, first.names_changed) == (2, 3)
    held = selectors.catalogue(ANONYMOUS)
    assert [one.key for one in held.by_name("bronzelanzentrager")] == ["1000"]
    assert [one.key for one in held.search("rite de la")] == ["kdb4002"]
    assert held.name_in("1000", "de") == "Bronzelanzenträger"
    assert held.name_in("1000", "it") == "Bronze Lancer"
    assert held.name_in("9999999", "de") is None
    deck = read_deck("3 Bronzelanzenträger\n2x 青の槍", held).deck
    assert deck.main == ("1000",) * 5
    again = catalogue_import(context(), source="a.json", content=lines(LANCER, RITE))
    assert (again.unchanged, again.names_changed) == (2, 0)
    assert len(store.read_stream(CATALOGUE_STREAM)) == 1
    renamed = {**LANCER, "name": {**LANCER["name"], "de": "Bronzener Lanzenträger"}}  # type: ignore[dict-item]
    third = catalogue_import(context(), source="b.json", content=lines(renamed))
    assert (third.changed, third.names_changed) == (0, 1)
    assert third.catalogue_hash == first.catalogue_hash
    assert selectors.catalogue(ANONYMOUS).name_in("1000", "de") == "Bronzener Lanzenträger"
    assert CardName.objects.count() == 3
    dry = catalogue_import(context(), source="c.json", content=lines(LANCER), dry_run=True)
    assert dry.names_changed == 1
    assert selectors.catalogue(ANONYMOUS).name_in("1000", "de") == "Bronzener Lanzenträger"
