"""The counters a page is drawn with, read before the page reads anything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from people.access import may
from people.domain.actor import Actor
from people.domain.permissions import Subject
from people.live import kinds_of
from people.web import actor_of
from portal.live import topics, wire
from portal.live.topics import Topic

Get = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True, slots=True)
class Following:
    """What the page follows: the query of its stream, its counters, and over how many
    milliseconds the phones of a hall spread when they ask again."""

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
    return kind == "board" or viewer.acts_in(event_id)


class LiveMiddleware:
    """Sets request.live for a page that follows topics, None for any other."""

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.live = None  # type: ignore[attr-defined]
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        """Read the counters first: what moves while the page is drawn is told afterwards."""
        event_id = str(kwargs.get("event_id", ""))
        viewer = actor_of(request)
        wanted = [
            Topic(kind, event_id) for kind in kinds_of(view) if _offered(viewer, kind, event_id)
        ]
        if not wanted:
            return
        moves = topics.moves([topics.key(one, viewer) for one in wanted])
        crowd = all(one.kind == "board" for one in wanted)
        request.live = Following(  # type: ignore[attr-defined]
            urlencode([("t", one.text) for one in wanted]),
            wire.counters(moves),
            1500 if crowd else 300,
        )

    def process_exception(self, request: HttpRequest, fault: Exception) -> None:
        """A page that is refused says nothing, not even how often something moved."""
        request.live = None  # type: ignore[attr-defined]
