"""Which effects an event calls, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.cards import answers, effect_at, ops_of, places_of
from duels.rules.duelmasters.seats import seat
from duels.rules.duelmasters.state import Table

CAST, TAP = "cast", "tap"
"""Words under which a spell's text and a tap ability wait for their choice."""


def called(table: Table, who: str, card: int, *words: str, about: int = 0) -> list[ev.Trigger]:
    """Return the trigger effects of a card that one of these events calls."""
    facts = table.facts_of(card)
    found: list[ev.Trigger] = []
    for place in places_of(facts, "trigger"):
        effect = effect_at(facts, place)
        word = next((one for one in words if answers(effect, (one,))), None)
        if word is not None and ops_of(effect):
            optional = effect.get("optional") is True
            found.append(ev.Trigger(seat(who), card, place, word, optional, about))
    return found


def own(table: Table, who: str, card: int, kind: str) -> list[ev.Trigger]:
    """Return the effects of a spell that is cast, or of a tap ability that is used."""
    facts = table.facts_of(card)
    word = CAST if kind == "spell" else TAP
    return [
        ev.Trigger(seat(who), card, place, word)
        for place in places_of(facts, kind)
        if ops_of(effect_at(facts, place))
    ]


def in_order(table: Table, effects: Sequence[ev.Trigger]) -> list[ev.Trigger]:
    """Return effects called at one moment: the turn player's first (DM-8.11)."""
    return sorted(effects, key=lambda one: one.player != table.active)
