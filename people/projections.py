"""The read table of roles."""

from __future__ import annotations

from eventstore.domain.envelope import Recorded
from eventstore.projections import Projection
from people.events import RoleEnded, RoleGranted
from people.models import RoleRow

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
