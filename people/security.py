"""Commands on log-ins: password, second factor, sessions, and the end of join links."""

from __future__ import annotations

import base64

from django.db.models import F

from eventstore import clock
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import ANY
from people import factors
from people.access import require
from people.domain.permissions import Subject
from people.events import (
    FactorEnrolled,
    FactorRemoved,
    JoinLinksEnded,
    PasswordChanged,
    RecoveryCodeUsed,
    SessionsEnded,
)
from people.models import Account


def _account(person_id: str) -> Account:
    account = Account.objects.filter(person_id=person_id).first()
    if account is None:
        raise Refused(Refusal("people.no_account"))
    return account


def _own(person_id: str) -> Subject:
    return Subject(owners=frozenset({person_id}), public=False)


def _end_sessions(account: Account) -> None:
    Account.objects.filter(pk=account.pk).update(epoch=F("epoch") + 1)


@command("people.password_change")
def password_change(unit: Unit, *, person_id: str, password_hash: str) -> None:
    """Give a log-in another password (hashed at the edge: people.passwords) and end its
    sessions. Raises Refused (people.no_account), NotAllowed."""
    require(unit.actor, "people.password_change", _own(person_id))
    account = _account(person_id)
    Account.objects.filter(pk=account.pk).update(password=password_hash)
    _end_sessions(account)
    unit.append(f"person-{person_id}", ANY, [PasswordChanged(person_id)])


@command("people.sessions_end")
def sessions_end(unit: Unit, *, person_id: str) -> None:
    """End every session of a log-in. Raises Refused (people.no_account), NotAllowed."""
    require(unit.actor, "people.sessions_end", _own(person_id))
    _end_sessions(_account(person_id))
    unit.append(f"person-{person_id}", ANY, [SessionsEnded(person_id)])


@command("people.factor_enrol")
def factor_enrol(
    unit: Unit, *, person_id: str, wrapped: str, code: str, digests: list[str]
) -> None:
    """Put an offered second factor in force: `wrapped` is the secret as the session held it,
    `code` what the app shows, `digests` the hashes of the recovery codes. Other sessions end.

    Raises Refused (people.no_account, people.factor_stale, people.code_wrong), NotAllowed.
    """
    require(unit.actor, "people.factor_enrol", _own(person_id))
    account = _account(person_id)
    secret = factors.offer_opened(account, wrapped)
    if secret is None:
        raise Refused(Refusal("people.factor_stale"))
    step = factors.step_of(secret, code, clock.now())
    if step is None:
        raise Refused(Refusal("people.code_wrong"))
    factors.factor_write(account, base64.b64decode(wrapped), step, digests)
    _end_sessions(account)
    unit.append(f"person-{person_id}", ANY, [FactorEnrolled(person_id)])


@command("people.factor_remove")
def factor_remove(unit: Unit, *, person_id: str) -> None:
    """Take the second factor of a log-in away and end its sessions: the person's own act, or
    the site's organiser's when phone and codes are lost.

    Raises Refused (people.no_account, people.no_factor), NotAllowed.
    """
    require(unit.actor, "people.factor_remove", _own(person_id))
    account = _account(person_id)
    if not factors.factor_delete(account):
        raise Refused(Refusal("people.no_factor"))
    _end_sessions(account)
    unit.append(f"person-{person_id}", ANY, [FactorRemoved(person_id)])


@command("people.recovery_use")
def recovery_use(unit: Unit, *, person_id: str, digest: str) -> int:
    """Use a recovery code up, known by its hash; returns how many are left.

    Raises Refused (people.no_account, people.code_wrong), NotAllowed.
    """
    require(unit.actor, "people.recovery_use", _own(person_id))
    left = factors.recovery_take(_account(person_id), digest)
    if left is None:
        raise Refused(Refusal("people.code_wrong"))
    unit.append(f"person-{person_id}", ANY, [RecoveryCodeUsed(person_id, left)])
    return left


@command("people.join_links_end")
def join_links_end(unit: Unit, *, event_id: str, person_id: str | None = None) -> None:
    """End the join links given out so far: those that name a person, with the devices bound by
    them, or (person_id None) those of the event. Raises NotAllowed."""
    require(unit.actor, "people.join_link_make", Subject(event_id=event_id))
    stream = f"person-{person_id or unit.actor.ref}"
    unit.append(stream, ANY, [JoinLinksEnded(event_id, person_id)])
