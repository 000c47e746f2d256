"""The pages shown when a request cannot be answered."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import get_template
from django.utils.translation import get_language

from eventstore.faults import FULL
from portal.context import theme_of


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """404: it is not there, or it is not yours to know of; both look the same."""
    return render(request, "portal/error.html", {"status": 404}, status=404)


def forbidden(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """403: you know of it, and may not do this."""
    return render(request, "portal/error.html", {"status": 403}, status=403)


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """400: the request cannot be read."""
    return render(request, "portal/error.html", {"status": 400}, status=400)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: a fault of ours. Drawn without session and database, which may be the fault."""
    values = {"status": 500, "LANGUAGE_CODE": get_language()}
    return HttpResponse(get_template("portal/error.html").render(values), status=500)


def unavailable(request: HttpRequest, reason: str) -> HttpResponse:
    """503: the database is away, busy or full (`reason` of eventstore.faults). A step that was
    sent may or may not have been kept, unless its command said that it was not; its form carries
    the nonce, so loading the page anew sends it again and it counts once. Touches no database."""
    sent = request.method not in ("GET", "HEAD")
    values = {
        "status": 503,
        "full": reason == FULL,
        "sent": sent,
        "not_done": sent and getattr(request, "surely_not_done", False),
        "here": request.get_full_path(),
        "theme": theme_of(request),
        "LANGUAGE_CODE": get_language(),
    }
    return HttpResponse(get_template("portal/error.html").render(values), status=503)
