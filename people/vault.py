"""Free text sealed under its author's key: the log keeps the ciphertext, erasing the key
erases the text and leaves every hash of the log true.

The keys stand in the database only wrapped under a key that never does (VAULT_KEY, or
DATA_DIR/vault.key), so a copy of the database opens no text. An author on the erasure list has
no key, even when an old copy of the table brings one back.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from eventstore import clock
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from eventstore.keyfile import secret_key
from people import erasure_list
from people.models import PersonKey

NONCE_BYTES = 12
WRAP_VARIABLE, WRAP_FILE = "VAULT_KEY", "vault.key"


def _wrap(author_id: str, key: bytes) -> bytes:
    nonce = secrets.token_bytes(NONCE_BYTES)
    cipher = AESGCM(secret_key(WRAP_VARIABLE, WRAP_FILE))
    return nonce + cipher.encrypt(nonce, key, author_id.encode())


def _unwrap(author_id: str, wrapped: bytes) -> bytes | None:
    cipher = AESGCM(secret_key(WRAP_VARIABLE, WRAP_FILE))
    try:
        return cipher.decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], author_id.encode())
    except (InvalidTag, ValueError):
        return None


def wrap_secret(owner: str, secret: bytes) -> bytes:
    """Wrap a secret of the house's own use (`owner`: what and whose) under the key outside."""
    return _wrap(owner, secret)


def unwrap_secret(owner: str, wrapped: bytes) -> bytes | None:
    """Unwrap it; None when it was wrapped under another key or for another owner."""
    return _unwrap(owner, wrapped)


def _made_key(author_id: str) -> bytes:
    if author_id in erasure_list.erased():
        raise Refused(Refusal("people.person_erased", {"found": author_id}))
    row = PersonKey.objects.filter(person_id=author_id).first()
    if row is None:
        row, _ = PersonKey.objects.get_or_create(
            person_id=author_id,
            defaults={
                "key": _wrap(author_id, AESGCM.generate_key(256)),
                "created_at": clock.now(),
            },
        )
    key = _unwrap(author_id, bytes(row.key))
    if key is None:
        raise Refused(Refusal("people.key_unreadable", {"found": author_id}))
    return key


def seal(author_id: str, text: str) -> str:
    """Seal text under the author's key (made at the first use). Call inside a command.

    Raises Refused: people.person_erased, people.key_unreadable (the wrapping key is another).
    """
    nonce = secrets.token_bytes(NONCE_BYTES)
    body = AESGCM(_made_key(author_id)).encrypt(
        nonce, canonical.text(text).encode(), author_id.encode()
    )
    return base64.urlsafe_b64encode(nonce + body).decode()


def seal_bytes(owner_id: str, body: bytes) -> bytes:
    """Seal a file (a photo of what a person handed in) under that person's key, so that it ends
    with the key. Call inside a command. Raises Refused as `seal`."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(_made_key(owner_id)).encrypt(nonce, body, owner_id.encode())


def open_bytes(owner_id: str, sealed: bytes) -> bytes | None:
    """Open a sealed file; None when the key is gone or another, or it is no such file."""
    if owner_id in erasure_list.erased():
        return None
    wrapped = PersonKey.objects.filter(person_id=owner_id).values_list("key", flat=True).first()
    key = None if wrapped is None else _unwrap(owner_id, bytes(wrapped))
    if key is None:
        return None
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], owner_id.encode())
    except (InvalidTag, ValueError):
        return None


def _open(author_id: str, sealed: str, key: bytes | None) -> str | None:
    if key is None:
        return None
    try:
        raw = base64.urlsafe_b64decode(sealed)
        return (
            AESGCM(key).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], author_id.encode()).decode()
        )
    except (InvalidTag, binascii.Error, ValueError):
        return None


def open_texts(pairs: Sequence[tuple[str, str]]) -> list[str | None]:
    """Open (author id, sealed text) pairs: one query for all. None as in `open_text`."""
    authors = {author for author, _ in pairs} - erasure_list.erased()
    keys = {
        author: _unwrap(author, bytes(wrapped))
        for author, wrapped in PersonKey.objects.filter(person_id__in=authors).values_list(
            "person_id", "key"
        )
    }
    return [_open(author, sealed, keys.get(author)) for author, sealed in pairs]


def open_text(author_id: str, sealed: str) -> str | None:
    """Open sealed text; None when the key is gone or not the author's, or it is no such text."""
    return open_texts([(author_id, sealed)])[0]
