"""Signed join links: a plain link (as a QR code) that binds a device to a player of an event."""

from __future__ import annotations

from dataclasses import dataclass

from django.core import signing

SALT = "headjudge.join"
MAX_AGE_SECONDS = 14 * 24 * 3600


@dataclass(frozen=True, slots=True)
class JoinLink:
    """What a link carries: the event, and the person it is for (None: whoever enrols)."""

    event_id: str
    person_id: str | None


def make(link: JoinLink) -> str:
    """Return the signed token of a link."""
    return signing.dumps([link.event_id, link.person_id], salt=SALT)


def read(token: str) -> JoinLink | None:
    """Verify a token; None when it is forged, damaged or too old."""
    try:
        event_id, person_id = signing.loads(token, salt=SALT, max_age=MAX_AGE_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return JoinLink(event_id, person_id)
