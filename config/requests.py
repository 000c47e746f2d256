"""The outermost layer of a request: its correlation id, its line in the log, its measures."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.functional import LazyObject, empty

from config import metrics, slow
from config.peers import is_among, peer_of
from config.probes import PROBES
from eventstore import correlation
from people.domain.actor import Actor

Get = Callable[[HttpRequest], HttpResponse]
HEADER = "X-Request-ID"
ICON = "/favicon.ico"
STATIC, UNMATCHED = "static", "unmatched"
"""Routes of what no view answers: files, and addresses that there are not."""


def id_of(request: HttpRequest) -> str:
    """Return the id of a request: what a trusted proxy gave it, else a new one."""
    given = None
    if is_among(peer_of(request), settings.TRUSTED_PROXIES):
        given = correlation.read(
            request.headers.get(HEADER, ""), request.headers.get("traceparent", "")
        )
    return given or correlation.new()


def route_of(request: HttpRequest) -> str:
    """Return the name of a request's route; never its address, which may hold a secret."""
    found = request.resolver_match
    if found is not None:
        return found.view_name or found.route or UNMATCHED
    if request.path in PROBES:
        return request.path.removeprefix("/")
    of_files = (settings.STATIC_URL, ICON)
    return STATIC if request.path.startswith(of_files) else UNMATCHED


def _person(request: HttpRequest) -> str | None:
    """Return the opaque id of who asked, where the request had to find out anyway."""
    actor = getattr(request, "actor", None)
    if isinstance(actor, LazyObject):
        if actor._wrapped is empty:
            return None
        actor = actor._wrapped
    return actor.person_id if isinstance(actor, Actor) else None


class RequestMiddleware:
    """Runs the request under its id, sends it back, writes the access line, counts."""

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began, one, count = perf_counter(), id_of(request), slow.Asked()
        request.correlation = one  # type: ignore[attr-defined]
        token = slow.asked.set(count)
        try:
            with correlation.following(one):
                response = self.get_response(request)
                response.headers[HEADER] = one
                self._told(request, response, perf_counter() - began, count.count)
        finally:
            slow.asked.reset(token)
        return response

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        """Name the route in every line that is written from here on."""
        structlog.contextvars.bind_contextvars(route=route_of(request))

    @staticmethod
    def _told(request: HttpRequest, response: HttpResponse, seconds: float, asked: int) -> None:
        route = route_of(request)
        structlog.contextvars.unbind_contextvars("route")
        metrics.request(route, response.status_code, seconds)
        fields: dict[str, Any] = {"person": person} if (person := _person(request)) else {}
        log = structlog.get_logger("access")
        (log.warning if response.status_code >= 500 else log.info)(
            "request",
            method=request.method,
            route=route,
            status=response.status_code,
            ms=round(seconds * 1000, 1),
            queries=asked,
            **fields,
        )
