"""Who knew what, at any event: each card with who knows it, since which event, by what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from duels.domain.knowledge import Seen
from duels.domain.walk import KNOWERS, Card, Step

JUDGE = "judge"
OPENED = Seen(1, "duels.duel_opened")
"""What a player may look at from the start: the own Fusion Deck."""


@dataclass(frozen=True, slots=True)
class Known:
    """One card and who knows its identity: P1, P2, public, judge -> since which event, by
    which type of event. A knower that is not in it does not know the card."""

    card: Card
    knowers: Mapping[str, Seen]


def who_knew(step: Step) -> list[Known]:
    """Return the cards of a duel as it stood after an event, by place, with their knowers.

    A card whose identity is not in the log is known to nobody, wherever it lies; every other one
    is open to the judge, since the log is. Cards of a Deck (or shields) that no player knows are
    left out: their order is nobody's to know, the judge's neither.
    """
    duel, table = step.after, step.after.table
    found: list[Known] = []
    for instance in range(1, len(table.owners)):
        shown = step.card(table, instance)
        if not shown.place:
            continue
        told = duel.knowledge.get(instance, {})
        knowers = {
            knower: told.get(knower, OPENED)
            for knower in KNOWERS
            if step.sees(duel, knower, instance)
        }
        if not knowers and table.where(instance)[1] in step.HIDDEN:
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
