"""Secret keys of 32 bytes: in the environment or in a file of mode 0600 in DATA_DIR.

They are never in the database, and so never in a backup of it.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import secrets
import stat
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

KEY_BYTES = 32


def write_secret(file: Path, content: bytes) -> None:
    """Write a file for its owner alone, wholly or not at all, and never over one that is there.

    Another process may be quicker; then its file stays.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(fresh, file)
    finally:
        fresh.unlink()


def secret_key(variable: str, name: str) -> bytes:
    """Return the key of the environment variable, of the file that `variable`_FILE names, or of
    DATA_DIR/`name`, made at the first use.

    Raises ImproperlyConfigured when it is malformed or its file is open to others.
    """
    text = os.environ.get(variable)
    where = variable
    if not text and os.environ.get(f"{variable}_FILE"):
        where = os.environ[f"{variable}_FILE"]
        try:
            text = Path(where).read_text(encoding="ascii", errors="replace")
        except OSError as fault:
            raise ImproperlyConfigured(f"{variable}_FILE={where}: {fault.strerror}") from None
    if not text:
        file = Path(settings.DATA_DIR) / name
        where = str(file)
        if not file.exists():
            write_secret(file, base64.b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
        if stat.S_IMODE(file.stat().st_mode) & 0o077:
            raise ImproperlyConfigured(f"{file}: the key is open to others; chmod 600 it")
        text = file.read_text(encoding="ascii", errors="replace")
    try:
        raw = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as fault:
        raise ImproperlyConfigured(f"{where}: {fault}") from None
    if len(raw) != KEY_BYTES:
        raise ImproperlyConfigured(f"{where}: {len(raw)} bytes, not {KEY_BYTES}")
    return raw
