"""Answers to requests that no view took, or that a view failed on: problem+json below /api/,
a page elsewhere.

A database that is away, busy or full is no fault of the program: 503, when to ask again, and
what is known of the step that was sent.
"""

from __future__ import annotations

import sys
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from config.api import is_api, plain_problem
from eventstore.faults import AGAIN_SECONDS, reason_of
from people.middleware import language_of
from portal.pages import errors


def not_found(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """404."""
    return plain_problem(404, "not_found") if is_api(request) else errors.not_found(request)


def forbidden(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """403."""
    return plain_problem(403, "not_allowed") if is_api(request) else errors.forbidden(request)


def bad_request(request: HttpRequest, exception: Any = None) -> HttpResponse:
    """400."""
    return plain_problem(400, "bad_request") if is_api(request) else errors.bad_request(request)


def server_error(request: HttpRequest) -> HttpResponse:
    """500; 503 when it was the database that failed."""
    fault = sys.exc_info()[1]  # Django calls this while it handles what a view raised
    if isinstance(fault, OperationalError | InterfaceError):
        return unavailable(request, fault)
    return plain_problem(500, "server_error") if is_api(request) else errors.server_error(request)


def unavailable(request: HttpRequest, fault: Exception) -> HttpResponse:
    """503: the database failed outside a command, or around one. Touches no database; one line
    in the log, as every request of that time ends here."""
    reason = reason_of(fault)
    structlog.get_logger("database").warning(
        "a request was not answered", reason=reason, path=request.path, fault=str(fault)
    )
    if is_api(request):
        response = plain_problem(503, "unavailable", retry="same_key", params={"reason": reason})
    else:
        # the middleware that chose the language may be left by now
        with translation.override(language_of(request)):
            response = errors.unavailable(request, reason)
    response.headers["Retry-After"] = str(AGAIN_SECONDS)
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response
