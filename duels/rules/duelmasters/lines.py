"""The log of a duel as lines for a viewer: code and params, hidden cards masked.

What a viewer knew is judged at the moment of the event: a card revealed later does not make an
earlier line tell more. Words are made elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from duels.domain import events as log
from duels.domain.lines import Line as Line
from duels.domain.rewind import struck
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters import knowledge as knowing
from duels.rules.duelmasters.duel import NEW, Duel, evolve
from duels.rules.duelmasters.view import KNOWER
from eventstore.domain.registry import DomainEvent, name_of

CARD_FIELDS = ("card", "target", "by", "onto")
CARD_LISTS = ("cards", "targets", "mana", "lost")


def lines(raw: Sequence[DomainEvent], viewer: str) -> list[Line]:
    """Return the lines of a raw log for a viewer (public, p1, p2, judge); raises KeyError for
    an unknown viewer."""
    knower = KNOWER[viewer]
    marks = struck(raw)
    shown: list[Line] = []
    duel = NEW
    for seq, event in enumerate(raw, 1):
        duel = evolve(duel, event)
        table = duel.table
        code = name_of(event)[0]
        told = params(duel, event, knower)
        shown.append(Line(seq, code, told, table.turn, table.phase, "", marks[seq - 1]))
    return shown


def params(duel: Duel, event: DomainEvent, knower: str) -> dict[str, Any]:
    """Return what a knower may read of an event, given the duel just after it."""
    match event:
        case log.DuelOpened():
            return {
                "number": event.number,
                "mode": event.mode,
                "fidelity": event.fidelity,
                "starter": event.starter,
                "decks": {player: len(keys) for player, keys in event.main.items()},
            }
        case ev.CardsDescribed():
            return {"count": len(event.cards)}
        case ev.DeckShuffled():
            return {"player": event.player, "count": len(event.order)}
        case ev.ShieldsLaid():  # nobody sees them, a judge no more than their owner
            count = len(event.cards)
            return {"player": event.player, "count": count, "by": describe(duel, event.by, knower)}
        case log.SeedCommitted():
            return {"commitment": event.commitment}
        case log.InfractionRecorded():
            told = event.params if knower in ("judge", event.player) else {}
            return {
                "player": event.player,
                "rule": event.rule,
                "also": list(event.also),
                "found": {key: told[key] for key in told if key not in CARD_FIELDS},
            }
        case ev.EffectDeclared():
            fields = ("op", "n", "amount", "player", "about")
            return {
                "player": event.player,
                "by": _source(duel, event.by, event.key, knower),
                "ops": [{key: op[key] for key in fields if key in op} for op in event.ops],
            }
        case ev.CardsSent():
            return {
                "sendings": [
                    {"card": describe(duel, one.card, knower), "to": one.to}
                    for one in event.sendings
                ],
                "cause": event.cause,
                "by": describe(duel, event.by, knower),
            }
        case ev.EffectsTriggered():
            return {
                "effects": [
                    {
                        "player": one.player,
                        "card": describe(duel, one.card, knower),
                        "when": one.when,
                        "optional": one.optional,
                    }
                    for one in event.effects
                ]
            }
        case ev.CardIdentified():
            return {"card": describe(duel, event.card, knower)}
        case log.LotDrawn():
            return {"about": event.about, "of": event.of, "drawn": event.drawn}
        case log.Rewound():
            plain: dict[str, Any] = msgspec.to_builtins(event)
            return {key: value for key, value in plain.items() if key != "reason"}
        case log.LineDisputed():
            return {"player": event.player, "line": event.line}
    return _described(duel, event, knower)


def _described(duel: Duel, event: DomainEvent, knower: str) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(event)
    for field in CARD_FIELDS:
        if isinstance(shown.get(field), int):
            shown[field] = describe(duel, shown[field], knower)
    for field in CARD_LISTS:
        if isinstance(shown.get(field), list):
            shown[field] = [describe(duel, card, knower) for card in shown[field]]
    return shown


def _source(duel: Duel, card: int, key: str | None, knower: str) -> dict[str, Any] | None:
    """A declared effect may name a card by key alone: what a player said is no secret."""
    if card:
        return describe(duel, card, knower)
    facts = duel.table.facts.get(key) if key is not None else None
    return {"card": None, "name": facts.name, "key": facts.key} if facts is not None else None


def describe(duel: Duel, card: int, knower: str) -> dict[str, Any] | None:
    """Return a card as a line may name it: id, name and key for those who know it, else only
    whose it is; None for no card."""
    if not card:
        return None
    table = duel.table
    if not knowing.sees(table, duel.knowledge, knower, card):
        return {"card": None, "name": None, "key": None, "owner": table.owners[card]}
    facts = table.facts_of(card)
    return {
        "card": card,
        "name": facts.name if facts is not None else None,
        "key": table.identities[card],
        "owner": table.owners[card],
    }
