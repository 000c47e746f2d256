"""A person's mail address: given, confirmed by a link that was sent to it, taken away."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import Sum
from django.utils.translation import get_language

from eventstore import clock, outbox, store
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people import vault
from people.access import require
from people.domain.actor import Actor
from people.erasure import on_erase, on_export
from portal.models import MailAddress, MailDelivery
from portal.notices.kinds import KINDS, Told
from portal.notices.services import EVERYTHING, USE, choices_of, own
from tournaments import selectors as tournaments
from tournaments.domain.event import CANCELLED, FINISHED

TOPIC = "portal.mail"
"""The topic of the outbox that hands mails over. Payload: `delivery`, its id."""
RECEIVER = outbox.receiver_of("mail")
"""There is one mail server."""
CONFIRM = "confirm"
CONFIRM_SECONDS = 2 * 24 * 3600
LONGEST = 254
MOST_ASKED = 5
"""Mails a day that ask one person, or go to one address, before it is confirmed."""


def is_on() -> bool:
    """Say whether this server sends mail at all."""
    return settings.MAIL_SERVER is not None


def digest_of(address: str) -> str:
    """Return the mark of an address by which two of the same are told."""
    return hashlib.sha256(address.lower().encode()).hexdigest()


def _cleaned(text: str) -> str:
    """Check an address. Raises Refused (portal.mail_address)."""
    address = text.strip()
    try:
        if not address.isascii() or len(address) > LONGEST:
            raise ValidationError("unfit")
        validate_email(address)
    except ValidationError:
        raise Refused(Refusal("portal.mail_address")) from None
    return address


@command("portal.mail_set")
def mail_set(unit: Unit, *, address: str, language: str = "") -> None:
    """Give the address of the actor; a mail asks there whether it is theirs. Again: asks again.

    Raises Refused (portal.mail_off, mail_address, mail_asked), NotAllowed.
    """
    require(unit.actor, USE, own(unit.actor))
    if not is_on():
        raise Refused(Refusal("portal.mail_off"))
    found, today = _cleaned(address), unit.now.date()
    digest = digest_of(found)
    held = MailAddress.objects.filter(pk=unit.actor.person_id).first()
    if held is not None and held.digest == digest and held.confirmed_at is not None:
        return
    asked = held.asked if held is not None and held.asked_on == today else 0
    there = MailAddress.objects.filter(digest=digest, asked_on=today).exclude(
        pk=unit.actor.person_id
    )
    others = there.aggregate(all=Sum("asked"))["all"] or 0
    if max(asked, asked + others) >= MOST_ASKED:
        raise Refused(Refusal("portal.mail_asked", {"allowed": MOST_ASKED}))
    if held is not None:
        held.deliveries.all().delete()
    row, _made = MailAddress.objects.update_or_create(
        person_id=unit.actor.person_id,
        defaults={
            "sealed": vault.wrap_secret(f"mail:{unit.actor.person_id}", found.encode()),
            "digest": digest,
            "language": language or get_language() or "en",
            "confirmed_at": None,
            "asked": asked + 1,
            "asked_on": today,
        },
    )
    _queue(row, Told(CONFIRM, "", frozenset()), None)


@command("portal.mail_confirm")
def mail_confirm(unit: Unit, *, person_id: str, digest: str) -> None:
    """Take an address as confirmed, by the link that was sent to it (the edge has verified it);
    the person's links to events under way follow. Again: no effect.

    Raises Refused (portal.mail_gone), NotAllowed.
    """
    require(unit.actor, "portal.mail_link_use")
    row = MailAddress.objects.filter(pk=person_id, digest=digest).first()
    if row is None:
        raise Refused(Refusal("portal.mail_gone"))
    if row.confirmed_at is not None:
        return
    row.confirmed_at, row.since = unit.now, store.head_position()
    row.save(update_fields=["confirmed_at", "since"])
    if "enrolled" in choices_of([person_id]).get(person_id, EVERYTHING).mail_off:
        return
    for event in tournaments.my_events(Actor(person_id=person_id)):
        if event.status not in (FINISHED, CANCELLED):
            _queue(row, Told("enrolled", event.pk, frozenset()), None)


@command("portal.mail_stop")
def mail_stop(unit: Unit, *, person_id: str, digest: str) -> None:
    """Take an address away by a link in a mail (the edge has verified it); again: no effect.
    Raises NotAllowed."""
    require(unit.actor, "portal.mail_link_use")
    MailAddress.objects.filter(pk=person_id, digest=digest).delete()


@command("portal.mail_remove")
def mail_remove(unit: Unit) -> None:
    """Take the actor's address away; again: no effect. Raises NotAllowed."""
    require(unit.actor, USE, own(unit.actor))
    MailAddress.objects.filter(pk=unit.actor.person_id).delete()


def my_address(viewer: Actor) -> tuple[MailAddress, str] | None:
    """Return the viewer's address, its row and its text: one query. Raises NotAllowed."""
    require(viewer, USE, own(viewer))
    row = MailAddress.objects.filter(pk=viewer.person_id).first()
    return None if row is None else (row, address_of(row) or "")


def address_of(row: MailAddress) -> str | None:
    """Open an address; None under another vault key."""
    raw = vault.unwrap_secret(f"mail:{row.pk}", bytes(row.sealed))
    return None if raw is None else raw.decode()


def _queue(row: MailAddress, told: Told, position: int | None) -> None:
    now = clock.now()
    made = MailDelivery.objects.create(
        id=new_id(),
        address=row,
        kind=told.kind,
        event_id=told.event_id,
        subject=told.subject,
        number=told.number,
        position=position,
        created_at=now,
        next_at=now,
    )
    outbox.enqueue(TOPIC, {"delivery": made.pk}, receiver=RECEIVER)


def queue(told: Told, position: int) -> None:
    """Write a mail to each of those concerned who have an address and want it, and the work of
    handing it over, into the running transaction."""
    rows = MailAddress.objects.filter(
        pk__in=told.persons, since__lt=position, confirmed_at__isnull=False
    )
    choices = choices_of([row.pk for row in rows])
    for row in rows:
        if told.kind not in choices.get(row.pk, EVERYTHING).mail_off:
            _queue(row, told, position)


def lasts(held: MailDelivery) -> timedelta:
    """Return for how long a mail is of use."""
    kind = KINDS.get(held.kind)
    return timedelta(seconds=kind.seconds if kind else CONFIRM_SECONDS)


@on_erase("mail addresses")
def _erase(person_id: str) -> int:
    gone = MailAddress.objects.filter(pk=person_id).delete()[1]
    return gone.get("portal.MailAddress", 0)


@on_export("mail address")
def _export(person_id: str) -> str | None:
    row = MailAddress.objects.filter(pk=person_id).first()
    return None if row is None else address_of(row)
