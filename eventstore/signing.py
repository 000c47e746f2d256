"""The key that signs checkpoints: in the environment or in a file of mode 0600, never in the
database and so never in a backup of it.

LOG_SIGNING_KEY (32 bytes, base64) comes before the file DATA_DIR/log-signing.key, which is made
at the first use. LOG_ORIGIN names the log; without it the name is derived from the key. Public
keys of the past that are still trusted stand in DATA_DIR/log-verify.keys, one a line.
"""

from __future__ import annotations

import base64
import binascii
import os
import stat
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from eventstore.domain.checkpoint import SigningKey, VerifierKey

KEY_FILE = "log-signing.key"
OLD_KEYS_FILE = "log-verify.keys"


def _make(file: Path) -> None:
    """Write a new key wholly or not at all; another process may be quicker."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(base64.b64encode(Ed25519PrivateKey.generate().private_bytes_raw()) + b"\n")
            out.flush()
            os.fsync(out.fileno())
        os.link(fresh, file)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def _read(file: Path) -> str:
    if not file.exists():
        _make(file)
    if stat.S_IMODE(file.stat().st_mode) & 0o077:
        raise ImproperlyConfigured(f"{file}: the key is open to others; chmod 600 it")
    return file.read_text()


def signing_key() -> SigningKey:
    """Return the key of this log, made at the first use.

    Raises ImproperlyConfigured when it is malformed or its file is open to others.
    """
    text = os.environ.get("LOG_SIGNING_KEY") or _read(Path(settings.DATA_DIR) / KEY_FILE)
    try:
        raw = base64.b64decode(text.strip(), validate=True)
        private = Ed25519PrivateKey.from_private_bytes(raw)
    except (binascii.Error, ValueError) as fault:
        raise ImproperlyConfigured(f"the signing key of the log: {fault}") from None
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
