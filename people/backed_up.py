"""What a backup copy carries of people beside the database.

The ids of erased persons: restoring an older copy must not bring them back, so every list that
lies beside the copies is put together with the one here. And which key the texts in the copy are
sealed under, by a mark that tells nothing of it.
"""

from __future__ import annotations

import hmac
from typing import Any

from eventstore.backups.carried import carry, on_restored, taken_back
from eventstore.ids import is_id
from eventstore.keyfile import secret_key
from people import erasure_list
from people.vault import WRAP_FILE, WRAP_VARIABLE, set_unreadable_aside

ERASED, VAULT = "people.erased", "people.vault"


def vault_mark() -> str:
    """Return the mark of the key that wraps the authors' keys on this machine."""
    key = secret_key(WRAP_VARIABLE, WRAP_FILE)
    return hmac.new(key, b"headjudge mark of the vault key", "sha256").hexdigest()[:16]


@carry(ERASED)
def erased() -> list[str]:
    """Return the ids of erased persons."""
    return sorted(erasure_list.erased())


@taken_back(ERASED)
def erased_too(data: Any) -> None:
    """Put the ids of a manifest on the list of this machine."""
    if isinstance(data, list):
        erasure_list.add([one for one in data if isinstance(one, str) and is_id(one)])


carry(VAULT)(vault_mark)
on_restored(set_unreadable_aside)
