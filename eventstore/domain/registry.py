"""The registry of event types: a stored name and schema version find a class, never a path.

A type and its schema version are for ever. A change is a new version plus an upcaster from
the one before it; `decode` brings every stored version to the newest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import msgspec.inspect


class DomainEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Base of every event: a frozen struct of plain JSON values.

    Identifiers of people are opaque ids, never names; free text is sealed text (people.vault).
    Plain JSON values have no cycles, so the garbage collector need not look at them (gc=False).
    """


E = TypeVar("E", bound=type[DomainEvent])
Upcaster = Callable[[dict[str, Any]], dict[str, Any]]


class UnknownEventType(LookupError):
    """A stored event whose type or schema version no class or upcaster answers for."""


_by_name: dict[str, type[DomainEvent]] = {}
_name_of: dict[type[DomainEvent], tuple[str, int]] = {}
_newest: dict[str, tuple[int, Callable[[bytes | msgspec.Raw], DomainEvent]]] = {}
_upcasters: dict[tuple[str, int], Upcaster] = {}


def event(name: str, schema: int = 1) -> Callable[[E], E]:
    """Register a class under its stored name `<app>.<noun>_<past>` and newest schema version."""

    def register(cls: E) -> E:
        if name in _by_name and _by_name[name].__qualname__ != cls.__qualname__:
            raise ValueError(f"event type {name} is taken by {_by_name[name].__qualname__}")
        _by_name[name] = cls
        _name_of[cls] = (name, schema)
        _newest[name] = (schema, msgspec.json.Decoder(cls).decode)
        return cls

    return register


def upcaster(name: str, from_schema: int) -> Callable[[Upcaster], Upcaster]:
    """Register the pure step from `from_schema` to the next version of the type `name`."""

    def register(step: Upcaster) -> Upcaster:
        _upcasters[name, from_schema] = step
        return step

    return register


def has_upcaster(name: str, from_schema: int) -> bool:
    """Say whether there is a step from that version of a type to the next."""
    return (name, from_schema) in _upcasters


def name_of(event_or_class: DomainEvent | type[DomainEvent]) -> tuple[str, int]:
    """Return (stored name, newest schema); raises UnknownEventType when not registered."""
    cls = event_or_class if isinstance(event_or_class, type) else type(event_or_class)
    try:
        return _name_of[cls]
    except KeyError:
        raise UnknownEventType(f"{cls.__qualname__} is not registered") from None


def registered() -> dict[str, int]:
    """Return every stored name with its newest schema version."""
    return {name: _name_of[cls][1] for name, cls in sorted(_by_name.items())}


def class_of(name: str) -> type[DomainEvent]:
    """Return the class registered under a stored name; raises UnknownEventType."""
    try:
        return _by_name[name]
    except KeyError:
        raise UnknownEventType(f"no event type {name}") from None


_no_floats: dict[type[DomainEvent], bool] = {}
_LOOSE = ("FloatType", "DecimalType", "AnyType", "RawType", "CustomType")


def without_floats(name: str) -> bool:
    """Say whether the newest version of a registered type has no place where a float may stand."""
    cls = _by_name[name]
    found = _no_floats.get(cls)
    if found is None:
        described = repr(msgspec.inspect.type_info(cls))
        found = _no_floats[cls] = not any(word in described for word in _LOOSE)
    return found


def decode_newest(name: str, data: bytes) -> DomainEvent:
    """Decode data of the newest version of a registered type; raises msgspec.MsgspecError."""
    return _newest[name][1](data)


def decode(name: str, schema: int, data: bytes | msgspec.Raw) -> DomainEvent:
    """Decode stored data to the newest version of its type; raises UnknownEventType."""
    known = _newest.get(name)
    if known is not None and known[0] == schema:
        return known[1](data)
    cls = class_of(name)
    newest = _name_of[cls][1]
    values: dict[str, Any] = msgspec.json.decode(data)
    while schema < newest:
        step = _upcasters.get((name, schema))
        if step is None:
            raise UnknownEventType(f"{name}: no path from version {schema}")
        values, schema = step(values), schema + 1
    if schema > newest:
        raise UnknownEventType(f"{name}: version {schema} is newer than {newest}")
    return msgspec.convert(values, cls)
