"""A chest for keys: small named secrets under a passphrase, as one text to be carried elsewhere.

scrypt makes the key from the passphrase (RFC 7914), AES-GCM seals names and contents. Salt and
nonce are arguments; each chest needs new ones.
"""

from __future__ import annotations

import base64
import binascii
import json
import unicodedata
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

FORMAT = "headjudge-keys@1"
N, R, P = 1 << 16, 8, 1
"""Cost of scrypt: 64 MiB and some tenths of a second for each passphrase that is tried."""
N_AT_MOST = 1 << 20
SALT_BYTES, NONCE_BYTES, KEY_BYTES = 16, 12, 32
PASSPHRASE_SIGNS, DIFFERENT_SIGNS = 12, 6
CHEST_AT_MOST = 1 << 20


class BadChest(ValueError):
    """Codes: `malformed`, `format_unknown`, `short` (the passphrase: fewer than PASSPHRASE_SIGNS
    without blanks around it, or than DIFFERENT_SIGNS different ones), `closed` (another
    passphrase, or the chest was changed)."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def _key(passphrase: str, salt: bytes, n: int) -> bytes:
    # typed or read from a file, on whatever system: one form of its signs, no blanks around it
    plain = unicodedata.normalize("NFC", passphrase.strip())
    return Scrypt(salt=salt, length=KEY_BYTES, n=n, r=R, p=P).derive(plain.encode())


def _head(salt: bytes, nonce: bytes, n: int) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "kdf": "scrypt",
        "n": n,
        "nonce": base64.b64encode(nonce).decode(),
        "salt": base64.b64encode(salt).decode(),
    }


def _bound(head: dict[str, Any]) -> bytes:
    return json.dumps(head, sort_keys=True).encode()


def seal(secrets: dict[str, str], passphrase: str, *, salt: bytes, nonce: bytes) -> str:
    """Return a chest with these secrets. Raises BadChest `short`."""
    if len(passphrase.strip()) < PASSPHRASE_SIGNS or len(set(passphrase)) < DIFFERENT_SIGNS:
        raise BadChest("short")
    head = _head(salt, nonce, N)
    content = json.dumps(secrets, sort_keys=True).encode()
    sealed = AESGCM(_key(passphrase, salt, N)).encrypt(nonce, content, _bound(head))
    whole = {**head, "sealed": base64.b64encode(sealed).decode()}
    return json.dumps(whole, indent=1, sort_keys=True) + "\n"


def open_chest(text: str, passphrase: str) -> dict[str, str]:
    """Return the secrets of a chest. Raises BadChest."""
    try:
        whole = json.loads(text)
        given, n = whole["format"], whole["n"]
        if given != FORMAT:
            raise BadChest("format_unknown")
        salt, nonce, sealed = (
            base64.b64decode(whole[name], validate=True) for name in ("salt", "nonce", "sealed")
        )
    except BadChest:
        raise
    except (ValueError, TypeError, KeyError, RecursionError, binascii.Error):
        raise BadChest("malformed") from None
    if type(n) is not int or not 2 <= n <= N_AT_MOST or n & (n - 1):
        raise BadChest("malformed")
    if len(nonce) != NONCE_BYTES or len(salt) != SALT_BYTES:
        raise BadChest("malformed")
    try:
        content = AESGCM(_key(passphrase, salt, n)).decrypt(
            nonce, sealed, _bound(_head(salt, nonce, n))
        )
    except InvalidTag:
        raise BadChest("closed") from None
    found = json.loads(content)
    return {str(name): str(value) for name, value in found.items()}
