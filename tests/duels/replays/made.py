"""Replay files made by hand, so that every byte of a test file is known."""

from __future__ import annotations

import lzma
import struct
from collections.abc import Iterable, Sequence

YRP, YRPX = b"yrp1", b"yrpX"
COMPRESSED, NEW, LUA, WIDE = 0x1, 0x20, 0x10, 0x100
FLAGS = NEW | LUA | WIDE
VERSION = 0x000A0128
DUEL_FLAGS = 0x2E800
PROPS = bytes((0x5D, 0, 0, 0, 1, 0, 0, 0))
MAIN, EXTRA = tuple(range(1001, 1041)), (2001, 2002)
Packets = Iterable[tuple[int, bytes]]


def name(text: str, junk: bytes = b"") -> bytes:
    """Forty bytes of a name; `junk` follows its end."""
    return (text.encode("utf-16-le") + b"\0\0" + junk).ljust(40, b"\0")[:40]


def names(first: str = "Alice", second: str = "Bob", junk: bytes = b"") -> bytes:
    """Both teams of one."""
    one = struct.pack("<I", 1)
    return one + name(first, junk) + one + name(second, junk)


def file(
    magic: bytes,
    body: bytes,
    flags: int = FLAGS,
    *,
    packed: bool = False,
    size: int | None = None,
    props: bytes = PROPS,
) -> bytes:
    """Header and body; `size` is what the header claims."""
    if packed:
        flags |= COMPRESSED
        claimed = len(body) if size is None else size
        body = lzma.compress(
            body,
            lzma.FORMAT_RAW,
            filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 24, "lc": 3, "lp": 0, "pb": 2}],
        )
    else:
        claimed = 0xDEADBEEF if size is None else size
    return magic + struct.pack("<5I", VERSION, flags, 1, claimed, 0) + props + body


def deck(cards: Sequence[int]) -> bytes:
    """A count and that many passcodes."""
    return struct.pack(f"<I{len(cards)}I", len(cards), *cards)


def script(
    *,
    main: Sequence[Sequence[int]] = (MAIN, MAIN),
    lp: int = 8000,
    answers: bytes = b"\x04\1\2\3\4\0",
    **more: object,
) -> bytes:
    """A whole .yrp of two decks."""
    body = names() + struct.pack("<3IQ", lp, 5, 1, DUEL_FLAGS)
    body += b"".join(deck(one) + deck(EXTRA) for one in main) + struct.pack("<I", 0) + answers
    return file(YRP, body, **more)  # type: ignore[arg-type]


def packet(number: int, data: bytes = b"") -> bytes:
    """A packet as it stands in the stream."""
    return struct.pack("<BI", number, len(data)) + data


def loc(player: int, location: int, index: int, position: int = 0) -> bytes:
    """Ten bytes of a place."""
    return struct.pack("<BBII", player, location, index, position)


def move(code: int, source: bytes, target: bytes, reason: int = 0) -> tuple[int, bytes]:
    """A card goes from place to place."""
    return 50, struct.pack("<I", code) + source + target + struct.pack("<I", reason)


def draw(player: int, codes: Sequence[int]) -> tuple[int, bytes]:
    """Cards go from the top of a Deck to the hand."""
    cards = b"".join(struct.pack("<II", code, 10) for code in codes)
    return 90, struct.pack("<BI", player, len(codes)) + cards


def start(lp: int = 8000, main: int = 40, extra: int = 2) -> tuple[int, bytes]:
    """The host opens the duel."""
    return 4, struct.pack("<BIIHHHH", 0, lp, lp, main, extra, main, extra)


def turn(player: int) -> tuple[int, bytes]:
    """A turn begins."""
    return 40, bytes((player,))


def phase(word: int) -> tuple[int, bytes]:
    """A phase begins."""
    return 41, struct.pack("<H", word)


def damage(player: int, amount: int) -> tuple[int, bytes]:
    """Life Points fall."""
    return 91, struct.pack("<BI", player, amount)


def win(player: int, reason: int) -> tuple[int, bytes]:
    """The duel is over."""
    return 5, bytes((player, reason))


def opening(hand: int = 5) -> list[tuple[int, bytes]]:
    """Start, both hands from the top, the first turn in Main Phase 1."""
    top = MAIN[::-1][:hand]
    return [start(), draw(0, top), draw(1, top), turn(0), phase(1), phase(2), phase(4)]


def stream(packets: Packets, *, embedded: bytes | None = None, junk: bytes = b"") -> bytes:
    """The body of a .yrpX."""
    body = names(junk=junk) + struct.pack("<Q", DUEL_FLAGS)
    body += b"".join(packet(number, data) for number, data in packets)
    return body + packet(231, script() if embedded is None else embedded)


def replay(packets: Packets, **more: object) -> bytes:
    """A whole .yrpX; `embedded` and `junk` as in `stream`, the rest as in `file`."""
    inner = {key: more.pop(key) for key in ("embedded", "junk") if key in more}
    return file(YRPX, stream(packets, **inner), **more)  # type: ignore[arg-type]
