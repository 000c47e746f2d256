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
    """Return every card of a duel as it stood after some event, by place, with its knowers.

    Take the duel after that event. A card whose identity is not in the log is known to nobody,
    wherever it lies; every other one is open to the judge, since the log is.
    """
    table = duel.table
    found: list[Known] = []
    for instance in range(1, len(table.owners)):
        shown = card(table, instance)
        if not shown.place:
            continue
        if shown.key is None:
            found.append(Known(shown, {}))
            continue
        told = duel.knowledge.get(instance, {})
        knowers = {
            knower: told.get(knower, OPENED)
            for knower in KNOWERS
            if knowledge.sees(table, duel.knowledge, knower, instance)
        }
        found.append(Known(shown, {**knowers, JUDGE: OPENED}))
    return sorted(found, key=lambda one: _rank(one.card.place))


def _rank(place: str) -> tuple[str, str, int]:
    player, _, rest = place.partition(".")
    zone, _, number = rest.partition(".")
    return player, zone, int(number or 0)
