"""The players' names at the head of every body. What follows the end of a name is junk and may
hold a longer old name: it is cut off and never kept."""

from __future__ import annotations

from duels.imports.replay.container import NEW, SINGLE, TAG, Header
from duels.imports.replay.cursor import U32, Cursor
from duels.imports.replay.faults import Fault

WIDTH = 40
"""Bytes of a name: twenty UTF-16 units."""
MOST_IN_TEAM = 8


def names(cursor: Cursor, head: Header) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read the names of both teams, who begins first. Raises `Fault` (`short`, `count`)."""
    return _team(cursor, head), _team(cursor, head)


def _team(cursor: Cursor, head: Header) -> tuple[str, ...]:
    size = 2 if head.flags & TAG else 1
    if head.flags & SINGLE:
        size = 1
    elif head.flags & NEW:
        at = cursor.at
        size = cursor.number(U32)
        if size > MOST_IN_TEAM:
            raise Fault("count", at, size, MOST_IN_TEAM)
    return tuple(_name(cursor.take(WIDTH)) for _ in range(size))


def _name(data: bytes) -> str:
    text = data.decode("utf-16-le", "replace").partition("\0")[0]
    return "".join(sign for sign in text if sign.isprintable()).strip()
