"""Codes of Omega, tables, and the list that is read aloud: vectors, spellings, read-write-read."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.domain.catalogue import EMPTY
from cards.domain.findings import Unreadable
from decks.domain.csv_list import looks_like_csv, read_csv_list, write_csv_list
from decks.domain.decklist import DeckList, Unresolved
from decks.domain.omega import looks_like_omega, read_omega, write_omega
from decks.domain.plain_text import write_plain
from decks.domain.read import Format, detect_text, read_deck
from decks.domain.text_list import read_text
from decks.domain.ydk import read_ydk
from eventstore.domain.refusal import Refusal
from tests.decks.cardbox import CATALOGUE, FILLERS, FUSION, LANCER, SPELL

VECTOR = "Y2VYvDKcFYbfqwcyXFLOYwQA"
VECTOR_CARDS = ("89631139",) * 3 + ("5318639", "23995346")


def codes(read: object) -> list[str]:
    return [one.code for one in read.findings]  # type: ignore[attr-defined]


def code_of(body: bytes) -> str:
    machine = zlib.compressobj(6, zlib.DEFLATED, -15)
    return base64.b64encode(machine.compress(body) + machine.flush()).decode()


def test_the_vector_of_the_field_is_read() -> None:
    read = read_deck(VECTOR, EMPTY)
    assert (read.format, read.mixed) == ("omega", True)
    assert read.deck == DeckList(VECTOR_CARDS)
    again = write_omega(read.deck)
    assert isinstance(again, str)
    assert zlib.decompress(base64.b64decode(again), -15) == zlib.decompress(
        base64.b64decode(VECTOR), -15
    )


@pytest.mark.parametrize(
    "text",
    [
        VECTOR[:10] + "\n" + VECTOR[10:],
        f"  {VECTOR}\r\n",
        VECTOR.replace("/", "_").replace("+", "-"),
    ],
)
def test_wrapped_and_url_safe_codes(text: str) -> None:
    assert detect_text(text) is Format.OMEGA
    assert read_omega(text).deck == DeckList(VECTOR_CARDS)


def test_a_cover_card_is_said_and_left_out() -> None:
    ids = [int(one) for one in VECTOR_CARDS]
    body = bytes([4, 1]) + b"".join(struct.pack("<I", one) for one in [*ids, 46986414])
    read = read_omega(code_of(body))
    assert read.deck == DeckList(VECTOR_CARDS[:4], (), VECTOR_CARDS[4:])
    assert [(one.code, one.params) for one in read.findings] == [
        ("omega_cover", {"found": 46986414})
    ]


def test_an_id_of_zero_is_an_error() -> None:
    read = read_omega(code_of(bytes([2, 0]) + struct.pack("<II", 0, 7)))
    assert (read.deck.main, codes(read)) == (("7",), ["id_zero"])


@pytest.mark.parametrize(
    "text",
    [
        "Kuriboh",
        "DarkMagician",
        "Raigeki Raigeki",
        "AAAAAAAA",
        code_of(bytes([9, 9]) + b"\x01\x02\x03\x04"),
        code_of(b"\x00\x00\x00\x00\x00\x00"),
        code_of(b"\x01" * 5_000_000),
    ],
)
def test_words_bombs_and_wrong_counts_are_no_codes(text: str) -> None:
    assert not looks_like_omega(text)
    with pytest.raises(Unreadable) as fault:
        read_omega(text)
    assert fault.value.finding.code == "bad_omega"


def test_what_omega_cannot_hold_is_refused() -> None:
    many = write_omega(DeckList(("7",) * 256))
    assert isinstance(many, Refusal)
    assert many.code == "decks.too_many_for_omega"
    nameless = write_omega(DeckList(("x-0123456789ab",)))
    assert isinstance(nameless, Refusal)
    assert nameless.code == "decks.no_passcode"


ids = st.lists(st.integers(1, 2**32 - 1).map(str), max_size=70).map(tuple)


@given(main=ids, side=st.lists(st.integers(1, 2**32 - 1).map(str), max_size=15).map(tuple))
def test_omega_read_write_read(main: tuple[str, ...], side: tuple[str, ...]) -> None:
    deck = DeckList(main, (), side)
    text = write_omega(deck)
    assert isinstance(text, str)
    if main or side:
        assert read_omega(text).deck == deck


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("section,count,id,name\nmain,3,1000,Bronze Lancer\nextra,1,2000,\n", (3, 1, 0)),
        ("Name;Quantity\nBronze Lancer;3\n", (3, 0, 0)),
        ("qty\tcard name\n2\tBronze Lancer\n1\t7 Herons\n", (3, 0, 0)),
        ('Deck,Card Name,Qty\nSide Deck,"Élan, the 3rd",2\n', (0, 0, 2)),
        ("\n\ncardid,cardq\n1000,1\n2000,1\n", (2, 0, 0)),
        ("\ufeffid,name\r\n1000,Bronze Lancer\r\n", (1, 0, 0)),
    ],
)
def test_tables_are_told_by_their_header(text: str, expected: tuple[int, int, int]) -> None:
    read = read_deck(text, CATALOGUE)
    assert (read.format, codes(read)) == ("csv", [])
    assert tuple(read.deck.counts.values()) == expected


@pytest.mark.parametrize(
    "text", ["Élan, the 3rd", "3 Bronze Lancer, Heron", "main, extra", "count,section\n1,main"]
)
def test_names_with_a_comma_are_no_table(text: str) -> None:
    assert not looks_like_csv(text)


def test_bad_rows_are_said_with_their_line() -> None:
    text = (
        "count,id,name,section\n"
        "many,1000,,main\n"
        "1,0,,main\n"
        "1,99999999999,,main\n"
        "1,,No Such Card,main\n"
        "2,abc,,side\n"
        "1,1000,,attic\n"
        "0,1000,,main\n"
        "100,1000,,main\n"
    )
    read = read_csv_list(text, CATALOGUE)
    assert [(one.code, one.line) for one in read.findings] == [
        ("count_out_of_range", 2),
        ("id_zero", 3),
        ("id_out_of_range", 4),
        ("section_unknown", 7),
        ("count_zero", 8),
        ("count_out_of_range", 9),
    ]
    assert read.deck.unresolved == (
        Unresolved("main", 5, "No Such Card"),
        Unresolved("side", 6, "abc"),
    )
    assert read.deck.main == (LANCER,)


def test_a_table_without_header_or_with_open_quotes_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        read_csv_list("1000,3", CATALOGUE)
    with pytest.raises(Unreadable):
        read_csv_list("", CATALOGUE)
    huge = "id,name\n" + '"' + "x" * 200_000
    assert [one.code for one in read_deck(huge, CATALOGUE).findings] == ["bad_csv"]


sections = st.lists(st.sampled_from((*FILLERS, LANCER, FUSION, SPELL)), max_size=40).map(
    lambda keys: tuple(sorted(keys))
)


@given(main=sections, extra=sections, side=sections)
def test_tables_and_plain_texts_read_write_read(
    main: tuple[str, ...], extra: tuple[str, ...], side: tuple[str, ...]
) -> None:
    deck = DeckList(main, extra, side)
    table = write_csv_list(deck, CATALOGUE)
    assert read_csv_list(table, CATALOGUE).deck == deck
    assert write_csv_list(read_csv_list(table, CATALOGUE).deck, CATALOGUE) == table
    plain = write_plain(deck, CATALOGUE)
    read = read_text(plain, CATALOGUE)
    assert codes(read) == []
    assert {name: sorted(keys) for name, keys in read.deck.sections()} == {
        name: sorted(keys) for name, keys in deck.sections()
    }
    assert write_plain(read.deck, CATALOGUE) == plain


def test_a_plain_text_says_how_much_follows() -> None:
    text = write_plain(DeckList((LANCER,) * 3 + (SPELL,), (), (FUSION,)), CATALOGUE)
    assert text == (
        "Main Deck (4)\n\nMonster Cards (3)\n3 Bronze Lancer\n\nSpell Cards (1)\n1 Moon Rite\n\n"
        "Extra Deck (0)\n\nSide Deck (1)\n1 Twin Drake\n"
    )


def test_every_deck_of_the_field_goes_through_every_format(shared: Path) -> None:
    for path in sorted((shared / "data/decks").glob("*.ydk")):
        deck = read_ydk(path.read_text(encoding="utf-8-sig")).deck
        table = read_csv_list(write_csv_list(deck, EMPTY), EMPTY).deck
        for name, keys in deck.sections():
            assert sorted(getattr(table, name)) == sorted(keys), path.name
        if max(len(deck.main) + len(deck.extra), len(deck.side)) <= 255:
            code = write_omega(deck)
            assert isinstance(code, str)
            read = read_deck(code, EMPTY).deck
            assert (read.main, read.side) == ((*deck.main, *deck.extra), deck.side), path.name
