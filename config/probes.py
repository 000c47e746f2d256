"""/healthz, /readyz and /metrics: for programs that watch the server.

They are answered before sessions, languages and host names are looked at, so that they work when
those do not, and so that the address a container is probed under need not be allowed. They say
nothing to strangers but yes or no; /metrics is not there for them at all.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

from config import metrics
from config.peers import is_among, peer_of
from eventstore import health

Get = Callable[[HttpRequest], HttpResponse]
FORWARDED = (
    "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via",
)  # fmt: skip
"""Headers of proxies: a request with one of them came from somewhere else."""
LOOPBACK = ("127.0.0.0/8", "::1")
LOCAL_HOST = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?")
TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


def local(request: HttpRequest) -> bool:
    """Say whether a program on this machine asks, of the server itself.

    The line must come from a loopback address, through no proxy, and the name that was asked for
    must be one of this machine: a page of another site that leads its own name here is refused.
    """
    if any(name in request.headers for name in FORWARDED):
        return False
    asked_for = LOCAL_HOST.fullmatch(str(request.META.get("HTTP_HOST", "")))
    return asked_for is not None and is_among(peer_of(request), LOOPBACK)


def _holds_token(request: HttpRequest) -> bool:
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    return (
        bool(settings.METRICS_TOKEN)
        and kind.lower() == "bearer"
        and secrets.compare_digest(given.strip().encode(), settings.METRICS_TOKEN.encode())
    )


def trusted(request: HttpRequest) -> bool:
    """Say whether details are told: to this machine, and to who has METRICS_TOKEN."""
    return local(request) or _holds_token(request)


def healthz(request: HttpRequest) -> HttpResponse:
    """The process is alive: nothing is asked of anything else."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """200 when requests can be served, 503 when not; the checks to those who may know them."""
    found = health.health()
    answer: dict[str, Any] = {"status": "ok" if found.ready else "not ok"}
    if trusted(request):
        answer["state"] = found.state
        answer["checks"] = [
            {"name": one.name, "state": one.state, "code": one.code, **one.figures}
            for one in found.checks
        ]
    return JsonResponse(answer, status=200 if found.ready else 503)


def scraped(request: HttpRequest) -> HttpResponse:
    """Prometheus' text format; 404 for everybody who is not to know."""
    if not trusted(request):
        return HttpResponse("Not Found\n", status=404, content_type="text/plain")
    return HttpResponse(metrics.exposition(), content_type=TEXT_FORMAT)


PROBES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": healthz,
    "/readyz": readyz,
    "/metrics": scraped,
}


class ProbeMiddleware:
    """Answers the addresses of PROBES, and passes everything else on."""

    def __init__(self, get_response: Get) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path)
        if probe is None:
            return self.get_response(request)
        if request.method not in {"GET", "HEAD"}:
            answer = HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
        else:
            answer = probe(request)
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        return answer
