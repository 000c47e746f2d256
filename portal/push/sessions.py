"""A browser is told as long as the session in which it was added would let its bearer in."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from eventstore import clock
from people import sessions
from people.domain.actor import Actor
from people.joinlinks import devices_left
from people.models import Account
from people.selectors import actor_for
from people.web import DEVICE_EVENTS, DEVICE_PERSON, DEVICE_SINCE, actor_of, device_bound
from portal.models import PushSubscription
from portal.push.services import Binding

KEPT = "push_subscription"


def kept_in(request: HttpRequest) -> str:
    """Return the id of the subscription of this session's browser, empty for none."""
    return str(request.session.get(KEPT, ""))


def keep(request: HttpRequest, subscription_id: str) -> None:
    """Let the session know which subscription is its browser's."""
    request.session[KEPT] = subscription_id


def _events(request: HttpRequest) -> dict[str, str]:
    """Return the events that a phone is bound to, and since when."""
    since = request.session.get(DEVICE_SINCE, {})
    return {event: since.get(event, "") for event in request.session.get(DEVICE_EVENTS, ())}


def binding_of(request: HttpRequest) -> Binding:
    """Return what of a session decides how long its browser is told."""
    now = clock.as_text(clock.now())
    if actor_of(request).signed_in:
        account = Account.objects.get(person_id=actor_of(request).person_id)
        begun = str(request.session.get(sessions.STARTED, now))
        return Binding(None, account.epoch, sessions.factor_given(request), begun)
    return Binding(_events(request), 0, False, now)


def viewer_of(row: PushSubscription, now: datetime) -> Actor | None:
    """Return who stands behind a browser now, with the rights of its session; None when that
    session is over: signed out everywhere, lasted too long, its join links ended."""
    age = now - row.begun_at
    if age > timedelta(seconds=settings.SESSION_COOKIE_AGE):
        return None
    if row.events is not None:
        left = devices_left(row.person_id, row.events.items())
        return Actor(person_id=row.person_id, device_events=left) if left else None
    if not Account.objects.filter(
        person_id=row.person_id, is_active=True, epoch=row.epoch
    ).exists():
        return None
    actor = actor_for(row.person_id, signed_in=True)
    if not (actor.site_organiser or actor.event_roles):
        return actor
    if age > timedelta(seconds=settings.STAFF_SESSION_SECONDS):
        return None
    if sessions.needs_factor(actor) and not row.factor:
        return replace(actor, site_organiser=False, event_roles={})
    return actor


def forget(request: HttpRequest, but: str | None = None) -> None:
    """End the subscription of this session's browser, unless it is of the person `but`."""
    held = kept_in(request)
    if held:
        PushSubscription.objects.filter(pk=held).exclude(person_id=but or "").delete()


@receiver(user_logged_out)
def _signed_out(sender: Any, request: HttpRequest | None, **kwargs: Any) -> None:
    if request is not None:
        forget(request)


@receiver(user_logged_in)
def _signed_in(sender: Any, request: HttpRequest, user: Any, **kwargs: Any) -> None:
    forget(request, user.person_id)


@receiver(device_bound)
def _bound(sender: Any, request: HttpRequest, **kwargs: Any) -> None:
    """Another event of the same person is told too; another person ends the subscription."""
    held = kept_in(request)
    if not held:
        return
    person_id = str(request.session[DEVICE_PERSON])
    forget(request, person_id)
    mine = PushSubscription.objects.filter(pk=held).exclude(events=None)
    mine.update(events=_events(request))
