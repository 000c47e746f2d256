"""Events of people: streams `person-<id>`. No name ever stands in one."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("people.person_registered")
class PersonRegistered(DomainEvent, frozen=True):
    """A person became known to the house."""

    person_id: str


@event("people.person_edited")
class PersonEdited(DomainEvent, frozen=True):
    """Reference facts of a person changed; `fields` names which, never their values."""

    person_id: str
    fields: tuple[str, ...]


@event("people.persons_merged")
class PersonsMerged(DomainEvent, frozen=True):
    """`gone` turned out to be the same human as `person_id`; `moved` names the reference facts
    that went over to the kept id, never their values."""

    person_id: str
    gone: str
    moved: tuple[str, ...]
    event_id: str | None = None


@event("people.merge_undone")
class MergeUndone(DomainEvent, frozen=True):
    """The two are different humans after all; what was moved went back."""

    person_id: str
    gone: str
    moved: tuple[str, ...]
    event_id: str | None = None


@event("people.account_opened")
class AccountOpened(DomainEvent, frozen=True):
    """A person got a log-in."""

    person_id: str


@event("people.role_granted")
class RoleGranted(DomainEvent, frozen=True):
    """A role in one event, or for the site (event_id None), until a time or until ended."""

    person_id: str
    role: str
    event_id: str | None = None
    until: str | None = None


@event("people.role_ended")
class RoleEnded(DomainEvent, frozen=True):
    """A role came to its end."""

    person_id: str
    role: str
    event_id: str | None = None


@event("people.device_joined")
class DeviceJoined(DomainEvent, frozen=True):
    """A device was bound to a person by a join link of an event."""

    person_id: str
    event_id: str


@event("people.token_made")
class TokenMade(DomainEvent, frozen=True):
    """A person made a token for the API. `until` is when it expires (UTC text)."""

    person_id: str
    token_id: str
    scopes: tuple[str, ...]
    until: str
    event_id: str | None = None


@event("people.token_revoked")
class TokenRevoked(DomainEvent, frozen=True):
    """A token was ended before its time."""

    person_id: str
    token_id: str


@event("people.legal_hold_set")
class LegalHoldSet(DomainEvent, frozen=True):
    """The person must not be erased. `hold_id` is what for, `reason` a short code."""

    person_id: str
    hold_id: str
    reason: str
    event_id: str | None = None


@event("people.legal_hold_lifted")
class LegalHoldLifted(DomainEvent, frozen=True):
    """A hold came to its end."""

    person_id: str
    hold_id: str
    event_id: str | None = None


@event("people.person_erased")
class PersonErased(DomainEvent, frozen=True):
    """Name, log-in and key of the person are destroyed; the id leads nowhere any more."""

    person_id: str


@event("people.password_changed")
class PasswordChanged(DomainEvent, frozen=True):
    """The log-in of a person got another password; every other session ended."""

    person_id: str


@event("people.sessions_ended")
class SessionsEnded(DomainEvent, frozen=True):
    """Every session of the log-in of a person was ended."""

    person_id: str


@event("people.factor_enrolled")
class FactorEnrolled(DomainEvent, frozen=True):
    """A log-in got a second factor, or another one, with fresh recovery codes."""

    person_id: str


@event("people.factor_removed")
class FactorRemoved(DomainEvent, frozen=True):
    """The second factor of a log-in was taken away, its recovery codes with it."""

    person_id: str


@event("people.recovery_code_used")
class RecoveryCodeUsed(DomainEvent, frozen=True):
    """Somebody signed in with a recovery code instead of the app; `left` codes remain."""

    person_id: str
    left: int


@event("people.join_links_ended")
class JoinLinksEnded(DomainEvent, frozen=True):
    """The join links given out so far are dead: those that name the person in the event, and the
    devices bound by them; or (person_id None) those of the event that name nobody."""

    event_id: str
    person_id: str | None = None
