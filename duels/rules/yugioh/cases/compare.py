"""Compare a table with what a case says must be true (FORMAT.md, section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duels.rules.yugioh import values
from duels.rules.yugioh.cases.base import Names, first, same
from duels.rules.yugioh.cases.position import seen
from duels.rules.yugioh.duel import held
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import Table


def differences(table: Table, names: Names, then: Mapping[str, Any]) -> str | None:
    """Return the first field that differs, None when all named fields agree."""
    found: list[str | None] = []
    for field in ("turn", "active", "phase", "step"):
        if field in then:
            found.append(same(field, then[field], getattr(table, field)))
    if "chain" in then:
        found.append(_chain(table, then["chain"]))
    if "replay" in then:
        found.append(same("replay", then["replay"], table.replay))
    if "result" in then:
        found.append(result(table, then["result"]))
    for name, cause in then.get("causes", {}).items():
        found.append(same(f"causes {name}", cause, table.causes.get(names.find(name))))
    for player in PLAYERS:
        for field, expected in then.get(player, {}).items():
            found.append(_player(table, names, player, field, expected))
    return first(found)


def _chain(table: Table, expected: Any) -> str | None:
    """Compare the open links, of which only the named fields count."""
    links = [{"card": seen(table, link.card), "speed": link.speed} for link in table.chain]
    wanted = [one if isinstance(one, dict) else {"card": one} for one in expected]
    names = [{**one, "card": str(one["card"]).partition("#")[0]} for one in wanted]
    near = [{key: link.get(key) for key in one} for link, one in zip(links, names, strict=False)]
    if len(links) != len(names):
        near = links
    return same("chain", names, near)


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


def _player(table: Table, names: Names, player: str, field: str, expected: Any) -> str | None:
    side = table.side(player)
    label = f"{player} {field}"
    if field == "lp":
        return same(label, expected, side.life_points)
    if field == "normal_summon_used":
        return same(label, expected, side.summoned)
    if isinstance(expected, int):
        return same(label, expected, held(table, player, field))
    row = getattr(side, field)
    cards = [card for card in (row if isinstance(row, tuple) else (row,)) if card]
    if expected == "none":
        return same(label, 0, len(cards))
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


def _bearer(table: Table, names: Names, card: int, wanted: Any) -> str | None:
    """The name of a bearer; with the copy's number where the case names one."""
    if not card:
        return None
    if isinstance(wanted, str) and "#" in wanted and names.get(wanted) == card:
        return wanted
    return seen(table, card)


def _fits(table: Table, names: Names, card: int, wanted: Mapping[str, Any]) -> str | None:
    name, _, number = wanted["card"].partition("#")
    if seen(table, card) != name or (number and names.find(wanted["card"]) != card):
        return "another card"
    placed = table.placed.get(card)
    found: dict[str, Any] = {
        "owner": table.owners[card],
        "atk": values.attack(table, card),
        "def": values.defence(table, card),
    }
    if placed is not None:
        found |= {
            "position": placed.position,
            "face": placed.position,
            "attacked": placed.attacked_turn == table.turn,
            "equipped_to": _bearer(table, names, placed.equipped_to, wanted.get("equipped_to")),
        }
    return first(
        [same(key, value, found.get(key)) for key, value in wanted.items() if key != "card"]
    )
