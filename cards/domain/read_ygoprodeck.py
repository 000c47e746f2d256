"""Reader of the card list of the YGOPRODeck API: `{"data": [{...}, ...]}`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cards.domain.facts import (
    MAX_ID,
    MONSTER,
    SKILL,
    SPELL,
    TOKEN,
    TRAP,
    CardFacts,
    monster_subkind,
)
from cards.domain.findings import Finding, Unreadable, error, warning
from cards.domain.json_values import BadField, line, loads, whole
from cards.domain.read_csv import MAX_FINDINGS, MAX_ROWS, CardsRead, word
from cards.domain.sources import GZIP_MAGIC, inflate, limited

MAX_BYTES = 128 << 20
MOST_ARTS = 40
_NOT_TRAITS = {"monster", "card"}


def looks_like_ygoprodeck(data: bytes) -> bool:
    """Say whether the bytes begin like an answer of that API."""
    head = b"".join(data[:200].split()).removeprefix(b"\xef\xbb\xbf")
    return head.startswith(b'{"data":[')


def _kind(words: list[str], frame: str) -> str:
    if frame == "skill" or "skill" in words:
        return SKILL
    if frame.startswith("token") or "token" in words:
        return TOKEN
    if "spell" in words or frame == "spell":
        return SPELL
    if "trap" in words or frame == "trap":
        return TRAP
    if "monster" in words:
        return MONSTER
    raise BadField("type")


def _konami_id(row: dict[str, Any]) -> int | None:
    more = row.get("misc_info")
    first = more[0] if isinstance(more, list) and more and isinstance(more[0], dict) else {}
    return whole(first.get("konami_id"), "konami_id", MAX_ID)


def _card(row: Any) -> CardFacts:
    if not isinstance(row, dict):
        raise BadField("record")
    passcode = whole(row.get("id"), "id", MAX_ID)
    if not passcode:
        raise BadField("id")
    words = [word(one) for one in line(row.get("type"), "type", needed=True).split()]
    frame = line(row.get("frameType"), "frameType").lower()
    kind = _kind(words, frame)
    race = word(line(row.get("race"), "race"))
    level = whole(row.get("level"), "level", 99)
    traits: tuple[str, ...] = ()
    if kind in (MONSTER, TOKEN):
        held = {one for one in words if one not in _NOT_TRAITS} | {
            one for one in frame.split("_") if one
        }
        traits, subkind = tuple(sorted(held)), monster_subkind(frozenset(held))
    else:
        subkind, race = (race or "normal") if kind != SKILL else "normal", ""
    xyz = subkind == "xyz"
    return CardFacts(
        key=str(passcode),
        passcode=passcode,
        konami_id=_konami_id(row),
        name=line(row.get("name"), "name", needed=True),
        kind=kind,
        subkind=subkind,
        traits=traits,
        attribute=word(line(row.get("attribute"), "attribute")),
        race=race,
        level=None if xyz else level,
        rank=level if xyz else None,
        link=whole(row.get("linkval"), "linkval", 8),
        scale=whole(row.get("scale"), "scale", 99),
        atk=whole(row.get("atk"), "atk", 1_000_000),
        defence=whole(row.get("def"), "def", 1_000_000),
        has_stats=kind in (MONSTER, TOKEN),
    )


def _arts(row: dict[str, Any], card: CardFacts) -> list[CardFacts]:
    """Return the other arts of a card: its pictures with an id of their own."""
    pictures = row.get("card_images")
    if not isinstance(pictures, list):
        return []
    found: list[CardFacts] = []
    for one in pictures[:MOST_ARTS]:
        number = whole(one.get("id") if isinstance(one, dict) else None, "card_images", MAX_ID)
        if number and number != card.passcode:
            found.append(replace(card, key=str(number), passcode=number, alias=card.passcode or 0))
    return found


def read_ygoprodeck(data: bytes) -> CardsRead:
    """Read such a list, plain or gzipped; pictures with an id of their own become other arts.

    A record that cannot be read is an error finding `bad_row` (params: field) with its number;
    the rest is read. A repeated id is the warning `repeated_key`. Raises Unreadable:
    `too_large`, `bad_compression`, `bad_json`, `too_many_rows`.
    """
    limited(data, MAX_BYTES)
    if data.startswith(GZIP_MAGIC):
        data = inflate(data, MAX_BYTES)
    body = loads(data.removeprefix(b"\xef\xbb\xbf"), "bad_json")
    rows = body.get("data") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise Unreadable("bad_json", found="no list of cards under data")
    if len(rows) > MAX_ROWS:
        raise Unreadable("too_many_rows", found=len(rows), allowed=MAX_ROWS)
    cards: dict[str, CardFacts] = {}
    arts: dict[str, CardFacts] = {}
    findings: list[Finding] = []
    for number, row in enumerate(rows, 1):
        try:
            card = _card(row)
            others = _arts(row, card)
        except BadField as fault:
            if len(findings) < MAX_FINDINGS:
                findings.append(error("bad_row", number, field=str(fault)))
            continue
        if card.key in cards:
            if len(findings) < MAX_FINDINGS:
                findings.append(warning("repeated_key", number, found=card.key))
            continue
        cards[card.key] = card
        arts |= {one.key: one for one in others}
    cards |= {key: one for key, one in arts.items() if key not in cards}
    return CardsRead(tuple(cards.values()), tuple(findings))
