"""Read little-endian numbers from bytes, never beyond them."""

from __future__ import annotations

from struct import Struct

from duels.imports.replay.faults import Fault

U8, U16, U32, U64 = Struct("<B"), Struct("<H"), Struct("<I"), Struct("<Q")


class Cursor:
    """A place in bytes; each read raises `Fault` (`short`, with the place) when they end early."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    @property
    def left(self) -> int:
        """How many bytes follow."""
        return len(self.data) - self.at

    def number(self, form: Struct) -> int:
        """Read a number."""
        if self.left < form.size:
            raise Fault("short", self.at, self.left, form.size)
        (value,) = form.unpack_from(self.data, self.at)
        self.at += form.size
        return int(value)

    def take(self, size: int) -> bytes:
        """Read bytes."""
        if size > self.left:
            raise Fault("short", self.at, self.left, size)
        taken = self.data[self.at : self.at + size]
        self.at += size
        return taken

    def numbers(self, most: int) -> tuple[int, ...]:
        """Read a count and that many 32-bit numbers; the count is bounded by the bytes left and
        by `most` before anything is made of it."""
        start = self.at
        count = self.number(U32)
        allowed = min(most, self.left // U32.size)
        if count > allowed:
            raise Fault("count", start, count, allowed)
        taken = self.take(count * U32.size)
        return tuple(value for (value,) in U32.iter_unpack(taken))
