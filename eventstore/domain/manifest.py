"""The manifest of a backup copy: what the copy is, and the sums by which damage is found.

It is a signed note (eventstore.domain.checkpoint) whose text is JSON, so a flipped bit in it shows
as well. On a machine that does not know the key the note opens under the key it names itself:
that shows damage, and the caller says that nobody vouches for more.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from eventstore.domain import checkpoint as notes
from eventstore.domain.checkpoint import BadNote, SigningKey, VerifierKey
from eventstore.domain.copies import read_name

FORMAT = "headjudge-backup@1"
BLOCK_BYTES = 1 << 20
BLOCKS_AT_MOST = 4096
MANIFEST_AT_MOST = 8 << 20
"""Bytes of a manifest that are read at most."""
LEFT_OUT = ("signing key", "vault key", "secret key", "push key", "sessions", "tokens in clear")
"""What is never in a copy."""


class BadCopy(ValueError):
    """A copy or manifest that cannot be used: `code` and `params`."""

    def __init__(self, code: str, **params: Any) -> None:
        said = ", ".join(f"{name} {value}" for name, value in params.items())
        super().__init__(f"{code}: {said}" if said else code)
        self.code, self.params = code, params


@dataclass(frozen=True, slots=True)
class Sums:
    """Size and SHA-256 (hex) of a file, and of each block of `block` bytes."""

    size: int
    sha256: str
    block: int
    blocks: tuple[str, ...]


class Summer:
    """Takes the bytes of a file in pieces of any size; `done()` gives its sums."""

    def __init__(self, block: int) -> None:
        self._block, self._size, self._in_block = block, 0, 0
        self._whole, self._part = hashlib.sha256(), hashlib.sha256()
        self._blocks: list[str] = []

    def feed(self, piece: bytes) -> None:
        """Take the next bytes."""
        self._whole.update(piece)
        self._size += len(piece)
        at = 0
        while at < len(piece):
            take = min(self._block - self._in_block, len(piece) - at)
            self._part.update(piece[at : at + take])
            at += take
            self._in_block += take
            if self._in_block == self._block:
                self._end_block()

    def _end_block(self) -> None:
        self._blocks.append(self._part.hexdigest())
        self._part, self._in_block = hashlib.sha256(), 0

    def done(self) -> Sums:
        """Return the sums of all that was fed."""
        if self._in_block:
            self._end_block()
        return Sums(self._size, self._whole.hexdigest(), self._block, tuple(self._blocks))


def block_for(size: int) -> int:
    """Return the bytes of a block for a file of this size: whole MiB, not too many blocks."""
    return BLOCK_BYTES * max(1, -(-size // (BLOCK_BYTES * BLOCKS_AT_MOST)))


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a copy is. `log` is the hash of the first event, `head` that of the newest one at
    `position`; times are UTC text. `migrations` per app, `projections` with the fingerprint of
    their code. `keys` are public keys that checkpoints in it open with, the present one first.
    `carried` is what rooms add (eventstore.backups.carried)."""

    vendor: str
    file: str
    kind: str
    reason: str
    made_at: str
    position: int
    head: str
    log: str
    last_at: str
    sums: Sums
    migrations: dict[str, list[str]]
    projections: dict[str, str]
    keys: tuple[str, ...]
    whole_log_checked: bool
    carried: dict[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] = LEFT_OUT
    format: str = FORMAT

    def as_note(self, key: SigningKey) -> str:
        """Write it as a signed note."""
        text = json.dumps(asdict(self), indent=1, sort_keys=True)
        return notes.sign_note(text + "\n", key)


@dataclass(frozen=True, slots=True)
class Opened:
    """A manifest that was read; `vouched`: by a key that this machine knew before."""

    manifest: Manifest
    signer: str
    vouched: bool


_FIELDS = {one.name for one in fields(Manifest)}


def _typed(value: Any) -> Manifest:
    """Read the plain data of a manifest; raises ValueError, TypeError, KeyError."""
    if not isinstance(value, dict) or value.keys() != _FIELDS:
        raise ValueError("fields")
    sums = value["sums"]
    texts = ("vendor", "file", "kind", "reason", "made_at", "head", "log", "last_at", "format")
    if any(type(value[name]) is not str for name in texts) or type(value["position"]) is not int:
        raise ValueError("a field of another type")
    if not isinstance(value["migrations"], dict) or not isinstance(value["projections"], dict):
        raise ValueError("a field of another type")
    if not isinstance(value["carried"], dict):
        raise ValueError("a field of another type")
    lists = (*value["migrations"].values(), value["keys"], value["left_out"], sums["blocks"])
    if any(type(one) is not list for one in lists):
        raise ValueError("a field of another type")
    texts_within = (*value["projections"].values(), *(text for one in lists for text in one))
    if any(type(text) is not str for text in texts_within):
        raise ValueError("a field of another type")
    if read_name(value["file"]) is None:
        raise ValueError("no name of a copy")
    if type(sums["size"]) is not int or type(sums["block"]) is not int or sums["block"] < 1:
        raise ValueError("sums")
    return Manifest(
        **{
            **value,
            "sums": Sums(sums["size"], sums["sha256"], sums["block"], tuple(sums["blocks"])),
            "keys": tuple(value["keys"]),
            "left_out": tuple(value["left_out"]),
        }
    )


def open_manifest(raw: bytes, trusted: list[VerifierKey]) -> Opened:
    """Read a manifest. Raises BadCopy: `manifest_damaged` (params why), `format_unknown`."""
    try:
        note = raw.decode()
        text, _, lines = note.rpartition("\n\n")
        value = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise BadCopy("manifest_damaged", why=str(fault)[:80]) from None
    given = value.get("format") if isinstance(value, dict) else None
    if isinstance(given, str) and given.startswith("headjudge-backup@") and given != FORMAT:
        raise BadCopy("format_unknown", found=given, allowed=FORMAT)
    try:
        found = _typed(value)
        own = VerifierKey.from_text(found.keys[0])
        notes.open_note(note, [own])
    except (BadNote, ValueError, TypeError, KeyError, IndexError, AttributeError) as fault:
        raise BadCopy("manifest_damaged", why=str(fault)[:80]) from None
    if lines.count("\n") != 1 or note != _canonical(note):
        raise BadCopy("manifest_damaged", why="more than one signature")
    return Opened(found, own.as_text(), own in trusted)


def _canonical(note: str) -> str:
    """Return the note with its signature line written the one way there is: base64 has spare bits
    in its last sign, and a changed one must show."""
    text, _, line = note.rpartition("\n\n")
    name, _, tail = line.rstrip("\n").rpartition(" ")
    return f"{text}\n\n{name} {base64.b64encode(base64.b64decode(tail)).decode()}\n"


def compare(wanted: Sums, found: Sums) -> None:
    """Return when a file is the one the manifest tells of. Raises BadCopy: `truncated` (found,
    allowed: bytes), `too_long`, `damaged` (first, last: bytes, of the first block that differs)."""
    for number, (right, is_) in enumerate(zip(wanted.blocks, found.blocks, strict=False)):
        first = number * wanted.block
        last = min(first + wanted.block, wanted.size, found.size) - 1
        short = found.size < wanted.size and first + wanted.block > found.size
        if right != is_ and not short:
            raise BadCopy("damaged", first=first, last=last)
    if found.size < wanted.size:
        raise BadCopy("truncated", found=found.size, allowed=wanted.size)
    if found.size > wanted.size:
        raise BadCopy("too_long", found=found.size, allowed=wanted.size)
    if found != wanted:
        raise BadCopy("damaged", first=0, last=wanted.size - 1)
