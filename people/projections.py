"""The read tables of roles and of ended join links."""

from __future__ import annotations

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from people.events import JoinLinksEnded, RoleEnded, RoleGranted
from people.models import LinkEnd, RoleRow

roles = Projection("people.roles", [RoleRow])


def _key(person_id: str, event_id: str | None, role: str) -> str:
    return f"{person_id} {event_id or '-'} {role}"


@roles.on(RoleGranted)
def role_granted(event: RoleGranted, recorded: Recorded) -> None:
    """Keep one row per person, event and role."""
    RoleRow(
        key=_key(event.person_id, event.event_id, event.role),
        person_id=event.person_id,
        event_id=event.event_id or "",
        role=event.role,
        until=event.until or "",
    ).save()


@roles.on(RoleEnded)
def role_ended(event: RoleEnded, recorded: Recorded) -> None:
    """Take the row away; the log keeps that it was there."""
    RoleRow.objects.filter(key=_key(event.person_id, event.event_id, event.role)).delete()


link_ends = Projection("people.link_ends", [LinkEnd])


@link_ends.on(JoinLinksEnded)
def join_links_ended(event: JoinLinksEnded, recorded: Recorded) -> None:
    """Keep the newest end per event and person."""
    LinkEnd(
        key=f"{event.event_id} {event.person_id or '-'}",
        event_id=event.event_id,
        person_id=event.person_id or "",
        at=recorded.recorded_at,
    ).save()
