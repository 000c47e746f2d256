"""Readers of card facts: the real files, and files that are damaged or hostile."""

from __future__ import annotations

import csv
import gzip
import io
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cards.domain.facts import CardFacts
from cards.domain.findings import Unreadable
from cards.domain.load import read_cards
from cards.domain.read_cdb import read_cdb, read_cdb_file
from cards.domain.read_csv import COLUMNS, CardsRead, read_csv
from cards.domain.sources import decode_text, inflate

HEADER = ",".join(COLUMNS)
ZERO_STARS = {
    # level or rank 0 by the printed card, another number inside the engine of the database
    "Number F0: Utopic Future",
    "Number S0: Utopic ZEXAL",
    "Phantasmal Lord Ultimitl Bishbaalkin",
    "Ultimaya Tzolkin",
}
GILFORD = "36354007,5909,Gilford the Lightning,Monster,Warrior / Effect,LIGHT,8,,,,2800,1400,,"


def table(*rows: str) -> bytes:
    return "\n".join((HEADER, *rows, "")).encode()


def only(data: bytes) -> CardFacts:
    (card,) = read_csv(data).cards
    return card


def database(rows: list[tuple[object, ...]], names: dict[int, str], path: Path) -> bytes:
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE datas (id INTEGER, ot INTEGER, alias INTEGER, setcode INTEGER,"
        " type INTEGER, atk INTEGER, def INTEGER, level INTEGER, race INTEGER,"
        " attribute INTEGER, category INTEGER)"
    )
    connection.execute("CREATE TABLE texts (id INTEGER, name TEXT, desc TEXT)")
    connection.executemany("INSERT INTO datas VALUES (?,3,?,0,?,?,?,?,?,?,0)", rows)
    connection.executemany("INSERT INTO texts VALUES (?, ?, '')", list(names.items()))
    connection.commit()
    connection.close()
    return path.read_bytes()


def outcome(reader: Callable[[bytes], CardsRead], data: bytes) -> str:
    """Say how a reader ended: `read`, or the code of the fault. Anything else goes through."""
    try:
        reader(data)
    except Unreadable as fault:
        return fault.finding.code
    return "read"


CODES = {"bad_cdb", "bad_compression", "bad_csv", "cdb_tables_missing", "csv_columns_missing"} | {
    "bad_json",
    "no_cards",
    "too_large",
    "too_many_rows",
}


def test_the_table_of_the_field_reads_whole(shared: Path) -> None:
    read = read_csv((shared / "data/cards/cards.csv.gz").read_bytes())
    with gzip.open(shared / "data/cards/cards.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(read.cards) == len(rows) == 14_276
    assert read.findings == ()
    kinds = [row["card_type"].lower() for row in rows]
    for kind, count in (("monster", 9_326), ("spell", 2_872), ("trap", 2_078)):
        assert sum(card.kind == kind for card in read.cards) == kinds.count(kind) == count
    assert sum(card.passcode is None for card in read.cards) == 66
    assert sum(card.konami_id is None for card in read.cards) == 57
    assert sum(card.link is not None for card in read.cards) == 469
    assert sum(card.rank is not None for card in read.cards) == 601
    assert sum(card.scale is not None for card in read.cards) == 390


def test_the_database_of_the_field_reads_whole(shared: Path) -> None:
    path = shared / "data/cards/cards-2017.cdb"
    read = read_cdb_file(path)
    assert len(read.cards) == 8_398
    assert read.findings == ()
    assert sum(card.is_token for card in read.cards) == 129
    assert sum(card.alias != 0 for card in read.cards) == 130
    assert read_cdb(path.read_bytes()) == read


def test_both_sources_tell_the_same_facts(shared: Path) -> None:
    one = {c.key: c for c in read_csv((shared / "data/cards/cards.csv.gz").read_bytes()).cards}
    two = {c.key: c for c in read_cdb_file(shared / "data/cards/cards-2017.cdb").cards}
    common = one.keys() & two.keys()
    assert len(common) == 8_173
    told = ("kind", "subkind", "attribute", "level", "rank", "link", "scale", "is_extra", "atk")
    differing = {
        (one[key].name, name)
        for key in common
        for name in told
        if getattr(one[key], name) != getattr(two[key], name)
    }
    assert differing <= {(name, what) for name in ZERO_STARS for what in ("level", "rank")}


def test_a_row_becomes_facts() -> None:
    card = only(table(GILFORD))
    assert (card.key, card.passcode, card.konami_id) == ("36354007", 36354007, 5909)
    assert (card.kind, card.subkind, card.race, card.attribute) == (
        "monster",
        "effect",
        "warrior",
        "light",
    )
    assert (card.level, card.atk, card.defence, card.is_extra) == (8, 2800, 1400, False)


def test_a_question_mark_is_no_number_and_a_ritual_monster_is_a_ritual() -> None:
    assert only(table("10000,1,A,Monster,Dragon / Effect,DARK,10,,,,?,?,,")).atk is None
    assert only(table("10001,1,B,Monster,Dragon / Ritual / Effect,DARK,8,,,,1,1,,")).subkind == (
        "ritual"
    )


def test_a_link_spell_stays_in_the_main_deck() -> None:
    spell = only(table("10002,1,C,Spell,Normal,,,,2,,,,,"))
    assert not spell.is_extra


def test_a_card_without_numbers_has_a_key_all_the_same() -> None:
    assert only(table(",77,D,Trap,Normal,,,,,,,,,")).key == "kdb77"
    key = only(table(",,E,Trap,Normal,,,,,,,,,")).key
    assert key.startswith("x-")
    assert key == only(table(",,E,Trap,Counter,,,,,,,,,")).key


def test_a_bad_row_is_reported_with_its_line_and_the_rest_is_read() -> None:
    read = read_csv(table("abc,1,A,Monster,Dragon / Normal,,4,,,,1,1,,", GILFORD, GILFORD))
    assert [(one.code, one.line) for one in read.findings] == [("bad_row", 2), ("repeated_key", 4)]
    assert len(read.cards) == 1


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"name,count\nx,1\n", "csv_columns_missing"),
        (b"", "csv_columns_missing"),
        (HEADER.encode() + b"\n", "no_cards"),
        (b"\x1f\x8b\x08\x00damaged", "bad_compression"),
        (gzip.compress(table(GILFORD), mtime=0)[:-9], "bad_compression"),
        (b"SQLite format 3\x00" + b"\x00" * 200, "bad_cdb"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, code: str) -> None:
    with pytest.raises(Unreadable) as fault:
        read_cards(data)
    assert fault.value.finding.code == code


def test_a_bomb_is_stopped_at_the_limit() -> None:
    bomb = gzip.compress(b"\x00" * (80 << 20), compresslevel=9)
    assert len(bomb) < 200_000
    with pytest.raises(Unreadable) as fault:
        read_csv(bomb)
    assert fault.value.finding.code == "too_large"
    with pytest.raises(Unreadable):
        inflate(zlib.compress(b"a" * 5_000), 4_000, window=15)


def test_tables_and_views_of_a_hostile_database_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "hostile.cdb"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE texts (id INTEGER, name TEXT)")
    connection.execute(
        "CREATE VIEW datas AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " SELECT i AS id, 0 AS alias, 1 AS type, 0 AS atk, 0 AS def, 0 AS level, 0 AS race,"
        " 0 AS attribute FROM n"
    )
    connection.commit()
    connection.close()
    for read in (lambda: read_cdb(path.read_bytes()), lambda: read_cdb_file(path)):
        with pytest.raises(Unreadable) as fault:
            read()
        assert fault.value.finding.code == "cdb_tables_missing"


def test_hostile_rows_are_findings(tmp_path: Path) -> None:
    rows: list[tuple[object, ...]] = [
        (1, 0, 0x11, 1000, 1000, 4, 1, 1),
        ("text", 0, 0x11, 0, 0, 0, 0, 0),
        (2, 0, 0x11, None, 0, 4, 1, 1),
        (-5, 0, 0x11, 0, 0, 4, 1, 1),
        (3, 0, 0, 0, 0, 4, 1, 1),
        (2**60, 0, 0x11, 0, 0, 4, 1, 1),
        (4, 0, 0x11, 0, 0, 4, 1, 1),
    ]
    data = database(rows, {1: "Good", 2: "None", 3: "No kind", 4: ""}, tmp_path / "rows.cdb")
    read = read_cdb(data)
    assert [card.name for card in read.cards] == ["Good"]
    assert {one.code for one in read.findings} == {"bad_row"}
    assert len(read.findings) == 6


def test_the_file_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "cards.cdb"
    data = database([(1, 0, 0x11, 1, 1, 4, 1, 1)], {1: "A"}, path)
    path.chmod(0o444)
    read_cdb_file(path)
    assert path.read_bytes() == data
    assert [one.name for one in tmp_path.iterdir()] == ["cards.cdb"]


@given(st.binary(max_size=400))
def test_any_bytes_are_cards_or_a_coded_error(data: bytes) -> None:
    for head in (b"", HEADER.encode() + b"\n", b"\x1f\x8b", b"SQLite format 3\x00"):
        assert outcome(read_cards, head + data) in {"read", *CODES}


@given(cut=st.integers(0, 20_000), flips=st.lists(st.integers(0, 8_191), max_size=12))
def test_a_damaged_database_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flips: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("cdb")
    rows: list[tuple[object, ...]] = [(n, 0, 0x11, 1, 1, 4, 1, 1) for n in range(1, 40)]
    data = bytearray(database(rows, {n: f"Card {n}" for n in range(1, 40)}, folder / "a.cdb"))
    for place in flips:
        data[place % len(data)] ^= 0xFF
    cut_off = bytes(data[: len(data) - cut % len(data)])
    assert outcome(read_cdb, cut_off) in {"read", "bad_cdb", "cdb_tables_missing"}


@pytest.mark.parametrize(
    ("data", "text", "codes"),
    [
        ("Élan".encode(), "Élan", []),
        (b"\xef\xbb\xbf" + "Élan".encode(), "Élan", []),
        ("Élan".encode("utf-16"), "Élan", []),
        ("Élan Vital".encode("utf-16-be"), "Élan Vital", ["encoding_assumed"]),
        ("Élan Vital".encode("utf-16-le"), "Élan Vital", ["encoding_assumed"]),
        ("Élan".encode("latin-1"), "Élan", ["encoding_assumed"]),
        ("Kościół".encode("iso8859-2"), "Kościół", ["encoding_assumed"]),
        (b"a\x00b", "ab", ["nul_removed"]),
    ],
)
def test_text_comes_in_many_encodings(data: bytes, text: str, codes: list[str]) -> None:
    decoded, findings = decode_text(data)
    assert decoded == text
    assert [one.code for one in findings] == codes


@given(st.binary(max_size=300))
def test_decoding_never_fails(data: bytes) -> None:
    text, _ = decode_text(data)
    assert "\x00" not in text
    io.StringIO(text).read()
