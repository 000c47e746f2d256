"""Commands and reads of webhooks: for the organisers of an event, and of the site."""

from __future__ import annotations

import secrets
from datetime import datetime
from urllib.parse import urlsplit

import msgspec
from django.conf import settings
from django.db.models import QuerySet

from eventstore import outbox, store
from eventstore.commands import Unit, command
from eventstore.domain import canonical
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import is_id, new_id
from eventstore.store import ANY
from people import vault
from people.access import NotAllowed, require
from people.domain.actor import Actor
from people.domain.permissions import Subject, Verdict
from people.erasure import on_erase, on_export
from portal.events import WebhookAdded, WebhookEnded
from portal.models import Webhook, WebhookDelivery
from portal.webhooks import signing
from portal.webhooks.address import Forbidden, read
from portal.webhooks.kinds import NAMES, PING
from tournaments import selectors

TOPIC = "portal.webhook"
"""The topic of the outbox that hands messages over. Payload: `delivery`, its id."""
MAX_WEBHOOKS = 20
URL_REFUSED = {
    "too_long": Refusal("portal.webhook_url_too_long"),
    "malformed": Refusal("portal.webhook_url_malformed"),
    "scheme": Refusal("portal.webhook_url_scheme"),
    "userinfo": Refusal("portal.webhook_url_userinfo"),
    "port": Refusal("portal.webhook_url_port"),
    "private": Refusal("portal.webhook_url_private"),
}
MANAGE, LOOK = "portal.webhook_manage", "portal.webhook_read"


class Queued(msgspec.Struct, frozen=True):
    """A message that waits to be handed over."""

    delivery_id: str


def _subject(event_id: str) -> Subject:
    return Subject(event_id, public=False)


def _event(actor: Actor, event_id: str, action: str) -> None:
    """Ask for the right on the webhooks of an event. Raises NotAllowed."""
    require(actor, action, _subject(event_id))
    selectors.event_home(actor, event_id)


def _webhook(actor: Actor, webhook_id: str, action: str) -> Webhook:
    row = Webhook.objects.filter(pk=webhook_id).first() if is_id(webhook_id) else None
    if row is None:
        raise NotAllowed(action, Verdict.HIDDEN)
    require(actor, action, _subject(row.event_id))
    return row


@command("portal.webhook_add")
def webhook_add(unit: Unit, *, webhook_id: str, event_id: str, url: str, kinds: list[str]) -> str:
    """Tell an address of what happens in an event from now on; returns the id.

    Raises Refused (portal.webhook_exists, webhook_limit, webhook_kinds, webhook_url),
    NotAllowed.
    """
    _event(unit.actor, event_id, MANAGE)
    if not is_id(webhook_id) or Webhook.objects.filter(pk=webhook_id).exists():
        raise Refused(Refusal("portal.webhook_exists"))
    if Webhook.objects.filter(event_id=event_id, ended_at=None).count() >= MAX_WEBHOOKS:
        raise Refused(Refusal("portal.webhook_limit", {"allowed": MAX_WEBHOOKS}))
    chosen = [name for name in NAMES if name in kinds]
    if not chosen or len(chosen) != len(set(kinds)):
        raise Refused(Refusal("portal.webhook_kinds", {"found": kinds, "allowed": list(NAMES)}))
    try:
        read(url, private=settings.WEBHOOKS_PRIVATE)
    except Forbidden as fault:
        raise Refused(URL_REFUSED[fault.why]) from None
    secret = secrets.token_bytes(signing.SECRET_BYTES)
    Webhook.objects.create(
        id=webhook_id,
        event_id=event_id,
        person_id=unit.actor.ref,
        url=url,
        kinds=chosen,
        secret=vault.wrap_secret(f"webhook:{webhook_id}", secret),
        since=store.head_position(),
        created_at=unit.now,
    )
    added = WebhookAdded(webhook_id, event_id, tuple(chosen))
    unit.append(f"webhook-{webhook_id}", 0, [added])
    return webhook_id


def end(unit: Unit, row: Webhook, why: str) -> None:
    """End a webhook; what waits is dropped. Again: no effect."""
    if row.ended_at is not None:
        return
    row.ended_at, row.ended_why = unit.now, why
    row.save(update_fields=["ended_at", "ended_why"])
    row.deliveries.filter(state="waiting").update(state="dropped", next_at=None)
    unit.append(f"webhook-{row.pk}", ANY, [WebhookEnded(row.pk, row.event_id, why)])


@command("portal.webhook_remove")
def webhook_remove(unit: Unit, *, webhook_id: str) -> None:
    """Tell an address no more; again: no effect. Raises NotAllowed."""
    end(unit, _webhook(unit.actor, webhook_id, MANAGE), "removed")


def queue(row: Webhook, kind: str, body: str, position: int | None, now: datetime) -> str:
    """Write a message and the work of handing it over into the running transaction."""
    made = WebhookDelivery.objects.create(
        id=new_id(),
        webhook=row,
        kind=kind,
        body=body,
        position=position,
        created_at=now,
        next_at=now,
    )
    outbox.enqueue(TOPIC, {"delivery": made.pk}, receiver=_receiver(row))
    return made.pk


def body_of(kind: str, event_id: str, at: str, data: dict[str, object]) -> str:
    """Make the body of a message."""
    body = {"type": kind, "timestamp": at, "data": {"event_id": event_id, **data}}
    return canonical.encode(body).decode()


@command("portal.webhook_ping")
def webhook_ping(unit: Unit, *, webhook_id: str) -> Queued:
    """Send a message of the kind ping. Raises Refused (portal.webhook_over), NotAllowed."""
    row = _webhook(unit.actor, webhook_id, MANAGE)
    if row.ended_at is not None:
        raise Refused(Refusal("portal.webhook_over"))
    _wake(row)
    at = unit.now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return Queued(queue(row, PING, body_of(PING, row.event_id, at, {}), None, unit.now))


@command("portal.webhook_redeliver")
def webhook_redeliver(unit: Unit, *, delivery_id: str) -> Queued:
    """Hand a message over again, whatever became of it, with all its tries before it.

    Raises Refused (portal.webhook_over, webhook_waiting), NotAllowed.
    """
    held = WebhookDelivery.objects.filter(pk=delivery_id).first() if is_id(delivery_id) else None
    if held is None:
        raise NotAllowed(MANAGE, Verdict.HIDDEN)
    row = _webhook(unit.actor, held.webhook_id, MANAGE)
    if row.ended_at is not None:
        raise Refused(Refusal("portal.webhook_over"))
    if held.state == "waiting" and row.quiet_until is None:
        raise Refused(Refusal("portal.webhook_waiting"))
    _wake(row)
    held.state, held.attempts, held.next_at = "waiting", 0, unit.now
    held.save(update_fields=["state", "attempts", "next_at"])
    outbox.enqueue(TOPIC, {"delivery": held.pk}, receiver=_receiver(row))
    return Queued(held.pk)


def _receiver(row: Webhook) -> str:
    """Return the server behind an address: all webhooks of one that hangs wait together."""
    return outbox.receiver_of(urlsplit(row.url).netloc)


def _wake(row: Webhook) -> None:
    """Somebody looks after the address: try it at once."""
    row.failures, row.quiet_until = 0, None
    row.save(update_fields=["failures", "quiet_until"])


def webhooks_of(viewer: Actor, event_id: str) -> QuerySet[Webhook]:
    """Return the webhooks of an event in the order in which they were made. Raises NotAllowed."""
    _event(viewer, event_id, LOOK)
    return Webhook.objects.filter(event_id=event_id)


def deliveries_of(viewer: Actor, webhook_id: str) -> QuerySet[WebhookDelivery]:
    """Return the messages of a webhook, newest first. Raises NotAllowed."""
    row = _webhook(viewer, webhook_id, LOOK)
    return WebhookDelivery.objects.filter(webhook=row)


def deliveries_in(viewer: Actor, event_id: str) -> QuerySet[WebhookDelivery]:
    """Return the messages of all webhooks of an event, newest first. Raises NotAllowed."""
    _event(viewer, event_id, LOOK)
    return WebhookDelivery.objects.filter(webhook__event_id=event_id).select_related("webhook")


def secret_of(viewer: Actor, webhook_id: str) -> str:
    """Return the secret of a webhook, for the answer to its making. Raises NotAllowed."""
    row = _webhook(viewer, webhook_id, MANAGE)
    secret = vault.unwrap_secret(f"webhook:{row.pk}", bytes(row.secret))
    return signing.secret_text(secret) if secret is not None else ""


@on_erase("webhooks")
def _erase(person_id: str) -> int:
    return Webhook.objects.filter(person_id=person_id).delete()[1].get("portal.Webhook", 0)


@on_export("webhooks")
def _export(person_id: str) -> list[dict[str, object]]:
    return [
        {"event_id": row.event_id, "url": row.url, "created_at": row.created_at.isoformat()}
        for row in Webhook.objects.filter(person_id=person_id)
    ]
