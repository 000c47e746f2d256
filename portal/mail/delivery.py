"""Mails on their way: written by a follower of the log, handed over by the outbox.

What the mail server does not take now is tried again after a growing pause, which holds for all
mail unless it was the address, so that a server that is down costs one try per pause. A mail that
it refuses for good is dropped; an address that it refuses for good counts as not confirmed any
more.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import transaction

from eventstore import clock, outbox
from eventstore.domain.envelope import Recorded
from eventstore.domain.work import grown
from eventstore.subscriptions import Subscription
from portal.mail import sending, services
from portal.mail.letters import letter
from portal.models import MailAddress, MailDelivery
from portal.notices.kinds import CHECKED, KINDS, TELLERS, Teller

FIRST_PAUSE = timedelta(minutes=1)
LEASE = timedelta(seconds=120)

follower = Subscription("portal.mail")


def _register(cls: Any, teller: Teller) -> None:
    def tell(event: Any, recorded: Recorded) -> None:
        if not services.is_on() or not MailAddress.objects.exists():
            return
        told = teller(event, recorded)
        if told is None or not KINDS[told.kind].mail or (told.kind, told.number) in NEVER:
            return
        services.queue(told, recorded.position)

    follower.on(cls)(tell)


NEVER = {("deck", CHECKED)}
"""A list that is in order is no reason for a mail."""
for _cls, _teller in TELLERS.items():
    _register(_cls, _teller)


def _taken_up(held: MailDelivery, now: datetime) -> bool:
    """Take a mail up for this try, unless another process has: one conditional write."""
    found = MailDelivery.objects.filter(pk=held.pk, attempts=held.attempts, next_at__lte=now)
    taken = found.update(attempts=held.attempts + 1, next_at=now + LEASE)
    held.attempts += 1
    return bool(taken)


@outbox.outside_job(services.TOPIC)
def hand_over(payload: dict[str, Any]) -> None:
    """Try one mail once. Raises outbox.Later while it waits."""
    mine = MailDelivery.objects.filter(pk=payload["delivery"])
    held, now = mine.select_related("address").first(), clock.now()
    if held is None:
        return
    if held.next_at > now:
        raise outbox.Later((held.next_at - now).total_seconds())
    if not services.is_on() or now - held.created_at > services.lasts(held):
        mine.delete()
        return
    if not _taken_up(held, now):
        return  # another process is at it
    mail = letter(held)
    if mail is None:
        mine.delete()
        return
    name = urlsplit(settings.SITE_URL).hostname or "localhost"
    outbox.let_go()
    outcome = sending.send(settings.MAIL_SERVER, mail, name=name)
    if outcome.taken:
        mine.delete()
        return
    structlog.get_logger("mail").warning(
        "not taken", mail=held.pk, kind=held.kind, fault=outcome.fault, attempt=held.attempts
    )
    pause = _note(held, outcome, clock.now())
    if pause is not None:
        raise outbox.Later(pause.total_seconds())


def _note(held: MailDelivery, outcome: sending.Outcome, now: datetime) -> timedelta | None:
    """Keep what came of a try that failed; return how long until the next, None for no more."""
    with transaction.atomic():
        mine = MailDelivery.objects.filter(pk=held.pk)
        if outcome.recipient and outcome.for_good:
            MailAddress.objects.filter(pk=held.address_id).update(confirmed_at=None)
        if outcome.for_good:
            mine.delete()
            return None
        pause = grown(FIRST_PAUSE, held.attempts)
        # an address that is no good, which anybody can give, holds up nobody else's mail
        others = MailDelivery.objects.filter(next_at__lt=now + pause)
        waiting = mine if outcome.recipient else others | mine
        waiting.update(next_at=now + pause)
    return pause
