"""The browser's side of web push, for tests: keys of its own, and what it can read with them.

Written from RFC 8291, 8188 and 8292 alone, with other building blocks than the product's.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def b64(raw: bytes) -> str:
    """Write base64url without padding."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def un64(text: str) -> bytes:
    """Read base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _point(raw: bytes) -> ec.EllipticCurvePublicKey:
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), raw)


def _derived(length: int, salt: bytes, info: bytes, key: bytes) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(key)


@dataclass
class Browser:
    """A browser that was asked to show messages."""

    key: ec.EllipticCurvePrivateKey
    auth: bytes

    @classmethod
    def made(cls, number: int = 1) -> Browser:
        """Make one; the same number gives the same keys."""
        return cls(
            ec.derive_private_key(10**40 + number, ec.SECP256R1()), bytes([number % 256] * 16)
        )

    @property
    def p256dh(self) -> bytes:
        """Its public key."""
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def told(self, endpoint: str) -> str:
        """What it writes of its subscription (toJSON)."""
        keys = {"p256dh": b64(self.p256dh), "auth": b64(self.auth)}
        return json.dumps({"endpoint": endpoint, "expirationTime": None, "keys": keys})

    def opened(self, body: bytes) -> bytes:
        """Decrypt the body of a request: one record of aes128gcm."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        assert length == 65
        assert len(sealed) <= size
        assert len(body) <= 4096
        shared = self.key.exchange(ec.ECDH(), _point(sender))
        info = b"WebPush: info\x00" + self.p256dh + sender
        both = _derived(32, self.auth, info, shared)
        key = _derived(16, salt, b"Content-Encoding: aes128gcm\x00", both)
        nonce = _derived(12, salt, b"Content-Encoding: nonce\x00", both)
        text = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\x00")
        assert text.endswith(b"\x02"), "the mark of the last record"
        return text[:-1]


def claims(header: str, public: str, now: float) -> dict[str, Any]:
    """Check the signature of an Authorization header (RFC 8292) under the key that the browser was
    given, and return what it says. Raises AssertionError, InvalidSignature."""
    scheme, _, rest = header.partition(" ")
    assert scheme == "vapid"
    parts = dict(one.strip().split("=", 1) for one in rest.split(","))
    assert parts["k"] == public
    signed, _, mark = parts["t"].rpartition(".")
    raw = un64(mark)
    assert len(raw) == 64
    signature = encode_dss_signature(
        int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")
    )
    _point(un64(public)).verify(signature, signed.encode(), ec.ECDSA(hashes.SHA256()))
    head, said = (json.loads(un64(one)) for one in signed.split("."))
    assert head == {"typ": "JWT", "alg": "ES256"}
    assert now < said["exp"] <= now + 24 * 3600, "at most a day"
    return dict(said)
