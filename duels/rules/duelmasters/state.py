"""The table of a duel as frozen values, and small pure ways to change it.

A card instance is an int. Who owns it, what it is (`identities`, None: unknown) and how it lies
in the mana zone or battle zone (`lying`) stand apart from each other. Mappings are never
changed in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from duels.rules.duelmasters.cards import Card
from duels.rules.duelmasters.options import DEFAULTS, Value

SHIELDS = 5
OPENING_HAND = 5
STEPS = ("start", "draw", "charge", "main", "attack")
ZONES = ("deck", "hand", "shields", "mana", "battle", "graveyard", "casting")
"""`casting` holds a spell between its payment and the graveyard (DM-5.1)."""


class Boost(msgspec.Struct, frozen=True, gc=False):
    """A change of power: until the end of the turn, or while the creature `source` is in the
    battle zone."""

    power: int
    source: int = 0


class Lying(msgspec.Struct, frozen=True, gc=False):
    """How a card lies in the mana zone or battle zone. `entered_turn` 0: an earlier turn;
    `came`: summoned, evolved or effect. `under`: the cards below it, from the top down."""

    tapped: bool = False
    entered_turn: int = 0
    came: str = ""
    under: tuple[int, ...] = ()
    boosts: tuple[Boost, ...] = ()


class Side(msgspec.Struct, frozen=True, gc=False):
    """The cards of one player. `deck`: top first; `battle`: the top card of each stack.
    `charged`, `drawn`, `untapped`: done in this turn. `out`: defeated in a duel of more than
    two (DM-10.17). `shuffled`: the deck was, before the first turn."""

    deck: tuple[int, ...] = ()
    hand: tuple[int, ...] = ()
    shields: tuple[int, ...] = ()
    mana: tuple[int, ...] = ()
    battle: tuple[int, ...] = ()
    graveyard: tuple[int, ...] = ()
    casting: tuple[int, ...] = ()
    charged: bool = False
    drawn: bool = False
    untapped: bool = False
    out: bool = False
    shuffled: bool = False


class Attack(msgspec.Struct, frozen=True, gc=False):
    """An attack under way. `target`: a creature, 0 for the player `defender`. `stage`: declared
    (it may be blocked once no attack effect waits), blocked, unblocked (shields are chosen once
    no effect waits), broken (shield triggers may be used), fought, done. `broken`: the shields
    that this attack broke and whose triggers may still be used, in hand now."""

    player: str
    attacker: int
    defender: str
    target: int
    stage: str = "declared"
    blocker: int = 0
    broken: tuple[int, ...] = ()

    @property
    def opposing(self) -> int:
        """The creature that the attacker battles, 0 for none."""
        return self.blocker or self.target


class Waiting(msgspec.Struct, frozen=True, gc=False):
    """An effect that has been called and is not carried out yet. `about`: the other creature of
    the battle it belongs to, if any."""

    player: str
    card: int
    effect: int
    when: str
    optional: bool = False
    about: int = 0


class Ended(msgspec.Struct, frozen=True, gc=False):
    """The end of the duel: the winner or `draw`, the rule id, and the way."""

    winner: str
    by: str
    how: str


class Table(msgspec.Struct, frozen=True, gc=False):
    """Everything that a rewind takes back. `owners` and `identities` are indexed by instance
    (index 0 unused). `causes`: why a card last went to the graveyard. `secret`: what the duel
    has committed its chance to, empty on paper; it stands in no view. `parried`: the last attack
    of this turn was blocked."""

    opened: bool = False
    number: int = 0
    mode: str = "refereed"
    fidelity: str = "full"
    starter: str = "P1"
    options: Mapping[str, Value] = None  # type: ignore[assignment]
    facts: Mapping[str, Card] = None  # type: ignore[assignment]
    owners: tuple[str, ...] = ("",)
    identities: tuple[str | None, ...] = (None,)
    sides: Mapping[str, Side] = None  # type: ignore[assignment]
    lying: Mapping[int, Lying] = None  # type: ignore[assignment]
    causes: Mapping[int, str] = None  # type: ignore[assignment]
    turn: int = 0
    active: str = ""
    step: str = ""
    attack: Attack | None = None
    parried: bool = False
    waiting: tuple[Waiting, ...] = ()
    secret: str = ""
    result: Ended | None = None

    @property
    def seats(self) -> tuple[str, ...]:
        """Every seat of the duel, clockwise."""
        return tuple(self.sides)

    @property
    def alive(self) -> tuple[str, ...]:
        """The seats that are still in the duel."""
        return tuple(one for one, side in self.sides.items() if not side.out)

    @property
    def phase(self) -> str:
        """The step, under the name that all games give to where a turn stands."""
        return self.step

    def side(self, player: str) -> Side:
        """Return the cards of a player."""
        return self.sides[player]

    def with_side(self, player: str, side: Side, **more: Any) -> Table:
        """Return the table with one player's cards (and further fields) replaced."""
        return replace(self, sides={**self.sides, player: side}, **more)

    def facts_of(self, card: int) -> Card | None:
        """Return what is known of an instance; None for an unknown card."""
        key = self.identities[card]
        return self.facts.get(key) if key is not None else None

    def is_card(self, card: int) -> bool:
        """Say whether the number is an instance of this duel."""
        return 0 < card < len(self.owners)

    def where(self, card: int) -> tuple[str, str]:
        """Return (player, zone) of an instance; zone `under` for a card below another one,
        ("", "") for a card of a player who is out."""
        owner = self.owners[card]
        for player in (owner, *(one for one in self.sides if one != owner)):
            side = self.sides[player]
            for zone in ZONES:
                if card in getattr(side, zone):
                    return player, zone
            if any(card in self.lying[top].under for top in side.battle):
                return player, "under"
        return "", ""

    def creatures(self) -> Iterator[tuple[str, int]]:
        """Yield (player, card) of every creature in a battle zone, in the order of the seats."""
        for player, side in self.sides.items():
            for card in side.battle:
                yield player, card

    def in_battle_zone(self, card: int) -> bool:
        """Say whether a card is a creature in somebody's battle zone (not one below another)."""
        return any(card in side.battle for side in self.sides.values())

    def stack(self, card: int) -> tuple[int, ...]:
        """Return a creature with the cards below it, from the top down (DM-7.6)."""
        lying = self.lying.get(card)
        return (card, *lying.under) if lying is not None else (card,)


EMPTY = Table(options=DEFAULTS, facts={}, sides={"P1": Side(), "P2": Side()}, lying={}, causes={})


def take(table: Table, card: int) -> Table:
    """Return the table with the card lifted from where it is; the caller puts it down."""
    player, zone = table.where(card)
    if not zone:
        return table
    side = table.side(player)
    if zone == "under":
        top = next(one for one in side.battle if card in table.lying[one].under)
        under = tuple(one for one in table.lying[top].under if one != card)
        lying = {**table.lying, top: replace(table.lying[top], under=under)}
        return replace(table, lying=lying)
    if zone == "battle" and table.lying[card].under:
        # what lay below the top card is the stack now
        top, *rest = table.lying[card].under
        row = tuple(top if one == card else one for one in side.battle)
        lying = {key: value for key, value in table.lying.items() if key != card}
        lying[top] = replace(table.lying[card], under=tuple(rest), boosts=())
        return table.with_side(player, replace(side, battle=row), lying=lying)
    pile: dict[str, Any] = {zone: tuple(one for one in getattr(side, zone) if one != card)}
    more: dict[str, Any] = {}
    if card in table.lying:
        more["lying"] = {key: value for key, value in table.lying.items() if key != card}
    return table.with_side(player, replace(side, **pile), **more)


def put(
    table: Table,
    card: int,
    player: str,
    zone: str,
    lying: Lying | None = None,
    *,
    top: bool = False,
) -> Table:
    """Return the table with a lifted card put at the end of a zone, or on its top."""
    side = table.side(player)
    row = getattr(side, zone)
    pile: dict[str, Any] = {zone: (card, *row) if top else (*row, card)}
    more: dict[str, Any] = {}
    if lying is not None:
        more["lying"] = {**table.lying, card: lying}
    return table.with_side(player, replace(side, **pile), **more)


def turned(table: Table, cards: Mapping[int, bool]) -> Table:
    """Return the table with cards in the mana zone or battle zone tapped or untapped."""
    changed = {
        card: replace(table.lying[card], tapped=tapped)
        for card, tapped in cards.items()
        if card in table.lying
    }
    return replace(table, lying={**table.lying, **changed})
