"""Damaged inputs for one reader, in a process of its own:
`python -m tests.decks.fuzzing READER COUNT SEED`.

Prints one JSON value: the codes that were said, what went wrong (an exception that is no
Unreadable, an answer that is none, more than SECONDS of processor time for one input), and the
largest memory of the process in KiB. COUNT 0 is the idle child: all is made ready, nothing read.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import sqlite3
import struct
import sys
import tomllib
import zlib
from collections.abc import Callable
from typing import Any

from cards.domain.banlist import read_banlists
from cards.domain.findings import Finding, Unreadable
from cards.domain.load import read_cards
from cards.domain.read_cdb import read_cdb
from cards.domain.read_csv import read_csv
from cards.domain.read_duel_masters import read_duel_masters
from cards.domain.read_yaml_yugi import read_yaml_yugi
from cards.domain.read_ygoprodeck import read_ygoprodeck
from cards.domain.sources import decode_text
from decks.domain.csv_list import read_csv_list, write_csv_list
from decks.domain.decklist import DeckList
from decks.domain.omega import read_omega, write_omega
from decks.domain.plain_text import write_plain
from decks.domain.preset_data import parse_preset, preset_hash, write_preset
from decks.domain.presets import ADVANCED
from decks.domain.read import read_deck
from decks.domain.text_list import read_text, write_text
from decks.domain.validate import check
from decks.domain.ydk import read_ydk, write_ydk
from decks.domain.ydke import read_ydke, write_ydke
from tests.damaged import tried
from tests.decks.cardbox import CATALOGUE, FUSION, LANCER, filler

SECONDS = 5
KEPT = 5
NUMBERS = (
    b"0", b"-1", b"99", b"100", b"255", b"1001", b"65536", b"2147483648", b"4294967295",
    b"4294967296", b"999999999", b"18446744073709551616", b"9" * 400, b"1e308", b"0x7f", b"007",
)  # fmt: skip
SIGNS = (
    b"\x00", b"\r", b"\n", b"\t", b'"', b"!", b"#", b"$", b"%", b"{", b"[", b"\\", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\xe2\x80\xa8", b"\xf0\x9f\x83\x8f", b"=", b",",
)  # fmt: skip
DECK = DeckList((*filler(38), LANCER, LANCER), (FUSION,), filler(15, 40))
SOURCE_ROWS = 40

Reader = Callable[[bytes], tuple[object, list[Finding]]]


def _deck(direct: Callable[[str], Any]) -> Reader:
    """Through the one way in with the report that a page would show, and past the detection."""

    def read(data: bytes) -> tuple[object, list[Finding]]:
        whole = read_deck(data, CATALOGUE)
        deck, report = check(whole, CATALOGUE, None, ADVANCED)
        assert json.dumps(report.as_json())
        assert sum(deck.counts.values()) <= 1_000
        found = [*whole.findings, *_coded(direct, decode_text(data)[0][: 256 << 10])]
        return deck, [*found, *(Finding(one.code) for one in report.errors)]

    return read


def _coded(run: Callable[[Any], Any], value: Any) -> list[Finding]:
    try:
        return list(run(value).findings)
    except Unreadable as fault:
        return [fault.finding]


def _cards(direct: Callable[[bytes], Any]) -> Reader:
    def read(data: bytes) -> tuple[object, list[Finding]]:
        return direct, [*_coded(read_cards, data), *_coded(direct, data)]

    return read


def _lists(data: bytes) -> tuple[object, list[Finding]]:
    try:
        read = read_banlists(data)
    except Unreadable as fault:
        return None, [fault.finding]
    assert all(len(one.content_hash) == 64 for one in read.lists)
    return read, [*read.findings, *(note for one in read.lists for note in one.findings)]


def _preset(data: bytes) -> tuple[object, list[Finding]]:
    try:
        read = parse_preset(data, 1)
    except Unreadable as fault:
        return None, [fault.finding]
    assert (read.preset is None) == bool(read.findings)
    assert json.dumps([one.params for one in read.findings], allow_nan=False)
    if read.preset is not None:
        again = parse_preset(write_preset(read.preset).encode(), 1).preset
        assert again is not None
        assert preset_hash(again) == preset_hash(read.preset)
        check(read_deck("Heron", CATALOGUE), CATALOGUE, read.preset.own_list, read.preset)
    return read, list(read.findings)


def _cdb() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE datas(id INTEGER PRIMARY KEY, ot, alias, setcode, type, atk, def, level,"
        " race, attribute, category);"
        "CREATE TABLE texts(id INTEGER PRIMARY KEY, name TEXT, desc TEXT);"
    )
    for at in range(1, SOURCE_ROWS):
        row = (at * 1000, 3, 0, 0, 0x21, 1000 + at, at, 4, 1 << at % 25, 1 << at % 7, 0)
        connection.execute("INSERT INTO datas VALUES (?,?,?,?,?,?,?,?,?,?,?)", row)
        connection.execute("INSERT INTO texts VALUES (?,?,'')", (at * 1000, f"Heron {at}"))
    connection.commit()
    return connection.serialize()


def _csv() -> bytes:
    head = "password,konami_id,name_en,card_type,property_or_typeline,attribute,level,atk,def"
    rows = [
        f'{at * 1000},{at},"Heron, the {at}.",Monster,Winged Beast / Effect,WIND,4,{at * 50},?'
        for at in range(1, SOURCE_ROWS)
    ]
    return "\n".join([head, *rows, ""]).encode()


def _ygoprodeck() -> bytes:
    rows = [
        {
            "id": at * 1000, "name": f"Heron {at}", "type": "Effect Monster",
            "frameType": "effect", "race": "Winged Beast", "attribute": "WIND", "level": 4,
            "atk": 50 * at, "def": None, "card_images": [{"id": at * 1000 + 1}],
            "misc_info": [{"konami_id": at}],
        }
        for at in range(1, SOURCE_ROWS)
    ]  # fmt: skip
    return json.dumps({"data": rows}).encode()


def _yaml_yugi() -> bytes:
    rows = [
        {
            "konami_id": at, "password": at * 1000, "card_type": "Monster",
            "name": {"en": f"Heron {at}", "de": f"Reiher {at}", "ja": "<ruby>鷺<rt>x</rt></ruby>"},
            "monster_type_line": "Winged Beast / Effect", "attribute": "WIND", "level": 4,
            "atk": 50 * at, "def": "?", "link_arrows": None,
        }
        for at in range(1, SOURCE_ROWS)
    ]  # fmt: skip
    return b"\n".join(json.dumps(row, ensure_ascii=False).encode() for row in rows) + b"\n"


def _duel_masters() -> bytes:
    rows = [
        {
            "name": f"Heron {at}",
            "civilizations": ["Water"],
            "cost": at % 9 + 1,
            "type": "Creature",
            "power": f"{at}000+",
        }
        for at in range(1, SOURCE_ROWS)
    ]
    return json.dumps({"cards": rows}).encode()


def _lflist() -> bytes:
    lines = [f"{1000 * at} {at % 4} --Heron {at}" for at in range(1, 60)]
    return "\n".join(["#[2026.01 test]", "!2026.01 test", "$whitelist", *lines, ""]).encode()


def _points() -> bytes:
    lines = [f"{1000 * at} $genesys {at} --Heron {at}" for at in range(1, 40)]
    more = [f"{1000 * at} {at % 4} {at} --Heron {at}" for at in range(40, 60)]
    return "\n".join(["!2026.01 points", "$genesys 100 main extra", *lines, *more, ""]).encode()


def _preset_text() -> bytes:
    head = 'id = "pond"\ntitle = "Pond"\n[main]\nleast = 40\nmost = 60\n[extra]\nmost = 15\n'
    more = 'kinds = ["fusion"]\n[side]\nsizes = [0, 15]\n[copies]\nmost = 2\n[limits.cards]\n'
    cards = "".join(f'"{1000 * at}" = {at % 3}\n"Heron {at}" = 1\n' for at in range(1, 30))
    cost = "".join(f'"{1000 * at}" = {at}\n' for at in range(1, 30))
    return f"{head}{more}{cards}[points]\nbudget = 9\n[points.cards]\n{cost}".encode()


def _bomb(kind: str, size: int) -> bytes:
    plain = bytes(size)
    if kind == "gzip":
        return gzip.compress(plain, 9)
    machine = zlib.compressobj(9, zlib.DEFLATED, -15)
    raw = machine.compress(b"\xff\xff" + plain) + machine.flush()
    return base64.b64encode(raw)


def _wrapped(body: bytes) -> bytes:
    return b"ydke://" + base64.urlsafe_b64encode(gzip.compress(body, mtime=0))


def _known(text: object) -> bytes:
    assert isinstance(text, str)
    return text.encode()


def seeds() -> dict[str, tuple[Reader, list[bytes], list[bytes]]]:
    """Return per reader: how it is asked, whole inputs to damage, and inputs made to hurt."""
    ydke = _known(write_ydke(DECK))
    gz = [_bomb("gzip", 300 << 20), _bomb("gzip", 5 << 20)]
    deep = [b"[" * 200_000, b'{"data":' * 50_000, b'{"data":[' + b"[" * 100_000]
    csv_seed, pro, yaml = _csv(), _ygoprodeck(), _yaml_yugi()
    return {
        "ydk": (
            _deck(read_ydk),
            [_known(write_ydk(DECK)), b"#main\r\n1000\r\n#extra\r\n2000\r\n!side\r\n3000"],
            [b"#main\n" + b"1000\n" * 60_000, b"9" * 260_000, b"#main\n" * 5_001, b"\n" * 300_000],
        ),
        "ydke": (
            _deck(read_ydke),
            [ydke, _wrapped(b'{"y":"' + ydke + b'"}'), ydke.replace(b"=", b"%3D")],
            [
                b"ydke://" + base64.urlsafe_b64encode(gz[1]),
                _wrapped(deep[0]),
                b"ydke://" + b"A" * 200_000 + b"!!!",
                b"!" * 200_000,
                b"ydke://" + b"%41" * 80_000,
            ],
        ),
        "omega": (
            _deck(read_omega),
            [_known(write_omega(DECK))],
            [_bomb("raw", 2 << 20), _bomb("raw", 3_000), base64.b64encode(b"\xff" * 3_000)],
        ),
        "csv": (
            _deck(lambda text: read_csv_list(text, CATALOGUE)),
            [write_csv_list(DECK, CATALOGUE).encode()],
            [b"id,count\n" + b"1000,99\n" * 20_000, b'id,name\n"' + b"a" * 200_000],
        ),
        "text": (
            _deck(lambda text: read_text(text, CATALOGUE)),
            [
                write_text(DECK, CATALOGUE).encode(),
                "Hauptdeck: 3\n3x Élan, the 3rd\nHeron LV3 x2\n2 Heron (SDY-006)\n".encode(),
            ],
            [
                b"3 " + b"a" * 200_000,
                b"9" * 2_000 + b" x" * 500,
                b"Heron x" * 30_000,
                b"( " * 9_999,
            ],
        ),
        "plain": (
            _deck(lambda text: read_text(text, CATALOGUE)),
            [write_plain(DECK, CATALOGUE).encode()],
            [b"Main Deck (999999999999)\n" * 3_000, b"x " * 100_000],
        ),
        "cards_csv": (_cards(read_csv), [csv_seed], [csv_seed[:90] + b'"' * 100_001]),
        "cards_csv_gz": (_cards(read_csv), [gzip.compress(csv_seed, mtime=0)], gz),
        "cdb": (_cards(read_cdb), [_cdb()], [b"SQLite format 3\x00" + bytes(4096)]),
        "ygoprodeck": (_cards(read_ygoprodeck), [pro, gzip.compress(pro, mtime=0)], deep + gz),
        "yaml_yugi": (_cards(read_yaml_yugi), [yaml, gzip.compress(yaml, mtime=0)], deep + gz),
        "duel_masters": (_cards(read_duel_masters), [_duel_masters()], deep),
        "banlist": (
            _lists,
            [_lflist(), _lflist().replace(b"\n", b"\r\n"), _points()],
            [
                b"!x\n" * 300,
                b"!x\n" + b"1 1\n" * 100_001,
                b"!x\n" + b"1" * 400_000,
                b"!x\n$p 9\n" + b"1 $p 1\n" * 90_000,
                b"!x\n$" + b"p" * 100_000 + b" 9" + b" main" * 50_000,
                b"!x\n1 3 " + b"\t " * 200_000 + b"9 -",
            ],
        ),
        "preset": (
            _preset,
            [_preset_text(), json.dumps(tomllib.loads(_preset_text().decode())).encode()],
            [
                *(b"[" * 100_000, b"a=" + b"[" * 100_000, b"a={b=" * 40_000, b'{"a":' * 40_000),
                b"a." * 120_000 + b"b=1",
                b"".join(b"a." * 490 + b"%d=1\n" % at for at in range(260)),
                b"".join(b"b.%d" % at + b".a" * 490 + b"=1\n" for at in range(260)),
                b"a=[\n" + b"{" * 900 + b"\n" * 90_000,
                b"".join(b"[a.%d]\n" % at for at in range(25_000)),
                b"".join(b"a.b.c.d.e.f.g.k%d=1\n" % at for at in range(12_000)),
                b"id=" + b"9" * 200_000,
                b'title="' + b"\\u0041" * 40_000 + b'"',
                b"id = " + b"'" * 250_000,
            ],
        ),
    }


def damaged(rng: random.Random, whole: list[bytes]) -> bytes:
    """Return an input with one to four faults."""
    data = bytearray(rng.choice(whole))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        act = rng.randrange(9)
        if act == 0:
            del data[at:]
        elif act == 1 and data:
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif act == 2:
            del data[at : at + rng.randint(1, 200)]
        elif act == 3:
            data[at:at] = data[at : at + rng.randint(1, 500)] * rng.randint(1, 20)
        elif act == 4:
            data[at:at] = rng.choice(SIGNS) * rng.randint(1, 3)
        elif act == 5:
            data = _counts(rng, data)
        elif act == 6:
            data = _encoded(rng, data)
        elif act == 7:
            other = rng.choice(whole)
            data[at:] = other[rng.randrange(len(other)) :]
        else:
            data[at:at] = rng.randbytes(rng.randint(1, 64))
    return bytes(data[: 1 << 20])


def _counts(rng: random.Random, data: bytearray) -> bytearray:
    """Put a huge or odd number in the place of one: in text, or as four bytes."""
    digits = [at for at, one in enumerate(data) if 48 <= one <= 57]
    if digits and rng.random() < 0.8:
        begin = end = rng.choice(digits)
        while end < len(data) and 48 <= data[end] <= 57:
            end += 1
        data[begin:end] = rng.choice(NUMBERS)
    elif len(data) > 4:
        at = rng.randrange(len(data) - 4)
        data[at : at + 4] = struct.pack("<I", rng.choice((0, 1, 255, 0x7FFFFFFF, 0xFFFFFFFF)))
    return data


def _encoded(rng: random.Random, data: bytearray) -> bytearray:
    text = data.decode("utf-8", "replace")
    name = rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1"))
    return bytearray(text.encode(name, "replace"))


def main() -> None:
    """Read COUNT damaged inputs; every fourth reader's worst inputs come first, whole."""
    name, count, rng = sys.argv[1], int(sys.argv[2]), random.Random(sys.argv[3])
    read, whole, worst = seeds()[name]
    for one in whole:
        read(one)
    inputs = (worst[at] if at < len(worst) else damaged(rng, whole) for at in range(count))

    def codes_of(data: bytes) -> set[str]:
        _, findings = read(data)
        return {one.code for one in findings} or {"none"}

    tried(inputs, codes_of, count=count, seconds=SECONDS, kept=KEPT)


if __name__ == "__main__":
    main()
