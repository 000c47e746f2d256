"""Subscriptions of browsers to messages: added, ended, and what is written for them to be sent."""

from __future__ import annotations

import hashlib

import msgspec
from django.conf import settings

from eventstore import clock, outbox, store
from eventstore.commands import Unit, command
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id, new_id
from people import vault
from people.access import require
from people.domain.actor import Actor
from people.erasure import on_erase, on_export
from portal.models import PushDelivery, PushSubscription
from portal.notices.kinds import TRIAL, Told
from portal.notices.services import EVERYTHING, USE, choices_of, own
from portal.push import encryption
from portal.webhooks.address import Forbidden, Target, read

TOPIC = "portal.push"
"""The topic of the outbox that hands messages over. Payload: `batch`, of one event of the log
and one push service."""
MAX_PHONES = 5
"""Browsers of a person; with one more the oldest goes."""
MAX_ENDPOINT = 1000
FEW = 200
"""Persons whose browsers are looked for by name; of more, those of everybody are read."""


class Keys(msgspec.Struct, frozen=True):
    """What the browser gave: the address at its push service, and its two keys (base64url)."""

    endpoint: str
    p256dh: str
    auth: str


class Binding(msgspec.Struct, frozen=True):
    """The session in which a browser was added. A message is sent only while it would still let
    its bearer in. `events` (event id: since) of a bound phone, None with a log-in, whose `epoch`
    counts; `factor`: the second one was given; `begun_at` UTC text."""

    events: dict[str, str] | None
    epoch: int
    factor: bool
    begun_at: str


def _read(keys: Keys) -> Target:
    try:
        target = read(keys.endpoint, private=settings.WEBHOOKS_PRIVATE, longest=MAX_ENDPOINT)
        p256dh, auth = encryption.from_text(keys.p256dh), encryption.from_text(keys.auth)
        encryption.receiver_key(p256dh)
    except (Forbidden, encryption.BadKeys):
        raise Refused(Refusal("portal.push_unusable")) from None
    if len(auth) != encryption.AUTH_BYTES:
        raise Refused(Refusal("portal.push_unusable"))
    return target


@command("portal.push_add")
def push_add(
    unit: Unit, *, subscription_id: str, keys: Keys, language: str, binding: Binding
) -> str:
    """Tell a browser of what concerns the actor from now on; returns the id.

    A browser tells one person: whoever was told on it before is not any more. Raises Refused
    (portal.push_exists, push_unusable), NotAllowed.
    """
    require(unit.actor, USE, own(unit.actor))
    target = _read(keys)
    digest = hashlib.sha256(keys.endpoint.encode()).hexdigest()
    if not is_id(subscription_id) or PushSubscription.objects.filter(pk=subscription_id).exists():
        raise Refused(Refusal("portal.push_exists"))
    PushSubscription.objects.filter(digest=digest).delete()
    mine = PushSubscription.objects.filter(person_id=unit.actor.person_id)
    newest = mine.order_by("-created_at", "-id").values_list("pk", flat=True)
    PushSubscription.objects.filter(pk__in=list(newest[MAX_PHONES - 1 :])).delete()
    PushSubscription.objects.create(
        id=subscription_id,
        person_id=unit.actor.person_id,
        digest=digest,
        service=f"{target.host}:{target.port}",
        sealed=vault.wrap_secret(f"push:{subscription_id}", msgspec.json.encode(keys)),
        language=language,
        events=binding.events,
        epoch=binding.epoch,
        factor=binding.factor,
        begun_at=binding.begun_at,
        since=store.head_position(),
        created_at=unit.now,
    )
    return subscription_id


@command("portal.push_end")
def push_end(unit: Unit, *, subscription_id: str | None) -> None:
    """Tell a browser of the actor no more, or (None) all of them; again: no effect. Raises
    NotAllowed."""
    require(unit.actor, USE, own(unit.actor))
    mine = PushSubscription.objects.filter(person_id=unit.actor.person_id)
    (mine if subscription_id is None else mine.filter(pk=subscription_id)).delete()


@command("portal.push_try")
def push_try(unit: Unit, *, subscription_id: str) -> None:
    """Send a trial message to a browser of the actor; while one is on its way: no effect, so that
    its pauses are kept. Raises Refused (portal.push_none), NotAllowed."""
    require(unit.actor, USE, own(unit.actor))
    row = PushSubscription.objects.filter(
        pk=subscription_id, person_id=unit.actor.person_id
    ).first()
    if row is None:
        raise Refused(Refusal("portal.push_none"))
    if not PushDelivery.objects.filter(subscription=row, kind=TRIAL).exists():
        _queue([row], Told(TRIAL, "", frozenset()), None)


def my_phones(viewer: Actor) -> list[PushSubscription]:
    """Return the browsers on which the viewer is told, oldest first: one query. Raises
    NotAllowed."""
    require(viewer, USE, own(viewer))
    return list(PushSubscription.objects.filter(person_id=viewer.person_id))


def keys_of(row: PushSubscription) -> Keys | None:
    """Open the address and keys of a browser; None under another vault key."""
    raw = vault.unwrap_secret(f"push:{row.pk}", bytes(row.sealed))
    return None if raw is None else msgspec.json.decode(raw, type=Keys)


def _queue(rows: list[PushSubscription], told: Told, position: int | None) -> None:
    # what says the same of an earlier moment is of no use any more
    PushDelivery.objects.filter(subscription__in=rows, topic=told.topic).delete()
    now = clock.now()
    batches = {service: new_id() for service in sorted({row.service for row in rows})}
    PushDelivery.objects.bulk_create(
        PushDelivery(
            id=new_id(),
            subscription=row,
            batch=batches[row.service],
            kind=told.kind,
            event_id=told.event_id,
            subject=told.subject,
            number=told.number,
            topic=told.topic,
            position=position,
            created_at=now,
            next_at=now,
        )
        for row in rows
    )
    for service, batch in batches.items():
        outbox.enqueue(TOPIC, {"batch": batch}, receiver=outbox.receiver_of(service))


def queue(told: Told, position: int) -> None:
    """Write a message for every browser of those concerned who want to be told, and the work of
    handing it over, into the running transaction: up to five statements whatever their number, one
    of them for each push service."""
    rows = PushSubscription.objects.filter(since__lt=position)
    if len(told.persons) <= FEW:
        rows = rows.filter(person_id__in=told.persons)
    held = [row for row in rows if row.person_id in told.persons]
    if not held:
        return
    choices = choices_of([row.person_id for row in held])
    wanted = [
        row for row in held if told.kind not in choices.get(row.person_id, EVERYTHING).push_off
    ]
    if wanted:
        _queue(wanted, told, position)


@on_erase("phones told")
def _erase(person_id: str) -> int:
    return (
        PushSubscription.objects.filter(person_id=person_id)
        .delete()[1]
        .get("portal.PushSubscription", 0)
    )


@on_export("phones told")
def _export(person_id: str) -> list[dict[str, object]]:
    return [
        {"service": row.service, "created_at": row.created_at.isoformat()}
        for row in PushSubscription.objects.filter(person_id=person_id)
    ]
