"""Subscribe to topics, and the counters for browsers whose stream does not get through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, Actor
from people.guard import guarded
from people.live import OF_EVERYBODY
from people.middleware import actor_in
from people.web import actor_of
from portal.live import topics, wire
from portal.live.asgi import DOOR, Door
from portal.live.hub import Listener, milliseconds
from portal.live.topics import Topic


def _wanted(request: HttpRequest) -> list[Topic]:
    try:
        return topics.wanted(request)
    except topics.Unreadable:
        raise Http404 from None


def _allowed(viewer: Actor, wanted: Sequence[Topic]) -> bool:
    try:
        topics.granted_all(viewer, wanted)
    except NotAllowed:
        return False
    return True


def _still(
    session_key: str | None, person_id: str | None, wanted: Sequence[Topic]
) -> Callable[[], bool]:
    """Make the question that is asked again while the stream is open: is this session still
    there, is it the same person, may that person still follow all of it?"""
    kept = tuple(wanted)

    def still() -> bool:
        request = HttpRequest()
        request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
        request.user = get_user(request)
        viewer = actor_in(request)
        return viewer.person_id == person_id and _allowed(viewer, kept)

    return still


@guarded("portal.live_follow")
@never_cache
@require_GET
def stream(request: HttpRequest) -> HttpResponse:
    """Let a listener in, or answer as the permission table says.

    `t=kind.EVENT` up to four times; `since` or the header Last-Event-ID: the counters the page
    knows. Under a server that keeps no streams the answer is the beginning and ends there.
    """
    viewer, wanted = actor_of(request), _wanted(request)
    keys = topics.granted_all(viewer, wanted)
    given = request.headers.get("Last-Event-ID") or request.GET.get("since")
    door: Door | None = getattr(request, "scope", {}).get(DOOR)
    if door is None:
        moves = topics.moves(keys)
        seen = moves if given is None else topics.since(given, len(keys))
        return HttpResponse(
            wire.opening(milliseconds(), moves, seen), content_type="text/event-stream"
        )
    public = viewer.person_id is None or (
        all(one.kind in OF_EVERYBODY for one in wanted) and _allowed(ANONYMOUS, wanted)
    )
    still = None if public else _still(request.session.session_key, viewer.person_id, wanted)
    listener = Listener(keys, door.loop, viewer.person_id, still, moves=[0] * len(keys))
    door.let_in(listener)
    door.moves = topics.moves(keys)
    door.seen = door.moves if given is None else topics.since(given, len(keys))
    return HttpResponse(content_type="text/event-stream")


@guarded("portal.live_follow")
@never_cache
@require_GET
def now(request: HttpRequest) -> HttpResponse:
    """The counters of the same topics and the server's clock: `7.3 1720000000123`."""
    viewer = actor_of(request)
    keys = topics.granted_all(viewer, _wanted(request))
    text = f"{wire.counters(topics.moves(keys))} {milliseconds()}"
    return HttpResponse(text, content_type="text/plain")
