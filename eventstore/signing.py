"""The key that signs checkpoints (eventstore.keyfile): LOG_SIGNING_KEY or log-signing.key.

LOG_ORIGIN names the log; without it the name is derived from the key. Public keys of the past
that are still trusted stand in DATA_DIR/log-verify.keys, one a line.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from eventstore.domain.checkpoint import SigningKey, VerifierKey
from eventstore.keyfile import secret_key

KEY_FILE = "log-signing.key"
OLD_KEYS_FILE = "log-verify.keys"


def signing_key() -> SigningKey:
    """Return the key of this log, made at the first use.

    Raises ImproperlyConfigured when it is malformed or its file is open to others.
    """
    private = Ed25519PrivateKey.from_private_bytes(secret_key("LOG_SIGNING_KEY", KEY_FILE))
    name = os.environ.get("LOG_ORIGIN", "").strip()
    if not name:
        mark = sha256(private.public_key().public_bytes_raw()).hexdigest()[:16]
        name = f"headjudge/{mark}"
    if any(sign.isspace() or sign == "+" for sign in name):
        raise ImproperlyConfigured(f"LOG_ORIGIN={name!r}: no space and no plus sign")
    return SigningKey(name, private)


def trusted_keys() -> list[VerifierKey]:
    """Return the public keys whose checkpoints count: the present one and those of the past.

    Raises checkpoint.BadNote for a malformed line.
    """
    keys = [signing_key().verifier]
    file = Path(settings.DATA_DIR) / OLD_KEYS_FILE
    if file.exists():
        lines = [line.strip() for line in file.read_text().splitlines()]
        keys += [VerifierKey.from_text(line) for line in lines if line and line[0] != "#"]
    return keys
