"""Who asked for background work, with the rights of the moment it runs."""

from __future__ import annotations

from people.domain.actor import Actor
from people.models import Account
from people.selectors import actor_for


def asker(person_id: str) -> Actor:
    """Return the person as an actor with the roles now in force: whoever lost a role, or the
    log-in, between asking and running may no more than others."""
    known = Account.objects.filter(person_id=person_id, is_active=True).exists()
    return actor_for(person_id, signed_in=known)
