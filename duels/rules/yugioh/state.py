"""The table of a duel as frozen values, and small pure ways to change it.

A card instance is an int. Who owns it, what it is (`identities`, None: unknown) and how it
lies on the field (`placed`) stand apart from each other. Mappings are never changed in place.

The values are msgspec structs, which copy several times faster than dataclasses, and without
work for the garbage collector: nothing in a table refers back to what holds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from duels.domain.events import CardFacts
from duels.rules.yugioh.match import P1, other
from duels.rules.yugioh.options import DEFAULTS, Value

SPACES = 5
HAND_LIMIT = 6
OPENING_HAND = 5
LIFE_POINTS = 8000
FIELD_ZONES = ("monsters", "spells_traps", "field")
PILES = ("hand", "deck", "fusion_deck", "graveyard", "banished")
MATERIALS = "materials"
"""Where a card is that lies under another one (`Placed.equipped_to`). No zone of the classic
rules, only of logs that come from elsewhere."""
ZONES = (*PILES, *FIELD_ZONES)
MOST_SPACES = 1000
"""No row of any log is longer: a number beyond it would only fill the memory."""
EMPTY_ROW: tuple[int, ...] = (0,) * SPACES


class Boost(msgspec.Struct, frozen=True, gc=False):
    """A change of ATK and DEF: until the end of the turn, or while the card `source` lies
    face-up on the field."""

    atk: int
    defence: int
    source: int = 0


class Placed(msgspec.Struct, frozen=True, gc=False):
    """How a card lies on the field. `position`: attack, defence or set for monsters, up or
    set for Spells and Traps. Turn 0 means an earlier turn, or never for what was done.
    `came`: how a monster arrived or was last turned up (normal, tribute, flip, special, set,
    attack, effect, token). `home`: who controls it again at the end of the turn, if anybody.
    `direct_turn`: the turn in which an effect lets it attack directly."""

    controller: str
    zone: str
    place: int
    position: str
    arrived_turn: int = 0
    arrived_phase: str = ""
    changed_turn: int = 0
    attacked_turn: int = 0
    equipped_to: int = 0
    boosts: tuple[Boost, ...] = ()
    came: str = ""
    home: str = ""
    direct_turn: int = 0


class Side(msgspec.Struct, frozen=True, gc=False):
    """One player's half. Piles are tuples (deck: top first); `monsters` and `spells_traps`
    are rows of spaces, 0 where empty; `field` is 0 or a card. `summoned`: the one Normal
    Summon or Set of the turn is spent; `drawn`: the draw of the turn is made; `opened`: the
    opening hand is drawn."""

    life_points: int = LIFE_POINTS
    hand: tuple[int, ...] = ()
    deck: tuple[int, ...] = ()
    fusion_deck: tuple[int, ...] = ()
    graveyard: tuple[int, ...] = ()
    banished: tuple[int, ...] = ()
    monsters: tuple[int, ...] = EMPTY_ROW
    spells_traps: tuple[int, ...] = EMPTY_ROW
    field: int = 0
    summoned: bool = False
    drawn: bool = False
    opened: bool = False


class Attack(msgspec.Struct, frozen=True, gc=False):
    """An attack under way. `stage`: declared, calculated (values compared), damaged (Life
    Points changed), effects (the effects of this battle have been called); `value`, `against`
    and `rule` as they were compared (`against` None: direct). `turned`: the attack turned its
    target up. `monsters`: how many the defender had at the declaration; `before`: the turn of
    the attacker's last attack before this one; `player` whose attack it is."""

    attacker: int
    target: int
    stage: str = "declared"
    value: int = 0
    against: int | None = None
    rule: str = ""
    turned: bool = False
    monsters: int = 0
    before: int = 0
    player: str = ""


class Link(msgspec.Struct, frozen=True, gc=False):
    """A link of the chain: whose, which card, which of its effects (its place in the script,
    -1: none), at which Spell Speed, on which cards. `fresh`: the link itself turned the card
    up. `position` and `pieces` belong to a summon by this effect (first the monster). `begun`:
    its effect has left a first mark on the table; `paid`: the answer to `unless_paid`."""

    player: str
    card: int
    targets: tuple[int, ...] = ()
    effect: int = -1
    speed: int = 1
    fresh: bool = True
    named: tuple[int, ...] = ()
    pieces: tuple[int, ...] = ()
    position: str = ""
    begun: bool = False
    negated: bool = False
    paid: bool | None = None


class Summon(msgspec.Struct, frozen=True, gc=False):
    """A summon that may be answered."""

    player: str
    card: int
    how: str


class Window(msgspec.Struct, frozen=True, gc=False):
    """A moment in which both players may answer: summon, attack, start, damage or end."""

    kind: str
    summons: tuple[Summon, ...] = ()


class Waiting(msgspec.Struct, frozen=True, gc=False):
    """A Flip or Trigger effect whose event has happened and that is no link yet. `about`: the
    other monster of the battle it belongs to, if any."""

    player: str
    card: int
    effect: int
    when: str
    optional: bool = False
    about: int = 0


class Happening(msgspec.Struct, frozen=True, gc=False):
    """Something that befell a card: the word of the event, whose card, which."""

    word: str
    player: str
    card: int


class Ended(msgspec.Struct, frozen=True, gc=False):
    """The end of the duel: winner P1, P2 or draw, the rule id, and the way."""

    winner: str
    by: str
    how: str


class Table(msgspec.Struct, frozen=True, gc=False):
    """Everything that a rewind takes back. `owners` and `identities` are indexed by instance
    (index 0 unused). `causes`: why a card last went to the Graveyard.

    `chain`: open links, the latest last; `windows`: open moments, the present one last, under
    the chain; `chance`: who may answer now; `passed`: how many have passed one after the other.
    `waiting`: Flip and Trigger effects before they are links. `leaving`: where the End Step of
    the Battle Phase leads, if not to Main Phase 2. `owed`: battle damage that is subtracted
    later. `happened`: what befell cards since the last act, for effects that answer it.
    `secret`: what the duel has committed its chance to, empty on paper; it stands in no view."""

    opened: bool = False
    number: int = 0
    mode: str = "refereed"
    fidelity: str = "full"
    starter: str = P1
    options: Mapping[str, Value] = None  # type: ignore[assignment]
    facts: Mapping[str, CardFacts] = None  # type: ignore[assignment]
    owners: tuple[str, ...] = ("",)
    identities: tuple[str | None, ...] = (None,)
    p1: Side = Side()
    p2: Side = Side()
    placed: Mapping[int, Placed] = None  # type: ignore[assignment]
    causes: Mapping[int, str] = None  # type: ignore[assignment]
    turn: int = 0
    active: str = ""
    phase: str = ""
    step: str = ""
    fought: bool = False
    end_announced: bool = False
    attack: Attack | None = None
    chain: tuple[Link, ...] = ()
    resolving: bool = False
    windows: tuple[Window, ...] = ()
    chance: str = ""
    passed: int = 0
    waiting: tuple[Waiting, ...] = ()
    replay: bool = False
    leaving: str = ""
    owed: Mapping[str, int] = None  # type: ignore[assignment]
    happened: tuple[Happening, ...] = ()
    secret: str = ""
    result: Ended | None = None

    def side(self, player: str) -> Side:
        """Return the half of P1 or P2."""
        return self.p1 if player == P1 else self.p2

    def with_side(self, player: str, side: Side, **more: Any) -> Table:
        """Return the table with one half (and further fields) replaced."""
        if player == P1:
            return replace(self, p1=side, **more)
        return replace(self, p2=side, **more)

    def facts_of(self, card: int) -> CardFacts | None:
        """Return what is known of an instance; None for an unknown card."""
        key = self.identities[card]
        return self.facts.get(key) if key is not None else None

    def controlled(self, player: str) -> list[int]:
        """Return the monsters in a player's zone B, from the first space on."""
        return [card for card in self.side(player).monsters if card]

    def is_card(self, card: int) -> bool:
        """Say whether the number is an instance of this duel."""
        return 0 < card < len(self.owners)

    def where(self, card: int) -> tuple[str, str]:
        """Return (player, zone) of an instance; ("", "") for a token that is gone."""
        placed = self.placed.get(card)
        if placed is not None:
            return placed.controller, placed.zone
        owner = self.owners[card]
        side = self.side(owner)
        for zone in PILES:
            if card in getattr(side, zone):
                return owner, zone
        rival = other(owner)  # a text may put a card into the hand of the other player
        return (rival, "hand") if card in self.side(rival).hand else ("", "")


EMPTY = Table(options=DEFAULTS, facts={}, placed={}, causes={}, owed={})


def free_space(row: tuple[int, ...], leaving: Iterable[int] = ()) -> int:
    """Return the first free space of a row, counting `leaving` as gone; its length if none."""
    gone = set(leaving)
    for place, card in enumerate(row):
        if not card or card in gone:
            return place
    return len(row)


def free_spaces(row: tuple[int, ...], leaving: Iterable[int] = ()) -> tuple[int, ...]:
    """Return the free spaces of a row, from 1, counting `leaving` as gone.

    >>> free_spaces((7, 0, 8, 0, 0), leaving=[8])
    (2, 3, 4, 5)
    """
    gone = set(leaving)
    return tuple(at for at, card in enumerate(row[:SPACES], 1) if not card or card in gone)


def space_taken(row: tuple[int, ...], space: int | None) -> int:
    """Return the place in a row, from 0, that a card takes: the named space while it is free,
    else the first free one; the length of the row if none is.

    >>> [space_taken((7, 0, 0, 0, 0), space) for space in (4, 1, None)]
    [3, 1, 1]
    """
    return space - 1 if space is not None and space in free_spaces(row) else free_space(row)


def occupied(row: tuple[int, ...], leaving: Iterable[int] = ()) -> int:
    """Return how many spaces of a row are filled once `leaving` are gone."""
    gone = set(leaving)
    return sum(1 for card in row if card and card not in gone)


def _without(row: tuple[int, ...], card: int) -> tuple[int, ...]:
    left = tuple(0 if one == card else one for one in row)
    while len(left) > SPACES and not left[-1]:
        left = left[:-1]
    return left


def _with(row: tuple[int, ...], place: int, card: int) -> tuple[int, ...]:
    if place >= len(row):
        if place >= MOST_SPACES:
            raise IndexError(f"no space {place}")
        row = row + (0,) * (place + 1 - len(row))
    return (*row[:place], card, *row[place + 1 :])


def take(table: Table, card: int) -> Table:
    """Return the table with the card lifted from where it is; the caller puts it down."""
    placed = table.placed.get(card)
    if placed is not None and placed.zone == "banished":
        # face-down among the removed cards: it lies in that pile as well
        rest = {key: value for key, value in table.placed.items() if key != card}
        return take(replace(table, placed=rest), card)
    if placed is not None and placed.zone == MATERIALS:
        rest = {key: value for key, value in table.placed.items() if key != card}
        return replace(table, placed=rest)
    if placed is not None:
        side = table.side(placed.controller)
        if placed.zone == "monsters":
            side = replace(side, monsters=_without(side.monsters, card))
        elif placed.zone == "spells_traps":
            side = replace(side, spells_traps=_without(side.spells_traps, card))
        else:
            side = replace(side, field=0)
        rest = {key: value for key, value in table.placed.items() if key != card}
        return table.with_side(placed.controller, side, placed=rest)
    player, zone = table.where(card)
    if not zone:
        return table
    side = table.side(player)
    pile: dict[str, Any] = {zone: tuple(one for one in getattr(side, zone) if one != card)}
    return table.with_side(player, replace(side, **pile))


def put(table: Table, card: int, placed: Placed) -> Table:
    """Return the table with a lifted card laid on the field."""
    side = table.side(placed.controller)
    if placed.zone == "monsters":
        side = replace(side, monsters=_with(side.monsters, placed.place, card))
    elif placed.zone == "spells_traps":
        side = replace(side, spells_traps=_with(side.spells_traps, placed.place, card))
    else:
        side = replace(side, field=card)
    return table.with_side(placed.controller, side, placed={**table.placed, card: placed})


def materials(table: Table, bearer: int) -> list[int]:
    """Return the cards that lie under one, the lowest first."""
    under = [
        (placed.place, card)
        for card, placed in table.placed.items()
        if placed.zone == MATERIALS and placed.equipped_to == bearer
    ]
    return [card for _, card in sorted(under)]


def attach(table: Table, card: int, bearer: int, place: int, player: str) -> Table:
    """Return the table with a card laid under another one, those above it one place higher."""
    table = take(table, card)
    under = materials(table, bearer)
    order = [*under[:place], card, *under[place:]]
    lying = {
        one: Placed(player, MATERIALS, rank, "up", equipped_to=bearer)
        for rank, one in enumerate(order)
    }
    return replace(table, placed={**table.placed, **lying})


def turn_over(table: Table, card: int, **changes: Any) -> Table:
    """Return the table with fields of a card on the field replaced."""
    return replace(table, placed={**table.placed, card: replace(table.placed[card], **changes)})
