"""Manners of the API: pages of results, and every error as problem+json with a code."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.pagination import PageNumberPagination
from rest_framework.response import Response

from eventstore.commands import CommandReused
from eventstore.domain.canonical import NotCanonical
from eventstore.domain.refusal import Refused
from eventstore.store import WrongExpectedVersion
from people.access import NotAllowed


class Pages(PageNumberPagination):
    """Numbered pages; `page_size` up to 200."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


def problem(status: int, code: str, **extra: Any) -> Response:
    """Make a problem+json answer (RFC 9457). `code` is stable; `params` say what was found."""
    body = {"type": f"urn:headjudge:problem:{code}", "status": status, "code": code, **extra}
    return Response(body, status=status, content_type="application/problem+json")


def problem_handler(fault: Exception, context: dict[str, Any]) -> Response | None:
    """Answer the exceptions of services and of the framework."""
    from portal.wording import refusal_text

    if isinstance(fault, Refused):
        refusal = fault.refusal
        return problem(
            409,
            refusal.code,
            title=refusal_text(refusal),
            params=refusal.params,
            also=list(refusal.also),
        )
    if isinstance(fault, NotAllowed):
        # What one may not know of and what does not exist answer alike, to the byte.
        return problem(404, "not_found") if fault.hidden else problem(403, "not_allowed")
    if isinstance(fault, Http404):
        return problem(404, "not_found")
    if isinstance(fault, PermissionDenied):
        return problem(403, "not_allowed")
    if isinstance(fault, CommandReused):
        return problem(409, "command_reused", params={"command": fault.command_id})
    if isinstance(fault, WrongExpectedVersion):
        return problem(
            409, "wrong_version", params={"expected": fault.expected, "found": fault.actual}
        )
    if isinstance(fault, NotCanonical):
        return problem(400, "not_canonical", params={"path": fault.path, "why": fault.why})
    if isinstance(fault, exceptions.ValidationError):
        return problem(400, "invalid", errors=fault.detail)
    if isinstance(fault, exceptions.APIException):
        codes = fault.get_codes()
        code = codes if isinstance(codes, str) else "invalid"
        return problem(fault.status_code, code, title=str(fault.detail))
    return None
