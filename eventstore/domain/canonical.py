"""Canonical JSON: the subset of RFC 8785 in which events are stored and hashed.

Allowed: null, booleans, integers within 2**53 - 1, NFC text, arrays, objects with ASCII
keys. Everything else is refused, never repaired, because two encoders disagree about it.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import orjson

MAX_INTEGER = 2**53 - 1


class NotCanonical(ValueError):
    """The value has no canonical form; `path` says where in it the fault stands."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path
        self.why = why


def check(value: Any, path: str = "$") -> None:
    """Raise NotCanonical when `value` (plain JSON types) has no canonical form."""
    if value is None or value is True or value is False:
        return
    kind = type(value)
    if kind is str:
        if not value.isascii():
            if not unicodedata.is_normalized("NFC", value):
                raise NotCanonical(path, "text is not in Unicode form NFC")
            if any(0xD800 <= ord(sign) <= 0xDFFF for sign in value):
                raise NotCanonical(path, "text holds a lone surrogate")
        if "\x00" in value:
            raise NotCanonical(path, "text holds a NUL")
        return
    if kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise NotCanonical(path, "integer beyond 2**53 - 1")
        return
    if kind is list or kind is tuple:
        for index, item in enumerate(value):
            check(item, f"{path}[{index}]")
        return
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str or not key.isascii() or "\x00" in key:
                raise NotCanonical(path, f"key {key!r} is not ASCII text")
            check(item, f"{path}.{key}")
        return
    raise NotCanonical(path, f"{kind.__name__} is not allowed")


def encode(value: Any, path: str = "$") -> bytes:
    """Return the canonical bytes of `value`; raises NotCanonical, its path under `path`."""
    check(value, path)
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def text(value: str) -> str:
    """Bring text that a person typed to NFC, as every edge does before it makes an act."""
    return unicodedata.normalize("NFC", value)
