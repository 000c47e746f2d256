"""Reader of the card facts table `cards.csv`, plain or gzipped."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from cards.domain.facts import (
    MAX_ID,
    MONSTER,
    SPELL,
    TRAP,
    CardFacts,
    LocalName,
    card_key,
    monster_subkind,
)
from cards.domain.findings import Finding, Unreadable, error, warning
from cards.domain.sources import GZIP_MAGIC, decode_text, inflate, limited

MAX_BYTES = 16 << 20
MAX_INFLATED = 64 << 20
MAX_ROWS = 200_000
MAX_FINDINGS = 200
COLUMNS = (
    "password",
    "konami_id",
    "name_en",
    "card_type",
    "property_or_typeline",
    "attribute",
    "level",
    "rank",
    "link_arrows",
    "pendulum_scale",
    "atk",
    "def",
    "tcg",
    "ocg",
)
REQUIRED = ("password", "name_en", "card_type", "property_or_typeline")
_KINDS = {"monster": MONSTER, "spell": SPELL, "trap": TRAP, "token": "token", "skill": "skill"}


@dataclass(frozen=True, slots=True)
class CardsRead:
    """Cards of one source in its order, the first row of a repeated key, what was found, and
    their names in other languages."""

    cards: tuple[CardFacts, ...]
    findings: tuple[Finding, ...]
    names: tuple[LocalName, ...] = ()


def word(text: str) -> str:
    """Write a word of a type line as the facts keep it: `Quick-Play` -> `quick_play`."""
    return text.strip().lower().replace("-", "_").replace(" ", "_")


def _number(text: str, what: str, ceiling: int) -> int | None:
    text = text.strip()
    if not text or text == "?":
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 12 or int(text) > ceiling:
        raise ValueError(what)
    return int(text)


def _card(row: dict[str, str]) -> CardFacts:
    name = " ".join(row["name_en"].split())
    kind = _KINDS.get(row["card_type"].strip().lower())
    if not name or len(name) > 200:
        raise ValueError("name_en")
    if kind is None:
        raise ValueError("card_type")
    words = [word(part) for part in row["property_or_typeline"].split("/")]
    if kind in (MONSTER, "token"):
        traits = tuple(sorted(set(words[1:])))
        race, subkind = words[0], monster_subkind(frozenset(traits))
        if "token" in traits:
            kind = "token"
    else:
        race, traits, subkind = "", (), words[0] or "normal"
    passcode = _number(row["password"], "password", MAX_ID)
    konami_id = _number(row.get("konami_id", ""), "konami_id", MAX_ID)
    return CardFacts(
        key=card_key(passcode, konami_id, name),
        passcode=passcode or None,
        konami_id=konami_id,
        name=name,
        kind=kind,
        subkind=subkind,
        traits=traits,
        attribute=word(row.get("attribute", "")),
        race=race,
        level=_number(row.get("level", ""), "level", 99),
        rank=_number(row.get("rank", ""), "rank", 99),
        link=_number(row.get("link_arrows", ""), "link_arrows", 8),
        scale=_number(row.get("pendulum_scale", ""), "pendulum_scale", 99),
        atk=_number(row.get("atk", ""), "atk", 1_000_000),
        defence=_number(row.get("def", ""), "def", 1_000_000),
        has_stats=kind in (MONSTER, "token"),
    )


def _rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), restval="")
    missing = [name for name in REQUIRED if name not in (reader.fieldnames or ())]
    if missing:
        raise Unreadable(
            "csv_columns_missing", found=list(reader.fieldnames or ())[:40], allowed=missing
        )
    for row in reader:
        row.pop(None, None)
        yield reader.line_num, row


def read_csv(data: bytes) -> CardsRead:
    """Read `cards.csv` or `cards.csv.gz`.

    A row that cannot be read is an error finding `bad_row` (params: field) with its line; the
    rest is read. A repeated key is the warning `repeated_key` and its first row counts.
    Raises Unreadable: `too_large`, `bad_compression`, `csv_columns_missing`, `bad_csv`,
    `too_many_rows`.
    """
    limited(data, MAX_BYTES)
    if data.startswith(GZIP_MAGIC):
        data = inflate(data, MAX_INFLATED)
    text, findings = decode_text(data)
    cards: dict[str, CardFacts] = {}
    try:
        for line, row in _rows(text):
            if len(cards) >= MAX_ROWS:
                raise Unreadable("too_many_rows", found=line, allowed=MAX_ROWS)
            try:
                card = _card(row)
            except ValueError as fault:
                if len(findings) < MAX_FINDINGS:
                    findings.append(error("bad_row", line, field=str(fault)))
                continue
            if card.key in cards:
                if len(findings) < MAX_FINDINGS:
                    findings.append(warning("repeated_key", line, found=card.key))
                continue
            cards[card.key] = card
    except csv.Error as fault:
        raise Unreadable("bad_csv", found=str(fault)[:100]) from None
    return CardsRead(tuple(cards.values()), tuple(findings))
