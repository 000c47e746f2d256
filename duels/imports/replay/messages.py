"""Messages of a replay: those of the field's engine, and those that only its host writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from duels.imports.engine import messages as engine
from duels.imports.replay.cursor import U8, U16, U32, Cursor
from duels.imports.replay.faults import Fault
from duels.imports.replay.packets import DECK, FUSION, START, UPDATE_DATA, Packet

RELOAD, NAMED, SHOWN = 162, 163, 164
MARKS = frozenset({160, 165, NAMED, SHOWN})
"""Hints and marks of the program. Older clients write some of them shorter; none is needed."""
WIN = 5
WIN_FIELDS = 3
"""Number, winner, reason; a third byte follows in some clients."""
CODE = 0x1
END = 0x80000000
SPACES = (7, 8)
OCCUPIED = 1


@dataclass(frozen=True, slots=True)
class Start:
    """The table as the host opened it: Life Points and sizes of Deck and Extra Deck."""

    life_points: tuple[int, int]
    decks: tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Order:
    """What a refresh tells of a pile: its cards from the bottom to the top (0: not told)."""

    player: int
    zone: str
    codes: tuple[int, ...]


def message(packet: Packet) -> dict[str, Any] | None:
    """Return the engine's message that a packet is, None for a number unknown here. Raises
    `Fault` (`message`, with the byte of the packet) for one that cannot be decoded."""
    data = bytes((packet.number,)) + packet.data
    if packet.number == WIN:
        data = data[:WIN_FIELDS]
    try:
        decoded = engine.decode(data)
    except engine.Damaged as damaged:
        raise Fault("message", packet.at, f"{packet.number}: {damaged.why}") from damaged
    return decoded if decoded["msg"] else None


def start(packet: Packet) -> Start:
    """Return the opening that a START or RELOAD packet tells. Raises `Fault` (`message`)."""
    cursor = Cursor(packet.data)
    try:
        if packet.number == START:
            cursor.number(U8)
            lp = (cursor.number(U32), cursor.number(U32))
            sizes = [cursor.number(U16) for _ in range(4)]
            return Start(lp, ((sizes[0], sizes[1]), (sizes[2], sizes[3])))
        cursor.number(U32)
        halves = [_half(cursor) for _ in range(2)]
    except Fault as short:
        raise Fault("message", packet.at, f"{packet.number}: {short.code}") from short
    (first, one), (second, other) = halves
    return Start((first, second), (one, other))


def _half(cursor: Cursor) -> tuple[int, tuple[int, int]]:
    """Life Points, spaces, sizes of piles: a position and the materials of a filled space are
    read over, since a duel begins with an empty field."""
    life_points = cursor.number(U32)
    for count, more in zip(SPACES, (5, 1), strict=True):
        for _ in range(count):
            if cursor.number(U8) == OCCUPIED:
                cursor.take(more)
    deck, _, _, _, extra, _ = (cursor.number(U32) for _ in range(6))
    return life_points, (deck, extra)


def order(packet: Packet) -> Order | None:
    """Return what a refresh of a Deck or Extra Deck tells, None for any other or a damaged one
    (it carries no event, so nothing is lost)."""
    if packet.number != UPDATE_DATA or len(packet.data) < 6:
        return None
    player, location = packet.data[0], packet.data[1]
    if player > 1 or location not in (DECK, FUSION):
        return None
    cursor = Cursor(packet.data, 6)
    codes: list[int] = []
    try:
        while cursor.left:
            codes.append(_code(cursor))
    except Fault:
        return None
    return Order(player, "deck" if location == DECK else "fusion_deck", tuple(codes))


def _code(cursor: Cursor) -> int:
    """Read the chunks of one card and return its passcode."""
    code = 0
    while True:
        size = cursor.number(U16)
        if not size:
            return code
        if size < U32.size:
            raise Fault("message", cursor.at, size)
        flag = cursor.number(U32)
        value = cursor.take(size - U32.size)
        if flag == END:
            return code
        if flag == CODE:
            code = int.from_bytes(value[:4], "little")
