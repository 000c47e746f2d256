"""Between a request and a command: the actor, the command id, the binding of a device."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.dispatch import Signal
from django.http import HttpRequest

from eventstore import clock, ids
from eventstore.commands import Context
from people.domain.actor import Actor

AGE = "Headjudge-Age"
AT = "Headjudge-At"
"""With which counters of its topics a page asks for itself again."""
KEYS_COOKIE = "headjudge_keys"
"""off: no page answers single letters (WCAG 2.1.4)."""
DEVICE_PERSON = "device_person"
DEVICE_EVENTS = "device_events"
"""Events whose join links bind this device to its person, the newest last."""
DEVICE_SINCE = "device_since"
"""Since when, by event: ending the links of a person ends what was bound before."""
device_bound = Signal()
"""Sent with `request` after a device was bound: a higher room may keep something of the session."""


def actor_of(request: Any) -> Actor:
    """Return the actor of a request (set by ActorMiddleware or the API's authentication)."""
    actor: Actor = request.actor
    return actor


def command_context(request: Any, source: str) -> Context:
    """Make the Context of a command from a request.

    The command id is the form's hidden `nonce` or the `Idempotency-Key` header, so that a
    double tap or a retry has one effect; without either, a new id.
    """
    given = request.headers.get("Idempotency-Key") or getattr(request, "POST", {}).get("nonce", "")
    return Context(
        actor=actor_of(request),
        source=source,
        command_id=given if ids.is_id(given) else ids.new_id(),
        client_time=_written(request.headers.get(AGE, "")),
    )


def _written(age: str) -> str | None:
    """Return the moment at which a form was sent by its page, which tells how many seconds it
    had to wait: so the clock of the phone does not matter."""
    if not (age.isascii() and age.isdigit() and len(age) <= 6):
        return None
    return clock.as_text(clock.now() - timedelta(seconds=int(age)))


def bind_device(request: HttpRequest, *, person_id: str, event_id: str) -> None:
    """Bind this browser session to a player in one event; a fresh session key stops fixation.

    Another event of the same person is added; another person takes the place of the first.
    """
    same = request.session.get(DEVICE_PERSON) == person_id
    before = request.session.get(DEVICE_EVENTS, []) if same else []
    since = request.session.get(DEVICE_SINCE, {}) if same else {}
    request.session.cycle_key()
    request.session[DEVICE_PERSON] = person_id
    request.session[DEVICE_EVENTS] = [one for one in before if one != event_id] + [event_id]
    request.session[DEVICE_SINCE] = {**since, event_id: clock.as_text(clock.now())}
    device_bound.send(sender=None, request=request)


def keep_offline(request: HttpRequest, *addresses: str) -> None:
    """Let the phone keep a copy of the answer, under its own address and `addresses`, to be shown
    with its age while the server cannot be reached (portal.pages.installed). Only for what is
    public or the viewer's own; an address with a query is not kept."""
    if request.method == "GET" and not request.META.get("QUERY_STRING"):
        request.offline_copy = (request.path, *addresses)  # type: ignore[attr-defined]
