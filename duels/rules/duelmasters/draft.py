"""A draft collects the events of one act, keeps the table in step and sees the duel end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters import evolve as evolving
from duels.rules.duelmasters import triggers, victory
from duels.rules.duelmasters.seats import player, seat
from duels.rules.duelmasters.state import Table
from eventstore.domain.registry import DomainEvent

Home = Literal["hand", "deck_top", "deck_bottom", "graveyard", "mana"]
Cause = Literal["battle", "effect", "discard", "used"]


class Draft:
    """Mutable inside one decision only. After the duel's end nothing more is taken in
    (DM-2.4)."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.events: list[DomainEvent] = []

    def add(self, event: DomainEvent) -> None:
        """Take an event in, unless the duel has ended, and note the effects that it calls."""
        if self.table.result is not None:
            return
        self.events.append(event)
        self.table = evolving.step(self.table, event)
        match event:
            case ev.AttackBegun():
                self._call(event.player, event.card, "attacks", "attack_declared")
            case ev.AttackUnblocked():
                attack = self.table.attack
                if attack is not None:
                    self._call(attack.player, attack.attacker, "not_blocked")
            case ev.CreatureSummoned() | ev.CreatureEvolved():
                word = "special_summon" if event.how == "effect" else "normal_summon"
                self._call(event.player, event.card, word)

    def _call(self, who: str, card: int, *words: str) -> None:
        self.trigger(triggers.called(self.table, who, card, *words))

    def trigger(self, effects: Sequence[ev.Trigger]) -> None:
        """Note effects that have been called; each is carried out at its moment."""
        if effects:
            self.add(ev.EffectsTriggered(list(effects)))

    def lose(
        self,
        losers: Sequence[str],
        rule: str,
        how: str,
        by: str = "",
        found: Mapping[str, object] | None = None,
    ) -> None:
        """Let players lose by one event (victory.lost)."""
        for event in victory.lost(self.table, losers, rule, how, by, found):
            self.add(event)

    def send(
        self,
        cards: Sequence[int],
        to: Home,
        cause: Cause,
        by: int = 0,
        *,
        destroyed: bool = False,
    ) -> None:
        """Send cards to zones of their owners in one moment, a stack as a whole (DM-7.6), and
        note the effects of creatures that were destroyed or went to the graveyard."""
        stacks = [(card, *self.table.where(card), self.table.stack(card)) for card in cards]
        if not stacks:
            return
        sendings = [
            ev.Sending(one, to)
            for card, _, zone, stack in stacks
            for one in (stack if zone == "battle" else (card,))
        ]
        self.add(ev.CardsSent(sendings, cause, by))
        if to != "graveyard":
            return
        called: list[ev.Trigger] = []
        for card, who, zone, _ in stacks:
            if zone == "battle":
                words = ("destroyed", "sent_to_graveyard") if destroyed else ("sent_to_graveyard",)
                called += triggers.called(self.table, who, card, *words)
        self.trigger(triggers.in_order(self.table, called))

    def draw(
        self, wanted: Mapping[str, int], cause: Literal["normal", "effect"], by: int = 0
    ) -> None:
        """Let players draw in one moment; who draws the last card loses at once (DM-2.2), or by
        option deckout.rule who should draw from an empty deck."""
        losers: list[str] = []
        for who, n in wanted.items():
            deck = self.table.side(who).deck
            drawn = list(deck[:n])
            if drawn or cause == "normal":
                self.add(ev.CardsDrawn(seat(who), drawn, cause, by))
            last = self.table.options["deckout.rule"] == "last_card"
            if n > len(deck) or (last and drawn and len(drawn) == len(deck)):
                losers.append(who)
        if losers:
            found = {who: {"required": wanted[who]} for who in losers}
            self.lose(losers, "DM-2.2", "deck_out", found=found)

    def lay_shields(self, who: str, n: int, by: int = 0) -> None:
        """Lay cards from the top of a deck as shields, unseen; it is no draw."""
        cards = list(self.table.side(who).deck[:n])
        if cards:
            self.add(ev.ShieldsLaid(player(who), cards, by))
