"""The stored envelope of an event: its bytes are the truth, hashed as they stand."""

from __future__ import annotations

import hashlib
import re
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


class Meta(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Who did it, in which role, by which command, and where it came from.

    `actor` is a person id, or `system`. `source` is one of player, judge, scorekeeper,
    organiser, import, engine, system. `causation` is a command id, `correlation`
    the id of the request in which it all began (eventstore.correlation).
    `client_time` is what the device claimed, UTC text.
    """

    actor: str
    role: str
    source: str
    command: str
    causation: str | None = None
    correlation: str | None = None
    client_time: str | None = None


class Recorded(msgspec.Struct, frozen=True, gc=False):
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


class _Wire(msgspec.Struct, frozen=True, gc=False):
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


_sorted = msgspec.json.Encoder(order="sorted")
_meta = msgspec.json.Decoder(Meta)
_FLOAT = re.compile(rb"\d[.eE]")
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_LARGE = b"0" * 16
"""An integer of so many digits may be beyond 2**53 - 1."""


def _data_bytes(event: DomainEvent, name: str) -> bytes:
    """Return the canonical bytes of an event's data; raises NotCanonical.

    The quick way is taken only when its bytes are plain ASCII, hold nothing doubtful and read
    back as an equal event; then they are what the slow way makes. A float that equals an integer
    shows in the bytes, or where the type has no place for floats, in writing what was read.
    """
    try:
        data = _sorted.encode(event)
        read = registry.decode_newest(name, data)
        if (
            data.isascii()
            and b"\\u0000" not in data
            and _LARGE not in data.translate(_DIGITS)
            and read == event
            and (
                _sorted.encode(read) == data
                if registry.without_floats(name)
                else _FLOAT.search(data) is None
            )
        ):
            return data
    except (msgspec.MsgspecError, UnicodeEncodeError, TypeError):
        pass  # the slow way says what is wrong, and where
    return canonical.encode(msgspec.to_builtins(event), "$.data")


def _meta_bytes(meta: Meta) -> bytes:
    """Return the canonical bytes of the meta, in the same two ways."""
    try:
        data = _sorted.encode(meta)
        if data.isascii() and b"\\u0000" not in data and _meta.decode(data) == meta:
            return data
    except (msgspec.MsgspecError, UnicodeEncodeError, TypeError):
        pass
    return canonical.encode(msgspec.to_builtins(meta), "$.meta")


class Sealer:
    """Makes the envelopes of one command: its meta is encoded once, its time is as clock.as_text
    writes it.

    Raises NotCanonical when the meta has no canonical form.
    """

    __slots__ = ("_middle", "meta", "recorded_at")

    def __init__(self, meta: Meta, recorded_at: str) -> None:
        self.meta, self.recorded_at = meta, recorded_at
        self._middle = b',"meta":' + _meta_bytes(meta) + b',"position":'

    def seal(
        self, event: DomainEvent, position: int, stream: str, version: int, prev_hash: str
    ) -> tuple[Recorded, bytes]:
        """Make the envelope of one event: the recorded form and its canonical bytes.

        Raises NotCanonical when the event or the stream's name has no canonical form.
        """
        name, schema = registry.name_of(event)
        if not (stream.isascii() and name.isascii()) or "\x00" in stream:
            raise canonical.NotCanonical("$.stream", "the name of a stream is not ASCII text")
        tail = (
            f'{position},"prev_hash":"{prev_hash}","recorded_at":"{self.recorded_at}",'
            f'"schema":{schema},"stream":{_sorted.encode(stream).decode()},"type":"{name}",'
            f'"version":{version}}}'
        )
        body = b'{"data":' + _data_bytes(event, name) + self._middle + tail.encode()
        recorded = Recorded(
            position,
            stream,
            version,
            name,
            schema,
            event,
            self.meta,
            self.recorded_at,
            prev_hash,
            leaf_hash(body),
        )
        return recorded, body


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
    """Make the envelope of a single event (see Sealer). Raises NotCanonical."""
    canonical.check(recorded_at)
    return Sealer(meta, recorded_at).seal(event, position, stream, version, prev_hash)


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
