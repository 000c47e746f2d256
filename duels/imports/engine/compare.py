"""Compare the folded table with the table that a recording holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from duels.imports.engine.moves import BATTLE_STEPS, MONSTERS, PHASES
from duels.imports.engine.recording import Batch, FieldCard, State
from duels.imports.engine.recording import Half as RecordedHalf
from duels.imports.engine.table import UNTOLD, Card, Half, Impossible, Table, arranged, with_half

COUNTED = {
    "deck": "deck",
    "hand": "hand",
    "grave": "graveyard",
    "banished": "banished",
    "extra": "fusion_deck",
}
"""The recording's names of the counted piles, and ours."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs: place or value as text, what the recording says, what was folded. `mark`:
    the cards lie as recorded, but for an owner, a bearer or counters."""

    what: str
    recorded: Any
    folded: Any
    mark: bool = False


def differences(table: Table, state: State) -> Iterator[Difference]:
    """Yield every difference: Life Points as max(0, LP), counts, piles with their order,
    spaces with card, position, owner, bearer and counters."""
    where = {card: spot for spot, card in _spots(table)}
    for player, recorded in enumerate(state.players):
        yield from _half(table, where, player, recorded)


def _spots(table: Table) -> Iterator[tuple[tuple[int, int, int], int]]:
    for player, half in enumerate(table.halves):
        for location, row in ((4, half.monsters), (8, half.spells_traps)):
            for index, card in enumerate(row):
                if card:
                    yield (player, location, index), card


def _half(
    table: Table, where: dict[int, tuple[int, int, int]], player: int, recorded: RecordedHalf
) -> Iterator[Difference]:
    half, seat = table.halves[player], f"P{player + 1}"
    cards = table.cards
    if max(0, recorded.lp) != max(0, half.life_points):
        yield Difference(f"{seat}.life_points", max(0, recorded.lp), max(0, half.life_points))
    for name, zone in COUNTED.items():
        size = len(getattr(half, zone))
        if recorded.counts.get(name, size) != size:
            yield Difference(f"{seat}.{zone}.count", recorded.counts[name], size)
    piles: tuple[tuple[str, Sequence[int]], ...] = (
        ("hand", recorded.hand),
        ("graveyard", recorded.grave),
        ("fusion_deck", recorded.extra),
        ("deck", recorded.deck),
    )
    for zone, told in piles:
        folded = [cards[card].code for card in getattr(half, zone)]
        if folded != told:
            yield Difference(f"{seat}.{zone}", told, folded)
    removed = [(cards[card].code, cards[card].position) for card in half.banished]
    if removed != recorded.banished:
        yield Difference(f"{seat}.banished", recorded.banished, removed)
    for zone, row in (("monsters", recorded.mzone), ("spells_traps", recorded.szone)):
        yield from _row(table, where, f"{seat}.{zone}", player, getattr(half, zone), row)


def _row(
    table: Table,
    where: dict[int, tuple[int, int, int]],
    name: str,
    player: int,
    row: Sequence[int],
    recorded: Sequence[FieldCard | None],
) -> Iterator[Difference]:
    for index in range(max(len(row), len(recorded))):
        card = row[index] if index < len(row) else 0
        told = recorded[index] if index < len(recorded) else None
        one = table.cards[card]
        folded = {"code": one.code, "position": one.position} if card else None
        wanted = {"code": told.code, "position": told.pos} if told is not None else None
        if folded != wanted:
            yield Difference(f"{name}.{index + 1}", wanted, folded)
        elif card and told is not None:
            marks, said = _marks(one, where, player), _recorded_marks(told)
            if marks != said:
                yield Difference(f"{name}.{index + 1}.marks", said, marks, mark=True)


def _marks(card: Card, where: dict[int, tuple[int, int, int]], controller: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if card.owner != controller:
        found["owner"] = card.owner
    if card.bearer and card.bearer in where:
        found["bearer"] = list(where[card.bearer])
    if card.counters:
        found["counters"] = {str(kind): n for kind, n in card.counters.items()}
    return found


def _recorded_marks(told: FieldCard) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if told.owner is not None:
        found["owner"] = told.owner
    if told.equip is not None and told.equip[1:2] == [MONSTERS]:
        # the engine still names a bearer that has left, until the equip card follows it
        found["bearer"] = told.equip
    if told.counters:
        found["counters"] = told.counters
    return found


def clock(table: Table, batch: Batch) -> Iterator[Difference]:
    """Yield differences of turn, turn player and phase."""
    if table.turn != batch.turn:
        yield Difference("turn", batch.turn, table.turn)
    if table.turn_player != batch.turn_player:
        yield Difference("turn_player", batch.turn_player, table.turn_player)
    phase = "battle" if batch.phase in BATTLE_STEPS else PHASES.get(batch.phase, "")
    if table.phase != phase:
        yield Difference("phase", batch.phase, table.phase)


def settle(table: Table, state: State) -> Table:
    """Return the table with the orders that no message told read from the recorded one;
    raises `Impossible` when those are not the same cards."""
    for player, zone in sorted(table.untold):
        recorded, half = state.players[player], table.halves[player]
        if zone == "deck":
            half = replace(half, deck=arranged(table, half.deck, recorded.deck))
        elif zone == "tokens":
            table = _owned(table, player, recorded)
        elif zone == "fusion_deck":
            half = replace(half, fusion_deck=arranged(table, half.fusion_deck, recorded.extra))
        else:
            half = _mixed(table, half, zone, recorded)
        table = with_half(table, player, half)
    return replace(table, untold=frozenset())


def _owned(table: Table, player: int, recorded: RecordedHalf) -> Table:
    """Tokens that were born: whose they are."""
    cards = list(table.cards)
    for index, card in enumerate(table.halves[player].monsters):
        if card and cards[card].owner == UNTOLD:
            told = recorded.mzone[index] if index < len(recorded.mzone) else None
            owner = told.owner if told is not None and told.owner is not None else player
            cards[card] = replace(cards[card], owner=owner)
    return replace(table, cards=tuple(cards))


def _mixed(table: Table, half: Half, zone: str, recorded: RecordedHalf) -> Half:
    """Set cards that were mixed: the same cards, face-down, over the same spaces."""
    row = getattr(half, zone)
    told = recorded.mzone if zone == "monsters" else recorded.szone
    hidden = [index for index, card in enumerate(row) if card and table.cards[card].position & 10]
    codes: list[int] = []
    for index in hidden:
        found = told[index] if index < len(told) else None
        if found is None:
            raise Impossible(f"{zone}: no card recorded in a space that was mixed")
        codes.append(found.code)
    order = arranged(table, [row[index] for index in hidden], codes)
    laid = list(row)
    for index, card in zip(hidden, order, strict=True):
        laid[index] = card
    changes: dict[str, Any] = {zone: tuple(laid)}
    return replace(half, **changes)
