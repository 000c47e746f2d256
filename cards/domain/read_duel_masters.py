"""Reader of the card list of Duel Masters: JSON `{"cards": [{name, civilizations, type, ...}]}`.

The name is the key: ids are there for some cards only. Civilizations stand in `attribute`,
joined by `+`; the cost in `level`, the power in `atk` (a plus sign after it is the trait `plus`),
the races in `race`, joined by ` / `; an evolution creature has the trait `evolution`.
"""

from __future__ import annotations

from typing import Any

from cards.domain.facts import CardFacts, card_key
from cards.domain.findings import Finding, Unreadable, error, warning
from cards.domain.json_values import MAX_NAME, BadField, line, loads, whole
from cards.domain.read_csv import MAX_FINDINGS, MAX_ROWS, CardsRead, word
from cards.domain.sources import limited

MAX_BYTES = 16 << 20
RACES = " / "
"""Between the races of a creature that has several."""
KINDS = {"creature": "creature", "spell": "dm_spell", "cross_gear": "cross_gear"}
"""Kinds of this game; its spells are no Spell Cards of the other one."""


def looks_like_duel_masters(head: bytes) -> bool:
    """Say whether the first bytes are those of such a list."""
    plain = b"".join(head.removeprefix(b"\xef\xbb\xbf").split())
    return plain.startswith(b'{"cards":[')


def _words(row: dict[str, Any], field: str) -> list[str]:
    """Return the texts of a list that may be missing."""
    given = row.get(field) or []
    if not isinstance(given, list):
        raise BadField(field)
    return [line(one, field, needed=True) for one in given]


def _card(row: Any) -> CardFacts:
    if not isinstance(row, dict):
        raise BadField("record")
    kind = KINDS.get(word(line(row.get("type"), "type", needed=True)))
    if kind is None:
        raise BadField("type")
    given = row.get("civilizations")
    if not isinstance(given, list) or not given:
        raise BadField("civilizations")
    name = line(row.get("name"), "name", needed=True)
    power = line(row.get("power"), "power")
    traits = [word(one) for one in _words(row, "supertypes")]
    if power.endswith("+"):
        traits.append("plus")
    return CardFacts(
        key=card_key(None, None, name),
        passcode=None,
        konami_id=None,
        name=name,
        kind=kind,
        subkind="normal",
        attribute="+".join(sorted(word(line(one, "civilizations", needed=True)) for one in given)),
        level=whole(row.get("cost"), "cost", 99),
        traits=tuple(sorted(set(traits))),
        race=RACES.join(_words(row, "subtypes"))[:MAX_NAME],
        atk=whole(power.removesuffix("+"), "power", 1_000_000),
        has_stats=kind == "creature",
    )


def read_duel_masters(data: bytes) -> CardsRead:
    """Read such a list. A record that cannot be read is an error finding `bad_row`, a repeated
    name the warning `repeated_key`. Raises Unreadable `too_large`, `bad_json`, `too_many_rows`."""
    body = loads(limited(data, MAX_BYTES).removeprefix(b"\xef\xbb\xbf"), "bad_json")
    rows = body.get("cards") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise Unreadable("bad_json", found="no list of cards")
    if len(rows) > MAX_ROWS:
        raise Unreadable("too_many_rows", found=len(rows), allowed=MAX_ROWS)
    cards: dict[str, CardFacts] = {}
    findings: list[Finding] = []
    for number, row in enumerate(rows, 1):
        try:
            card = _card(row)
        except BadField as fault:
            if len(findings) < MAX_FINDINGS:
                findings.append(error("bad_row", number, field=str(fault)))
            continue
        if card.key in cards:
            if len(findings) < MAX_FINDINGS:
                findings.append(warning("repeated_key", number, found=card.key))
            continue
        cards[card.key] = card
    return CardsRead(tuple(cards.values()), tuple(findings))
