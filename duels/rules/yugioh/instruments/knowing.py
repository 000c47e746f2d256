"""Who knew what, at any event: each card with who knows it, since which event, by what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from duels.rules.yugioh import knowledge
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.instruments.walk import Card, card
from duels.rules.yugioh.knowledge import KNOWERS, Seen

JUDGE = "judge"
OPENED = Seen(1, "duels.duel_opened")
"""What a player may look at from the start: the own Fusion Deck."""


@dataclass(frozen=True, slots=True)
class Known:
    """One card and who knows its identity: P1, P2, public, judge -> since which event, by
    which type of event. A knower that is not in it does not know the card."""

    card: Card
    knowers: Mapping[str, Seen]


def who_knew(duel: Duel) -> list[Known]:
    """Return the cards of a duel as it stood after some event, by place, with their knowers.

    Take the duel after that event. A card whose identity is not in the log is known to nobody,
    wherever it lies; every other one is open to the judge, since the log is. Cards of a Deck that
    no player knows are left out: their order is nobody's to know, the judge's neither.
    """
    table = duel.table
    found: list[Known] = []
    for instance in range(1, len(table.owners)):
        shown = card(table, instance)
        if not shown.place:
            continue
        told = duel.knowledge.get(instance, {})
        knowers = {
            knower: told.get(knower, OPENED)
            for knower in KNOWERS
            if knowledge.sees(table, duel.knowledge, knower, instance)
        }
        if not knowers and table.where(instance)[1] == "deck":
            continue
        if shown.key is None:
            knowers = {}
        else:
            knowers[JUDGE] = OPENED
        found.append(Known(shown, knowers))
    return sorted(found, key=lambda one: _rank(one.card.place))


def _rank(place: str) -> tuple[str, str, int]:
    player, _, rest = place.partition(".")
    zone, _, number = rest.partition(".")
    return player, zone, int(number or 0)
