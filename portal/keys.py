"""The keys of this machine, to be moved to another one on purpose (docs/backups.md)."""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.db import DatabaseError

from eventstore import clock, signing
from eventstore.domain import chest
from eventstore.domain.checkpoint import SigningKey
from eventstore.keyfile import secret_key, write_secret
from people import vault
from people.models import PersonKey

SECRET_FILE, SECRET_VARIABLE = "secret.key", "SECRET_KEY"
FILES = {
    signing.KEY_FILE: "LOG_SIGNING_KEY",
    vault.WRAP_FILE: vault.WRAP_VARIABLE,
    "vapid.key": "VAPID_KEY",
}
"""Keys of 32 bytes by file, with the variable that may hold them instead."""
NAME, OLD = "log-name", signing.OLD_KEYS_FILE


def _folder() -> Path:
    return Path(settings.DATA_DIR)


def _given(variable: str) -> bool:
    return bool(os.environ.get(variable) or os.environ.get(f"{variable}_FILE"))


def _held(file: str, variable: str) -> bool:
    return _given(variable) or (_folder() / file).exists()


def packed(passphrase: str) -> str:
    """Return a chest with every key that this machine has.

    Raises chest.BadChest (`short`), ImproperlyConfigured for a key that is malformed.
    """
    found = {
        file: base64.b64encode(secret_key(variable, file)).decode()
        for file, variable in FILES.items()
        if _held(file, variable)
    }
    found[SECRET_FILE] = settings.SECRET_KEY
    found[NAME] = signing.signing_key().name
    found[OLD] = "\n".join(one.as_text() for one in signing.trusted_keys()[1:])
    return chest.seal(
        found,
        passphrase,
        salt=secrets.token_bytes(chest.SALT_BYTES),
        nonce=secrets.token_bytes(chest.NONCE_BYTES),
    )


def brought_in(found: dict[str, str]) -> list[str]:
    """Put the keys of a chest to use here; returns what was done, a sentence each.

    A key that is here already stays where both are needed. Raises ImproperlyConfigured, OSError,
    ValueError for a chest with other contents.
    """
    said = _signing(found)
    if vault.WRAP_FILE in found:
        said += _vault(base64.b64decode(found[vault.WRAP_FILE], validate=True))
    said += _replaced(found, "vapid.key", "VAPID_KEY", "Push messages go on to phones.")
    said += _replaced(
        found, SECRET_FILE, SECRET_VARIABLE, "Printed join codes open here. Sign in again."
    )
    return said


def _write(file: str, content: str) -> None:
    write_secret(_folder() / file, content.encode() + b"\n")


def _aside(file: str) -> None:
    here = _folder() / file
    here.rename(here.with_name(f"{file}.before-{clock.now().strftime('%Y%m%dT%H%M%SZ')}"))


def _signing(found: dict[str, str]) -> list[str]:
    theirs = found.get(signing.KEY_FILE)
    if theirs is None:
        return []
    raw = base64.b64decode(theirs, validate=True)
    if not _held(signing.KEY_FILE, "LOG_SIGNING_KEY"):
        _write(signing.KEY_FILE, theirs)
        said = "Checkpoints are signed under the moved key."
    elif secret_key("LOG_SIGNING_KEY", signing.KEY_FILE) == raw:
        said = "The signing key was here already."
    else:
        said = "This machine keeps its own signing key; checkpoints of the other one count."
    moved = SigningKey(found[NAME], Ed25519PrivateKey.from_private_bytes(raw)).verifier
    lines = [moved.as_text(), *found.get(OLD, "").split()]
    known = {one.as_text() for one in signing.trusted_keys()}
    fresh = [line for line in lines if line not in known]
    if fresh:
        with (_folder() / OLD).open("a", encoding="utf-8") as out:
            out.write("".join(f"\n{line}\n" for line in fresh))
            out.flush()
            os.fsync(out.fileno())
    return [said]


def _vault(raw: bytes) -> list[str]:
    if not _held(vault.WRAP_FILE, vault.WRAP_VARIABLE):
        _write(vault.WRAP_FILE, base64.b64encode(raw).decode())
        return ["Free texts can be read here."]
    if secret_key(vault.WRAP_VARIABLE, vault.WRAP_FILE) == raw:
        return ["The vault key was here already."]
    try:
        filled = PersonKey.objects.exists()
    except DatabaseError:
        filled = False  # no database yet: it comes with the copy
    if not filled and not _given(vault.WRAP_VARIABLE):
        _aside(vault.WRAP_FILE)
        _write(vault.WRAP_FILE, base64.b64encode(raw).decode())
        return ["Free texts of a copy that is restored next can be read here."]
    count = vault.rewrap(raw)
    return [f"Free texts of {count} persons can be read here again."]


def _replaced(found: dict[str, str], file: str, variable: str, said: str) -> list[str]:
    if file not in found:
        return []
    if _given(variable):
        return [f"{variable} is set and stays: give it the value of the other machine by hand."]
    here = _folder() / file
    if here.exists():
        if here.read_text(encoding="utf-8").strip() == found[file]:
            return []
        _aside(file)
    _write(file, found[file])
    return [said]
