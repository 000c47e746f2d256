"""Reader of card databases `.cdb` (SQLite), opened read-only and never trusted.

The file is opened as immutable, from a path or from bytes in memory; triggers, views and
virtual tables of a hostile file are never touched: only two plain tables are read, by name.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

from cards.domain.facts import MAX_ID, MONSTER, SPELL, TRAP, CardFacts, card_key, monster_subkind
from cards.domain.findings import Finding, Unreadable, error
from cards.domain.read_csv import MAX_FINDINGS, MAX_ROWS, CardsRead
from cards.domain.sources import SQLITE_MAGIC, limited

MAX_BYTES = 128 << 20
STEP_LIMIT = 200
"""Progress calls (of a million steps each) after which a query is given up."""

_MONSTER, _SPELL, _TRAP, _TOKEN, _SKILL = 0x1, 0x2, 0x4, 0x4000, 0x8000000
_LINK, _XYZ, _PENDULUM = 0x4000000, 0x800000, 0x1000000
_MONSTER_WORDS = {
    0x10: "normal",
    0x20: "effect",
    0x40: "fusion",
    0x80: "ritual",
    0x200: "spirit",
    0x400: "union",
    0x800: "gemini",
    0x1000: "tuner",
    0x2000: "synchro",
    0x200000: "flip",
    0x400000: "toon",
    _XYZ: "xyz",
    _PENDULUM: "pendulum",
    _LINK: "link",
}
_SPELL_TRAP_WORDS = {
    0x80: "ritual",
    0x10000: "quick_play",
    0x20000: "continuous",
    0x40000: "equip",
    0x80000: "field",
    0x100000: "counter",
}
_ATTRIBUTES = {1: "earth", 2: "water", 4: "fire", 8: "wind", 16: "light", 32: "dark", 64: "divine"}
_RACES = (
    "warrior",
    "spellcaster",
    "fairy",
    "fiend",
    "zombie",
    "machine",
    "aqua",
    "pyro",
    "rock",
    "winged_beast",
    "plant",
    "insect",
    "thunder",
    "dragon",
    "beast",
    "beast_warrior",
    "dinosaur",
    "fish",
    "sea_serpent",
    "reptile",
    "psychic",
    "divine_beast",
    "creator_god",
    "wyrm",
    "cyberse",
    "illusion",
)
_QUERY = (
    "SELECT d.id, d.alias, d.type, d.atk, d.def, d.level, d.race, d.attribute, t.name"
    " FROM datas AS d LEFT JOIN texts AS t ON t.id = d.id ORDER BY d.id LIMIT ?"
)


_FAULTS = (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError)
"""What SQLite says to a damaged file; the last when its message quotes a damaged name."""


def _race(bits: int) -> str:
    place = (bits & -bits).bit_length() - 1 if bits > 0 else -1
    return _RACES[place] if 0 <= place < len(_RACES) else ""


def _stat(value: int) -> int | None:
    return value if value >= 0 else None


def _card(row: tuple[object, ...]) -> CardFacts:
    numbers = row[:8]
    if not all(isinstance(value, int) for value in numbers):
        raise ValueError("a number")
    passcode, alias, bits, atk, defence, level, race, attribute = (int(str(n)) for n in numbers)
    if not 0 < passcode <= MAX_ID:
        raise ValueError("id")
    name = " ".join(row[8].split()) if isinstance(row[8], str) else ""
    if not name or len(name) > 200:
        raise ValueError("name")
    has_stats = bool(bits & (_MONSTER | _TOKEN))
    if bits & _TOKEN:
        kind = "token"
    elif bits & _MONSTER:
        kind = MONSTER
    elif bits & _SKILL:
        kind = "skill"
    elif bits & _SPELL:
        kind = SPELL
    elif bits & _TRAP:
        kind = TRAP
    else:
        raise ValueError("type")
    words = _MONSTER_WORDS if has_stats else _SPELL_TRAP_WORDS
    found = frozenset(text for bit, text in words.items() if bits & bit)
    stars = level & 0xFF if has_stats else 0
    return CardFacts(
        key=card_key(passcode, None, name),
        passcode=passcode,
        konami_id=None,
        name=name,
        kind=kind,
        subkind=monster_subkind(found) if has_stats else next(iter(sorted(found)), "normal"),
        traits=tuple(sorted(found)) if has_stats else (),
        # A Trap that becomes a monster has these too, but the card itself has none.
        attribute=_ATTRIBUTES.get(attribute, "") if has_stats else "",
        race=_race(race) if has_stats else "",
        level=stars if has_stats and not bits & (_LINK | _XYZ) else None,
        rank=stars if has_stats and bits & _XYZ else None,
        link=stars if has_stats and bits & _LINK else None,
        scale=level >> 24 & 0xFF if has_stats and bits & _PENDULUM else None,
        atk=_stat(atk) if has_stats else None,
        defence=_stat(defence) if has_stats and not bits & _LINK else None,
        has_stats=has_stats,
        alias=alias if 0 < alias <= MAX_ID and alias != passcode else 0,
    )


def _tables(connection: sqlite3.Connection) -> None:
    held = {
        str(name): str(kind)
        for name, kind in connection.execute(
            "SELECT name, type FROM sqlite_master WHERE name IN ('datas', 'texts')"
        )
    }
    if held != {"datas": "table", "texts": "table"}:
        raise Unreadable("cdb_tables_missing", found=sorted(held), allowed=["datas", "texts"])


def _read(connection: sqlite3.Connection) -> CardsRead:
    steps = 0

    def too_long() -> int:
        nonlocal steps
        steps += 1
        return int(steps > STEP_LIMIT)

    connection.set_progress_handler(too_long, 1_000_000)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    findings: list[Finding] = []
    cards: dict[str, CardFacts] = {}
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        _tables(connection)
        for number, row in enumerate(connection.execute(_QUERY, [MAX_ROWS + 1]), 1):
            if number > MAX_ROWS:
                raise Unreadable("too_many_rows", found=number, allowed=MAX_ROWS)
            try:
                card = _card(row)
            except ValueError as fault:
                if len(findings) < MAX_FINDINGS:
                    findings.append(error("bad_row", number, field=str(fault)))
                continue
            cards.setdefault(card.key, card)
    except (*_FAULTS, OverflowError, MemoryError) as fault:
        raise Unreadable("bad_cdb", found=str(fault)[:100]) from None
    return CardsRead(tuple(cards.values()), tuple(findings))


def read_cdb(data: bytes) -> CardsRead:
    """Read a card database from bytes, held in memory.

    Raises Unreadable: `too_large`, `bad_cdb` (damaged or no SQLite file), `cdb_tables_missing`,
    `too_many_rows`. A row that is no card is an error finding `bad_row`.
    """
    limited(data, MAX_BYTES)
    if not data.startswith(SQLITE_MAGIC):
        raise Unreadable("bad_cdb", found="no SQLite header")
    connection = sqlite3.connect(":memory:")
    try:
        try:
            # A file kept in WAL mode cannot be opened in memory: mark the copy as rollback mode.
            connection.deserialize(data[:18] + b"\x01\x01" + data[20:])
        except (sqlite3.Error, OverflowError) as fault:
            raise Unreadable("bad_cdb", found=str(fault)[:100]) from None
        return _read(connection)
    finally:
        connection.close()


def read_cdb_file(path: Path) -> CardsRead:
    """Read a card database file in place: read-only, immutable, no journal is ever made.

    Raises Unreadable as `read_cdb`, and OSError when the file cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(len(SQLITE_MAGIC))
    if head != SQLITE_MAGIC:
        raise Unreadable("bad_cdb", found="no SQLite header")
    if path.stat().st_size > MAX_BYTES:
        raise Unreadable("too_large", found=path.stat().st_size, allowed=MAX_BYTES)
    uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(uri, uri=True)
    except sqlite3.Error as fault:
        raise Unreadable("bad_cdb", found=str(fault)[:100]) from None
    try:
        return _read(connection)
    finally:
        connection.close()
