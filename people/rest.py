"""What the API of every room has in common: how an operation is declared, read and answered.

    class Entrants(Endpoint):
        guard_action = "tournaments.event_read"

        @operation("entrants_list", answers=RosterShape, query=RosterQuery, pages=True)
        def get(self, request: Request, event: UUID) -> Response: ...

The declaration is what the schema is made from, and what `Endpoint` holds a request to before
the method runs: its query parameters, its `Idempotency-Key`. Answers are described by types
(TypedDict, dataclass, msgspec Struct), so that mypy and the schema read the same words.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar, cast
from uuid import UUID

import msgspec
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from eventstore.commands import Context
from eventstore.domain import canonical
from eventstore.ids import is_id
from people.web import actor_of, command_context

F = TypeVar("F", bound=Callable[..., Any])
KEY = "Idempotency-Key"
REF = "#/components/schemas/{name}"
SOURCES = {
    "site_organiser": "organiser",
    "organiser": "organiser",
    "scorekeeper": "scorekeeper",
    "head_judge": "judge",
    "judge": "judge",
    "deck_checker": "judge",
    "recorder": "scorekeeper",
}
shapes: dict[str, Any] = {}
"""Every type that an answer is described by, under its name in the schema."""


class BadKey(Exception):
    """The header `Idempotency-Key` is no UUID in lower case."""


class Body(serializers.Serializer[Any]):
    """The body of a command. A name that is not among its fields is refused: a misspelt one
    would otherwise be a wish that nobody hears."""

    def to_internal_value(self, data: Any) -> Any:
        """Check the names, then the values."""
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            words = serializers.ErrorDetail(str(_("There is no such field.")), "unknown_field")
            raise serializers.ValidationError({name[:60]: [words] for name in unknown[:20]})
        return super().to_internal_value(data)


class Query(Body):
    """The query parameters of a read."""


class PageQuery(Query):
    """Which page of a list."""

    page = serializers.IntegerField(
        min_value=1, max_value=10**6, required=False, help_text="number of the page, from 1"
    )
    page_size = serializers.IntegerField(
        min_value=1, max_value=200, required=False, help_text="items per page, 50 without it"
    )


@dataclass(frozen=True, slots=True)
class Operation:
    """The declaration of one method of one route."""

    operation_id: str
    answers: Any
    body: type[Body] | None = None
    query: type[Query] = Query
    status: int = 200
    pages: bool = False
    writes: bool = False
    example: Any = None


class Done(TypedDict):
    """A command was carried out and has nothing to tell."""

    done: bool


class DoneId(TypedDict):
    """A command was carried out; `result` is an id or a word."""

    done: bool
    result: str


class DoneNumber(TypedDict):
    """A command was carried out; `result` is a number."""

    done: bool
    result: int


class DoneList(TypedDict):
    """A command was carried out; `result` is a list of ids."""

    done: bool
    result: list[str]


def schema_of(answers: Any, name: str = "") -> dict[str, Any]:
    """Return the schema of a type as a reference, and remember the type under its name; a schema
    that stands in place (union_of) as it is."""
    if isinstance(answers, dict):
        return answers
    name = name or answers.__name__
    if shapes.setdefault(name, answers) is not answers:
        raise ValueError(f"two shapes are named {name}")
    return {"$ref": REF.format(name=name)}


def union_of(name: str, *unions: Any, leave_out: str = "") -> dict[str, Any]:
    """Return the schema of a tagged union of Structs, in place, for a field of a body, or of
    several ones, whose tags may be the same. The field `leave_out` of the members is left out: the
    body has it beside."""
    members = []
    for union in unions:
        (schema,), parts = msgspec.json.schema_components([union], ref_template=REF)
        members += [copy.deepcopy(parts[one["$ref"].rpartition("/")[2]]) for one in schema["anyOf"]]
    for member in members:
        member["properties"].pop(leave_out, None)
        member["required"] = [one for one in member.get("required", []) if one != leave_out]
    return {"title": name, "oneOf" if len(unions) == 1 else "anyOf": members}


def page_schema(answers: Any, name: str = "", head: Any = None) -> dict[str, Any]:
    """Return the schema of a page of a list, with the fields of `head` beside it."""
    if head is not None:
        return {"allOf": [schema_of(head), page_schema(answers, name)]}
    address = {"type": ["string", "null"], "format": "uri"}
    return {
        "type": "object",
        "required": ["count", "next", "previous", "results"],
        "properties": {
            "count": {"type": "integer", "description": "items on all pages together"},
            "next": address,
            "previous": address,
            "results": {"type": "array", "items": schema_of(answers, name)},
        },
    }


def components() -> dict[str, Any]:
    """Return the schemas of all remembered shapes by name."""
    schemas, found = msgspec.json.schema_components(list(shapes.values()), ref_template=REF)
    for name, schema in zip(shapes, schemas, strict=True):
        if schema != {"$ref": REF.format(name=name)}:  # a union has no name of its own
            found[name] = schema
    return found


def operation(
    operation_id: str,
    *,
    answers: Any,
    body: type[Body] | None = None,
    query: type[Query] | None = None,
    status: int = 200,
    pages: bool = False,
    head: Any = None,
    name: str = "",
    writes: bool = True,
    example: Any = None,
) -> Callable[[F], F]:
    """Declare a method of a view. `answers` is the type of the answer (of an item with
    `pages`, whose page has the fields of `head` too); `writes` is
    false for a POST that changes nothing."""
    asked = query or (PageQuery if pages else Query)

    def mark(method: F) -> F:
        changes = method.__name__ != "get" and writes
        described = page_schema(answers, name, head) if pages else schema_of(answers, name)
        method.rest = Operation(  # type: ignore[attr-defined]
            operation_id, answers, body, asked, status, pages, changes, example
        )
        return extend_schema(
            operation_id=operation_id,
            request=body,
            parameters=[asked] if method.__name__ == "get" and asked().fields else [],
            responses={status: OpenApiResponse(described, description=_first_line(method))},
        )(method)

    return mark


def _first_line(method: Callable[..., Any]) -> str:
    return (method.__doc__ or "").strip().partition("\n")[0]


def operation_of(view: Any, method: str) -> Operation | None:
    """Return the declaration of a method of a view class or of a view instance."""
    return getattr(getattr(view, method.lower(), None), "rest", None)


class Endpoint(APIView):
    """Base of every view of the API: holds a request to the declaration of its operation.

    Reads carry an ETag of their bytes; `If-None-Match` with the same one gets 304.
    """

    guard_action: str
    asked: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Know the caller, then read query and key; raises ValidationError, BadKey."""
        super().initial(request, *args, **kwargs)
        declared = operation_of(self, request.method or "")
        self.asked = {}
        if declared is None:
            return
        if declared.writes:
            given = request.headers.get(KEY)
            if given is not None and not is_id(given):
                raise BadKey(given[:60])
        elif request.method == "GET":
            query = declared.query(data=request.query_params.dict())
            query.is_valid(raise_exception=True)
            self.asked = {key: plain(value) for key, value in query.validated_data.items()}

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        """Say on what the answer depends, and compare its ETag once its bytes are made."""
        final: Response = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(final, ["Authorization", "Cookie", "Accept-Language"])
        final.headers.setdefault("Cache-Control", "private, no-cache")
        if request.method == "GET" and final.status_code == 200:
            final.add_post_render_callback(lambda made: _conditional(request, made))
        return final


def _conditional(request: Request, made: Any) -> Any:
    tag = f'"{hashlib.sha256(made.content).hexdigest()[:32]}"'
    made.headers["ETag"] = tag
    return get_conditional_response(request._request, etag=tag, response=made)


def context(request: Request, source: str | None = None) -> Context:
    """Make the Context of a command; the source follows the strongest role of the caller."""
    return command_context(request, source or SOURCES.get(actor_of(request).role, "player"))


def plain(value: Any) -> Any:
    """Write an id as text and bring text to NFC, leave everything else."""
    if isinstance(value, UUID):
        return str(value)
    return canonical.text(value) if isinstance(value, str) else value


def given(shape: type[Body], request: Request) -> dict[str, Any]:
    """Return the checked body of a request, ids as text, in lists too; raises ValidationError."""
    body = shape(data=request.data)
    body.is_valid(raise_exception=True)
    return {key: _ids_as_text(value) for key, value in body.validated_data.items()}


def _ids_as_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_ids_as_text(one) for one in value]
    return str(value) if isinstance(value, UUID) else value


def answer(result: Any, status: int = 200) -> Response:
    """Answer the outcome of a command: a Struct as its fields, anything else as `result`."""
    if result is None:
        return Response({"done": True}, status=status)
    if isinstance(result, msgspec.Struct):
        return Response(msgspec.to_builtins(result), status=status)
    return Response({"done": True, "result": result}, status=status)


def page(
    view: APIView, request: Request, items: Any, write: Callable[[Any], Any] = lambda item: item
) -> Response:
    """Answer one page of a list or query, each item written by `write`."""
    pages: PageNumberPagination = cast(Any, api_settings.DEFAULT_PAGINATION_CLASS)()
    found: Sequence[Any] = pages.paginate_queryset(items, request, view=view) or []
    return pages.get_paginated_response([write(item) for item in found])


def only(items: Iterable[Any], asked: dict[str, Any], *names: str) -> list[Any]:
    """Keep the items whose attributes of these names are as asked for."""
    wanted = {name: asked[name] for name in names if asked.get(name) is not None}
    return [
        item
        for item in items
        if all(getattr(item, name) == value for name, value in wanted.items())
    ]
