"""The table of a duel as cells for a page: what each space and pile shows to one viewer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _

from duels.pages.skins import Kept
from duels.rules.yugioh.state import SPACES

Shown = Mapping[str, Any]
FIELD = "duels/skins/yugioh/field.html"
MEASURE, MEASURE_ICON = _("Life Points"), ""
ROWS = (
    Kept("h", _("Hand")),
    Kept("m", _("Monsters"), True),
    Kept("s", _("Spells and Traps"), True),
    Kept("f", _("Field")),
    Kept("x", _("Further zones")),
)
PILES = (Kept("d", _("Deck")), Kept("e", _("Fusion")))
LISTS = (Kept("g", _("Graveyard")), Kept("b", _("Removed from play")))


@dataclass(frozen=True, slots=True)
class Cell:
    """One space or card. `kind` is the letter of the kind (n, e, f, r, s, t), empty while the
    viewer may not know it; `lies` attack, defence, up or empty; `strong` is the number that
    counts in this position, `weak` the other; `secret`: the name is shown to this viewer only;
    `under`: the names of its materials."""

    label: str
    empty: bool = True
    name: str = ""
    kind: str = ""
    lies: str = ""
    face_down: bool = False
    level: int | None = None
    strong: str = ""
    weak: str = ""
    secret: bool = False
    under: tuple[str, ...] = ()

    @property
    def facts(self) -> str:
        """Level, values and position in words, empty for a card without values."""
        if not self.strong:
            return ""
        level = translate("Level %(number)s") % {"number": self.level} if self.level else ""
        values = f"{self.strong}/{self.weak}"
        if self.lies == "defence":
            values = f"{values} {translate('in Defence')}"
        return f"{level}, {values}" if level else values


@dataclass(frozen=True, slots=True)
class Side:
    """One player's side. `monsters` and `backrow` have five cells each; `beyond` are filled
    spaces that the classic game has not (extra monster zones, Pendulum Zones of their own); the
    piles are counts."""

    seat: str
    score: int
    hand: tuple[Cell, ...]
    monsters: tuple[Cell, ...]
    backrow: tuple[Cell, ...]
    field_card: Cell
    counts: Mapping[str, int] = field(default_factory=dict)
    graveyard: tuple[str, ...] = ()
    banished: tuple[str, ...] = ()
    active: bool = False
    beyond: tuple[Cell, ...] = ()

    @property
    def faces(self) -> tuple[Cell, ...]:
        """The cells of the field and the hand."""
        return (*self.monsters, *self.backrow, self.field_card, *self.beyond, *self.hand)

    @property
    def open_piles(self) -> list[tuple[Promise, tuple[str, ...]]]:
        """The faces that lie open in piles, those that are not empty."""
        piles = [(_("Graveyard"), self.graveyard), (_("Removed from play"), self.banished)]
        return [(label, names) for label, names in piles if names]

    @property
    def monsters_turned(self) -> tuple[Cell, ...]:
        """The monster row as the player opposite sees it."""
        return self.monsters[::-1]

    @property
    def backrow_turned(self) -> tuple[Cell, ...]:
        """The back row as the player opposite sees it."""
        return self.backrow[::-1]


def _kind(card: Shown) -> str:
    type_ = card.get("type")
    if type_ in ("spell", "trap"):
        return str(type_)[0]
    if type_ is None:
        return ""
    return {"normal": "n", "fusion": "f", "ritual": "r"}.get(str(card.get("kind")), "e")


def _points(card: Shown, now: str, printed: str) -> str:
    value = card.get(now, card.get(printed))
    return "?" if value is None else str(value)


def cell(label: str, card: Shown | None) -> Cell:
    """Make the cell of a space; `card` None: nothing lies there."""
    if card is None:
        return Cell(label)
    position = str(card.get("position", ""))
    face_down = position in ("set", "down")
    kind = _kind(card)
    monster = kind in ("n", "e", "f", "r")
    lies = {"attack": "attack", "defence": "defence", "set": "defence"}.get(position, "up")
    if not monster and position == "set":
        lies = "defence" if label.startswith("M") else "up"
    attack = _points(card, "atk_now", "atk") if monster else ""
    defence = _points(card, "def_now", "def") if monster else ""
    strong, weak = (defence, attack) if lies == "defence" else (attack, defence)
    known = card.get("card") is not None
    return Cell(
        label,
        empty=False,
        name=str(card.get("name") or card.get("key") or "") if known else "",
        kind=kind,
        lies=lies,
        face_down=face_down,
        level=card.get("level"),
        strong=strong,
        weak=weak,
        secret=face_down and known,
        under=tuple(_named(one) for one in card.get("materials", ())),
    )


def row_of(seen: Shown, name: str, letter: str) -> tuple[Cell, ...]:
    """Make the cells of a row, labelled from 1."""
    spaces: Sequence[Shown | None] = seen[name]
    return tuple(cell(f"{letter}{at}", one) for at, one in enumerate(spaces, 1))


def _named(card: Shown) -> str:
    return str(card.get("name") or card.get("key") or "–")


def side(table: Shown, seat: str) -> Side:
    """Make one side of the table (`duels.rules.yugioh.view`)."""
    seen: Shown = table[seat]

    monsters, backrow = row_of(seen, "monsters", "M"), row_of(seen, "spells_traps", "S")
    beyond = [*monsters[SPACES:], *backrow[SPACES:]]

    def names(zone: str) -> tuple[str, ...]:
        return tuple(_named(one) for one in seen[zone])

    return Side(
        seat=seat,
        score=seen["life_points"],
        hand=tuple(cell(str(at), one) for at, one in enumerate(seen["hand"], 1)),
        monsters=monsters[:SPACES],
        backrow=backrow[:SPACES],
        field_card=cell("F", seen["field"]),
        counts=seen["counts"],
        graveyard=names("graveyard"),
        banished=names("banished"),
        active=table["active"] == seat,
        beyond=tuple(one for one in beyond if not one.empty),
    )


def frame(one: Side, word: Callable[[str], int]) -> dict[str, Any]:
    """Return a side as plain values: `l` Life Points, `h` hand, `m` monsters, `s` back row, `f`
    field, `x` zones beyond, `g` Graveyard, `b` removed cards (names), `d` and `e` how many lie in
    Deck and Fusion Deck."""

    def cells(row: Sequence[Cell]) -> list[Any]:
        return [_plain(cell, word) for cell in row]

    return {
        "l": one.score,
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


def _plain(cell: Cell, word: Callable[[str], int]) -> Any:
    if cell.empty:
        return 0
    lies = (1 if cell.face_down else 0) + (2 if cell.lies == "defence" else 0)
    strong = f"{cell.strong}/{cell.weak}" if cell.strong else ""
    return [word(cell.name), cell.kind, lies, strong, [word(name) for name in cell.under]]
