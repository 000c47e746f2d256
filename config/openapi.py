"""The schema of the API (OpenAPI 3.1): what each operation needs beside its own declaration.

The declarations are in the rooms (`people.rest.operation`); here they get the headers, the
errors, the scopes and the examples that all have in common.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import body_of
from config.examples import ID, example_of
from people import rest
from people.domain.permissions import open_to_all, scopes_for
from people.guard import action_of

PROBLEMS: dict[str, tuple[int, str, str]] = {
    "BadRequest": (400, "invalid", "The request cannot be read or does not fit."),
    "Unauthorized": (401, "token_refused", "The token is unknown, ended or expired."),
    "Forbidden": (403, "not_allowed", "Known, but not allowed to the caller or its token."),
    "NotFound": (404, "not_found", "Not there, or not the caller's to know of."),
    "NotAcceptable": (406, "not_acceptable", "Answers are JSON only."),
    "Conflict": (
        409,
        "tournaments.too_few_players",
        "Refused by a rule (its code), a key used for something else, or a state that moved on.",
    ),
    "TooLarge": (413, "too_large", "The body is too large."),
    "UnsupportedMediaType": (415, "unsupported_media_type", "The body must be JSON."),
    "TooManyRequests": (429, "throttled", "Wait as long as Retry-After says."),
    "ServerError": (500, "server_error", "A fault of the server."),
    "Unavailable": (
        503,
        "not_done",
        "The database failed. `not_done`: nothing happened, safe to repeat. `outcome_unknown`: "
        "repeat with the same Idempotency-Key. `unavailable`: a read that can be repeated.",
    ),
}
READS = (400, 401, 403, 404, 406, 409, 429, 500, 503)
WRITES = (400, 401, 403, 404, 406, 409, 413, 415, 429, 500, 503)
PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "A problem (RFC 9457). `code` is stable; `title` is in the language asked for.",
    "required": ["type", "title", "status", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "stable; see docs/api.md"},
        "params": {"type": "object", "description": "what was found, what would be right"},
        "also": {
            "type": "array",
            "items": {"type": "string"},
            "description": "further rules that forbid the same",
        },
        "errors": {
            "type": "array",
            "description": "what is wrong with the request, one by one",
            "items": {
                "type": "object",
                "required": ["code", "title"],
                "properties": {
                    "pointer": {"type": "string", "description": "into the body (RFC 6901)"},
                    "parameter": {"type": "string", "description": "of the query"},
                    "code": {"type": "string"},
                    "title": {"type": "string"},
                },
                "additionalProperties": False,
            },
        },
        "retry": {
            "type": "string",
            "enum": ["safe", "same_key"],
            "description": "what sending the request again does",
        },
    },
    "additionalProperties": False,
}
KEY_HEADER = {
    "name": rest.KEY,
    "in": "header",
    "required": False,
    "schema": {"type": "string", "format": "uuid"},
    "description": "The id of the command, a UUID in lower case. The same request with the same "
    "key has one effect and gets the first outcome again; another request with it gets 409 "
    "command_reused.",
}
TAG_HEADER = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "The ETag of an answer held: 304 while it is still the same.",
}
EXTRA_PARAMS: dict[str, dict[str, Any]] = {
    "invalid": {
        "errors": [{"pointer": "/score/0", "code": "min_value", "title": "At least 0 is needed."}]
    },
    "tournaments.too_few_players": {"params": {"found": 3, "allowed": 4}, "also": []},
    "throttled": {"retry": "safe", "params": {"wait_s": 12}},
    "not_done": {"retry": "safe", "params": {"command": ID, "reason": "busy"}},
}


class TokenScheme(OpenApiAuthenticationExtension):
    """`Authorization: Bearer hj_...`."""

    target_class = "people.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """Describe the header."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token of a person, made on the page My access; its scopes bound "
            "what it may do, and it never may more than its person.",
        }


class SessionScheme(OpenApiAuthenticationExtension):
    """The cookie of the pages."""

    target_class = "people.authentication.ActorSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """Describe the cookie."""
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "The session of the pages, with its CSRF token on every write.",
        }


class Schema(AutoSchema):
    """Adds to each operation its headers, errors, scopes and permission row."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """Describe one method of one route."""
        made = super().get_operation(*args, **kwargs)
        declared = rest.operation_of(self.view, self.method)
        if made is None or declared is None:
            return made
        read = self.method == "GET"
        extra = [TAG_HEADER] if read else [KEY_HEADER] if declared.writes else []
        made["parameters"] = [*made.get("parameters", []), *copy.deepcopy(extra)]
        for name, (status, _code, _text) in PROBLEMS.items():
            if status in (READS if read else WRITES):
                made["responses"][str(status)] = {"$ref": f"#/components/responses/{name}"}
        if read:
            made["responses"]["304"] = {"description": "Unchanged since the ETag given."}
        action = action_of(self.view) or ""
        # Each entry is one way in: a token with one of these scopes, a session, or nobody at all.
        tokens = [{"token": [one]} for one in scopes_for(action)]
        made["security"] = [*tokens, {"session": []}, *([{}] if open_to_all(action) else [])]
        made["x-permission"] = action
        if declared.example is not None and "requestBody" in made:
            made["requestBody"]["content"]["application/json"]["example"] = declared.example
        return made

    def get_tags(self) -> list[str]:
        """Group by the first word of the path."""
        return [self.path.removeprefix("/api/v1/").partition("/")[0]]


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the shapes of answers, the problems, and an example to each body and answer."""
    parts = result.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    for schema in schemas.values():
        if schema.get("type") == "object":  # bodies: a name that is not there is refused
            schema["additionalProperties"] = False
    schemas |= rest.components()
    schemas["Problem"] = copy.deepcopy(PROBLEM)
    parts["responses"] = {}
    for name, (status, code, text) in PROBLEMS.items():
        parts["responses"][name] = {
            "description": text,
            "content": {
                "application/problem+json": {
                    "schema": {"$ref": "#/components/schemas/Problem"},
                    "example": body_of(status, code, **EXTRA_PARAMS.get(code, {})),
                }
            },
        }
        if status in (429, 503):
            parts["responses"][name]["headers"] = {
                "Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}
            }
    for methods in result["paths"].values():
        for one in methods.values():
            contents = [one.get("requestBody", {}).get("content", {})]
            contents += [held.get("content", {}) for held in one["responses"].values()]
            for content in contents:
                for media in content.values():
                    if "schema" in media and "example" not in media:
                        media["example"] = example_of(media["schema"], schemas)
    return result


@cache
def document() -> dict[str, Any]:
    """Return the schema: made once per process."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return made


class SchemaRead(rest.Endpoint):
    """The schema of this API."""

    guard_action = "portal.api_schema_read"
    schema = None  # type: ignore[assignment]

    def get(self, request: Request) -> Response:
        """Answer the OpenAPI 3.1 document."""
        return Response(document())
