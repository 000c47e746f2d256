"""The facts of a card that rules and lists need; no card text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

MONSTER, SPELL, TRAP, TOKEN, SKILL = "monster", "spell", "trap", "token", "skill"
EXTRA_SUBKINDS = frozenset({"fusion", "synchro", "xyz", "link"})
MONSTER_SUBKINDS = ("fusion", "synchro", "xyz", "link", "ritual", "effect", "normal")
"""What a monster's frame makes it, most telling first: a Ritual Monster with an effect is a
Ritual Monster (YGO-8.4)."""
MAX_ID = 2**32 - 1
"""Ids are unsigned 32-bit numbers in every format of the field."""


@dataclass(frozen=True, slots=True)
class CardFacts:
    """One printed card, or one art of it that has its own id.

    `key` is what lists and events keep: the passcode in decimal without zeros, `kdb<number>`
    for a card that has only a number in the official database, `x-<hash of the name>` for one
    that has neither. `kind` is monster, spell, trap, token or skill. `subkind` is one of
    MONSTER_SUBKINDS, or of a Spell or Trap normal, continuous, equip, field, quick_play,
    ritual, counter. `traits` are the further words of the type line (flip, tuner, effect, ...).
    `atk` and `defence` are None for '?' and where there is none (`has_stats` tells). `alias` is
    the id of the card that this one is another art of, or is treated as; 0 for none.
    """

    key: str
    passcode: int | None
    konami_id: int | None
    name: str
    kind: str
    subkind: str
    traits: tuple[str, ...] = ()
    attribute: str = ""
    race: str = ""
    level: int | None = None
    rank: int | None = None
    link: int | None = None
    scale: int | None = None
    atk: int | None = None
    defence: int | None = None
    has_stats: bool = False
    alias: int = 0

    @property
    def is_extra(self) -> bool:
        """Whether the card lies in the Fusion Deck (today: Extra Deck). A Link Spell does not."""
        return self.kind == MONSTER and self.subkind in EXTRA_SUBKINDS

    @property
    def is_token(self) -> bool:
        """Whether this is a Monster Token: no card of any deck (YGO-3.11)."""
        return self.kind == TOKEN


@dataclass(frozen=True, slots=True)
class LocalName:
    """What a card is called in a language other than English."""

    key: str
    language: str
    name: str


def card_key(passcode: int | None, konami_id: int | None, name: str) -> str:
    """Return the key of a card: neither number alone is there for every card."""
    if passcode:
        return str(passcode)
    if konami_id:
        return f"kdb{konami_id}"
    return "x-" + hashlib.sha256(name.encode()).hexdigest()[:12]


def monster_subkind(words: frozenset[str]) -> str:
    """Return the subkind of a monster from the words of its type line.

    A type line of the field names normal monsters as such, and sometimes leaves out the word
    effect (`Machine / Tuner`), but writes `Warrior / Pendulum` for a normal one.
    """
    default = "effect" if words - {"pendulum"} else "normal"
    return next((word for word in MONSTER_SUBKINDS if word in words), default)
