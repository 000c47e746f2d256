"""The counters a page is drawn with, read before the page reads anything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from people.access import may
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.live import OF_EVERYBODY, kinds_of
from people.web import actor_of
from portal.live import regions, topics, wire
from portal.live.topics import Topic

Get = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True, slots=True)
class Following:
    """What the page follows: the query of its stream, its counters, and over how many
    milliseconds those who were told together spread when they ask again."""

    query: str
    at: str
    spread: int


def _offered(viewer: Actor, kind: str, event_id: str) -> bool:
    """Whether to offer a topic to the page; the subscription decides again."""
    private = Subject(event_id, public=False)
    if kind == "desk":
        return may(viewer, "tournaments.event_read_draft", private)
    if kind == "calls":
        return may(viewer, "judging.queue_read", private)
    return kind in OF_EVERYBODY or viewer.acts_in(event_id)


class LiveMiddleware:
    """Sets request.live for a page that follows topics, None for any other."""

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.live = None  # type: ignore[attr-defined]
        request.asks_region = regions.is_asked(request)  # type: ignore[attr-defined]
        request.region = False  # type: ignore[attr-defined]
        response = self.get_response(request)
        if request.region:  # type: ignore[attr-defined]
            regions.cut(response, request.live.at)  # type: ignore[attr-defined]
        return response

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        """Read the counters first: what moves while the page is drawn is told afterwards. A form
        that its page sends by itself is answered by no page."""
        if "Headjudge-Queue" in request.headers:
            return
        event_id = str(kwargs.get("event_id", ""))
        viewer = actor_of(request)
        wanted = [
            Topic(kind, event_id) for kind in kinds_of(view) if _offered(viewer, kind, event_id)
        ]
        if not wanted:
            return
        moves = topics.moves([topics.key(one, viewer) for one in wanted])
        request.live = Following(  # type: ignore[attr-defined]
            urlencode([("t", one.text) for one in wanted]),
            wire.counters(moves),
            300,
        )
        of_all = all(one.kind in OF_EVERYBODY for one in wanted)
        unknown = settings.SESSION_COOKIE_NAME not in request.COOKIES
        request.region = of_all and unknown and request.asks_region  # type: ignore[attr-defined]

    def process_exception(self, request: HttpRequest, fault: Exception) -> None:
        """A page that is refused says nothing, not even how often something moved."""
        request.live, request.region = None, False  # type: ignore[attr-defined]
