"""Reader of the card data of yaml-yugi: one JSON object a line, or all of them in a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cards.domain.facts import (
    MAX_ID,
    MONSTER,
    SKILL,
    SPELL,
    TOKEN,
    TRAP,
    CardFacts,
    LocalName,
    card_key,
    monster_subkind,
)
from cards.domain.findings import Finding, Unreadable, error, warning
from cards.domain.json_values import LANGUAGES, BadField, line, loads, spoken_name, whole
from cards.domain.read_csv import MAX_FINDINGS, MAX_ROWS, CardsRead, word
from cards.domain.sources import GZIP_MAGIC, inflate, limited

MAX_BYTES = 256 << 20
MAX_RECORD = 1 << 20
_KINDS = {"monster": MONSTER, "spell": SPELL, "trap": TRAP, "token": TOKEN, "skill": SKILL}


def looks_like_yaml_yugi(data: bytes) -> bool:
    """Say whether the first bytes are those of such a record, alone on a line or in a list."""
    head = data[:4096].lstrip().removeprefix(b"\xef\xbb\xbf").lstrip().removeprefix(b"[").lstrip()
    return head.startswith(b"{") and any(
        mark in head for mark in (b'"konami_id"', b'"yugipedia_page_id"', b'"card_type"')
    )


def _records(data: bytes) -> Iterator[tuple[int, bytes | dict[str, Any]]]:
    """Yield (line, record), a record as bytes where it stands on a line of its own."""
    if data.lstrip()[:1] == b"[":
        whole_list = loads(data, "bad_json")
        for number, one in enumerate(whole_list if isinstance(whole_list, list) else (), 1):
            yield number, one
        return
    number, start = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        if end > start and data[start:end].strip():
            yield number, data[start:end]
        start = end + 1


def _card(row: dict[str, Any]) -> tuple[CardFacts, dict[str, str]]:
    names = row.get("name")
    if not isinstance(names, dict):
        raise BadField("name")
    english = line(spoken_name(names.get("en")) or None, "name", needed=True)
    kind = _KINDS.get(line(row.get("card_type"), "card_type").lower())
    if kind is None:
        raise BadField("card_type")
    if kind in (MONSTER, TOKEN):
        type_line = line(row.get("monster_type_line"), "monster_type_line")
        words = [word(part) for part in type_line.split("/")]
        traits = tuple(sorted({one for one in words[1:] if one}))
        race, subkind = words[0], monster_subkind(frozenset(traits))
        kind = TOKEN if "token" in traits else kind
    else:
        race, traits = "", ()
        subkind = word(line(row.get("property"), "property").removesuffix(" Card")) or "normal"
    passcode = whole(row.get("password"), "password", MAX_ID)
    konami_id = whole(row.get("konami_id"), "konami_id", MAX_ID)
    arrows = row.get("link_arrows")
    if arrows is not None and (not isinstance(arrows, list) or len(arrows) > 8):
        raise BadField("link_arrows")
    facts = CardFacts(
        key=card_key(passcode, konami_id, english),
        passcode=passcode or None,
        konami_id=konami_id,
        name=english,
        kind=kind,
        subkind=subkind,
        traits=traits,
        attribute=word(line(row.get("attribute"), "attribute")),
        race=race,
        level=whole(row.get("level"), "level", 99),
        rank=whole(row.get("rank"), "rank", 99),
        link=len(arrows) if arrows else None,
        scale=whole(row.get("pendulum_scale"), "pendulum_scale", 99),
        atk=whole(row.get("atk"), "atk", 1_000_000),
        defence=whole(row.get("def"), "def", 1_000_000),
        has_stats=kind in (MONSTER, TOKEN),
    )
    spoken = {one: spoken_name(names.get(one)) for one in LANGUAGES if one != "en"}
    return facts, {one: name for one, name in spoken.items() if name}


def read_yaml_yugi(data: bytes) -> CardsRead:
    """Read such records, plain or gzipped, with the names in the languages that are kept.

    A record that cannot be read is an error finding `bad_row` (params: field) with its line;
    the rest is read. A repeated key is the warning `repeated_key` and the first counts.
    Raises Unreadable: `too_large`, `bad_compression`, `bad_json`, `too_many_rows`.
    """
    limited(data, MAX_BYTES)
    if data.startswith(GZIP_MAGIC):
        data = inflate(data, MAX_BYTES)
    cards: dict[str, CardFacts] = {}
    names: list[LocalName] = []
    findings: list[Finding] = []

    def note(finding: Finding) -> None:
        if len(findings) < MAX_FINDINGS:
            findings.append(finding)

    for number, raw in _records(data.removeprefix(b"\xef\xbb\xbf")):
        if number > MAX_ROWS:
            raise Unreadable("too_many_rows", found=number, allowed=MAX_ROWS)
        try:
            row = raw if isinstance(raw, dict) else _parsed(raw)
            card, spoken = _card(row)
        except BadField as fault:
            note(error("bad_row", number, field=str(fault)))
            continue
        if card.key in cards:
            note(warning("repeated_key", number, found=card.key))
            continue
        cards[card.key] = card
        names += [LocalName(card.key, language, name) for language, name in spoken.items()]
    return CardsRead(tuple(cards.values()), tuple(findings), tuple(names))


def _parsed(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, bytes) or len(raw) > MAX_RECORD:
        raise BadField("record")
    try:
        row = loads(raw, "bad_json")
    except Unreadable:
        raise BadField("json") from None
    if not isinstance(row, dict):
        raise BadField("record")
    return row
