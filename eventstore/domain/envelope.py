"""The stored envelope of an event: its bytes are the truth, hashed as they stand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from eventstore.domain import canonical, registry
from eventstore.domain.registry import DomainEvent

S = TypeVar("S")
LEAF = b"\x00"
"""RFC 9162 prefix of a leaf, so that the hash of an event is also its Merkle leaf."""
NO_HASH = ""
"""prev_hash of the first event of a stream."""


class Meta(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who did it, in which role, by which command, and where it came from.

    `actor` is a person id, or `system`. `source` is one of player, judge, scorekeeper,
    organiser, import, engine, system. `causation` and `correlation` are command ids.
    `client_time` is what the device claimed, UTC text.
    """

    actor: str
    role: str
    source: str
    command: str
    causation: str | None = None
    correlation: str | None = None
    client_time: str | None = None


class Recorded(msgspec.Struct, frozen=True):
    """One event as it was recorded. `position` counts all events from 1 without holes,
    `version` those of the stream from 1; `recorded_at` is UTC text with microseconds and Z;
    `hash` is the hex SHA-256 of the leaf."""

    position: int
    stream: str
    version: int
    type: str
    schema: int
    data: DomainEvent
    meta: Meta
    recorded_at: str
    prev_hash: str
    hash: str


class _Wire(msgspec.Struct, frozen=True):
    position: int
    stream: str
    version: int
    type: str
    schema: int
    data: msgspec.Raw
    meta: Meta
    recorded_at: str
    prev_hash: str


_wire = msgspec.json.Decoder(_Wire)


def leaf_hash(body: bytes) -> str:
    """Return the hex Merkle leaf hash of stored envelope bytes."""
    return hashlib.sha256(LEAF + body).hexdigest()


def seal(
    event: DomainEvent,
    *,
    position: int,
    stream: str,
    version: int,
    meta: Meta,
    recorded_at: str,
    prev_hash: str,
) -> tuple[Recorded, bytes]:
    """Make the envelope of one event: the recorded form and its canonical bytes.

    Raises NotCanonical when the event holds a value that has no canonical form.
    """
    name, schema = registry.name_of(event)
    body = canonical.encode(
        {
            "position": position,
            "stream": stream,
            "version": version,
            "type": name,
            "schema": schema,
            "data": msgspec.to_builtins(event),
            "meta": msgspec.to_builtins(meta),
            "recorded_at": recorded_at,
            "prev_hash": prev_hash,
        }
    )
    recorded = Recorded(
        position,
        stream,
        version,
        name,
        schema,
        event,
        meta,
        recorded_at,
        prev_hash,
        leaf_hash(body),
    )
    return recorded, body


def unseal(body: bytes, *, known_hash: str | None = None) -> Recorded:
    """Read stored envelope bytes back, data brought to the newest schema version."""
    wire = _wire.decode(body)
    return Recorded(
        wire.position,
        wire.stream,
        wire.version,
        wire.type,
        wire.schema,
        registry.decode(wire.type, wire.schema, wire.data),
        wire.meta,
        wire.recorded_at,
        wire.prev_hash,
        known_hash or leaf_hash(body),
    )


def fold(initial: S, evolve: Callable[[S, Any], S], events: Iterable[DomainEvent]) -> S:
    """Rebuild a state: `evolve` over the events, oldest first."""
    state = initial
    for item in events:
        state = evolve(state, item)
    return state
