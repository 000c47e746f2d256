"""Snapshots: folded states kept as a short cut, thrown away at will.

A snapshot counts only when the code that folds is the code that folded (fingerprint), its bytes
are whole (checksum), the event it stands on is still the one in the log (hash), and it decodes.
Anything else is ignored and the stream is folded from its beginning, so that a snapshot can
make a load quick and never wrong.

    POLICY = Snapshots(TournamentState, every=200)
    unit.load(stream, initial, evolve, snapshots=POLICY)

Beside them each process remembers the folds of a few long streams (`recent`): a state that was
folded here once is carried on by the events that came since. It counts only while the event it
stands on is still the one in the log, so that a transaction rolled back, or another process,
cannot make it wrong. For folds whose states are never changed in place.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from eventstore import fingerprint, store
from eventstore.models import SnapshotRow

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Snapshots(Generic[S]):
    """How the states of one fold are kept.

    `state` is their type: a struct or dataclass that msgspec encodes and decodes to an equal
    value. One is written when `every` events came after the last one. `extra` stands for what
    the fold depends on beside its code, such as the bytes of a data file.
    """

    state: type[S]
    every: int = 200
    extra: bytes = b""


def _key(stream: str, evolve: Callable[..., Any]) -> str:
    return f"{stream} {evolve.__module__}.{evolve.__qualname__}"[:200]


def _checksum(row: SnapshotRow) -> str:
    head = f"{row.key}\n{row.version}\n{row.event_hash}\n{row.fingerprint}\n"
    return hashlib.sha256(head.encode() + bytes(row.body)).hexdigest()


def newest(
    policy: Snapshots[S], stream: str, evolve: Callable[[S, Any], S]
) -> tuple[int, S] | None:
    """Return (version, state) of the kept snapshot; None when there is none that counts."""
    row = SnapshotRow.objects.filter(pk=_key(stream, evolve)).first()
    if row is None or row.fingerprint != _code(policy, evolve) or row.checksum != _checksum(row):
        return None
    if store.hash_of(stream, row.version) != row.event_hash:
        return None
    try:
        state = msgspec.msgpack.decode(bytes(row.body), type=policy.state)
    except msgspec.MsgspecError:
        return None
    return row.version, state


def keep(
    policy: Snapshots[S],
    stream: str,
    evolve: Callable[[S, Any], S],
    version: int,
    event_hash: str,
    state: S,
) -> None:
    """Write the snapshot of a stream, in place of an older one. Call inside a transaction.

    A state that does not come back equal is not written.
    """
    body = msgspec.msgpack.encode(state)
    if msgspec.msgpack.decode(body, type=policy.state) != state:
        return
    row = SnapshotRow(
        key=_key(stream, evolve),
        stream=stream,
        version=version,
        event_hash=event_hash,
        fingerprint=_code(policy, evolve),
        body=body,
    )
    row.checksum = _checksum(row)
    SnapshotRow.objects.update_or_create(
        pk=row.key,
        defaults={
            name: getattr(row, name)
            for name in ("stream", "version", "event_hash", "fingerprint", "body", "checksum")
        },
    )


_codes: dict[tuple[Any, Any, bytes], str] = {}


def _code(policy: Snapshots[Any], evolve: Callable[..., Any]) -> str:
    key = (policy.state, evolve, policy.extra)
    if key not in _codes:
        _codes[key] = fingerprint.of_code(policy.state, evolve, extra=policy.extra)
    return _codes[key]


RECENT_MOST = 16
"""Streams of one fold that a process remembers; the one unused for longest goes first. Each fold
has places of its own: many small streams do not drive out the few long ones."""
RECENT_FROM = 64
"""Events a stream has at least for its fold to be remembered."""
_recent: defaultdict[str, OrderedDict[str, tuple[int, str, Any]]] = defaultdict(OrderedDict)
_recent_lock = threading.Lock()


def load_recent(stream: str, initial: S, evolve: Callable[[S, Any], S]) -> tuple[int, S]:
    """Fold a stream and return (version, state), from the fold this process remembers where that
    still counts. `evolve` must not change a state in place, and `initial` is always the same."""
    fold = _key("", evolve)
    with _recent_lock:
        held = _recent[fold].get(stream)
    version, event_hash, state = held or (0, "", initial)
    found = store.read_stream(stream, after=max(0, version - 1))
    if held is not None:
        if found and found[0].version == version and found[0].hash == event_hash:
            found = found[1:]
        else:
            version, state = 0, initial
            found = store.read_stream(stream)
    for one in found:
        state, version, event_hash = evolve(state, one.data), one.version, one.hash
    if version >= RECENT_FROM:
        with _recent_lock:
            places = _recent[fold]
            places[stream] = (version, event_hash, state)
            places.move_to_end(stream)
            while len(places) > RECENT_MOST:
                places.popitem(last=False)
    return version, state


def load(
    stream: str,
    initial: S,
    evolve: Callable[[S, Any], S],
    policy: Snapshots[S] | None,
    *,
    write: bool,
) -> tuple[int, S]:
    """Fold a stream and return (version, state), from a snapshot where one counts.

    With `write` (inside a command) a new snapshot is kept when enough events came.
    """
    kept = newest(policy, stream, evolve) if policy else None
    start, state = kept or (0, initial)
    version, event_hash = start, ""
    for one in store.read_stream(stream, after=start):
        state, version, event_hash = evolve(state, one.data), one.version, one.hash
    if policy and write and version - start >= policy.every:
        keep(policy, stream, evolve, version, event_hash, state)
    return version, state
