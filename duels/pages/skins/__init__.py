"""How the table of a game is drawn: one module here per game, named as its package of rules.

Pages ask for the skin of a duel's game and know nothing else of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

from django.utils.functional import Promise

from duels.rules.games import PACKAGES, PLAYED


@dataclass(frozen=True, slots=True)
class Kept:
    """A part of one side in the page that replays a duel without a server: its key in a frame and
    its label. `whole`: empty spaces are drawn."""

    key: str
    label: Promise
    whole: bool = False


class Side(Protocol):
    """What every game says of one side of its table: seat, what is counted there in large (Life
    Points, shields), whether that seat has the turn, and the faces of lists that lie open."""

    seat: str
    score: int
    active: bool
    hand: Sequence[Any]
    faces: Sequence[Any]
    """Cells of the field and the hand: `name` (empty where the viewer does not know the card),
    `facts` in words, `secret`."""
    open_piles: Sequence[tuple[Promise, Sequence[str]]]


class Skin(Protocol):
    """What a module of this package supplies."""

    FIELD: str
    """Template of the field of a side, given `side`, `name` and `mark` (a below, b above)."""
    MEASURE: Promise
    """What the number of a side counts; the chart draws it."""
    MEASURE_ICON: str
    """Its icon, empty for none."""
    ROWS: Sequence[Kept]
    PILES: Sequence[Kept]
    LISTS: Sequence[Kept]
    side: Callable[[Mapping[str, Any], str], Any]
    frame: Callable[[Any, Callable[[str], int]], dict[str, Any]]
    """A side as plain values for the page without a server: rows of [name, kind, lies, values,
    what is under it], 0 for an empty space; `lies` is a sum of 1 face-down, 2 turned."""


@cache
def skin_of(game: str) -> Skin:
    """Return the skin of a game; that of the first game for one without an engine."""
    package = PACKAGES[game if game in PACKAGES else PLAYED[0]]
    return cast(Skin, import_module(f"duels.pages.skins.{package}"))
