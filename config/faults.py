"""Answers to requests that no view took, or that a view failed on: problem+json below /api/,
a page elsewhere."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from config.api import is_api, plain_problem
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
    """500."""
    return plain_problem(500, "server_error") if is_api(request) else errors.server_error(request)
