"""Signed checkpoints: the C2SP tlog-checkpoint text in a C2SP signed note, Ed25519.

<origin>                       name of the log
<size>                         number of events, decimal
<root>                         Merkle root over them, base64

— <key name> <base64 of key id (4 bytes) and signature (64 bytes)>
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ED25519 = b"\x01"
"""Algorithm byte of a signed-note key."""
DASH = "— "
KEY_ID_BYTES, SIGNATURE_BYTES, PUBLIC_BYTES, ROOT_BYTES = 4, 64, 32, 32


class BadNote(ValueError):
    """A note that is malformed, or that none of the trusted keys signed. `code` says which:
    `malformed`, `unknown_key`, `bad_signature`."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(f"{code}: {why}")
        self.code = code


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key under its name; its text form is `name+id+key` (C2SP signed-note)."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The 4 bytes that name this key in a signature line."""
        return hashlib.sha256(self.name.encode() + b"\n" + ED25519 + self.public).digest()[
            :KEY_ID_BYTES
        ]

    def as_text(self) -> str:
        """Write the key in its text form, to be published beside the log."""
        tail = base64.b64encode(ED25519 + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{tail}"

    @classmethod
    def from_text(cls, text: str) -> VerifierKey:
        """Read the text form; raises BadNote."""
        try:
            name, key_id, tail = text.strip().split("+", 2)
            raw = base64.b64decode(tail, validate=True)
        except ValueError as fault:
            raise BadNote("malformed", f"verifier key: {fault}") from None
        key = cls(name, raw[1:])
        if raw[:1] != ED25519 or len(raw) != 1 + PUBLIC_BYTES or key.key_id.hex() != key_id:
            raise BadNote("malformed", "verifier key: not an Ed25519 key, or another id")
        return key


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The private key of the log under its name."""

    name: str
    private: Ed25519PrivateKey

    @property
    def verifier(self) -> VerifierKey:
        """The public half."""
        return VerifierKey(self.name, self.private.public_key().public_bytes_raw())


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of the log at `size` events: its Merkle root (32 bytes)."""

    origin: str
    size: int
    root: bytes

    def as_text(self) -> str:
        """Write the body that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def sign_note(text: str, key: SigningKey) -> str:
    """Sign a text of whole lines; returns the note."""
    if not text.endswith("\n") or "\n\n" in text:
        raise ValueError("a note is whole lines, none of them empty")
    raw = key.verifier.key_id + key.private.sign(text.encode())
    return f"{text}\n{DASH}{key.name} {base64.b64encode(raw).decode()}\n"


def open_note(note: str, keys: list[VerifierKey]) -> str:
    """Return the signed text of a note that one of the keys signed; raises BadNote."""
    text, mark, lines = note.rpartition("\n\n")
    if not mark or not lines.endswith("\n"):
        raise BadNote("malformed", "no signature lines")
    text += "\n"
    for line in lines[:-1].split("\n"):
        name, _, tail = line.removeprefix(DASH).partition(" ")
        try:
            raw = base64.b64decode(tail, validate=True)
        except binascii.Error as fault:
            raise BadNote("malformed", str(fault)) from None
        if not line.startswith(DASH) or not name:
            raise BadNote("malformed", "not a signature line")
        for key in keys:
            if key.name != name or raw[:KEY_ID_BYTES] != key.key_id:
                continue
            try:
                public = Ed25519PublicKey.from_public_bytes(key.public)
                public.verify(raw[KEY_ID_BYTES:], text.encode())
            except (InvalidSignature, ValueError):
                raise BadNote("bad_signature", f"signature of {name}") from None
            return text
    raise BadNote("unknown_key", "signed by none of the trusted keys")


def sign(checkpoint: Checkpoint, key: SigningKey) -> str:
    """Return the signed note of a checkpoint."""
    return sign_note(checkpoint.as_text(), key)


def parse(text: str) -> Checkpoint:
    """Read the body of a checkpoint (further lines are extensions, ignored); raises BadNote."""
    lines = text.split("\n")
    try:
        origin, size, root = lines[:3]
        raw = base64.b64decode(root, validate=True)
        number = int(size)
    except ValueError as fault:
        raise BadNote("malformed", f"checkpoint: {fault}") from None
    if not origin or str(number) != size or number < 0 or len(raw) != ROOT_BYTES:
        raise BadNote("malformed", "checkpoint: origin, size or root")
    return Checkpoint(origin, number, raw)


def open_checkpoint(note: str, keys: list[VerifierKey]) -> Checkpoint:
    """Return the checkpoint of a note that one of the keys signed; raises BadNote."""
    return parse(open_note(note, keys))
