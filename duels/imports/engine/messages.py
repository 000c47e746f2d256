"""Decode a raw message of the engine into the mapping that recordings hold of it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from struct import Struct
from struct import error as TooShort
from typing import Any

from duels.imports.engine.layouts import (
    LENGTH_OPEN,
    MESSAGES,
    UNSEEN,
    Kind,
    Layout,
    Many,
    Maybe,
)

EXACT = 2**53
"""Larger integers stand in JSON as text `0x...`."""
MOST = 4096
"""Most items of a list in a message: more is damage."""
NUMBER = {"u8": Struct("<B"), "u16": Struct("<H"), "u32": Struct("<I"), "u64": Struct("<Q")}
KNOWN = MESSAGES | UNSEEN


class Damaged(ValueError):
    """A raw message that cannot be decoded: `number` (None for not even that) and why."""

    def __init__(self, number: int | None, why: str) -> None:
        super().__init__(why)
        self.number = number
        self.why = why


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 1
        self.last_count = 0

    def number(self, kind: str) -> int:
        form = NUMBER[kind]
        (value,) = form.unpack_from(self.data, self.at)
        self.at += form.size
        return int(value)

    def value(self, kind: Kind) -> Any:
        if isinstance(kind, str):
            if kind == "flag":
                return self.number("u8") != 0
            if kind == "hex":
                size = self.number("u32")
                taken = self.data[self.at : self.at + size]
                if len(taken) != size:
                    raise TooShort("bytes")
                self.at += size
                return taken.hex()
            value = self.number(kind)
            return value if value <= EXACT else hex(value)
        if isinstance(kind, Many):
            count = self.last_count if kind.count == "same" else self.number(kind.count)
            if count > MOST:
                raise TooShort("count")
            self.last_count = count
            return [self.value(kind.item) for _ in range(count)]
        if isinstance(kind, Maybe):
            found = self.fields(kind.layout)
            return found if found["location"] else None
        return self.fields(kind)

    def fields(self, layout: Layout) -> dict[str, Any]:
        return {name: self.value(kind) for name, kind in layout}


def decode(data: bytes) -> dict[str, Any]:
    """Return a message (byte 0 its number, then the payload) as recordings write it:
    `{msg: NAME, ...fields}`. A number without a layout gives `{msg: "", number}`.

    Raises `Damaged` when the bytes end early, are too many or claim an absurd count.
    """
    if not data:
        raise Damaged(None, "empty")
    known = KNOWN.get(data[0])
    if known is None:
        return {"msg": "", "number": data[0]}
    name, layout = known
    reader = _Reader(data)
    try:
        fields = reader.fields(layout)
    except TooShort as fault:
        raise Damaged(data[0], str(fault)[:80]) from fault
    if reader.at != len(data) and name not in LENGTH_OPEN:
        raise Damaged(data[0], f"{len(data) - reader.at} bytes left over")
    return {"msg": name, **fields}


def decode_text(text: str) -> dict[str, Any]:
    """Return a message from its base64 form; raises `Damaged`."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as fault:
        raise Damaged(None, "not base64") from fault
    return decode(data)


def agrees(message: Mapping[str, Any], decoded: Mapping[str, Any]) -> bool:
    """Say whether a recorded message says what its raw form says. Fields are compared only of
    messages whose names of fields are known from recordings."""
    name = decoded["msg"]
    if not name:
        return True  # a kind unknown here: reported as such, nothing to compare
    if message.get("msg") != name:
        return False
    if name in UNSEEN_NAMES:
        return True
    return all(message.get(field, _ABSENT) == value for field, value in decoded.items())


_ABSENT = object()
UNSEEN_NAMES = frozenset(name for name, _ in UNSEEN.values())
