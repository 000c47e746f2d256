"""The encryption of a push message (RFC 8291): only the browser that gave the keys can read it.

The push service in between sees an address, a size and a time to live, no content. One record of
`aes128gcm` (RFC 8188); its padding makes the sizes of short messages equal.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

RECORD_BYTES = 4096
LONGEST = 3993
"""Bytes of text that fit: a body of 4,096 less the header, the tag and the mark of the end."""
STEP = 512
AUTH_BYTES, POINT_BYTES, SALT_BYTES = 16, 65, 16


class BadKeys(ValueError):
    """The keys of a subscription are no point of the curve, or of another length."""


def unpadded(raw: bytes) -> str:
    """Write bytes as base64url without padding, as every text of web push has it."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def from_text(text: str) -> bytes:
    """Read base64url with or without padding. Raises BadKeys."""
    bare = text.rstrip("=")
    if not re.fullmatch(r"[A-Za-z0-9_-]*", bare, re.ASCII) or len(bare) % 4 == 1:
        raise BadKeys("not base64url")
    return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return the 65 bytes of a public key of P-256."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def receiver_key(raw: bytes) -> ec.EllipticCurvePublicKey:
    """Read the public key of a browser, 65 bytes. Raises BadKeys."""
    if len(raw) != POINT_BYTES:
        raise BadKeys(f"{len(raw)} bytes, not {POINT_BYTES}")
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw)
    except ValueError:
        raise BadKeys("no point of P-256") from None


def digest(key: bytes, text: bytes) -> bytes:
    """HMAC-SHA256."""
    return hmac.new(key, text, hashlib.sha256).digest()


def encrypt(
    text: bytes,
    *,
    p256dh: bytes,
    auth: bytes,
    salt: bytes,
    sender: ec.EllipticCurvePrivateKey,
    step: int = STEP,
) -> bytes:
    """Encrypt a message for a browser's keys; returns the body of the request.

    `salt` is 16 random bytes, `sender` a key made for this message alone; both are arguments, so
    that the example of the RFC can be computed. The text is padded to a multiple of `step` bytes.
    Raises BadKeys, ValueError for a text of more than LONGEST bytes.
    """
    if len(text) > LONGEST:
        raise ValueError(f"{len(text)} bytes, at most {LONGEST}")
    if len(auth) != AUTH_BYTES:
        raise BadKeys(f"{len(auth)} bytes of auth, not {AUTH_BYTES}")
    shared = sender.exchange(ec.ECDH(), receiver_key(p256dh))
    mine = point(sender.public_key())
    both = digest(digest(auth, shared), b"WebPush: info\x00" + p256dh + mine + b"\x01")
    made = digest(salt, both)
    key = digest(made, b"Content-Encoding: aes128gcm\x00\x01")[:16]
    nonce = digest(made, b"Content-Encoding: nonce\x00\x01")[:12]
    header = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(mine)]) + mine
    padding = min(-len(text) % step, LONGEST - len(text))
    return header + AESGCM(key).encrypt(nonce, text + b"\x02" + b"\x00" * padding, None)
