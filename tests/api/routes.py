"""Every route and operation of the API, read from the URL conf: what the tests of the whole API
go over, so that a new route is in them without anybody's doing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from people import rest

PREFIX = "api/v1/"
METHODS = ("get", "post", "put", "patch", "delete")
CONVERTER = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")


@dataclass(frozen=True, slots=True)
class Route:
    """One route of the API: its template as in the schema, its view, its name."""

    path: str
    view: Any
    name: str

    def operations(self) -> Iterator[tuple[str, rest.Operation | None]]:
        """Yield (method, declaration) of each method that the view answers."""
        for method in METHODS:
            if hasattr(self.view, method):
                yield method, rest.operation_of(self.view, method)


def _walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, Any]]:
    for one in patterns:
        route = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from _walk(one.url_patterns, route)
        else:
            yield route, one


def api_routes() -> list[Route]:
    """Return every route below /api/v1/."""
    return [
        Route("/" + CONVERTER.sub(r"{\g<name>}", route), one.callback.cls, str(one.name))
        for route, one in _walk(get_resolver().url_patterns, "")
        if route.startswith(PREFIX)
    ]
