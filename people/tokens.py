"""Tokens for the API: made and ended by their own person, kept as a hash, bound by scopes."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from django.db import DatabaseError
from django.db.models import Q

from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import ANY
from people.access import require
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.domain.scopes import Scope
from people.events import TokenMade, TokenRevoked
from people.models import Account, ApiToken
from people.selectors import actor_for

PREFIX = "hj_"
"""So that a token found where it should not be is known for what it is."""
MAX_DAYS = 366
MAX_LABEL = 60
MAX_TOKENS = 50
USED_EVERY = timedelta(minutes=5)
"""How true the time of last use is: a read must not cost a write each time."""


def token_new() -> tuple[str, str]:
    """Return a new secret and its digest. The edge shows the one and sends the other, so that
    no command ever carries a secret."""
    secret = PREFIX + secrets.token_urlsafe(32)
    return secret, token_digest(secret)


def token_digest(token: str) -> str:
    """Hash a token for look-up: 256 random bits need no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def _own(person_id: str) -> Subject:
    return Subject(owners=frozenset({person_id}), public=False)


@command("people.token_make")
def token_make(
    unit: Unit,
    *,
    token_id: str,
    person_id: str,
    label: str,
    digest: str,
    scopes: list[str],
    days: int,
    event_id: str | None = None,
) -> str:
    """Make a token for a person and return its id; nobody makes one for somebody else.

    `days` it lasts; `event_id` binds it to what the person has at one event. Raises Refused
    (people.token_needs_account, token_scopes, token_days, token_label, token_limit,
    token_exists), NotAllowed.
    """
    require(unit.actor, "people.token_make", _own(person_id))
    # A device on a join link is no log-in: a token of it would be more than it is.
    if not unit.actor.system and not unit.actor.signed_in:
        raise Refused(Refusal("people.token_needs_account"))
    if not Account.objects.filter(person_id=person_id, is_active=True).exists():
        raise Refused(Refusal("people.token_needs_account"))
    allowed = [one.value for one in Scope]
    given = [one for one in allowed if one in scopes]
    if not given or len(given) != len(set(scopes)):
        raise Refused(Refusal("people.token_scopes", {"found": scopes, "allowed": allowed}))
    if not 1 <= days <= MAX_DAYS:
        raise Refused(Refusal("people.token_days", {"found": days, "allowed": [1, MAX_DAYS]}))
    name = canonical.text(label).strip()
    if not name or len(name) > MAX_LABEL or "\x00" in name:
        raise Refused(Refusal("people.token_label", {"found": len(name), "allowed": MAX_LABEL}))
    held = ApiToken.objects.filter(person_id=person_id)
    if held.filter(revoked_at=None, expires_at__gt=unit.now).count() >= MAX_TOKENS:
        raise Refused(Refusal("people.token_limit", {"allowed": MAX_TOKENS}))
    if ApiToken.objects.filter(Q(pk=token_id) | Q(digest=digest)).exists():
        raise Refused(Refusal("people.token_exists"))
    until = unit.now + timedelta(days=days)
    ApiToken.objects.create(
        id=token_id,
        digest=digest,
        person_id=person_id,
        label=name,
        scopes=given,
        event_id=event_id or "",
        created_at=unit.now,
        expires_at=until,
    )
    made = TokenMade(person_id, token_id, tuple(given), clock.as_text(until), event_id)
    unit.append(f"person-{person_id}", ANY, [made])
    return token_id


@command("people.token_revoke")
def token_revoke(unit: Unit, *, token_id: str, person_id: str) -> None:
    """End a token of one's own at once; again: no effect. Raises Refused
    (people.token_unknown), NotAllowed."""
    require(unit.actor, "people.token_make", _own(person_id))
    row = ApiToken.objects.filter(pk=token_id, person_id=person_id).first()
    if row is None:
        raise Refused(Refusal("people.token_unknown"))
    if row.revoked_at is None:
        row.revoked_at = unit.now
        row.save(update_fields=["revoked_at"])
        unit.append(f"person-{person_id}", ANY, [TokenRevoked(person_id, token_id)])


def tokens_of(viewer: Actor, person_id: str) -> Sequence[ApiToken]:
    """Return the tokens of a person, newest first, ended ones among them: one query. Raises
    NotAllowed."""
    require(viewer, "people.token_make", _own(person_id))
    return list(ApiToken.objects.filter(person_id=person_id))


def token_actor(secret: str) -> tuple[Actor, ApiToken] | None:
    """Return who a token stands for and its row; None when it is unknown, ended or expired, or
    its account is closed. Three queries, and now and then the mark of its use."""
    now = clock.now()
    row = ApiToken.objects.filter(
        digest=token_digest(secret), expires_at__gt=now, revoked_at=None
    ).first()
    if row is None or not Account.objects.filter(person_id=row.person_id, is_active=True).exists():
        return None
    _mark_used(row, now)
    return (
        actor_for(
            row.person_id,
            signed_in=True,
            device_events=frozenset({row.event_id}) if row.event_id else None,
            scopes=frozenset(row.scopes),
        ),
        row,
    )


def _mark_used(row: ApiToken, now: datetime) -> None:
    if row.used_at is not None and now - row.used_at < USED_EVERY:
        return
    try:
        ApiToken.objects.filter(pk=row.pk).update(used_at=now)
    except DatabaseError as fault:  # a mark is not worth the request
        structlog.get_logger("tokens").warning("use not marked", fault=str(fault))
