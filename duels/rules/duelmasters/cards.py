"""Card facts: kinds, civilizations, abilities, and the check of a record (DM-10.3, 10.13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from eventstore.domain.refusal import Refusal

CREATURE, SPELL = "creature", "spell"
TYPES = (CREATURE, SPELL)
CIVILIZATIONS = ("Light", "Water", "Darkness", "Fire", "Nature")
BLOCKER, SLAYER, SHIELD_TRIGGER = "blocker", "slayer", "shield_trigger"
SPEED_ATTACKER, CANT_BE_BLOCKED = "speed_attacker", "cant_be_blocked"
CANT_ATTACK, CANT_ATTACK_PLAYERS = "cant_attack", "cant_attack_players"
BREAKERS = {"double_breaker": 2, "triple_breaker": 3}
"""Breaker abilities: how many shields (DM-8.6, 10.9). The highest counts, they do not add up."""
ABILITIES = (
    BLOCKER,
    SLAYER,
    *BREAKERS,
    SPEED_ATTACKER,
    CANT_ATTACK,
    CANT_ATTACK_PLAYERS,
    CANT_BE_BLOCKED,
    SHIELD_TRIGGER,
)
MOST = 1_000_000
PARTS = ("name", "cost", "civilization", "mana_number", "text")
CREATURE_PARTS = ("race", "power")


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the rules need to know of a card, frozen in the log. `civilization` is one of five,
    `mana_number` how much mana the card makes, `power` and `race` a creature's; `plus`: a "+"
    stands after the power (DM-6.3). `evolves`: the race an evolution creature needs, None for
    any other card. `abilities` of ABILITIES, `power_attacker` its N. `effects`: scripts.
    `silent`: nothing is known of its text, so that it may have any ability."""

    key: str
    name: str
    type: str
    civilization: str
    cost: int
    mana_number: int = 1
    power: int | None = None
    plus: bool = False
    race: str | None = None
    evolves: str | None = None
    abilities: list[str] = []
    power_attacker: int = 0
    effects: list[dict[str, Any]] = []
    silent: bool = False


def load_card(record: Mapping[str, Any]) -> Card | Refusal:
    """Make facts of a whole raw record (keys: name, key, type, civilization, cost, mana_number,
    text, race, power, evolves, abilities, power_attacker, effects).

    Refused with DM-10.3 (a civilization that is none of the five, or more than one) or DM-10.13
    (another kind of card, a part that is missing or no value of its sort).
    """
    civilization = record.get("civilization")
    if civilization is not None and civilization not in CIVILIZATIONS:
        params = {"found": str(civilization)[:60], "allowed": list(CIVILIZATIONS)}
        return Refusal("DM-10.3", params)
    kind = record.get("type")
    if kind not in TYPES:
        return _lacks("type", kind, list(TYPES))
    for part in (*PARTS, *(CREATURE_PARTS if kind == CREATURE else ())):
        if record.get(part) is None or (part != "text" and record[part] == ""):
            return _lacks(part, record.get(part))
    return facts(record)


def facts(record: Mapping[str, Any]) -> Card | Refusal:
    """Make facts of a record whose missing parts do not matter. Refused as `load_card`."""
    name, kind = record.get("name"), record.get("type")
    if not isinstance(name, str) or not name:
        return _lacks("name", name)
    if kind not in TYPES:
        return _lacks("type", kind, list(TYPES))
    civilization = record.get("civilization")
    if civilization not in CIVILIZATIONS:
        params = {"found": str(civilization)[:60], "allowed": list(CIVILIZATIONS)}
        return Refusal("DM-10.3", params)
    numbers: dict[str, int] = {}
    for field, default in (("cost", None), ("mana_number", 1), ("power_attacker", 0)):
        value = record.get(field, default)
        if type(value) is not int or not 0 <= value <= MOST:
            return _lacks(field, value)
        numbers[field] = value
    printed = power_of(record.get("power")) if kind == CREATURE else (None, False)
    if printed is None:
        return _lacks("power", record.get("power"))
    for field in ("race", "evolves"):
        if not isinstance(record.get(field), str | None):
            return _lacks(field, record[field])
    abilities, effects = record.get("abilities") or [], record.get("effects") or []
    if not isinstance(abilities, list) or not all(one in ABILITIES for one in abilities):
        return _lacks("abilities", abilities, list(ABILITIES))
    if not isinstance(effects, list) or not all(isinstance(one, dict) for one in effects):
        return _lacks("effects", effects)
    return Card(
        key=str(record.get("key", name)),
        name=name,
        type=kind,
        civilization=civilization,
        cost=numbers["cost"],
        mana_number=numbers["mana_number"],
        power=printed[0],
        plus=printed[1],
        race=record.get("race") or None,
        evolves=record.get("evolves") or None,
        abilities=list(abilities),
        power_attacker=numbers["power_attacker"],
        effects=effects,
    )


def power_of(value: object) -> tuple[int, bool] | None:
    """Return a printed power and whether a "+" follows it: 3000, "3000" or "1000+"; None for
    what is no power."""
    if type(value) is int:
        return (value, False) if 0 <= value <= MOST else None
    if not isinstance(value, str) or len(value) > 8:
        return None
    digits = value.removesuffix("+")
    if not (digits.isascii() and digits.isdigit()):
        return None
    return int(digits), value.endswith("+")


def _lacks(part: str, found: object, allowed: list[str] | None = None) -> Refusal:
    params: dict[str, Any] = {"part": part, "found": str(found)[:60]}
    if allowed is not None:
        params["allowed"] = allowed
    return Refusal("DM-10.13", params)


def is_creature(card: Card | None) -> bool:
    """Say whether the card is a creature; False for an unknown card."""
    return card is not None and card.type == CREATURE


def is_of(card: Card | None, race: str | None) -> bool:
    """Say whether a creature is of a race; one of several races is of each (`A / B`)."""
    printed = card.race if card is not None else None
    return race is not None and printed is not None and race in printed.split(" / ")


def has(card: Card | None, ability: str) -> bool:
    """Say whether the card prints an ability; False for an unknown card."""
    return card is not None and ability in card.abilities


def breaks(card: Card | None) -> int:
    """Return how many shields one attack of a creature breaks (DM-2.3, 8.6, 10.9)."""
    if card is None:
        return 1
    return max((BREAKERS.get(one, 1) for one in card.abilities), default=1)


def effect_at(card: Card | None, place: int) -> dict[str, Any]:
    """Return the scripted effect at a place of the script, an empty one where there is none."""
    if card is None or not 0 <= place < len(card.effects):
        return {}
    return card.effects[place]


def places_of(card: Card | None, kind: str) -> list[int]:
    """Return the places in the script of the effects of a kind."""
    if card is None:
        return []
    return [place for place, one in enumerate(card.effects) if one.get("kind") == kind]


def answers(effect: Mapping[str, Any], words: Iterable[str]) -> bool:
    """Say whether an effect is called by one of these events."""
    when = effect.get("when")
    called = (when,) if isinstance(when, str) else tuple(when or ())
    return any(word in called for word in words)


def ops_of(effect: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the operations of an effect."""
    ops = effect.get("effect", [])
    return [op for op in ops if isinstance(op, dict)] if isinstance(ops, list) else []
