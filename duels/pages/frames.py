"""A whole duel as small steps for a page that replays it without a server.

Each frame holds what changed on the table since the one before, as one viewer may see it: a
page adds them up. Names stand once, in a list of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duels.domain.seats import PLAYERS
from duels.pages.board import Cell, Side, side
from duels.rules.games import NEW, evolve, rules_for
from eventstore.domain.registry import DomainEvent

Frame = dict[str, Any]


def frames(raw: Sequence[DomainEvent], perspective: str) -> tuple[list[str], list[Frame]]:
    """Return the names that occur, and per event what changed: `t` turn, `p` phase, `a` seat
    of the turn player, and per seat (P1, P2) fields of `_side`."""
    names: dict[str, int] = {}
    made: list[Frame] = []
    before: Frame = {}
    duel = NEW
    for event in raw:
        duel = evolve(duel, event)
        shown = rules_for(duel).view(duel, perspective)
        now: Frame = {"t": shown["turn"], "p": shown["phase"], "a": shown["active"]}
        for player in PLAYERS:
            for key, value in _side(side(shown, player), names).items():
                now[f"{player}.{key}"] = value
        made.append({key: value for key, value in now.items() if before.get(key) != value})
        before = now
    return list(names), made


def _side(one: Side, names: dict[str, int]) -> dict[str, Any]:
    """`l` Life Points, `h` hand, `m` monsters, `s` back row, `f` field, `x` zones beyond, `g`
    Graveyard, `b` removed cards (names), `d` and `e` how many lie in Deck and Fusion Deck."""

    def word(text: str) -> int:
        return names.setdefault(text, len(names))

    def cells(row: Sequence[Cell]) -> list[Any]:
        return [_cell(cell, word) for cell in row]

    return {
        "l": one.life_points,
        "h": cells(one.hand),
        "m": cells(one.monsters),
        "s": cells(one.backrow),
        "f": cells([one.field_card]),
        "x": cells(one.beyond),
        "g": [word(name) for name in one.graveyard],
        "b": [word(name) for name in one.banished],
        "d": one.counts["deck"],
        "e": one.counts["fusion_deck"],
    }


def _cell(cell: Cell, word: Any) -> Any:
    """0 for an empty space, else [name, kind, how it lies, values, materials]; `lies` is a sum
    of 1 face-down, 2 in Defence Position."""
    if cell.empty:
        return 0
    lies = (1 if cell.face_down else 0) + (2 if cell.lies == "defence" else 0)
    strong = f"{cell.strong}/{cell.weak}" if cell.strong else ""
    under = [word(name) for name in cell.under]
    return [word(cell.name), cell.kind, lies, strong, under]
