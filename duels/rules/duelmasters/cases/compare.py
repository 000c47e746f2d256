"""Compare a table with what a case says must be true (FORMAT.md, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duels.domain.cases import Names, first, same
from duels.rules.duelmasters import values
from duels.rules.duelmasters.cases.position import seen
from duels.rules.duelmasters.state import Table


def differences(table: Table, names: Names, then: Mapping[str, Any]) -> str | None:
    """Return the first field that differs, None when all named fields agree."""
    found: list[str | None] = []
    for field in ("turn", "active", "step"):
        if field in then:
            found.append(same(field, then[field], getattr(table, field)))
    if "result" in then:
        found.append(result(table, then["result"]))
    for name, cause in then.get("causes", {}).items():
        found.append(same(f"causes {name}", cause, table.causes.get(names.find(name))))
    for player in table.seats:
        for field, expected in then.get(player, {}).items():
            found.append(_player(table, names, player, field, expected))
    return first(found)


def result(table: Table, expected: Mapping[str, Any]) -> str | None:
    """Compare the result of a duel."""
    winner = table.result.winner if table.result is not None else "none"
    by = table.result.by if table.result is not None else None
    return first(
        [
            same("result winner", expected.get("winner", winner), winner),
            same("result by", expected.get("by", by), by),
        ]
    )


def _row(table: Table, player: str, field: str) -> tuple[int, ...]:
    side = table.side(player)
    if field in ("mana_untapped", "mana_tapped"):
        wanted = field == "mana_tapped"
        return tuple(card for card in side.mana if table.lying[card].tapped is wanted)
    row: tuple[int, ...] = getattr(side, field)
    return row


def _player(table: Table, names: Names, player: str, field: str, expected: Any) -> str | None:
    cards = _row(table, player, field)
    label = f"{player} {field}"
    if isinstance(expected, int):
        return same(label, expected, len(cards))
    entries = expected if isinstance(expected, list) else [expected]
    if len(entries) != len(cards):
        return same(label, entries, [seen(table, card) for card in cards])
    left = list(cards)
    for entry in entries:
        wanted = entry if isinstance(entry, dict) else {"card": entry}
        fitting = [card for card in left if _fits(table, names, card, wanted) is None]
        if not fitting:
            near = [card for card in left if seen(table, card) == wanted["card"].partition("#")[0]]
            why = _fits(table, names, near[0], wanted) if near else "is not there"
            return f"{label}: {wanted['card']}: {why}"
        left.remove(fitting[0])
    return None


def _fits(table: Table, names: Names, card: int, wanted: Mapping[str, Any]) -> str | None:
    name, _, number = wanted["card"].partition("#")
    if seen(table, card) != name or (number and names.find(wanted["card"]) != card):
        return "another card"
    found: dict[str, Any] = {
        "owner": table.owners[card],
        "power": values.power(table, card),
        "stack": len(table.stack(card)),
    }
    if card in table.lying:
        found["tapped"] = table.lying[card].tapped
    return first(
        [same(key, value, found.get(key)) for key, value in wanted.items() if key != "card"]
    )
