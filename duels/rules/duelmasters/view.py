"""What a viewer (public, a seat, judge) sees of a table, as plain JSON values.

A card whose identity the viewer does not know stands by its place alone, without instance id:
an id seen before would tell what the card is. Shields are seen by nobody (DM-1.2); the numbers
of cards in hand, deck and shield zone are public (DM-10.14).
"""

from __future__ import annotations

from typing import Any

from duels.domain.seats import VIEWERS as VIEWERS
from duels.rules.duelmasters import flow, refs, values
from duels.rules.duelmasters import knowledge as knowing
from duels.rules.duelmasters.cards import is_creature
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.duel import Duel
from duels.rules.duelmasters.state import Table

KNOWER = {
    "public": knowing.PUBLIC,
    "p1": "P1",
    "p2": "P2",
    "p3": "P3",
    "p4": "P4",
    "judge": "judge",
}
COUNTED = ("deck", "hand", "shields", "mana", "battle", "graveyard")
WINDOWS = {"declared": "block", "blocked": "battle", "unblocked": "shields", "broken": "trigger"}
"""Where an attack stands -> what the table waits for."""


def view(duel: Duel, viewer: str) -> dict[str, Any]:
    """Return the table as `viewer` may see it; raises KeyError for an unknown viewer.

    Keys: viewer, turn, active, phase, step, starter, mode, fidelity, seats, result (winner, by,
    how or None), attack (or None), window (block, battle, shields, trigger, effect or None),
    chance (who is asked now), waiting (effects not carried out yet), and per seat counts, hand,
    battle, mana, shields, graveyard, casting, deck (known cards only), charged, drawn, out.
    """
    knower = KNOWER[viewer]
    table = duel.table
    result, attack = table.result, table.attack
    settled = settle(table)
    seen: dict[str, Any] = {
        "viewer": viewer,
        "turn": table.turn,
        "active": table.active,
        "phase": table.phase,
        "step": "",
        "starter": table.starter,
        "mode": table.mode,
        "fidelity": table.fidelity,
        "seats": list(table.seats),
        "attack": {
            "player": attack.player,
            "attacker": _named(duel, knower, attack.attacker),
            "defender": attack.defender,
            "target": _named(duel, knower, attack.target) if attack.target else None,
            "blocker": _named(duel, knower, attack.blocker) if attack.blocker else None,
            "stage": attack.stage,
        }
        if attack is not None
        else None,
        "window": window(settled),
        "chance": flow.asked(settled),
        "waiting": [
            {"player": one.player, "when": one.when, "optional": one.optional}
            | _named(duel, knower, one.card)
            for one in table.waiting
        ],
        "result": {"winner": result.winner, "by": result.by, "how": result.how}
        if result is not None
        else None,
    }
    for player in table.seats:
        seen[player] = _side(duel, knower, player)
    return seen


def settle(table: Table) -> Table:
    """Return the table once everything has happened that needs nobody's word."""
    draft = Draft(table)
    flow.go_on(draft)
    return draft.table


def window(table: Table) -> str | None:
    """Return what a table waits for, None where play is open."""
    if table.result is not None:
        return None
    if flow.choosing(table) is not None:
        return "effect"
    return WINDOWS.get(table.attack.stage) if table.attack is not None else None


def _named(duel: Duel, knower: str, card: int) -> dict[str, Any]:
    """Id, key and name of a card for those who may know it."""
    if not knowing.sees(duel.table, duel.knowledge, knower, card):
        return {"card": None}
    shown = identity(duel.table, card)
    return {field: shown[field] for field in ("card", "key", "name")} | {
        "place": refs.place_of(duel.table, card)
    }


def _side(duel: Duel, knower: str, player: str) -> dict[str, Any]:
    table = duel.table
    side = table.side(player)
    shown: dict[str, Any] = {
        "charged": side.charged,
        "drawn": side.drawn,
        "out": side.out,
        "counts": {zone: len(getattr(side, zone)) for zone in COUNTED},
    }
    shown["hand"] = _hand(duel, knower, side.hand)
    for zone in ("battle", "mana", "shields", "graveyard", "casting"):
        shown[zone] = [_card(duel, knower, card) for card in getattr(side, zone)]
    shown["deck"] = [
        _card(duel, knower, card)
        for card in side.deck
        if knower != "judge" and knowing.sees(table, duel.knowledge, knower, card)
    ]
    if knower == "judge" and table.mode == "refereed" and table.result is None:
        # nobody is told the faces of shields while a refereed duel goes on
        shown["shields"] = [_card(duel, knowing.PUBLIC, card) for card in side.shields]
    return shown


def _hand(duel: Duel, knower: str, cards: tuple[int, ...]) -> list[dict[str, Any]]:
    """Known cards first, then the unknown ones: their order in the hand is not shown."""
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
        if is_creature(table.facts_of(card)) and table.in_battle_zone(card):
            shown["power_now"] = values.power(table, card)
    lying = table.lying.get(card)
    zone = table.where(card)[1]
    if zone in ("battle", "mana", "shields"):
        shown["place"] = refs.place_of(table, card)
    if lying is not None:
        shown["tapped"] = lying.tapped
        if zone == "battle":
            shown["owner"] = table.owners[card]
            shown["entered_turn"] = lying.entered_turn
            shown["sick"] = values.sick(table, card)
            shown["under"] = [identity(table, one) for one in lying.under]
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
        "civilization": facts.civilization,
        "cost": facts.cost,
        "power": facts.power,
        "plus": facts.plus,
        "race": facts.race,
        "evolves": facts.evolves,
        "abilities": list(facts.abilities),
        "power_attacker": facts.power_attacker,
    }
