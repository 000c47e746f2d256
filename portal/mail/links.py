"""The signed links of mails: that an address is somebody's, and no more mail to it."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing

CONFIRM, STOP = "confirm", "stop"
SALT = "headjudge.mail"
CONFIRM_DAYS = 2


def make(act: str, person_id: str, digest: str) -> str:
    """Return the token of a link for an act (confirm, stop) on the address of a person."""
    return signing.dumps([person_id, digest], salt=f"{SALT}.{act}")


def read(token: str) -> tuple[str, str, str] | None:
    """Verify a token: (act, person id, digest of the address); None when it is forged, damaged or
    too old. A link that ends mail works for ever."""
    for act, age in ((CONFIRM, timedelta(days=CONFIRM_DAYS)), (STOP, None)):
        try:
            person_id, digest = signing.loads(token, salt=f"{SALT}.{act}", max_age=age)
        except (signing.BadSignature, ValueError, TypeError):
            continue
        return act, str(person_id), str(digest)
    return None
