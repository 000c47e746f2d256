"""Who acts or looks: the value every service and selector is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from people.domain.roles import Role

NO_ROLES: Mapping[str, frozenset[Role]] = {}


@dataclass(frozen=True, slots=True)
class Actor:
    """A person as seen by the permission table.

    `person_id` is the opaque id, None for somebody unknown. `signed_in` says whether an
    account stands behind it; a player on a join link has a person and no account.
    `event_roles` holds the roles in force per event id. `role` is the word kept in the log.
    `device_events` are the events whose join links bind this device to the person; None for
    whoever is the person itself. A link given out at one event opens nothing at another.
    `scopes` are those of a token (people.domain.scopes); None for whoever needs none.
    """

    person_id: str | None = None
    signed_in: bool = False
    site_organiser: bool = False
    event_roles: Mapping[str, frozenset[Role]] = field(default_factory=lambda: NO_ROLES)
    system: bool = False
    device_events: frozenset[str] | None = None
    scopes: frozenset[str] | None = None

    @property
    def ref(self) -> str:
        """The id kept in the log."""
        if self.system:
            return "system"
        return self.person_id or "anonymous"

    @property
    def role(self) -> str:
        """The role word kept in the log: the strongest one held anywhere."""
        if self.system:
            return "system"
        if self.site_organiser:
            return "site_organiser"
        held = {role for roles in self.event_roles.values() for role in roles}
        for role in Role:
            if role in held:
                return role.value
        return "player" if self.person_id else "anonymous"

    def acts_in(self, event_id: str | None) -> bool:
        """Say whether what belongs to the person in an event is this actor's own."""
        if self.person_id is None:
            return False
        return self.device_events is None or event_id in self.device_events

    def roles_in(self, event_id: str | None) -> frozenset[Role]:
        """Return the roles in force in one event."""
        return self.event_roles.get(event_id, frozenset()) if event_id else frozenset()


ANONYMOUS = Actor()
SYSTEM = Actor(system=True)
