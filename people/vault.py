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
from collections.abc import Iterable, Sequence

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
    if not bytes(row.key):  # after a restore without the old keys
        row.key = _wrap(author_id, AESGCM.generate_key(256))
        row.save(update_fields=["key"])
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
    return _decrypted(owner_id, sealed, _keys_of([owner_id]).get(owner_id, []))


def _open(author_id: str, sealed: str, keys: Sequence[bytes]) -> str | None:
    try:
        raw = base64.urlsafe_b64decode(sealed)
    except (binascii.Error, ValueError):
        return None
    body = _decrypted(author_id, raw, keys)
    try:
        return None if body is None else body.decode()
    except UnicodeDecodeError:
        return None


def _decrypted(author_id: str, raw: bytes, keys: Sequence[bytes]) -> bytes | None:
    """Open what was sealed under one of the keys an author had."""
    for key in keys:
        try:
            return AESGCM(key).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], author_id.encode())
        except (InvalidTag, ValueError):
            continue
    return None


def _keys_of(author_ids: Iterable[str]) -> dict[str, list[bytes]]:
    """Return the keys of authors that open here, the present one first: one query."""
    found: dict[str, list[bytes]] = {}
    rows = PersonKey.objects.filter(person_id__in=author_ids)
    for author, wrapped, older in rows.values_list("person_id", "key", "older"):
        every = [bytes(wrapped), *(base64.b64decode(text) for text in older)]
        found[author] = [key for key in (_unwrap(author, one) for one in every) if key]
    return found


def unreadable_keys() -> int:
    """Return how many authors have a key that does not open under the one of this machine."""
    return sum(
        1
        for author, wrapped, older in PersonKey.objects.values_list("person_id", "key", "older")
        if any(
            _unwrap(author, one) is None
            for one in [bytes(wrapped), *(base64.b64decode(text) for text in older)]
            if one
        )
    )


def set_unreadable_aside() -> int:
    """After a restore on a machine without the key that wraps the authors' keys: put the keys
    that do not open aside, so that their authors can write on under new ones. `rewrap` brings
    them back. Returns how many.
    """
    count = 0
    for row in PersonKey.objects.exclude(key=b""):
        if _unwrap(row.person_id, bytes(row.key)) is None:
            row.older = [*row.older, base64.b64encode(bytes(row.key)).decode()]
            row.key = b""
            row.save(update_fields=["key", "older"])
            count += 1
    return count


def rewrap(outer: bytes) -> int:
    """Wrap keys that were wrapped under another key (32 bytes) under that of this machine.
    Returns how many authors' texts can be read again."""
    count = 0
    cipher = AESGCM(outer)
    for row in PersonKey.objects.all():
        before = bytes(row.key), [base64.b64decode(text) for text in row.older]
        key = _rewrapped(row.person_id, before[0], cipher)
        older = [_rewrapped(row.person_id, one, cipher) for one in before[1]]
        if not key and older and _unwrap(row.person_id, older[-1]):
            key = older.pop()  # nothing was written since: it is the present one again
        if (key, older) != before:
            row.key, row.older = key, [base64.b64encode(one).decode() for one in older]
            row.save(update_fields=["key", "older"])
            count += 1
    return count


def _rewrapped(author_id: str, wrapped: bytes, outer: AESGCM) -> bytes:
    """Return the key wrapped under that of this machine; as it was where `outer` does not open
    it."""
    if not wrapped or _unwrap(author_id, wrapped) is not None:
        return wrapped
    try:
        key = outer.decrypt(wrapped[:NONCE_BYTES], wrapped[NONCE_BYTES:], author_id.encode())
    except (InvalidTag, ValueError):
        return wrapped
    return _wrap(author_id, key)


def open_texts(pairs: Sequence[tuple[str, str]]) -> list[str | None]:
    """Open (author id, sealed text) pairs: one query for all. None as in `open_text`."""
    authors = {author for author, _ in pairs} - erasure_list.erased()
    keys = _keys_of(authors)
    return [_open(author, sealed, keys.get(author, [])) for author, sealed in pairs]


def open_text(author_id: str, sealed: str) -> str | None:
    """Open sealed text; None when the key is gone or not the author's, or it is no such text."""
    return open_texts([(author_id, sealed)])[0]
