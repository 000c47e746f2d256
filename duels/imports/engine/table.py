"""The table of a recorded duel, folded from moves: one pure step per kind of move.

Card instances are numbered as in `DuelOpened` of an imported log: seat 0's Deck from the top,
seat 0's Fusion Deck, seat 1's likewise, from 1; a token gets the next number when it is born.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from duels.imports.engine import moves as mv
from duels.imports.engine.recording import Deck

LIFE_POINTS = 8000
ROWS = {"monsters": 5, "spells_traps": 6}
"""Spaces of a row; the sixth of the Spell and Trap row is the Field Spell's."""
MODERN_ROWS = {"monsters": 7, "spells_traps": 8}
"""The same with two extra monster zones and the two Pendulum Zones of their own."""
UNTOLD = -1
"""The owner of a token just born: its message does not say whose it is."""


class Impossible(ValueError):
    """A move that this table does not allow: no such card there, a filled space."""


@dataclass(frozen=True, slots=True)
class Half:
    """One player's half: piles (oldest or bottom first) and rows of spaces (0: empty).
    `life_points` may be below 0, as the engine counts."""

    life_points: int = LIFE_POINTS
    deck: tuple[int, ...] = ()
    hand: tuple[int, ...] = ()
    graveyard: tuple[int, ...] = ()
    banished: tuple[int, ...] = ()
    fusion_deck: tuple[int, ...] = ()
    monsters: tuple[int, ...] = (0,) * ROWS["monsters"]
    spells_traps: tuple[int, ...] = (0,) * ROWS["spells_traps"]


@dataclass(frozen=True, slots=True)
class Card:
    """An instance: passcode, owner (seat), and, on the field or removed from play, its
    position; `bearer` is the instance it is attached to, `counters` number per type."""

    code: int
    owner: int
    position: int = 0
    bearer: int = 0
    counters: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """The whole table. `cards` is indexed by instance, index 0 unused. `untold`: piles and
    rows whose order the last moves changed without saying how, and rows with new tokens
    (`tokens`); the recorded table tells (see `compare.settle`). `under`: the materials under a
    card, the lowest first."""

    halves: tuple[Half, Half]
    cards: tuple[Card, ...]
    turn: int = 0
    turn_player: int | None = None
    phase: str = ""
    ended: mv.DuelEnded | None = None
    untold: frozenset[tuple[int, str]] = frozenset()
    under: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


NO_CARD = Card(0, 0)


def start(
    decks: Sequence[Deck],
    life_points: tuple[int, int] = (LIFE_POINTS, LIFE_POINTS),
    rows: Mapping[str, int] = ROWS,
) -> Table:
    """Return the table before the first draw."""
    cards = [NO_CARD]
    halves: list[Half] = []
    for owner, deck in enumerate(decks):
        first = len(cards)
        cards += [Card(code, owner) for code in reversed(deck.main)]
        cards += [Card(code, owner) for code in deck.extra]
        top = first + len(deck.main)
        halves.append(
            Half(
                life_points[owner],
                deck=tuple(range(top - 1, first - 1, -1)),
                fusion_deck=tuple(range(top, top + len(deck.extra))),
                monsters=(0,) * rows["monsters"],
                spells_traps=(0,) * rows["spells_traps"],
            )
        )
    return Table((halves[0], halves[1]), tuple(cards))


def with_half(table: Table, player: int, half: Half, **more: Any) -> Table:
    """Return the table with one half (and further fields) replaced."""
    pair = (half, table.halves[1]) if player == 0 else (table.halves[0], half)
    return replace(table, halves=pair, **more)


def _with_row(table: Table, player: int, zone: str, row: tuple[int, ...]) -> Table:
    changes: dict[str, Any] = {zone: row}
    return with_half(table, player, replace(table.halves[player], **changes))


def with_card(table: Table, card: int, **changes: Any) -> Table:
    """Return the table with fields of an instance replaced."""
    cards = list(table.cards)
    cards[card] = replace(cards[card], **changes)
    return replace(table, cards=tuple(cards))


def at(table: Table, place: mv.Place) -> int:
    """Return the instance at a place; raises `Impossible` when there is none."""
    if not place.zone:
        raise Impossible("no card is nowhere")
    if place.zone.startswith(mv.UNDER):
        held = table.under.get(_bearer(table, place), ())
        if not 0 <= place.position < len(held):
            raise Impossible(f"no material at {text(place)}")
        return held[place.position]
    row: tuple[int, ...] = getattr(table.halves[place.player], place.zone)
    if not 0 <= place.index < len(row) or not row[place.index]:
        raise Impossible(f"no card at {text(place)}")
    return row[place.index]


def text(place: mv.Place) -> str:
    """Return a place as text, spaces and ranks from 1: `P2.monsters.3`."""
    return f"P{place.player + 1}.{place.zone}.{place.index + 1}"


def named(table: Table, place: mv.Place, code: int) -> int:
    """Return the instance at a place that must be this card (code 0: the engine does not say
    which); raises `Impossible`."""
    card = at(table, place)
    if code and table.cards[card].code != code:
        raise Impossible(f"{table.cards[card].code} at {text(place)}, not {code}")
    return card


def _bearer(table: Table, place: mv.Place) -> int:
    zone = place.zone.removeprefix(mv.UNDER)
    return at(table, mv.Place(place.player, zone, place.index, 0))


def _lift(table: Table, place: mv.Place, card: int) -> Table:
    if place.zone.startswith(mv.UNDER):
        bearer = _bearer(table, place)
        rest = tuple(one for one in table.under[bearer] if one != card)
        return replace(table, under={**table.under, bearer: rest})
    row: tuple[int, ...] = getattr(table.halves[place.player], place.zone)
    if place.zone in ROWS:
        left = (*row[: place.index], 0, *row[place.index + 1 :])
    else:
        left = (*row[: place.index], *row[place.index + 1 :])
    return _with_row(table, place.player, place.zone, left)


def _lay(table: Table, place: mv.Place, card: int) -> Table:
    if place.zone.startswith(mv.UNDER):
        bearer = _bearer(table, place)
        held = table.under.get(bearer, ())
        if bearer == card or not 0 <= place.position <= len(held):
            raise Impossible(f"no place for a material at {text(place)}")
        laid = (*held[: place.position], card, *held[place.position :])
        return replace(table, under={**table.under, bearer: laid})
    row: tuple[int, ...] = getattr(table.halves[place.player], place.zone)
    if place.zone in ROWS:
        if not 0 <= place.index < len(row):
            raise Impossible(f"no space {text(place)}")
        if row[place.index]:
            raise Impossible(f"{text(place)} is filled")
        laid = (*row[: place.index], card, *row[place.index + 1 :])
    else:
        if not 0 <= place.index <= len(row):
            raise Impossible(f"no place {text(place)}")
        laid = (*row[: place.index], card, *row[place.index :])
    return _with_row(table, place.player, place.zone, laid)


def _moved(table: Table, move: mv.CardMoved) -> Table:
    source, target = move.source, move.target
    if not source.zone:
        card = len(table.cards)
        born = Card(move.code, UNTOLD)
        untold = table.untold | {(target.player, "tokens")}
        table = replace(table, cards=(*table.cards, born), untold=untold)
    else:
        card = named(table, source, move.code)
        table = _lift(table, source, card)
    if not target.zone:
        return with_card(table, card, position=0, bearer=0, counters={})
    shown = target.zone in ROWS or target.zone == "banished"
    changes: dict[str, Any] = {"position": target.position if shown else 0}
    if source.zone != target.zone or target.zone not in ROWS:
        changes |= {"bearer": 0, "counters": {}}
    return _lay(with_card(table, card, **changes), target, card)


def _turned(table: Table, move: mv.PositionChanged) -> Table:
    card = named(table, move.place, move.code)
    if table.cards[card].position != move.before:
        found = table.cards[card].position
        raise Impossible(f"{text(move.place)} lies in position {found}, not {move.before}")
    changes: dict[str, Any] = {"position": move.place.position}
    if move.place.position & mv.FACE_DOWN:
        changes |= {"bearer": 0, "counters": {}}
        for one, held in enumerate(table.cards):
            if held.bearer == card:
                table = with_card(table, one, bearer=0)
    return with_card(table, card, **changes)


def _drawn(table: Table, move: mv.CardsDrawn) -> Table:
    half = table.halves[move.player]
    if len(move.codes) > len(half.deck):
        raise Impossible(f"{len(move.codes)} drawn of {len(half.deck)}")
    for code in move.codes:
        card = half.deck[-1]
        if table.cards[card].code != code:
            raise Impossible(f"{table.cards[card].code} on top, not {code}")
        half = replace(half, deck=half.deck[:-1], hand=(*half.hand, card))
    return with_half(table, move.player, half)


def arranged(table: Table, cards: Sequence[int], codes: Sequence[int]) -> tuple[int, ...]:
    """Return these instances in the order of the codes; raises `Impossible` when they are not
    the same cards. Copies of one card keep their order."""
    waiting: dict[int, list[int]] = {}
    for card in cards:
        waiting.setdefault(table.cards[card].code, []).append(card)
    order = []
    for code in codes:
        if not waiting.get(code):
            raise Impossible(f"{code} is not among the cards put in order")
        order.append(waiting[code].pop(0))
    if len(order) != len(cards):
        raise Impossible(f"{len(order)} of {len(cards)} cards put in order")
    return tuple(order)


def _ordered(table: Table, move: mv.PileOrdered) -> Table:
    pile = getattr(table.halves[move.player], move.zone)
    return _with_row(table, move.player, move.zone, arranged(table, pile, move.codes))


def _untold(table: Table, move: mv.OrderUntold) -> Table:
    if move.zone in ROWS:
        row = getattr(table.halves[move.player], move.zone)
        if any(not 0 <= index < len(row) or not row[index] for index in move.indices):
            raise Impossible(f"no card in a space of P{move.player + 1}.{move.zone}")
    return replace(table, untold=table.untold | {(move.player, move.zone)})


def _exchanged(table: Table, move: mv.GraveAndDeckSwapped) -> Table:
    half = table.halves[move.player]
    try:
        marks = bytes.fromhex(move.marks)
    except ValueError as fault:
        raise Impossible("marks of no sense") from fault
    fusion = [
        card
        for index, card in enumerate(half.graveyard)
        if index // 8 < len(marks) and marks[index // 8] >> (index % 8) & 1
    ]
    swapped = replace(
        half,
        deck=tuple(card for card in half.graveyard if card not in fusion),
        graveyard=half.deck,
        fusion_deck=(*half.fusion_deck, *fusion),
    )
    untold = table.untold | {(move.player, "deck")}
    if fusion:
        untold |= {(move.player, "fusion_deck")}
    return with_half(table, move.player, swapped, untold=untold)


def _reversed(table: Table, move: mv.DecksReversed) -> Table:
    for player in mv.SEATS:
        half = table.halves[player]
        table = with_half(table, player, replace(half, deck=half.deck[::-1]))
    return table


def _swapped(table: Table, move: mv.ControlSwapped) -> Table:
    one, other = named(table, move.one, move.one_code), named(table, move.other, move.other_code)
    table = _lift(_lift(table, move.one, one), move.other, other)
    return _lay(_lay(table, move.other, one), move.one, other)


def _removed(table: Table, move: mv.CardsRemoved) -> Table:
    gone = [(place, at(table, place)) for place in move.places]
    # from the back, so that the indices of a pile stay true
    for place, card in sorted(gone, key=lambda one: -one[0].index):
        table = with_card(_lift(table, place, card), card, position=0, bearer=0, counters={})
    return table


def _life(table: Table, move: mv.LifePointsChanged) -> Table:
    half = table.halves[move.player]
    return with_half(table, move.player, replace(half, life_points=half.life_points + move.delta))


def _life_set(table: Table, move: mv.LifePointsSet) -> Table:
    half = replace(table.halves[move.player], life_points=move.value)
    return with_half(table, move.player, half)


def _equipped(table: Table, move: mv.Equipped) -> Table:
    return with_card(table, at(table, move.card), bearer=at(table, move.bearer))


def _unequipped(table: Table, move: mv.Unequipped) -> Table:
    return with_card(table, at(table, move.card), bearer=0)


def _counted(table: Table, move: mv.CountersChanged) -> Table:
    card = at(table, move.place)
    counters = dict(table.cards[card].counters)
    left = counters.pop(move.type, 0) + move.delta
    if left < 0:
        raise Impossible(f"{left} counters at {text(move.place)}")
    if left:
        counters[move.type] = left
    return with_card(table, card, counters=counters)


def _turn(table: Table, move: mv.TurnStarted) -> Table:
    return replace(table, turn=table.turn + 1, turn_player=move.player)


STEPS: Mapping[type[Any], Callable[[Table, Any], Table]] = MappingProxyType(
    {
        mv.TurnStarted: _turn,
        mv.PhaseEntered: lambda table, move: replace(table, phase=move.phase),
        mv.CardsDrawn: _drawn,
        mv.CardMoved: _moved,
        mv.PositionChanged: _turned,
        mv.ControlSwapped: _swapped,
        mv.DecksReversed: _reversed,
        mv.PileOrdered: _ordered,
        mv.OrderUntold: _untold,
        mv.GraveAndDeckSwapped: _exchanged,
        mv.CardsRemoved: _removed,
        mv.LifePointsChanged: _life,
        mv.LifePointsSet: _life_set,
        mv.Equipped: _equipped,
        mv.Unequipped: _unequipped,
        mv.CountersChanged: _counted,
        mv.DuelEnded: lambda table, move: replace(table, ended=move),
    }
)


def step(table: Table, move: mv.Move) -> Table:
    """Return the table after a move; raises `Impossible` when the table does not allow it."""
    change = STEPS.get(type(move))
    return table if change is None else change(table, move)
