"""Messages on their way: written by a follower of the log, handed over by the outbox.

The follower writes a message and its row of work in one transaction with its own position, so
each event is told once to each webhook, and a rebuild of read tables tells nothing. A try that
fails is repeated with growing pauses, which hold for the whole address: a receiver that is down
costs one try per pause, however many messages wait. A message is dead after TRIES or when it
is a day old, and says so.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction

from eventstore import clock, correlation, outbox
from eventstore.commands import Context, Unit, command
from eventstore.domain.envelope import Recorded
from eventstore.domain.work import grown
from eventstore.subscriptions import Subscription
from people import vault
from people.access import may
from people.domain.actor import SYSTEM
from people.domain.permissions import Subject
from people.models import Account
from people.selectors import actor_for
from portal.models import Webhook, WebhookDelivery
from portal.webhooks import sending, services, signing
from portal.webhooks.kinds import KINDS, Kind
from portal.webhooks.services import MANAGE, TOPIC

TRIES = 8
FIRST_PAUSE = timedelta(seconds=15)
TOO_OLD = timedelta(days=1)

follower = Subscription("portal.webhooks")


def _tell(kind: Kind, event: Any, recorded: Recorded) -> None:
    event_id = kind.event_id(event)
    hooks = Webhook.objects.filter(event_id=event_id, ended_at=None, since__lt=recorded.position)
    for row in hooks:
        if kind.name in row.kinds:
            body = services.body_of(kind.name, event_id, recorded.recorded_at, kind.data(event))
            services.queue(row, kind.name, body, recorded.position, clock.now())


def _register(kind: Kind) -> None:
    follower.on(kind.event)(lambda event, recorded: _tell(kind, event, recorded))


for _kind in KINDS:
    _register(_kind)


@command("portal.webhook_end_without_rights")
def _end_without_rights(unit: Unit, *, webhook_id: str) -> None:
    services.end(unit, Webhook.objects.get(pk=webhook_id), "rights_lost")


def _still_allowed(row: Webhook) -> bool:
    """A webhook has the rights of whoever made it, and no more once they are gone."""
    known = Account.objects.filter(person_id=row.person_id, is_active=True).exists()
    owner = actor_for(row.person_id, signed_in=known)
    return may(owner, MANAGE, Subject(row.event_id, public=False))


@outbox.outside_job(TOPIC)
def hand_over(payload: dict[str, Any]) -> None:
    """Try one message once. Raises outbox.Later while it waits."""
    held = (
        WebhookDelivery.objects.select_related("webhook")
        .filter(pk=payload["delivery"], state="waiting")
        .first()
    )
    if held is None:
        return
    row, now = held.webhook, clock.now()
    if not _still_allowed(row):
        context = Context(actor=SYSTEM, source="system")
        _end_without_rights(context, webhook_id=row.pk)
        return
    if row.quiet_until is not None and row.quiet_until > now:
        raise outbox.Later((row.quiet_until - now).total_seconds())
    if not _taken_up(held, now):
        return  # another process is at it
    secret = vault.unwrap_secret(f"webhook:{row.pk}", bytes(row.secret))
    if secret is None:
        outcome = sending.Outcome(fault="secret")
    else:
        body = held.body.encode()
        headers = signing.headers(secret, held.pk, int(now.timestamp()), body)
        if (one := correlation.current()) is not None:
            headers["X-Request-ID"] = one
        outbox.let_go()
        outcome = sending.post(row.url, headers, body, private=settings.WEBHOOKS_PRIVATE)
    later = _note(held, outcome, clock.now())
    if later is not None:
        raise outbox.Later(later.total_seconds())


def _taken_up(held: WebhookDelivery, now: datetime) -> bool:
    """Take a message up for this try, unless another process has: one conditional write."""
    found = WebhookDelivery.objects.filter(
        pk=held.pk, state="waiting", attempts=held.attempts
    ).update(attempts=held.attempts + 1, tried_at=now)
    held.attempts += 1
    return bool(found)


def _note(held: WebhookDelivery, outcome: sending.Outcome, now: datetime) -> timedelta | None:
    """Keep what came of a try; return how long until the next, None when there is none."""
    with transaction.atomic():
        row = Webhook.objects.select_for_update().get(pk=held.webhook_id)
        held.status, held.fault = outcome.status, outcome.fault
        held.next_at = pause = None
        if outcome.taken:
            held.state = "delivered"
            row.failures, row.quiet_until = 0, None
        else:
            row.failures += 1
            pause = grown(FIRST_PAUSE, row.failures)
            row.quiet_until = now + pause
            if held.attempts >= TRIES or now - held.created_at > TOO_OLD:
                held.state, pause = "dead", None
            else:
                held.next_at = row.quiet_until
        # A webhook that was ended meanwhile has dropped the message: that stands.
        open_still = WebhookDelivery.objects.filter(pk=held.pk, state="waiting")
        open_still.update(
            state=held.state, status=held.status, fault=held.fault, next_at=held.next_at
        )
        row.save(update_fields=["failures", "quiet_until"])
    if not outcome.taken:
        structlog.get_logger("webhooks").warning(
            "not taken",
            webhook=row.pk,
            delivery=held.pk,
            status=outcome.status,
            fault=outcome.fault,
            attempt=held.attempts,
        )
    return pause
