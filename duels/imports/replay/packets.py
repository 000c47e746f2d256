"""The packets of a .yrpX: cut, counted, and the messages of the duel kept with their place.

Refreshes (what lies where, sent again and again) are nearly all of a file. They are passed over,
but for those of a Deck or Fusion Deck, which tell an order no message tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct

from duels.imports.replay.faults import BODY, Damage, Fault

PACKET = Struct("<BI")
MOST_PACKETS = 200_000
"""Fifty times the most seen."""
MOST_MESSAGES = 10_000
"""Twelve times the most seen."""
MOST_MESSAGE_BYTES = 1024 * 1024
"""Bytes of all kept messages together: twenty times the most seen."""
MOST_REFRESHES = 4_000
UPDATE_DATA, UPDATE_CARD, EMBEDDED, START = 6, 7, 231, 4
DECK, FUSION = 1, 64


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet: message number and payload, and the byte of the body at which it begins."""

    number: int
    data: bytes
    at: int


@dataclass(frozen=True, slots=True)
class Stream:
    """The packets that matter, in order; the payload of the first embedded replay, or None;
    how many packets there were; and where cutting had to stop."""

    kept: tuple[Packet, ...] = ()
    embedded: Packet | None = None
    count: int = 0
    damage: Damage | None = None


@dataclass(slots=True)
class _Cut:
    kept: list[Packet] = field(default_factory=list)
    embedded: Packet | None = None
    count: int = 0
    refreshes: int = 0
    messages: int = 0
    size: int = 0


def stream(data: bytes, at: int, fault: Fault | None) -> Stream:
    """Cut the body from byte `at` on; `fault` is why the body itself ended early."""
    cut = _Cut()
    damage = None
    try:
        for packet in _packets(data, at):
            _keep(cut, packet)
    except Fault as stopped:
        damage = stopped.damage(BODY)
    if fault is not None:
        damage = fault.damage("file")
    return Stream(tuple(cut.kept), cut.embedded, cut.count, damage)


def _packets(data: bytes, at: int) -> Iterator[Packet]:
    end = len(data)
    while at < end:
        if end - at < PACKET.size:
            raise Fault("short", at, end - at, PACKET.size)
        number, size = PACKET.unpack_from(data, at)
        start = at + PACKET.size
        if size > end - start:
            raise Fault("packet", at, f"{number}: {size}", end - start)
        yield Packet(number, data[start : start + size], at)
        at = start + size


def _keep(cut: _Cut, packet: Packet) -> None:
    cut.count += 1
    if cut.count > MOST_PACKETS:
        raise Fault("too_many", packet.at, cut.count, MOST_PACKETS)
    if packet.number == UPDATE_CARD:
        return
    if packet.number == UPDATE_DATA:
        if packet.data[1:2] in (b"\x01", b"\x40") and cut.refreshes < MOST_REFRESHES:
            cut.refreshes += 1
            cut.kept.append(packet)
        return
    if packet.number == EMBEDDED:
        if cut.embedded is None:
            cut.embedded = packet
        return
    cut.messages += 1
    cut.size += len(packet.data)
    if cut.messages > MOST_MESSAGES:
        raise Fault("too_many", packet.at, cut.messages, MOST_MESSAGES)
    if cut.size > MOST_MESSAGE_BYTES:
        raise Fault("too_large", packet.at, cut.size, MOST_MESSAGE_BYTES)
    cut.kept.append(packet)
