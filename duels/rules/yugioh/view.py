"""What a viewer (public, p1, p2, judge) sees of a table, as plain JSON values.

A card whose identity the viewer does not know stands by its place alone, without instance id:
an id seen before would tell what the card is. The size of a hand is public (YGO-6.2).
"""

from __future__ import annotations

from typing import Any

from duels.domain.seats import VIEWERS as VIEWERS
from duels.rules.yugioh import knowledge as knowing
from duels.rules.yugioh import refs, values
from duels.rules.yugioh.cards import is_monster
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.state import PILES, Table, materials

KNOWER = {"public": knowing.PUBLIC, "p1": "P1", "p2": "P2", "judge": "judge"}


def view(duel: Duel, viewer: str) -> dict[str, Any]:
    """Return the table as `viewer` may see it; raises KeyError for an unknown viewer.

    Keys: viewer, turn, active, phase, step, starter, mode, fidelity, result (winner, by, how
    or None), chain (open links), window (kind of the open moment or None), chance (who may
    answer now), waiting (effects before they are links), replay, and per seat life_points,
    counts of piles, hand, monsters, spells_traps (rows of spaces, None where empty), field,
    graveyard, banished, fusion_deck, deck (known cards only).
    """
    knower = KNOWER[viewer]
    table = duel.table
    result = table.result
    seen: dict[str, Any] = {
        "viewer": viewer,
        "turn": table.turn,
        "active": table.active,
        "phase": table.phase,
        "step": table.step,
        "starter": table.starter,
        "mode": table.mode,
        "fidelity": table.fidelity,
        "end_announced": table.end_announced,
        "chain": [
            {"player": link.player, "speed": link.speed, "negated": link.negated}
            | _named(duel, knower, link.card)
            for link in table.chain
        ],
        "window": table.windows[-1].kind if table.windows else None,
        "chance": table.chance or None,
        "waiting": [
            {"player": one.player, "when": one.when, "optional": one.optional}
            | _named(duel, knower, one.card)
            for one in table.waiting
        ],
        "replay": table.replay,
        "result": {"winner": result.winner, "by": result.by, "how": result.how}
        if result is not None
        else None,
    }
    for player in PLAYERS:
        seen[player] = _side(duel, knower, player)
    return seen


def _named(duel: Duel, knower: str, card: int) -> dict[str, Any]:
    """Id, key and name of a card for those who may know it."""
    if not knowing.sees(duel.table, duel.knowledge, knower, card):
        return {"card": None}
    shown = identity(duel.table, card)
    return {field: shown[field] for field in ("card", "key", "name")}


def _side(duel: Duel, knower: str, player: str) -> dict[str, Any]:
    table = duel.table
    side = table.side(player)
    shown: dict[str, Any] = {
        "life_points": side.life_points,
        "normal_summon_used": side.summoned,
        "drawn": side.drawn,
        "counts": {zone: len(getattr(side, zone)) for zone in PILES},
    }
    for zone in ("hand", "graveyard", "banished", "fusion_deck"):
        shown[zone] = _pile(duel, knower, player, zone)
    shown["deck"] = [
        _card(duel, knower, card)
        for card in side.deck
        if knower != "judge" and knowing.sees(table, duel.knowledge, knower, card)
    ]
    for zone in ("monsters", "spells_traps"):
        shown[zone] = [_card(duel, knower, card) if card else None for card in getattr(side, zone)]
    shown["field"] = _card(duel, knower, side.field) if side.field else None
    return shown


def _pile(duel: Duel, knower: str, player: str, zone: str) -> list[dict[str, Any]]:
    """Known cards first, then the unknown ones: their order in the hand is not shown."""
    cards = getattr(duel.table.side(player), zone)
    known = [card for card in cards if knowing.sees(duel.table, duel.knowledge, knower, card)]
    if len(known) == len(cards):
        return [_card(duel, knower, card) for card in cards]
    hidden = len(cards) - len(known)
    return [_card(duel, knower, card) for card in sorted(known)] + [{"card": None}] * hidden


def _card(duel: Duel, knower: str, card: int) -> dict[str, Any]:
    table = duel.table
    shown: dict[str, Any] = {"card": None}
    if knowing.sees(table, duel.knowledge, knower, card):
        shown = identity(table, card)
        if is_monster(table.facts_of(card)) and card in table.placed:
            shown["atk_now"] = values.attack(table, card)
            shown["def_now"] = values.defence(table, card)
    placed = table.placed.get(card)
    if placed is not None:
        shown |= {
            "place": refs.place_of(table, card),
            "position": placed.position,
            "owner": table.owners[card],
            "attacked": placed.attacked_turn == table.turn != 0,
            "arrived_turn": placed.arrived_turn,
            "equipped_to": refs.place_of(table, placed.equipped_to)
            if placed.equipped_to in table.placed
            else None,
        }
    under = materials(table, card)
    if under:
        shown["materials"] = [
            identity(table, one)
            if knowing.sees(table, duel.knowledge, knower, one)
            else {"card": None}
            for one in under
        ]
    return shown


def identity(table: Table, card: int) -> dict[str, Any]:
    """Return what a card is, for those who may know: id, key and frozen facts."""
    facts = table.facts_of(card)
    if facts is None:
        return {"card": card, "key": table.identities[card], "name": None}
    return {
        "card": card,
        "key": facts.key,
        "name": facts.name,
        "type": facts.type,
        "kind": facts.kind,
        "level": facts.level,
        "atk": facts.atk,
        "def": facts.defence,
        "attribute": facts.attribute,
        "race": facts.race,
    }
