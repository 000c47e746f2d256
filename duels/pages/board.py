"""The table of a duel as cells for a page: what each space and pile shows to one viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duels.rules.yugioh.state import SPACES

Shown = Mapping[str, Any]


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


@dataclass(frozen=True, slots=True)
class Side:
    """One player's side. `monsters` and `backrow` have five cells each; `beyond` are filled
    spaces that the classic game has not (extra monster zones, Pendulum Zones of their own); the
    piles are counts."""

    seat: str
    life_points: int
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
        life_points=seen["life_points"],
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
