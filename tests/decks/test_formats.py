"""Deck files and addresses: the vectors of the field, every spelling, read-write-read."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.domain.catalogue import EMPTY, Catalogue
from cards.domain.findings import Unreadable
from cards.domain.read_csv import read_csv
from decks.domain.decklist import DeckList, Unresolved, deck_hash
from decks.domain.read import Format, detect, read_deck
from decks.domain.text_list import heading, read_text, resolve, write_text
from decks.domain.ydk import read_ydk, write_ydk
from decks.domain.ydke import read_ydke, write_ydke
from eventstore.domain.refusal import Refusal
from tests.decks.cardbox import CATALOGUE, FILLERS, FUSION, LANCER

VECTOR = "ydke://o6lXBaOpVwWjqVcF7ydRAA==!0iNuAQ==!!"
VECTOR_DECK = DeckList(("89631139",) * 3 + ("5318639",), ("23995346",))


def codes(read: object) -> list[str]:
    return [one.code for one in read.findings]  # type: ignore[attr-defined]


def by_hand(data: bytes) -> tuple[int, int, int]:
    """Count a .ydk without the reader: lines that begin with a digit, by the marks above them."""
    counts = {"#main": 0, "#extra": 0, "!side": 0}
    place = "#main"
    for line in data.removeprefix(b"\xef\xbb\xbf").splitlines():
        text = line.strip().decode("ascii", "replace")
        if text.startswith("!"):
            place = "!side"
        elif text == "#extra" and place != "!side":
            place = "#extra"
        elif text[:1].isdigit():
            counts[place] += 1
    return counts["#main"], counts["#extra"], counts["!side"]


def test_every_deck_of_the_field_is_read_whole(shared: Path) -> None:
    paths = sorted((shared / "data/decks").glob("*.ydk"))
    assert len(paths) == 73
    for path in paths:
        data = path.read_bytes()
        assert detect(data) is Format.YDK
        read = read_deck(data, EMPTY)
        assert tuple(read.deck.counts.values()) == by_hand(data), path.name
        assert codes(read) == [], path.name
        assert not any(key.startswith("0") for _, keys in read.deck.sections() for key in keys)
        assert read_ydk(str(write_ydk(read.deck))).deck == read.deck
        assert read_ydke(str(write_ydke(read.deck))).deck == read.deck


def test_the_vector_reads_and_writes() -> None:
    assert read_ydke(VECTOR).deck == VECTOR_DECK
    assert codes(read_ydke(VECTOR)) == []
    assert write_ydke(VECTOR_DECK) == VECTOR
    assert read_ydke("ydke://!!!").deck == DeckList()
    assert write_ydke(DeckList()) == "ydke://!!!"


WRAPPED = base64.urlsafe_b64encode(
    gzip.compress(json.dumps({"y": VECTOR}).encode(), mtime=0)
).decode()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (VECTOR.replace("ydke", "YDKE"), []),
        (VECTOR.removeprefix("ydke://"), []),
        ("?y=" + VECTOR.removeprefix("ydke://"), []),
        (VECTOR.replace("=", ""), ["ydke_padding", "ydke_padding"]),
        (VECTOR.replace("=", "%3D").replace("!", "%21"), []),
        (VECTOR[:-1], ["ydke_end_missing"]),
        (VECTOR + "My deck!", []),
        (f"\n {VECTOR}\r\n", []),
        (VECTOR[:30] + "\n" + VECTOR[30:], []),
        ("ydke://" + WRAPPED, []),
        ("ydke://" + WRAPPED.rstrip("="), []),
    ],
)
def test_every_spelling_of_an_address(text: str, found: list[str]) -> None:
    assert detect(text.encode()) is Format.YDKE
    read = read_deck(text.encode(), EMPTY)
    assert read.deck == VECTOR_DECK
    assert codes(read) == found


def test_the_url_safe_alphabet_is_read() -> None:
    ids = (4294967295, 16777214, 4227858431)
    main = base64.b64encode(b"".join(one.to_bytes(4, "little") for one in ids)).decode()
    assert "/" in main
    text = f"ydke://{main.replace('+', '-').replace('/', '_')}!!!"
    assert read_ydke(text).deck.main == tuple(str(one) for one in ids)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ydke://AAA!!!", "ydke_part_length"),
        ("ydke://AAAAAA==!!!", "id_zero"),
        ("ydke://$$$$!!!", "ydke_bad_base64"),
        ("ydke://A!!!", "ydke_bad_base64"),
        ("ydke://AQAAAA==", "ydke_parts_missing"),
        ("ydke://H4sIAAAA", "bad_compression"),
        (
            "ydke://" + base64.b64encode(gzip.compress(b"[1]", mtime=0)).decode(),
            "ydke_bad_wrapping",
        ),
        ("ydke://" + "AQAAAA==" * 0 + "AQAA" * 4_000 + "!!!", "too_many_cards"),
    ],
)
def test_a_broken_address_says_what_is_wrong(text: str, code: str) -> None:
    read = read_deck(text.encode(), EMPTY)
    assert code in codes(read)
    assert any(one.severity == "error" for one in read.findings)


def test_a_wrapped_bomb_is_stopped() -> None:
    bomb = base64.b64encode(gzip.compress(b'{"y":"' + b"a" * (64 << 20), 9)).decode()
    assert codes(read_deck(f"ydke://{bomb}".encode(), EMPTY)) == ["too_large"]


def test_a_deck_file_is_read_as_the_client_reads_it() -> None:
    text = (
        "#created by ...\r\n#main\r\n05318639\r\n  89631139 remark\r\n\r\nno digits\r\n"
        "#extra\r\n23995346\r\n# a remark\r\n!anything\r\n1\r\n#extra\r\n2\r\n0\r\n99999999999\r\n"
    )
    read = read_ydk(text)
    assert read.deck == DeckList(("5318639", "89631139"), ("23995346",), ("1", "2"))
    assert [(one.code, one.line) for one in read.findings] == [
        ("line_ignored", 6),
        ("id_zero", 14),
        ("id_out_of_range", 15),
    ]
    assert not read.mixed
    assert read_ydk("1\n#main\n2\n").deck.main == ("1", "2")
    assert read_ydk("1\n2\n").mixed


@pytest.mark.parametrize(
    "data",
    [
        "#main\n5318639\n".encode("utf-16"),
        b"\xef\xbb\xbf#main\n5318639\n",
        "#created by Jo\u00e9\n#main\n5318639\n".encode("latin-1"),
        b"5318639",
        b"05318639\r\n",
    ],
)
def test_a_deck_file_in_any_encoding(data: bytes) -> None:
    assert read_deck(data, EMPTY).deck.main == ("5318639",)


def test_too_many_cards_or_lines_stop_the_reader() -> None:
    assert "too_many_cards" in codes(read_deck(b"5318639\n" * 1_200, EMPTY))
    assert "too_many_lines" in codes(read_deck(b"#main\n" + b"\n" * 6_000, EMPTY))
    assert codes(read_deck(b"1" * 300_000, EMPTY)) == ["too_large"]
    for nothing in (b"", b" \r\n\t"):
        assert codes(read_deck(nothing, EMPTY)) == ["empty_input"]


keys = st.lists(st.integers(1, 2**32 - 1).map(str), max_size=60).map(tuple)


@given(keys, keys, keys)
def test_read_write_read_is_the_identity_for_numbers(
    main: tuple[str, ...], extra: tuple[str, ...], side: tuple[str, ...]
) -> None:
    deck = DeckList(main, extra, side)
    for write, read in ((write_ydk, read_ydk), (write_ydke, read_ydke)):
        text = write(deck)
        assert isinstance(text, str)
        assert read(text).deck == deck
        assert read_deck(text, EMPTY).deck == deck


known = st.lists(st.sampled_from([*CATALOGUE.cards, "999999"]), max_size=40).map(tuple)


@given(known, known, known)
def test_read_write_read_is_the_identity_for_names(
    main: tuple[str, ...], extra: tuple[str, ...], side: tuple[str, ...]
) -> None:
    deck = DeckList(main, extra, side)
    read = read_text(write_text(deck, CATALOGUE), CATALOGUE)
    assert deck_hash(read.deck) == deck_hash(deck)
    assert codes(read) == []
    again = read_text(write_text(read.deck, CATALOGUE), CATALOGUE)
    assert again.deck == read.deck


def test_a_card_without_a_number_is_never_dropped() -> None:
    for write in (write_ydk, write_ydke):
        refused = write(DeckList(("5", "kdb77")))
        assert isinstance(refused, Refusal)
        assert (refused.code, refused.params) == ("decks.no_passcode", {"found": ["kdb77"]})
        unresolved = write(DeckList(("5",), unresolved=(Unresolved("main", 2, "?"),)))
        assert isinstance(unresolved, Refusal)
        assert unresolved.code == "decks.unresolved"


@pytest.mark.parametrize(
    ("line", "copies", "key"),
    [
        ("Bronze Lancer", 1, LANCER),
        ("3 Bronze Lancer", 3, LANCER),
        ("3x Bronze Lancer", 3, LANCER),
        ("3 x Bronze Lancer", 3, LANCER),
        ("x3 Bronze Lancer", 3, LANCER),
        ("Bronze Lancer x3", 3, LANCER),
        ("Bronze Lancer x 2", 2, LANCER),
        ("Bronze Lancer (3)", 3, LANCER),
        ("- 2 bronze LANCER", 2, LANCER),
        ("Bronze Lancer (SDY-006)", 1, LANCER),
        ("2 Bronze Lancer (SDY-E006)", 2, LANCER),
        ("Bronze Lancer (SDY-006) x2", 2, LANCER),
        ("7 Herons", 1, "8000"),
        ("3 7 Herons", 3, "8000"),
        ("7 Herons x2", 2, "8000"),
        ("7 Heron", 7, "8200"),
        ("Heron LV3", 1, "8100"),
        ("2x Heron LV3", 2, "8100"),
        ("Heron LV3 x3", 3, "8100"),
        ("Elan the 3rd", 1, "8300"),
        ("2 Élan, the 3rd", 2, "8300"),
        ("3 999999", 3, "999999"),
        ("999999", 1, "999999"),
    ],
)
def test_counts_and_names_with_digits_at_either_end(line: str, copies: int, key: str) -> None:
    assert resolve(line, CATALOGUE) == (copies, [key])


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ("Main Deck:", "main"),
        ("Main Deck: 40", "main"),
        ("Main Deck (40)", "main"),
        ("MAIN", "main"),
        ("== Spell ==", "main"),
        ("Monsterkarten (21)", "main"),
        ("Fallenkarten", "main"),
        ("Extra Deck:", "extra"),
        ("Fusion Deck", "extra"),
        ("#extra", "extra"),
        ("!side", "side"),
        ("Side Deck: 15", "side"),
        ("Seitendeck", "side"),
        ("Bronze Lancer", None),
        ("3 Side", None),
    ],
)
def test_headings(line: str, section: str | None) -> None:
    assert heading(line) == section


def test_a_list_of_names_keeps_what_it_cannot_resolve() -> None:
    text = "Main Deck (5)\n3 Bronze Lancer\n2 Bronze Lencer\n// remark\n\nExtra Deck:\nTwin Drake\n"
    read = read_deck(text, CATALOGUE)
    assert read.format == "text"
    assert not read.mixed
    assert read.deck.main == (LANCER,) * 3
    assert read.deck.extra == (FUSION,)
    assert [(one.line, one.section, one.text) for one in read.deck.unresolved] == [
        (3, "main", "2 Bronze Lencer")
    ]


def test_findings_of_a_list_of_names() -> None:
    read = read_text("Twin Name\n0 Heron\n5000 Heron\n", CATALOGUE)
    assert [(one.code, one.line) for one in read.findings] == [
        ("ambiguous_name", 1),
        ("count_zero", 2),
        ("count_out_of_range", 3),
    ]
    assert read.deck.main == ("8400",)
    assert "too_many_cards" in codes(read_text("99 Heron\n" * 11, CATALOGUE))


def test_names_of_the_whole_catalogue_read_back(shared: Path) -> None:
    catalogue = Catalogue(read_csv((shared / "data/cards/cards.csv.gz").read_bytes()).cards)
    for one in catalogue.cards.values():
        for line, copies in ((one.name, 1), (f"3 {one.name}", 3), (f"{one.name} x2", 2)):
            found = resolve(line, catalogue)
            assert found[0] == copies, line
            named = catalogue.by_name(one.name)
            assert found[1] == [card.key for card in named], line
            assert catalogue.identity(one.key) in {card.key for card in named}


def test_the_hash_does_not_depend_on_the_order_and_depends_on_the_section() -> None:
    one = DeckList(("1", "2"), ("3",), ())
    assert deck_hash(one) == deck_hash(DeckList(("2", "1"), ("3",), ()))
    assert deck_hash(one) != deck_hash(DeckList(("1", "2"), (), ("3",)))
    assert deck_hash(one) != deck_hash(DeckList(("1", "2", "2"), ("3",), ()))


SEEDS = st.sampled_from(
    [
        b"#created by x\n#main\n"
        + b"\n".join(key.encode() for key in FILLERS)
        + b"\n#extra\n2\n!side\n3\n",
        VECTOR.encode(),
        ("ydke://" + WRAPPED).encode(),
        b"Main Deck:\n3 Bronze Lancer\nHeron LV3 x2\n\n\nExtra Deck:\n1 Twin Drake\n",
        "Main\n3 Élan, the 3rd\n".encode("utf-16"),
    ]
)


@given(
    seed=SEEDS,
    cut=st.integers(0, 400),
    flips=st.lists(st.tuples(st.integers(0, 600), st.integers(1, 255)), max_size=8),
    tail=st.binary(max_size=40),
)
def test_damaged_input_is_a_list_and_findings_never_a_crash(
    seed: bytes, cut: int, flips: list[tuple[int, int]], tail: bytes
) -> None:
    data = bytearray(seed[: len(seed) - cut % len(seed)] + tail)
    for place, change in flips:
        if data:
            data[place % len(data)] ^= change
    read = read_deck(bytes(data), CATALOGUE)
    assert all(one.code for one in read.findings)
    assert sum(read.deck.counts.values()) <= 1_000
    for _, held in read.deck.sections():
        assert all(isinstance(key, str) and key for key in held)


@given(st.binary(max_size=300), st.sampled_from([b"", b"ydke://", b"#main\n", b"ydke://H4sI"]))
def test_any_bytes_are_read(data: bytes, head: bytes) -> None:
    assert read_deck(head + data, CATALOGUE).format in {"ydk", "ydke", "text", "unknown"}


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert read_deck(text, CATALOGUE).format in {"ydk", "ydke", "text", "unknown"}


def test_a_lone_surrogate_is_no_crash() -> None:
    assert read_deck("Heron\n2 Nothing \ud800 like it", CATALOGUE).deck.unresolved


def test_unreadable_keeps_its_code() -> None:
    with pytest.raises(Unreadable) as fault:
        detect(b"1" * 300_000)
    assert fault.value.finding.code == "too_large"
