"""Facts of the engine's cards as a duel of this house keeps them. Keys are passcodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from duels.domain.events import CardFacts
from duels.imports.engine.recording import PoolCard

MONSTER, SPELL, TRAP = 0x1, 0x2, 0x4
NORMAL, EFFECT, FUSION, RITUAL, SPIRIT, UNION, TOKEN = 0x10, 0x20, 0x40, 0x80, 0x200, 0x400, 0x4000
FLIP, TOON, NO_NORMAL_SUMMON = 0x200000, 0x400000, 0x2000000
SPELL_TRAP_KINDS = {
    RITUAL: "ritual",
    0x10000: "quick_play",
    0x20000: "continuous",
    0x40000: "equip",
    0x80000: "field",
    0x100000: "counter",
}
ATTRIBUTES = {1: "EARTH", 2: "WATER", 4: "FIRE", 8: "WIND", 16: "LIGHT", 32: "DARK"}
RACES = (
    "Warrior",
    "Spellcaster",
    "Fairy",
    "Fiend",
    "Zombie",
    "Machine",
    "Aqua",
    "Pyro",
    "Rock",
    "Winged Beast",
    "Plant",
    "Insect",
    "Thunder",
    "Dragon",
    "Beast",
    "Beast-Warrior",
    "Dinosaur",
    "Fish",
    "Sea Serpent",
    "Reptile",
)
"""In the order of the engine's bits."""


def key(code: int) -> str:
    """Return the card key of a passcode."""
    return str(code)


def facts_of(card: PoolCard) -> CardFacts:
    """Return the facts of a card of the pool. A value below 0 is a question mark."""
    bits = card.type
    if not bits & (MONSTER | TOKEN):
        type_ = "spell" if bits & SPELL else "trap"
        kind = next((word for bit, word in SPELL_TRAP_KINDS.items() if bits & bit), "normal")
        return CardFacts(key(card.code), card.name, type_, kind)
    kind = "normal"
    for bit, word in ((FUSION, "fusion"), (RITUAL, "ritual"), (EFFECT, "effect")):
        if bits & bit:
            kind = word
            break
    race = (card.race & -card.race).bit_length() - 1
    return CardFacts(
        key(card.code),
        card.name,
        "token" if bits & TOKEN else "monster",
        kind,
        card.level & 0xFF,
        card.atk if card.atk >= 0 else None,
        card.defence if card.defence >= 0 else None,
        ATTRIBUTES.get(card.attribute),
        RACES[race] if 0 <= race < len(RACES) else None,
    )


def token_facts(code: int, pool: Mapping[int, PoolCard]) -> CardFacts:
    """Return the facts of a token; one that the pool does not know is a token all the same."""
    if code in pool:
        return facts_of(pool[code])
    return CardFacts(key(code), key(code), "token")


def facts_for(pool: Mapping[int, PoolCard], codes: Iterable[int]) -> list[CardFacts]:
    """Return the facts of the cards that the pool knows, each once, by passcode."""
    return [facts_of(pool[code]) for code in sorted(set(codes)) if code in pool]
