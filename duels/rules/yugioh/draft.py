"""A draft collects the events of one act, keeps the table in step and sees the duel end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from duels.domain.events import DuelEnded, seat
from duels.rules.yugioh import events as ev
from duels.rules.yugioh import evolve as evolving
from duels.rules.yugioh import triggers, victory
from duels.rules.yugioh.state import Placed, Table
from eventstore.domain.registry import DomainEvent

Home = Literal["hand", "deck_top", "deck_bottom", "fusion_deck", "graveyard", "banished"]


CLEARING = (
    ev.TurnBegun,
    ev.PhaseEntered,
    ev.StepEntered,
    ev.TurnEndAnnounced,
    ev.MonsterSet,
    ev.SpellTrapSet,
    ev.AttackDeclared,
    ev.BattleCalculated,
)
"""Events that end open windows by themselves: no closing is written before them."""


class Draft:
    """Mutable inside one decision only. After the duel's end nothing more is taken in
    (YGO-2.7)."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.events: list[DomainEvent] = []
        self._unsaid: ev.WindowClosed | None = None

    def add(self, event: DomainEvent) -> None:
        """Take an event in, unless the duel has ended, and note the effects that it calls."""
        if self.table.result is not None:
            return
        if self._unsaid is not None:
            if not self._clears(event):
                self.events.append(self._unsaid)
            self._unsaid = None
        before = self.table
        self.events.append(event)
        self.table = evolving.step(before, event)
        if isinstance(event, ev.MonsterSummoned):
            self._arrived(event)
        elif isinstance(event, ev.PositionChanged):
            if before.placed[event.card].position == "set" != event.position:
                self.trigger(triggers.turned_up(self.table, event.card, event.cause))
        elif isinstance(event, ev.AttackDeclared):
            self.trigger(triggers.called(self.table, event.card, event.player, "attack_declared"))
        elif isinstance(event, ev.PhaseEntered) and event.phase == "standby":
            self.trigger(triggers.at_standby(self.table))

    @staticmethod
    def _clears(event: DomainEvent) -> bool:
        if isinstance(event, ev.MonsterSummoned):
            return event.how != "special"
        if isinstance(event, ev.PositionChanged):
            return event.cause == "choice"
        return isinstance(event, CLEARING)

    def _arrived(self, event: ev.MonsterSummoned) -> None:
        words = {"flip": ("flip_summon", "flip"), "special": ("special_summon",)}
        called = words.get(event.how, ("normal_summon",))
        self.trigger(triggers.called(self.table, event.card, event.player, *called))

    def trigger(self, effects: Sequence[ev.Trigger]) -> None:
        """Note effects that have been called; they go on the chain at their moment."""
        if effects:
            self.add(ev.EffectsTriggered(list(effects)))

    def shut(self) -> None:
        """Close the open window of a summon without words. Whatever is written next says so
        itself, or a closing is written before it."""
        self.say_shut()
        self._unsaid = ev.WindowClosed("summon")
        self.table = evolving.step(self.table, self._unsaid)

    def say_shut(self) -> None:
        """Write the closing down that is not written yet."""
        if self._unsaid is not None:
            self.events.append(self._unsaid)
            self._unsaid = None

    def end(self, ending: DuelEnded | None) -> None:
        """End the duel when there is an ending."""
        if ending is not None:
            self.add(ending)

    def move(
        self,
        cards: Sequence[int],
        to: Home,
        cause: str,
        by: int = 0,
        *,
        destroyed: bool | None = None,
        quiet: bool = False,
    ) -> None:
        """Move cards at one moment, a Fusion Monster bound for the hand to the Fusion Deck
        (YGO-12.5), and destroy the Equip Spells whose monster left (YGO-13.8). `destroyed`:
        whether this is destruction, None to judge by the cause (YGO-9.4); `quiet`: it calls
        no effects, for a monster whose summon was negated."""
        if not cards:
            return
        if destroyed is None:
            destroyed = cause in evolving.DESTROYING
        left = [(card, self.table.placed.get(card)) for card in cards]
        moves = [ev.Move(card, self._home(card, to)) for card in cards]
        self.add(ev.CardsMoved(moves, cause, by))
        if not quiet and to == "graveyard":
            self._sent(left, destroyed=destroyed)
        self.drop_equips(cards, destroyed=destroyed)
        self.end(victory.by_hand(self.table))

    def _sent(self, left: Sequence[tuple[int, Placed | None]], *, destroyed: bool) -> None:
        """Note the effects of cards that were sent to the Graveyard."""
        anyhow = self.table.options["destroyed.definition"] == "any_graveyard"
        called: list[ev.Trigger] = []
        for card, placed in left:
            facts = self.table.facts_of(card)
            if facts is None or not facts.effects or self.table.where(card)[1] != "graveyard":
                continue
            words = ["sent_to_graveyard"] if placed is not None else []
            if anyhow or (destroyed and placed is not None):
                words.append("destroyed")
            player = placed.controller if placed is not None else self.table.owners[card]
            called += triggers.called(self.table, card, player, *words)
        self.trigger(triggers.in_order(self.table, called))

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
            self.move(lost, "graveyard", "rule")

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
