"""What happened in a recorded duel, in the words of the game: a message becomes moves.

Places are those of the recording: seat 0 or 1, zone by name, index within the zone (spaces from
0; piles from the oldest or the bottom, so that the last is the newest or the top).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

DECK, HAND, MONSTERS, SPELLS, GRAVEYARD, BANISHED, FUSION = 1, 2, 4, 8, 16, 32, 64
ZONES: dict[int, str] = {
    0: "",
    DECK: "deck",
    HAND: "hand",
    MONSTERS: "monsters",
    SPELLS: "spells_traps",
    GRAVEYARD: "graveyard",
    BANISHED: "banished",
    FUSION: "fusion_deck",
}
UNDER = "under_"
"""Before the name of a zone: the materials under a card that lies there. Of such a place the
index is that of the card, and the position counts the materials."""
OVERLAY = 0x80
ZONES |= {
    OVERLAY | location: UNDER + name
    for location, name in ZONES.items()
    if location in (MONSTERS, GRAVEYARD, BANISHED, FUSION)
}
ON_FIELD = ("monsters", "spells_traps")
FACE_UP_ATTACK, FACE_DOWN_ATTACK, FACE_UP_DEFENCE, FACE_DOWN_DEFENCE = 1, 2, 4, 8
FACE_UP, FACE_DOWN = 5, 10
"""Bits of a position; 5 and 10 join attack and defence."""
PHASES: dict[int, str] = {
    1: "draw",
    2: "standby",
    4: "main1",
    8: "battle",
    256: "main2",
    512: "end",
}
BATTLE_STEPS = (0x10, 0x20, 0x40, 0x80)
BY_DESTRUCTION, BY_TRIBUTE, BY_MATERIAL, BY_BATTLE = 0x1, 0x2, 0x8, 0x20
BY_EFFECT, BY_COST, BY_RULE, BY_SPECIAL, BY_DISCARD = 0x40, 0x80, 0x400, 0x800, 0x4000
SEATS = (0, 1)


class Unreadable(ValueError):
    """A message that says nothing the game knows: a field is missing or out of range."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card is: zone "" is nowhere (a token that is not yet born, or gone)."""

    player: int
    zone: str
    index: int
    position: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn begins."""

    player: int


@dataclass(frozen=True, slots=True)
class PhaseEntered:
    """A phase begins (the steps of the Battle Phase are never told)."""

    phase: str


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    """Cards left the top of the Deck for the hand, the top card first."""

    player: int
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CardMoved:
    """A card went from place to place. `kind`: placed, attached (as material), special,
    sent_to_graveyard, destroyed, tributed, discarded, banished, returned_to_hand,
    returned_to_deck, control_changed, token_created, token_removed. `reason` are the engine's
    bits: stale for a card that goes from the hand to a zone."""

    kind: str
    code: int
    source: Place
    target: Place
    reason: int


@dataclass(frozen=True, slots=True)
class PositionChanged:
    """A card on the field turned. `kind`: changed, face_up (8 to 4, 10 to 5), flip_summoned."""

    kind: str
    code: int
    place: Place
    before: int


@dataclass(frozen=True, slots=True)
class ControlSwapped:
    """Two monsters changed sides and spaces."""

    one: Place
    one_code: int
    other: Place
    other_code: int


@dataclass(frozen=True, slots=True)
class PileOrdered:
    """A hand or Fusion Deck has a new order, told in full."""

    player: int
    zone: str
    codes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OrderUntold:
    """Cards changed their order, and the message does not say how: a Deck shuffled, Set cards
    mixed. `indices`: which spaces (empty for all)."""

    player: int
    zone: str
    indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class GraveAndDeckSwapped:
    """A Deck and a Graveyard changed places; `marks`: a bit per card bound for the Fusion
    Deck, in the order of the Graveyard."""

    player: int
    marks: str


@dataclass(frozen=True, slots=True)
class DecksReversed:
    """Both Decks were turned over: the bottom card is now on top."""


@dataclass(frozen=True, slots=True)
class CardsRemoved:
    """Cards left the game altogether."""

    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class LifePointsChanged:
    """Life Points rose or fell. `cause`: damage, gain or cost."""

    player: int
    delta: int
    cause: str


@dataclass(frozen=True, slots=True)
class LifePointsSet:
    """Life Points became a value."""

    player: int
    value: int


@dataclass(frozen=True, slots=True)
class Equipped:
    """A card on the field is now attached to a monster."""

    card: Place
    bearer: Place


@dataclass(frozen=True, slots=True)
class Unequipped:
    """A card on the field is no longer attached."""

    card: Place


@dataclass(frozen=True, slots=True)
class CountersChanged:
    """Counters were put on a card or taken off it."""

    place: Place
    type: int
    delta: int


@dataclass(frozen=True, slots=True)
class DuelEnded:
    """The duel is over; `winner` 0, 1 or 2 for a draw."""

    winner: int
    reason: int


@dataclass(frozen=True, slots=True)
class Told:
    """Something of the story that moves no card: `kind` in the words of the game."""

    kind: str
    fields: Mapping[str, Any]


Move: TypeAlias = (
    TurnStarted
    | PhaseEntered
    | CardsDrawn
    | CardMoved
    | PositionChanged
    | ControlSwapped
    | PileOrdered
    | OrderUntold
    | GraveAndDeckSwapped
    | DecksReversed
    | CardsRemoved
    | LifePointsChanged
    | LifePointsSet
    | Equipped
    | Unequipped
    | CountersChanged
    | DuelEnded
    | Told
)

TOLD: dict[str, str] = {
    "SET": "set",
    "SUMMONING": "normal_summon_attempted",
    "SUMMONED": "normal_summon_succeeded",
    "SPSUMMONING": "special_summon_attempted",
    "SPSUMMONED": "special_summon_succeeded",
    "FLIPSUMMONED": "flip_summon_succeeded",
    "DECK_TOP": "top_card_known",
    "CONFIRM_CARDS": "cards_revealed",
    "CONFIRM_DECKTOP": "cards_excavated",
    "CONFIRM_EXTRATOP": "cards_excavated",
    "CHAINING": "effect_activated",
    "CHAINED": "chain_link_added",
    "CHAIN_SOLVING": "resolution_started",
    "CHAIN_SOLVED": "resolved",
    "CHAIN_END": "chain_ended",
    "CHAIN_NEGATED": "activation_negated",
    "CHAIN_DISABLED": "effect_negated",
    "BECOME_TARGET": "targeted",
    "CARD_TARGET": "linked_to",
    "CANCEL_TARGET": "unlinked",
    "CARD_SELECTED": "card_chosen",
    "RANDOM_SELECTED": "random_card_chosen",
    "MISSED_EFFECT": "timing_missed",
    "FIELD_DISABLED": "zones_blocked",
    "TOSS_COIN": "coin_tossed",
    "TOSS_DICE": "dice_rolled",
    "ATTACK": "attack_declared",
    "ATTACK_DISABLED": "attack_negated",
    "DAMAGE_STEP_START": "damage_step_started",
    "DAMAGE_STEP_END": "damage_step_ended",
    "BATTLE": "battle_resolved",
    "ROCK_PAPER_SCISSORS": "starter_contested",
    "HAND_RES": "starter_contested",
    "MATCH_KILL": "match_ended_by_card",
}
DECLARED = (6, 7, 8, 9)
"""Kinds of hint that are declarations: race, attribute, card, number."""
SILENT = frozenset({"CARD_HINT", "PLAYER_HINT", "RETRY", "WAITING", "REFRESH_DECK"})
"""Marks, and what belongs to the program, not to the duel."""
REQUESTS = frozenset(
    {
        "SELECT_IDLECMD",
        "SELECT_BATTLECMD",
        "SELECT_CHAIN",
        "SELECT_CARD",
        "SELECT_TRIBUTE",
        "SELECT_SUM",
        "SELECT_UNSELECT_CARD",
        "SELECT_PLACE",
        "SELECT_DISFIELD",
        "SELECT_POSITION",
        "SELECT_EFFECTYN",
        "SELECT_YESNO",
        "SELECT_OPTION",
        "SELECT_COUNTER",
        "ANNOUNCE_CARD",
        "ANNOUNCE_RACE",
        "ANNOUNCE_ATTRIB",
        "ANNOUNCE_NUMBER",
        "SORT_CARD",
        "SORT_CHAIN",
    }
)


def moves_of(message: Mapping[str, Any]) -> list[Move] | None:
    """Return what a message says happened: no move for requests and marks, None for a kind of
    message that is unknown here. Raises `Unreadable` for a damaged one."""
    name = message.get("msg")
    if not isinstance(name, str):
        return None
    if name in REQUESTS or name in SILENT:
        return []
    try:
        if name in TOLD:
            return [Told(TOLD[name], {key: message[key] for key in message if key != "msg"})]
        reader = READERS.get(name)
        return None if reader is None else reader(message)
    except KeyError as missing:
        raise Unreadable(f"{name}: {missing.args[0]} is missing"[:120]) from missing
    except TypeError as wrong:
        raise Unreadable(f"{name}: {wrong}"[:120]) from wrong


def _number(message: Mapping[str, Any], field: str) -> int:
    value = message[field]
    if type(value) is not int:
        raise Unreadable(f"{message.get('msg', '')}: {field} {value!r}"[:120])
    return value


def _player(message: Mapping[str, Any], field: str = "player") -> int:
    player = _number(message, field)
    if player not in SEATS:
        raise Unreadable(f"{message.get('msg', '')}: {field} {player}")
    return player


def place(message: Mapping[str, Any], position: str = "position") -> Place:
    """Return the place that controller, location, sequence and position name."""
    location = _number(message, "location")
    if location not in ZONES:
        raise Unreadable(f"location {location}")
    where = _number(message, position) if position in message else 0
    index = _number(message, "sequence")
    # nowhere has no side: the engine writes what it last had there
    player = _player(message, "controller") if location else 0
    return Place(player, ZONES[location], index, where)


def _moved(message: Mapping[str, Any]) -> list[Move]:
    source, target = place(message["from"]), place(message["to"])
    reason = _number(message, "reason")
    kind = _kind(source, target, reason)
    return [CardMoved(kind, _number(message, "code"), source, target, reason)]


def _kind(source: Place, target: Place, reason: int) -> str:
    if not source.zone:
        return "token_created"
    if not target.zone:
        return "token_removed"
    if target.zone.startswith(UNDER):
        return "attached"
    if target.zone in ON_FIELD:
        if source.zone == target.zone == "monsters" and source.player != target.player:
            return "control_changed"
        return "special" if reason & BY_SPECIAL and source.zone not in ON_FIELD else "placed"
    if reason & BY_DESTRUCTION:
        return "destroyed"
    if reason & BY_TRIBUTE:
        return "tributed"
    if reason & BY_DISCARD:
        return "discarded"
    return {
        "graveyard": "sent_to_graveyard",
        "banished": "banished",
        "hand": "returned_to_hand",
        "deck": "returned_to_deck",
        "fusion_deck": "returned_to_deck",
    }[target.zone]


def _turned(message: Mapping[str, Any]) -> list[Move]:
    before, at = _number(message, "prev_position"), place(message)
    shown = before & FACE_DOWN and at.position & FACE_UP and at.position != FACE_UP_ATTACK
    kind = "face_up" if shown else "changed"
    return [PositionChanged(kind, _number(message, "code"), at, before)]


def _flipped(message: Mapping[str, Any]) -> list[Move]:
    return [
        PositionChanged(
            "flip_summoned", _number(message, "code"), place(message), FACE_DOWN_DEFENCE
        )
    ]


def _drawn(message: Mapping[str, Any]) -> list[Move]:
    codes = tuple(_number(card, "code") for card in message["cards"])
    return [CardsDrawn(_player(message), codes)]


def _phase(message: Mapping[str, Any]) -> list[Move]:
    phase = _number(message, "phase")
    if phase in BATTLE_STEPS:
        return [Told("battle_step", {"phase": phase})]
    if phase not in PHASES:
        raise Unreadable(f"NEW_PHASE: phase {phase}")
    return [PhaseEntered(PHASES[phase])]


def _ordered(zone: str) -> Callable[[Mapping[str, Any]], list[Move]]:
    def read(message: Mapping[str, Any]) -> list[Move]:
        codes = tuple(message["codes"])
        if any(type(code) is not int for code in codes):
            raise Unreadable(f"{message['msg']}: codes")
        return [PileOrdered(_player(message), zone, codes)]

    return read


def _mixed(message: Mapping[str, Any]) -> list[Move]:
    places = [place(one) for one in message["from"]]
    if not places:
        return []
    first = places[0]
    if first.zone not in ON_FIELD or any(
        (one.player, one.zone) != (first.player, first.zone) for one in places
    ):
        raise Unreadable("SHUFFLE_SET_CARD: places of different rows")
    return [OrderUntold(first.player, first.zone, tuple(one.index for one in places))]


def _swapped(message: Mapping[str, Any]) -> list[Move]:
    one, other = message["card1"], message["card2"]
    return [ControlSwapped(place(one), _number(one, "code"), place(other), _number(other, "code"))]


def _exchanged(message: Mapping[str, Any]) -> list[Move]:
    marks = message["bitmap"]
    if not isinstance(marks, str):
        raise Unreadable("SWAP_GRAVE_DECK: bitmap")
    return [GraveAndDeckSwapped(_player(message), marks)]


def _life(cause: str, sign: int) -> Callable[[Mapping[str, Any]], list[Move]]:
    def read(message: Mapping[str, Any]) -> list[Move]:
        return [LifePointsChanged(_player(message), sign * _number(message, "amount"), cause)]

    return read


def _counters(sign: int) -> Callable[[Mapping[str, Any]], list[Move]]:
    def read(message: Mapping[str, Any]) -> list[Move]:
        count = sign * _number(message, "count")
        return [CountersChanged(place(message), _number(message, "counter_type"), count)]

    return read


def _hint(message: Mapping[str, Any]) -> list[Move]:
    if message["hint_type"] not in DECLARED:
        return []
    return [Told("declaration_made", {key: message[key] for key in message if key != "msg"})]


READERS: dict[str, Callable[[Mapping[str, Any]], list[Move]]] = {
    "NEW_TURN": lambda message: [TurnStarted(_player(message))],
    "NEW_PHASE": _phase,
    "DRAW": _drawn,
    "WIN": lambda message: [DuelEnded(_number(message, "player"), _number(message, "reason"))],
    "HINT": _hint,
    "MOVE": _moved,
    "POS_CHANGE": _turned,
    "FLIPSUMMONING": _flipped,
    "SWAP": _swapped,
    "SHUFFLE_DECK": lambda message: [OrderUntold(_player(message), "deck")],
    "SHUFFLE_HAND": _ordered("hand"),
    "SHUFFLE_EXTRA": _ordered("fusion_deck"),
    "SHUFFLE_SET_CARD": _mixed,
    "SWAP_GRAVE_DECK": _exchanged,
    "REVERSE_DECK": lambda message: [DecksReversed()],
    "REMOVE_CARDS": lambda message: [CardsRemoved(tuple(place(one) for one in message["cards"]))],
    "DAMAGE": _life("damage", -1),
    "RECOVER": _life("gain", 1),
    "PAY_LPCOST": _life("cost", -1),
    "LPUPDATE": lambda message: [LifePointsSet(_player(message), _number(message, "lp"))],
    "EQUIP": lambda message: [Equipped(place(message["card"]), place(message["target"]))],
    "UNEQUIP": lambda message: [Unequipped(place(message))],
    "ADD_COUNTER": _counters(1),
    "REMOVE_COUNTER": _counters(-1),
}
"""TAG_SWAP (two persons a side) is left out: such a recording is told as unknown."""
