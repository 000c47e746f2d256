"""Values out of JSON from outside: numbers that may be a question mark, words, names."""

from __future__ import annotations

import re
from typing import Any

import orjson

from cards.domain.findings import Unreadable

MAX_NAME = 200
LANGUAGES = ("en", "de", "fr", "it", "es", "pt", "ja", "ko")
"""Languages whose names of cards are kept; English is the name of the facts."""
_READING = re.compile(r"<rt>.*?</rt>|</?r(?:uby|b|t|p)>", re.DOTALL)


class BadField(ValueError):
    """A field holds what it cannot; the text is its name."""


def loads(data: bytes, code: str, **params: Any) -> Any:
    """Parse JSON; raises Unreadable `code` for what is none, or nests too deep."""
    try:
        return orjson.loads(data)
    except (orjson.JSONDecodeError, RecursionError) as fault:
        raise Unreadable(code, found=str(fault)[:100], **params) from None


def whole(value: Any, what: str, ceiling: int) -> int | None:
    """Return a whole number of 0 to `ceiling`; None for nothing and for `?`. Raises BadField."""
    if value in (None, "", "?", -1, -2):
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 12:
        value = int(value)
    if type(value) is not int or not 0 <= value <= ceiling:
        raise BadField(what)
    return value


def line(value: Any, what: str, *, needed: bool = False) -> str:
    """Return a text as one line of at most MAX_NAME signs; raises BadField."""
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        raise BadField(what)
    text = " ".join(value.replace("\x00", "").split())
    if len(text) > MAX_NAME or (needed and not text):
        raise BadField(what)
    return text


def spoken_name(value: Any) -> str:
    """Return a name without its ruby markup: the base signs stay, the readings go. Empty for
    what is no name."""
    if not isinstance(value, str):
        return ""
    text = " ".join(_READING.sub("", value).replace("\x00", "").split())
    return text if len(text) <= MAX_NAME else ""
