"""The schema `engine-duel/1`, and reading a file of it. Damage is a refusal, never a crash."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import Any

import msgspec

from eventstore.domain.refusal import Refusal

SCHEMA = "engine-duel/1"
MOST_BYTES = 256 * 1024 * 1024
"""Largest recording once unpacked: three hundred times the largest seen."""
MOST_CARDS = 1000


class Deck(msgspec.Struct, frozen=True):
    """A side's cards by passcode; `main` from the bottom to the top."""

    main: list[int]
    extra: list[int] = []
    kind: str = ""


class FieldCard(msgspec.Struct, frozen=True, rename={"defence": "def"}):
    """A card in a zone: passcode, position, values, and what differs from the usual."""

    code: int
    pos: int
    atk: int | None = None
    defence: int | None = None
    owner: int | None = None
    equip: list[int] | None = None
    counters: dict[str, int] = {}
    disabled: bool = False


class Half(msgspec.Struct, frozen=True):
    """One player's half of the recorded table; `lp` may be below 0."""

    lp: int
    counts: dict[str, int]
    mzone: list[FieldCard | None]
    szone: list[FieldCard | None]
    hand: list[int]
    grave: list[int]
    banished: list[tuple[int, int]]
    extra: list[int]
    deck: list[int]


class State(msgspec.Struct, frozen=True):
    """The recorded table after a batch."""

    players: tuple[Half, Half]
    chain: list[dict[str, Any]] = []


class Batch(msgspec.Struct, frozen=True):
    """Messages up to the next request or pause; `response` answers the request of the batch."""

    messages: list[dict[str, Any]]
    status: str = ""
    turn: int = 0
    turn_player: int | None = None
    phase: int = 0
    i: int = 0
    raw: list[str] = []
    state: State | None = None
    response: dict[str, Any] | None = None


class Result(msgspec.Struct, frozen=True):
    """How it ended: `winner` 0, 1 or 2 (draw); `reason` as in WIN."""

    end: str = ""
    winner: int | None = None
    reason: int | None = None


class Recording(msgspec.Struct, frozen=True):
    """A whole recorded duel."""

    schema: str
    decks: tuple[Deck, Deck]
    batches: list[Batch]
    result: Result = Result()
    mode: str = ""
    set: str = ""
    seed: int | str | None = None


class PoolCard(msgspec.Struct, frozen=True, rename={"defence": "def"}):
    """The facts of a card, numbers as the engine writes them."""

    code: int
    name: str
    type: int
    level: int = 0
    race: int = 0
    attribute: int = 0
    atk: int = 0
    defence: int = 0
    alias: int = 0


_RECORDING: msgspec.json.Decoder[Recording] = msgspec.json.Decoder(Recording)
_POOL: msgspec.json.Decoder[list[PoolCard]] = msgspec.json.Decoder(list[PoolCard])


def unpack(data: bytes) -> bytes | Refusal:
    """Return the JSON of a file: unpacked when it is gzip, as it is otherwise.

    Refused with `duels.recording_unreadable` for damaged or oversized packing.
    """
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            plain = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as fault:
        return Refusal("duels.recording_unreadable", {"found": str(fault)[:120]})
    if len(plain) > MOST_BYTES:
        return Refusal("duels.recording_unreadable", {"found": "size", "allowed": MOST_BYTES})
    return plain


def read(data: bytes) -> Recording | Refusal:
    """Return the recording that a file holds.

    Refused with `duels.recording_unreadable` (packing) or `duels.recording_malformed` (what is
    wrong, and where: JSON, schema, decks, a batch).
    """
    plain = unpack(data)
    if isinstance(plain, Refusal):
        return plain
    try:
        recording = _RECORDING.decode(plain)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as fault:
        return Refusal("duels.recording_malformed", {"found": str(fault)[:200]})
    if recording.schema != SCHEMA:
        found = recording.schema[:40]
        return Refusal("duels.recording_malformed", {"found": found, "allowed": SCHEMA})
    for deck in recording.decks:
        size = len(deck.main) + len(deck.extra)
        if size > MOST_CARDS:
            return Refusal("duels.recording_malformed", {"found": size, "allowed": MOST_CARDS})
    if not recording.batches:
        return Refusal("duels.recording_malformed", {"found": "batches: 0"})
    return recording


def read_pool(data: bytes) -> dict[int, PoolCard] | Refusal:
    """Return the cards of a pool file by passcode; refused as `read` refuses."""
    plain = unpack(data)
    if isinstance(plain, Refusal):
        return plain
    try:
        rows = _POOL.decode(plain)
    except (msgspec.DecodeError, RecursionError) as fault:
        return Refusal("duels.recording_malformed", {"found": str(fault)[:200]})
    return {row.code: row for row in rows}
