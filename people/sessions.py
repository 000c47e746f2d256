"""Sessions of log-ins: when they began, when they were last used, when they end.

A session of staff ends after some hours without a request and, whatever happens, after a day
of work; a player's stays for the event. Whoever signs out everywhere, changes the password or
takes up a second factor ends every other session: they carry a number of the account that has
moved on (people.models.Account.epoch).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.db import OperationalError
from django.dispatch import receiver
from django.http import HttpRequest

from eventstore import clock
from people.domain.actor import Actor
from people.domain.roles import Role

STARTED, SEEN, FACTOR = "signed_in_at", "seen_at", "factor_at"
STRONG = frozenset({Role.ORGANISER, Role.HEAD_JUDGE})
"""Roles that run an event or decide penalties; with the site's organiser they are those whom
SECOND_FACTOR=required asks for one."""
SEEN_EVERY = timedelta(minutes=5)
"""How often a request is noted: not each one is worth a write."""


@receiver(user_logged_in)
def _begun(sender: Any, request: HttpRequest, **kwargs: Any) -> None:
    now = clock.as_text(clock.now())
    request.session[STARTED] = request.session[SEEN] = now


def _moment(request: HttpRequest, name: str) -> datetime | None:
    try:
        return clock.from_text(str(request.session.get(name, "")))
    except ValueError:
        return None


def is_over(request: HttpRequest) -> bool:
    """Say whether a session of staff has come to its end; note the request if it has not."""
    now = clock.now()
    started, seen = _moment(request, STARTED), _moment(request, SEEN)
    if started is None or seen is None:
        return True
    if now - started > timedelta(seconds=settings.STAFF_SESSION_SECONDS):
        return True
    if now - seen > timedelta(seconds=settings.STAFF_IDLE_SECONDS):
        return True
    # A page that follows by itself is nobody at the keyboard.
    by_itself = "HX-Request" in request.headers or request.path.startswith("/live/")
    if now - seen > SEEN_EVERY and not by_itself:
        _note(request, now)
    return False


def _note(request: HttpRequest, now: datetime) -> None:
    """Keep when the session was used. Where nothing can be kept (a full disk) the page is shown
    all the same: whoever runs the hall must see it."""
    session = request.session
    changed, before = session.modified, session[SEEN]
    session[SEEN] = clock.as_text(now)
    if changed:
        return  # it is saved with the rest
    try:
        session.save()
    except OperationalError as fault:
        session[SEEN] = before
        structlog.get_logger("sessions").warning("not noted", fault=str(fault))
    session.modified = False


def factor_given(request: HttpRequest) -> bool:
    """Say whether this session gave the second factor."""
    return _moment(request, FACTOR) is not None


def factor_kept(request: HttpRequest) -> None:
    """Keep that this session gave the second factor."""
    request.session[FACTOR] = clock.as_text(clock.now())


def needs_factor(actor: Actor) -> bool:
    """Say whether an actor's powers are such as must have a second factor."""
    if settings.SECOND_FACTOR != "required":
        return False
    return actor.site_organiser or any(STRONG & roles for roles in actor.event_roles.values())
