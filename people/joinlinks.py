"""Signed join links: a plain link (as a QR code) that binds a device to a player of an event.

A link says itself how long it works. It can be ended earlier (people.security.join_links_end):
links that name a person together with the devices bound by them, or those that name nobody.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core import signing

from eventstore import clock
from eventstore.prepared import prepared
from people.models import LinkEnd

SALT = "headjudge.join"
HOURS = (12, 72, 336)
"""How long a link may work: the day, the weekend, two weeks."""
USUAL_HOURS = 336


@dataclass(frozen=True, slots=True)
class JoinLink:
    """What a link carries: the event, and the person it is for (None: whoever enrols)."""

    event_id: str
    person_id: str | None


def make(link: JoinLink, *, hours: int = USUAL_HOURS) -> str:
    """Return the signed token of a link that works for so many hours from now."""
    now = clock.now()
    ends = now + timedelta(hours=hours)
    moments = [int(one.timestamp() * 1_000_000) for one in (now, ends)]
    return signing.dumps([link.event_id, link.person_id, *moments], salt=SALT)


def read(token: str) -> JoinLink | None:
    """Verify a token; None when it is forged, damaged, too old or ended: one query at most."""
    try:
        event_id, person_id, made, ends = signing.loads(token, salt=SALT)
        made_at = datetime.fromtimestamp(made / 1_000_000, UTC)
        ends_at = datetime.fromtimestamp(ends / 1_000_000, UTC)
    except (signing.BadSignature, ValueError, TypeError, OverflowError, OSError):
        return None
    if clock.now() >= ends_at or _ended(event_id, person_id or "", clock.as_text(made_at)):
        return None
    return JoinLink(event_id, person_id)


def _ended(event_id: str, person_id: str, since: str) -> bool:
    ends = LinkEnd.objects.filter(event_id=event_id, person_id=person_id, at__gte=since)
    return ends.exists()


@prepared
def _ends(person_id: Any, *events: Any) -> Any:
    rows = LinkEnd.objects.filter(person_id=person_id, event_id__in=events)
    return rows.values_list("event_id", "at")


def devices_left(person_id: str, bound: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the events that a device is still bound to, of (event id, bound since): one query.

    `since` is empty for a binding of unknown age, which any end of the links ends.
    """
    held = dict(bound)
    ends = _ends(person_id, *held) if held else ()
    gone = {event_id for event_id, at in ends if at >= held[event_id]}
    return frozenset(held.keys() - gone)
