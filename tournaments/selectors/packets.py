"""Reads of disqualification packets."""

from __future__ import annotations

from people.access import may
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.erasure import holds_of
from tournaments.models import EntrantPerson
from tournaments.services.packets import hold_of


def packet_is_open(viewer: Actor, event_id: str, entrant_id: str) -> bool:
    """Say whether the packet of a disqualified entrant is open; False for those who may not
    close it: one query, and one for each person of the entrant."""
    if not may(viewer, "people.legal_hold_set", Subject(event_id)):
        return False
    persons = EntrantPerson.objects.filter(entrant_id=entrant_id, event_id=event_id)
    hold_id = hold_of(event_id, entrant_id)
    return any(hold_id in holds_of(one) for one in persons.values_list("person_id", flat=True))
