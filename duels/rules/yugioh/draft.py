"""A draft collects the events of one act, keeps the table in step and sees the duel end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from duels.domain.events import DuelEnded, seat
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import evolve as evolving
from duels.rules.yugioh import victory
from duels.rules.yugioh.state import Table
from eventstore.domain.registry import DomainEvent

Home = Literal["hand", "deck_top", "deck_bottom", "fusion_deck", "graveyard", "banished"]


class Draft:
    """Mutable inside one decision only. After the duel's end nothing more is taken in
    (YGO-2.7)."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.events: list[DomainEvent] = []

    def add(self, event: DomainEvent) -> None:
        """Take an event in, unless the duel has ended."""
        if self.table.result is None:
            self.events.append(event)
            self.table = evolving.step(self.table, event)

    def end(self, ending: DuelEnded | None) -> None:
        """End the duel when there is an ending."""
        if ending is not None:
            self.add(ending)

    def move(self, cards: Sequence[int], to: Home, cause: str, by: int = 0) -> None:
        """Move cards at one moment, a Fusion Monster bound for the hand to the Fusion Deck
        (YGO-12.5), and destroy the Equip Spells whose monster left (YGO-13.8)."""
        if not cards:
            return
        moves = [ev.Move(card, self._home(card, to)) for card in cards]
        self.add(ev.CardsMoved(moves, cause, by))
        self.drop_equips(cards, destroyed=cause in ("battle", "effect", "rule"))
        self.end(victory.by_hand(self.table))

    def _home(self, card: int, to: Home) -> Home:
        facts = self.table.facts_of(card)
        fusion = facts is not None and facts.type == "monster" and facts.kind == "fusion"
        return "fusion_deck" if fusion and to in ("hand", "deck_top", "deck_bottom") else to

    def drop_equips(self, monsters: Sequence[int], *, destroyed: bool) -> None:
        """Destroy the Equip Spells linked to monsters that left or were turned face-down."""
        option = "equip.destroyed_with_monster" if destroyed else "equip.lost_with_link"
        if not self.table.options[option]:
            return
        lost = [
            card
            for card, placed in self.table.placed.items()
            if placed.equipped_to and placed.equipped_to in monsters
        ]
        if lost:
            self.add(ev.CardsMoved([ev.Move(card, "graveyard") for card in lost], "rule"))

    def draw(
        self, wanted: Mapping[str, int], cause: Literal["normal", "effect"], by: int = 0
    ) -> None:
        """Let players draw in one moment; who cannot loses (YGO-2.5, YGO-2.8)."""
        failed = [player for player, n in wanted.items() if n > len(self.table.side(player).deck)]
        if failed:
            self.end(victory.by_deck(self.table, failed, wanted))
            return
        for player, n in wanted.items():
            if n:
                drawn = list(self.table.side(player).deck[:n])
                self.add(ev.CardsDrawn(seat(player), drawn, cause, by))
        self.end(victory.by_hand(self.table))

    def change_life_points(
        self,
        deltas: Mapping[str, int],
        cause: Literal["battle", "effect", "cost"],
        by: int = 0,
        key: str | None = None,
    ) -> None:
        """Change Life Points in one moment, held at 0 (YGO-2.2), and judge 0 (YGO-2.3, 2.4)."""
        changes = [
            ev.LpChange(
                seat(player),
                delta,
                max(0, self.table.side(player).life_points + delta),
            )
            for player, delta in deltas.items()
            if delta
        ]
        if changes:
            self.add(ev.LpChanged(changes, cause, by, key))
            self.end(victory.by_life_points(self.table))
