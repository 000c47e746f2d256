"""The table of creatures, mana and shields: battle zone, shields, mana zone, piles, hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as translate
from django.utils.translation import gettext_lazy as _

from duels.pages.skins import Kept

Shown = Mapping[str, Any]
FIELD = "duels/skins/duelmasters/field.html"
MEASURE, MEASURE_ICON = _("Shields"), "shield"
ROWS = (
    Kept("h", _("Hand")),
    Kept("m", _("Battle zone")),
    Kept("s", _("Shields")),
    Kept("f", _("Mana zone")),
)
PILES = (Kept("d", _("Deck")),)
LISTS = (Kept("g", _("Graveyard")),)
CIVILIZATIONS: Mapping[str, tuple[str, str, Promise]] = {
    "Light": ("n", "sun", _("Light")),
    "Water": ("r", "drop", _("Water")),
    "Darkness": ("f", "moon", _("Darkness")),
    "Fire": ("e", "flame", _("Fire")),
    "Nature": ("s", "leaf", _("Nature")),
}
"""Civilization -> the stripe of its cards, its icon and its word: a colour never stands alone."""
ROLES = (("attacker", "attack"), ("target", "target"), ("blocker", "shield"))
"""Part of an attack -> the icon of the corner."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One card. `name` is empty while the viewer may not know it, `secret` when only this viewer
    may; `icon` and `civilization` are its civilization; `power` as it is compared now; `fresh`: it
    came this turn and may not attack; `role`: the icon of its part in the attack under way;
    `under`: the names of the cards below it."""

    name: str = ""
    kind: str = ""
    icon: str = ""
    civilization: Promise | str = ""
    cost: int | None = None
    power: str = ""
    tapped: bool = False
    fresh: bool = False
    role: str = ""
    face_down: bool = False
    secret: bool = False
    under: tuple[str, ...] = ()

    @property
    def facts(self) -> str:
        """Civilization, cost and power in words."""
        if not self.civilization:
            return ""
        said = {"civilization": self.civilization, "cost": self.cost, "power": self.power}
        if not self.power:
            return translate("%(civilization)s, cost %(cost)s") % said
        return translate("%(civilization)s, cost %(cost)s, power %(power)s") % said


@dataclass(frozen=True, slots=True)
class Mana:
    """Cards of the mana zone that are alike: civilization and whether they are used."""

    kind: str
    icon: str
    civilization: Promise | str
    tapped: bool
    count: int


@dataclass(frozen=True, slots=True)
class Side:
    """One player's side; `score` is the number of shields."""

    seat: str
    score: int
    hand: tuple[Cell, ...]
    battle: tuple[Cell, ...]
    shields: tuple[Cell, ...]
    mana: tuple[Cell, ...]
    casting: tuple[Cell, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    graveyard: tuple[str, ...] = ()
    active: bool = False

    @property
    def faces(self) -> tuple[Cell, ...]:
        """The cells of the battle zone, the spell being cast, known shields and the hand."""
        return (*self.battle, *self.casting, *self.shields, *self.hand)

    @property
    def open_piles(self) -> list[tuple[Promise, tuple[str, ...]]]:
        """The faces that lie open, those that are not empty."""
        mana = tuple(one.name or "–" for one in self.mana)
        piles = [(_("Graveyard"), self.graveyard), (_("Mana zone"), mana)]
        return [(label, names) for label, names in piles if names]

    @property
    def mana_groups(self) -> list[Mana]:
        """The mana zone in short: untapped before tapped, the civilizations in their order."""
        order = ["", *(icon for _kind, icon, _word in CIVILIZATIONS.values())]
        held = Counter((one.tapped, order.index(one.icon)) for one in self.mana)
        first = {(one.tapped, order.index(one.icon)): one for one in self.mana}
        return [
            Mana(first[key].kind, first[key].icon, first[key].civilization, key[0], count)
            for key, count in sorted(held.items())
        ]

    @property
    def untapped(self) -> int:
        """How much of the mana zone can still be used."""
        return sum(not one.tapped for one in self.mana)


def cell(card: Shown, *, face_down: bool = False, roles: Mapping[str, str] | None = None) -> Cell:
    """Make the cell of a card of the view (`duels.rules.duelmasters.view`)."""
    known = card.get("card") is not None
    kind, icon, word = CIVILIZATIONS.get(str(card.get("civilization")), ("", "", ""))
    power = card.get("power_now", card.get("power"))
    return Cell(
        name=_named(card) if known else "",
        kind=kind,
        icon=icon,
        civilization=word,
        cost=card.get("cost"),
        power="" if power is None else str(power),
        tapped=bool(card.get("tapped")),
        fresh=bool(card.get("sick")),
        role=(roles or {}).get(str(card.get("place")), ""),
        face_down=face_down,
        secret=face_down and known,
        under=tuple(_named(one) for one in card.get("under", ())),
    )


def _named(card: Shown) -> str:
    return str(card.get("name") or card.get("key") or "–")


def side(table: Shown, seat: str) -> Side:
    """Make one side of the table."""
    seen: Shown = table[seat]
    attack: Shown = table.get("attack") or {}
    roles = {
        str(attack[part]["place"]): icon
        for part, icon in ROLES
        if attack.get(part) and attack[part].get("place")
    }

    def row(zone: str, *, face_down: bool = False) -> tuple[Cell, ...]:
        return tuple(cell(one, face_down=face_down, roles=roles) for one in seen[zone])

    return Side(
        seat=seat,
        score=seen["counts"]["shields"],
        hand=row("hand"),
        battle=row("battle"),
        shields=row("shields", face_down=True),
        mana=row("mana"),
        casting=row("casting"),
        counts=seen["counts"],
        graveyard=tuple(_named(one) for one in seen["graveyard"]),
        active=table["active"] == seat,
    )


def frame(one: Side, word: Callable[[str], int]) -> dict[str, Any]:
    """Return a side as plain values: `l` number of shields, `h` hand, `m` battle zone, `s` shields,
    `f` mana zone, `g` graveyard (names), `d` how many lie in the deck."""

    def cells(row: Sequence[Cell]) -> list[Any]:
        return [
            [
                word(cell.name),
                cell.kind,
                (1 if cell.face_down else 0) + (2 if cell.tapped else 0),
                cell.power,
                [word(name) for name in cell.under],
            ]
            for cell in row
        ]

    return {
        "l": one.score,
        "h": cells(one.hand),
        "m": cells((*one.battle, *one.casting)),
        "s": cells(one.shields),
        "f": cells(one.mana),
        "g": [word(name) for name in one.graveyard],
        "d": one.counts["deck"],
    }
