"""Names of people: folding for search, and checks of what was typed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from eventstore.domain.refusal import Refusal

# Letters that Unicode decomposition leaves alone.
_UNMARKED = str.maketrans({"ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ø": "o", "Ø": "o", "ß": "ss"})
MAX_NAME = 80


def fold(text: str) -> str:
    """Fold text for search: no marks, lower case, one blank between words."""
    bare = unicodedata.normalize("NFKD", text.translate(_UNMARKED))
    bare = "".join(sign for sign in bare if not unicodedata.combining(sign))
    return " ".join(bare.translate(_UNMARKED).casefold().split())


def name_words(text: str) -> frozenset[str]:
    """Return the folded words of a name: equal for one name with and without its marks, in any
    order, with commas or hyphens between.

    >>> name_words("Łukasz Nowak-Kiss") == name_words("kiss, nowak lukasz")
    True
    """
    return frozenset(re.findall(r"\w+", fold(text)))


def distinct(persons: Iterable[str], known: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the persons of one entrant, each once: ids of one human that were
    merged have one name.

    >>> distinct(["a", "b", "c"], {"a": "Alice", "b": "Alice"})
    ('Alice', '–')
    """
    return tuple(dict.fromkeys(known.get(person, "–") for person in persons))


def joined(persons: Iterable[str], known: Mapping[str, str]) -> str:
    """Return `distinct` as one text."""
    return " / ".join(distinct(persons, known))


def clean_name(text: str) -> str | Refusal:
    """Return a display name in NFC with single blanks, or a Refusal that says what is wrong."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        return Refusal("people.name_missing", {})
    if len(name) > MAX_NAME:
        return Refusal("people.name_too_long", {"found": len(name), "allowed": MAX_NAME})
    if any(unicodedata.category(sign) in {"Cc", "Cf", "Co", "Cs", "Cn"} for sign in name):
        return Refusal("people.name_signs", {})
    return name


def clean_card_game_id(text: str) -> str | Refusal | None:
    """Return a Card Game ID as ten digits, None when empty, or a Refusal.

    Ids are written with and without leading zeros in the field; the padded form is kept.
    """
    digits = text.strip().replace(" ", "").replace("-", "")
    if not digits:
        return None
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
        return Refusal("people.card_game_id", {"found": text.strip()[:40], "allowed": 10})
    return digits.zfill(10)
