"""The outside of a replay file: header, flags, and the body, inflated within bounds.

Known from the files of the field (docs/replays.md names what was checked). Nothing that a header
says is believed: sizes are held against what is there before a byte is inflated.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass

from duels.imports.replay.cursor import U32, U64, Cursor
from duels.imports.replay.faults import Fault

MOST_FILE = 8 * 1024 * 1024
"""Largest file: six times the largest seen."""
MOST_BODY = 16 * 1024 * 1024
"""Largest body once inflated: eight times the largest seen."""
MOST_RATIO = 2000
"""Most bytes of body for one packed byte: fourteen times what real files reach."""
LEAST_DICTIONARY = 4096
KINDS = {0x31707279: "yrp", 0x58707279: "yrpX", 0x32707279: "yrp2"}
COMPRESSED, TAG, SINGLE, NEW, HAND_TEST = 0x1, 0x2, 0x8, 0x20, 0x40
WIDE_FLAGS, EXTENDED = 0x100, 0x200
HEADER_VERSION = 1
PROPERTIES = 9 * 5 * 5


@dataclass(frozen=True, slots=True)
class Header:
    """The first bytes of a replay. `kind`: yrp, yrpX or yrp2; `size` is what the file claims
    its body to be and means nothing when it is not compressed; `end`: where the body starts."""

    kind: str
    version: int
    flags: int
    seed: int
    size: int
    props: bytes
    end: int

    @property
    def compressed(self) -> bool:
        """Whether the body is packed."""
        return bool(self.flags & COMPRESSED)

    @property
    def modern(self) -> bool:
        """Whether a client of the newer family wrote it; the older one uses other flags."""
        return bool(self.flags & NEW) or self.kind == "yrpX"

    @property
    def client(self) -> str:
        """The client that wrote it, with its version as that family counts."""
        number = self.version
        if not self.modern:
            return f"YGOPro {number >> 12:x}.{number >> 4 & 0xFF:03x}.{number & 0xF:x}"
        client = f"{number & 0xFF}.{number >> 8 & 0xFF}"
        return f"EDOPro {client} (core {number >> 16 & 0xFF}.{number >> 24 & 0xFF})"


def header(data: bytes) -> Header:
    """Read the header. Raises `Fault`: `short`, `not_a_replay`, `version`."""
    cursor = Cursor(data)
    magic = cursor.number(U32)
    if magic not in KINDS:
        raise Fault("not_a_replay", 0, data[:4].hex())
    kind = KINDS[magic]
    version, flags, seed, size = (cursor.number(U32) for _ in range(4))
    cursor.number(U32)  # a checksum, or the time of the start: clients disagree
    props = cursor.take(8)
    if kind == "yrp2":
        cursor.take(32)
        _known_version(cursor.at, cursor.number(U32))
        cursor.take(12)
    elif flags & EXTENDED and flags & NEW:
        _known_version(cursor.at, cursor.number(U64))
        cursor.take(32)
    return Header(kind, version, flags, seed, size, props, cursor.at)


def _known_version(at: int, version: int) -> None:
    if version > HEADER_VERSION:
        raise Fault("version", at, version, HEADER_VERSION)


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes after the header, inflated. `fault`: they end before the size that the header
    claims (what came until then is here); `rest`: bytes of the file after the packed body."""

    data: bytes
    fault: Fault | None = None
    rest: int = 0


def body(data: bytes, head: Header, most: int = MOST_BODY) -> Body:
    """Return the body of a replay whose header was read.

    Raises `Fault` before anything is inflated: `too_large` (the claimed size), `ratio`,
    `packing` (properties that no packing has).
    """
    packed = data[head.end :]
    if not head.compressed:
        if len(packed) > most:
            raise Fault("too_large", head.end, len(packed), most)
        return Body(packed)
    if head.size > most:
        raise Fault("too_large", 16, head.size, most)
    if head.size > MOST_RATIO * max(len(packed), 1):
        raise Fault("ratio", 16, head.size, MOST_RATIO * len(packed))
    return _inflated(packed, head)


def _inflated(packed: bytes, head: Header) -> Body:
    first = head.props[0]
    if first >= PROPERTIES:
        raise Fault("packing", 24, first, PROPERTIES - 1)
    rest, literal = divmod(first, 9)
    positions, low = divmod(rest, 5)
    if literal + low > 4:
        raise Fault("packing", 24, first)
    claimed = int.from_bytes(head.props[1:5], "little")
    # No distance can reach back further than the body is long, so a larger dictionary is never
    # used: what a file claims makes nobody reserve memory.
    dictionary = max(LEAST_DICTIONARY, min(claimed, head.size))
    reader = lzma.LZMADecompressor(
        lzma.FORMAT_RAW,
        filters=[
            {
                "id": lzma.FILTER_LZMA1,
                "lc": literal,
                "lp": low,
                "pb": positions,
                "dict_size": dictionary,
            }
        ],
    )
    pieces: list[bytes] = []
    got, fed = 0, 0
    step = 512
    while got < head.size:
        # piece by piece, so that what comes before a damaged byte is kept and its place known
        piece = packed[fed : fed + step] if reader.needs_input else b""
        if reader.eof or (reader.needs_input and not piece):
            return Body(b"".join(pieces), Fault("inflated_short", head.end + fed, got, head.size))
        fed += len(piece)
        try:
            out = reader.decompress(piece, head.size - got)
        except lzma.LZMAError as damaged:
            fault = Fault("inflated_damaged", head.end + max(0, fed - step), str(damaged))
            return Body(b"".join(pieces), fault)
        got += len(out)
        pieces.append(out)
    return Body(b"".join(pieces), None, len(reader.unused_data) + len(packed) - fed)
