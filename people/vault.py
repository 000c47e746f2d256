"""Free text sealed under its author's key: the log keeps the ciphertext, erasing the key
erases the text and leaves every hash of the log true."""

from __future__ import annotations

import base64
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from eventstore import clock
from eventstore.domain import canonical
from people.models import PersonKey

NONCE_BYTES = 12


def _made_key(author_id: str) -> bytes:
    row, _ = PersonKey.objects.get_or_create(
        person_id=author_id,
        defaults={"key": AESGCM.generate_key(256), "created_at": clock.now()},
    )
    return bytes(row.key)


def seal(author_id: str, text: str) -> str:
    """Seal text under the author's key (made at the first use). Call inside a command."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    body = AESGCM(_made_key(author_id)).encrypt(
        nonce, canonical.text(text).encode(), author_id.encode()
    )
    return base64.urlsafe_b64encode(nonce + body).decode()


def open_text(author_id: str, sealed: str) -> str | None:
    """Open sealed text; None when the key is gone or is not the author's."""
    row = PersonKey.objects.filter(person_id=author_id).first()
    if row is None:
        return None
    raw = base64.urlsafe_b64decode(sealed)
    cipher = AESGCM(bytes(row.key))
    try:
        return cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], author_id.encode()).decode()
    except InvalidTag:
        return None
