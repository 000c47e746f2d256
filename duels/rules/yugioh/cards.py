"""Card facts: the kinds of card, and the check of a record before it is used (YGO-8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from duels.domain.events import CardFacts
from eventstore.domain.refusal import Refusal

MONSTER, SPELL, TRAP, TOKEN = "monster", "spell", "trap", "token"
TYPES = (MONSTER, SPELL, TRAP, TOKEN)
MONSTER_KINDS = ("normal", "effect", "fusion", "ritual")
SPELL_KINDS = ("normal", "continuous", "equip", "field", "quick_play", "ritual")
TRAP_KINDS = ("normal", "counter", "continuous")
ATTRIBUTES = ("EARTH", "WATER", "FIRE", "WIND", "LIGHT", "DARK")
RACES = (
    "Dragon",
    "Spellcaster",
    "Zombie",
    "Warrior",
    "Beast",
    "Beast-Warrior",
    "Winged Beast",
    "Fiend",
    "Fairy",
    "Insect",
    "Dinosaur",
    "Reptile",
    "Fish",
    "Sea Serpent",
    "Machine",
    "Thunder",
    "Aqua",
    "Pyro",
    "Rock",
    "Plant",
)
EXODIA = (
    "Right Leg of the Forbidden One",
    "Left Leg of the Forbidden One",
    "Right Arm of the Forbidden One",
    "Left Arm of the Forbidden One",
    "Exodia the Forbidden One",
)
"""YGO-2.6: one of each in hand wins. A pack in another language keys them by its own facts."""
LEFT_OUT = ("", None)


def load_card(record: Mapping[str, Any]) -> CardFacts | Refusal:
    """Make facts of a raw card record (keys: name, key, type, kind, level, atk, def,
    attribute, race, effects, materials, ritual).

    Refused with YGO-8.1 (type), 8.4 (monster kind), 8.11 (Spell kind), 8.12 (Trap kind),
    8.2 (monster Type), 8.3 (Attribute) or `duels.card_malformed` for values of a wrong sort.
    """
    type_ = record.get("type")
    if type_ not in TYPES:
        return Refusal("YGO-8.1", {"found": str(type_), "allowed": list(TYPES)})
    kinds, rule = {
        SPELL: (SPELL_KINDS, "YGO-8.11"),
        TRAP: (TRAP_KINDS, "YGO-8.12"),
    }.get(type_, (MONSTER_KINDS, "YGO-8.4"))
    kind = record.get("kind", "normal")
    if kind not in kinds:
        return Refusal(rule, {"found": str(kind), "allowed": list(kinds)})
    race, attribute = record.get("race"), record.get("attribute")
    if type_ in (MONSTER, TOKEN):
        if race not in LEFT_OUT and race not in RACES:
            return Refusal("YGO-8.2", {"found": str(race), "allowed": list(RACES)})
        if attribute not in LEFT_OUT and attribute not in ATTRIBUTES:
            return Refusal("YGO-8.3", {"found": str(attribute), "allowed": list(ATTRIBUTES)})
    numbers: dict[str, int | None] = {}
    for field in ("level", "atk", "def"):
        value = record.get(field)
        if value is not None and (type(value) is not int or not 0 <= value <= 1_000_000):
            return Refusal("duels.card_malformed", {"field": field, "found": str(value)[:40]})
        numbers[field] = value
    name = record.get("name")
    effects = record.get("effects", [])
    if not isinstance(name, str) or not name or not isinstance(effects, list):
        return Refusal("duels.card_malformed", {"field": "name", "found": str(name)[:40]})
    if not all(isinstance(effect, dict) for effect in effects):
        return Refusal("duels.card_malformed", {"field": "effects", "found": "not a mapping"})
    materials, ritual = record.get("materials") or [], record.get("ritual") or {}
    if not isinstance(materials, list) or not all(isinstance(one, str) for one in materials):
        return Refusal("duels.card_malformed", {"field": "materials", "found": "not names"})
    if not isinstance(ritual, dict) or (
        ritual
        and not (isinstance(ritual.get("monster"), str) and type(ritual.get("levels")) is int)
    ):
        return Refusal("duels.card_malformed", {"field": "ritual", "found": "no monster, levels"})
    return CardFacts(
        key=str(record.get("key", name)),
        name=name,
        type=type_,
        kind=kind,
        level=numbers["level"],
        atk=numbers["atk"],
        defence=numbers["def"],
        attribute=attribute or None,
        race=race or None,
        effects=effects,
        materials=materials,
        ritual=ritual,
    )


def is_monster(facts: CardFacts | None) -> bool:
    """Say whether the card is a monster or a token; False for an unknown card."""
    return facts is not None and facts.type in (MONSTER, TOKEN)


def is_spell_trap(facts: CardFacts | None) -> bool:
    """Say whether the card is a Spell or Trap; False for an unknown card."""
    return facts is not None and facts.type in (SPELL, TRAP)


def is_field_spell(facts: CardFacts) -> bool:
    """Say whether the card is a Field Spell."""
    return facts.type == SPELL and facts.kind == "field"


def effect_at(facts: CardFacts | None, index: int) -> dict[str, Any]:
    """Return the scripted effect at a place of the script, an empty one where there is none."""
    if facts is None or not 0 <= index < len(facts.effects):
        return {}
    return facts.effects[index]


def places_of(facts: CardFacts, *kinds: str) -> list[int]:
    """Return the places in the script of the effects of these kinds."""
    return [place for place, one in enumerate(facts.effects) if one.get("kind") in kinds]


def events_of(effect: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the events an effect answers, none for an effect without a condition."""
    when = effect.get("when")
    if isinstance(when, str):
        return (when,)
    return tuple(when) if isinstance(when, list) else ()


def speed_of(facts: CardFacts, effect: Mapping[str, Any]) -> int:
    """Return the Spell Speed of an effect (YGO-17.5 to 17.7), 1 to 3."""
    own = effect.get("speed")
    if type(own) is int and 1 <= own <= 3:
        return own
    kind = effect.get("kind")
    if kind == "multi_trigger":
        return 2
    if kind in ("ignition", "trigger", "flip") or is_monster(facts):
        return 1
    if facts.type == TRAP:
        return 3 if facts.kind == "counter" else 2
    return 2 if facts.kind == "quick_play" else 1


def effects_of(facts: CardFacts, *kinds: str) -> list[dict[str, Any]]:
    """Return the scripted effects of these kinds."""
    return [effect for effect in facts.effects if effect.get("kind") in kinds]


def tributes_for(level: int) -> int:
    """Return how many tributes a Level takes: 0, 1 (YGO-11.5) or 2 (YGO-11.6)."""
    return 0 if level <= 4 else 1 if level <= 6 else 2
