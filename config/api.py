"""Manners of the API: pages of results, and every error as problem+json with a code.

RFC 9457. `code` is stable and what a program reads; `title` is a sentence in the language of
the request; `params` say what was found and what would be right; `retry` says what sending the
request again would do.
"""

from __future__ import annotations

import json
import math
from typing import Any

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions
from rest_framework.pagination import PageNumberPagination
from rest_framework.response import Response

from eventstore.commands import CommandReused
from eventstore.domain.canonical import NotCanonical
from eventstore.domain.refusal import Refused
from eventstore.faults import AGAIN_SECONDS, CommandFailed, OutcomeUnknown, reason_of
from eventstore.store import WrongExpectedVersion
from people.access import NotAllowed
from people.rest import BadKey
from portal.problems import title

PREFIX = "/api/"
MEDIA = "application/problem+json"
FRAMEWORK_CODES = {
    "authentication_failed": "token_refused",
    "not_authenticated": "not_signed_in",
    "permission_denied": "not_allowed",
    "error": "server_error",
}


class Pages(PageNumberPagination):
    """Numbered pages; `page_size` up to 200."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


def body_of(status: int, code: str, **extra: Any) -> dict[str, Any]:
    """Make the body of a problem."""
    return {
        "type": f"urn:headjudge:problem:{code}",
        "title": extra.pop("title", None) or title(code),
        "status": status,
        "code": code,
        **extra,
    }


def problem(
    status: int, code: str, *, headers: dict[str, str] | None = None, **extra: Any
) -> Response:
    """Make a problem+json answer. `code` is stable; `params` say what was found."""
    body = body_of(status, code, **extra)
    return Response(body, status=status, content_type=MEDIA, headers=headers)


def plain_problem(status: int, code: str, **extra: Any) -> HttpResponse:
    """The same outside the framework: no route, an unreadable request, a fault of ours."""
    text = json.dumps(body_of(status, code, **extra), ensure_ascii=False, separators=(",", ":"))
    return HttpResponse(text, status=status, content_type=MEDIA)


def is_api(request: HttpRequest) -> bool:
    """Say whether a request asks the API."""
    return request.path.startswith(PREFIX)


def problem_handler(fault: Exception, context: dict[str, Any]) -> Response | None:
    """Answer the exceptions of services and of the framework; None: a fault of ours."""
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
    if isinstance(fault, BadKey):
        return problem(400, "idempotency_key", params={"found": str(fault)})
    if isinstance(fault, CommandReused):
        return problem(409, "command_reused", params={"command": fault.command_id})
    if isinstance(fault, WrongExpectedVersion):
        return problem(
            409, "wrong_version", params={"expected": fault.expected, "found": fault.actual}
        )
    if isinstance(fault, NotCanonical):
        return problem(400, "not_canonical", params={"path": fault.path, "why": fault.why})
    if isinstance(fault, RequestDataTooBig):
        return problem(413, "too_large")
    if isinstance(fault, BadRequest | SuspiciousOperation):
        return problem(400, "bad_request")
    if isinstance(fault, DatabaseError | InterfaceError):
        return _database(fault)
    if isinstance(fault, exceptions.APIException):
        return _framework(fault, context)
    return None


def _database(fault: Exception) -> Response | None:
    """The database failed: whether the command happened, and how to send it again."""
    again = {"Retry-After": str(AGAIN_SECONDS)}
    if isinstance(fault, CommandFailed):
        code, retry = "not_done", "safe"
        if isinstance(fault, OutcomeUnknown):
            code, retry = "outcome_unknown", "same_key"
        # With the id as its Idempotency-Key even a request that had none is sent again safely.
        params = {"command": fault.command_id, "reason": fault.reason}
        return problem(503, code, headers=again, retry=retry, params=params)
    if isinstance(fault, OperationalError | InterfaceError):
        params = {"reason": reason_of(fault)}
        return problem(503, "unavailable", headers=again, retry="same_key", params=params)
    return None


def _framework(fault: exceptions.APIException, context: dict[str, Any]) -> Response:
    if isinstance(fault, exceptions.ValidationError):
        where = "parameter" if _reads(context) else "pointer"
        return problem(400, "invalid", errors=findings(fault.get_full_details(), where))
    if isinstance(fault, exceptions.Throttled):
        wait = max(1, math.ceil(getattr(fault, "wait", None) or 1))
        headers = {"Retry-After": str(wait)}
        return problem(429, "throttled", headers=headers, retry="safe", params={"wait_s": wait})
    found = fault.get_codes()
    code = found if isinstance(found, str) else "invalid"
    code = FRAMEWORK_CODES.get(code, code)
    headers = {}
    if getattr(fault, "auth_header", None):
        headers["WWW-Authenticate"] = fault.auth_header  # type: ignore[attr-defined]
    extra: dict[str, Any] = {}
    if isinstance(fault, exceptions.MethodNotAllowed):
        view = context.get("view")
        allowed = view.allowed_methods if view is not None else []
        extra["params"] = {"allowed": sorted(allowed)}
    return problem(fault.status_code, code, headers=headers, **extra)


def _reads(context: dict[str, Any]) -> bool:
    request = context.get("request")
    return request is not None and request.method == "GET"


def findings(details: Any, where: str, path: str = "") -> list[dict[str, str]]:
    """Flatten what is wrong with a request: where (`pointer` into the body as RFC 6901, or the
    name of the query `parameter`), a code, a sentence."""
    if _is_leaf(details):
        place = {"pointer": path} if where == "pointer" else {where: path.strip("/")}
        return [{**place, "code": str(details["code"]), "title": str(details["message"])}]
    if isinstance(details, dict):
        return [
            one
            for name, value in details.items()
            for one in findings(
                value,
                where,
                path if name == "non_field_errors" else f"{path}/{_escaped(str(name))}",
            )
        ]
    if isinstance(details, list):
        leaves = all(_is_leaf(one) for one in details)
        return [
            found
            for number, one in enumerate(details)
            for found in findings(one, where, path if leaves else f"{path}/{number}")
        ]
    return []


def _is_leaf(details: Any) -> bool:
    return (
        isinstance(details, dict)
        and set(details) == {"message", "code"}
        and not isinstance(details["message"], dict | list)
    )


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
