"""What rooms add to the manifest of a copy: small plain data beside the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Reader = Callable[[], Any]
Taker = Callable[[Any], None]

_readers: dict[str, Reader] = {}
_takers: dict[str, Taker] = {}
_after: list[Callable[[], object]] = []


def carry(name: str) -> Callable[[Reader], Reader]:
    """Register what a room adds under a name: `read()` returns plain data for JSON, nothing
    secret in it."""

    def register(read: Reader) -> Reader:
        _readers[name] = read
        return read

    return register


def taken_back(name: str) -> Callable[[Taker], Taker]:
    """Register what a room does with its part of every manifest that lies beside a copy which
    was restored: `take(data)`; it must stand any data."""

    def register(take: Taker) -> Taker:
        _takers[name] = take
        return take

    return register


def on_restored(act: Callable[[], object]) -> Callable[[], object]:
    """Register what a room does once in a restored database, before it is put to use."""
    _after.append(act)
    return act


def after_restore() -> None:
    """Let each room do it."""
    for act in _after:
        act()


def read_all() -> dict[str, Any]:
    """Return what every room adds now."""
    return {name: read() for name, read in sorted(_readers.items())}


def hand_back(carried: dict[str, Any]) -> None:
    """Give each room its part of a manifest."""
    for name, take in sorted(_takers.items()):
        if name in carried:
            take(carried[name])
