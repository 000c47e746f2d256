"""Go on from the recorded table after a difference, so that one fault is told once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from duels.imports.engine.moves import PHASES
from duels.imports.engine.recording import Batch, FieldCard, State
from duels.imports.engine.recording import Half as RecordedHalf
from duels.imports.engine.table import Card, Half, Table

Spot = tuple[int, ...]
"""Controller, location, index: how the recording names a space."""


def taken_over(table: Table, state: State | None, batch: Batch) -> Table:
    """Return the recorded table, with the instances of the folded one where they fit."""
    phase = PHASES.get(batch.phase, "")
    table = replace(
        table,
        turn=batch.turn,
        turn_player=batch.turn_player,
        phase=phase,
        untold=frozenset(),
    )
    if state is None:
        return table
    dealer = _Dealer(table)
    first, second = (
        dealer.half(player, table.halves[player], told) for player, told in enumerate(state.players)
    )
    dealer.attach(state)
    return replace(table, halves=(first, second), cards=tuple(dealer.cards))


class _Dealer:
    """Gives each recorded card an instance: the one that lay there, another copy, a new one."""

    def __init__(self, table: Table) -> None:
        self.cards = list(table.cards)
        self.spots: dict[Spot, int] = {}
        self.free: dict[int, list[int]] = {}
        for card in range(1, len(self.cards)):
            self.free.setdefault(self.cards[card].code, []).append(card)

    def instance(self, code: int, owner: int, wished: int) -> int:
        waiting = self.free.get(code, [])
        if wished in waiting:
            waiting.remove(wished)
            return wished
        if waiting:
            return waiting.pop(0)
        self.cards.append(Card(code, owner))
        return len(self.cards) - 1

    def half(self, player: int, old: Half, told: RecordedHalf) -> Half:
        made: dict[str, Any] = {"life_points": told.lp}
        for zone, codes in (
            ("deck", told.deck),
            ("hand", told.hand),
            ("graveyard", told.grave),
            ("banished", [code for code, _ in told.banished]),
            ("fusion_deck", told.extra),
        ):
            made[zone] = self.pile(player, getattr(old, zone), codes)
        for card, (_, position) in zip(made["banished"], told.banished, strict=True):
            self.cards[card] = replace(self.cards[card], position=position)
        made["monsters"] = self.row(player, 4, old.monsters, told.mzone)
        made["spells_traps"] = self.row(player, 8, old.spells_traps, told.szone)
        return Half(**made)

    def pile(self, player: int, old: Sequence[int], codes: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            self.instance(code, player, old[index] if index < len(old) else 0)
            for index, code in enumerate(codes)
        )

    def row(
        self, player: int, location: int, old: Sequence[int], told: Sequence[FieldCard | None]
    ) -> tuple[int, ...]:
        laid = [0] * len(old)
        for index, one in enumerate(told[: len(old)]):
            if one is not None:
                card = self.instance(one.code, player, old[index])
                laid[index] = card
                self.spots[player, location, index] = card
                self.cards[card] = _as_told(self.cards[card], one, player)
        return tuple(laid)

    def attach(self, state: State) -> None:
        """Link the cards that are attached to a monster."""
        for player, told in enumerate(state.players):
            for location, row in ((4, told.mzone), (8, told.szone)):
                for index, one in enumerate(row):
                    card = self.spots.get((player, location, index))
                    if card and one is not None and one.equip is not None:
                        bearer = self.spots.get(tuple(one.equip), 0)
                        self.cards[card] = replace(self.cards[card], bearer=bearer)


def _as_told(card: Card, told: FieldCard, controller: int) -> Card:
    owner = controller if told.owner is None else told.owner
    counters = {
        int(kind): n for kind, n in told.counters.items() if kind.isascii() and kind.isdigit()
    }
    return replace(card, owner=owner, position=told.pos, bearer=0, counters=counters)
