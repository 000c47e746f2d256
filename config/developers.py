"""The schema of the API as a page for people: no script, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from config.openapi import PROBLEMS, document
from people.guard import guarded


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of a body or an answer."""

    name: str
    kind: str
    needed: bool
    text: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One operation."""

    operation_id: str
    method: str
    path: str
    text: str
    scopes: tuple[str, ...]
    open_to_all: bool
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    body_example: str
    status: str
    answer: Field
    answer_example: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """The operations below one word of the path."""

    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A named schema with its fields."""

    name: str
    text: str
    fields: tuple[Field, ...]


def _name(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def kind_of(schema: dict[str, Any]) -> str:
    """Say in a few words what a value is."""
    if "$ref" in schema:
        return _name(schema)
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return " | ".join(dict.fromkeys(kind_of(one) for one in schema[choice]))
    if "allOf" in schema:
        return " & ".join(kind_of(one) for one in schema["allOf"])
    if schema.get("enum"):
        return " | ".join(json.dumps(one) for one in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"[{kind_of(schema.get('items', {}))}]"
    words = " | ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{words} ({schema['format']})" if "format" in schema else words


def _inner(schema: dict[str, Any]) -> str:
    """Return the name of the schema that a value is made of, for a link."""
    if "$ref" in schema:
        return _name(schema)
    for choice in ("oneOf", "anyOf", "allOf"):
        for one in schema.get(choice, []):
            if found := _inner(one):
                return found
    if "items" in schema:
        return _inner(schema["items"])
    results = schema.get("properties", {}).get("results")
    return _inner(results) if results else ""


def _fields(schema: dict[str, Any]) -> Iterator[Field]:
    needed = schema.get("required", [])
    for name, one in schema.get("properties", {}).items():
        yield Field(name, kind_of(one), name in needed, one.get("description", ""), _inner(one))


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _entry(path: str, method: str, one: dict[str, Any], parts: dict[str, Any]) -> Entry:
    content = one.get("requestBody", {}).get("content", {}).get("application/json", {})
    body = parts.get(_name(content.get("schema", {})), {})
    status = next(code for code in one["responses"] if code.startswith("2"))
    answer = one["responses"][status]["content"]["application/json"]
    ways = one.get("security", [])
    return Entry(
        one["operationId"],
        method.upper(),
        path,
        one.get("description", ""),
        tuple(scope for way in ways for scope in way.get("token", [])),
        {} in ways,
        tuple(
            Field(
                held["name"],
                f"{held['in']}, {kind_of(held.get('schema', {}))}",
                bool(held.get("required")),
                held.get("description", ""),
            )
            for held in one.get("parameters", [])
        ),
        tuple(_fields(body)),
        _pretty(content["example"]) if "example" in content else "",
        status,
        Field("", kind_of(answer["schema"]), True, "", _inner(answer["schema"])),
        _pretty(answer.get("example")),
    )


@cache
def chapters() -> tuple[Chapter, ...]:
    """Return every operation, grouped: made once per process."""
    schema = document()
    parts = schema["components"]["schemas"]
    found: dict[str, list[Entry]] = {}
    for path, methods in schema["paths"].items():
        for method, one in methods.items():
            found.setdefault(one["tags"][0], []).append(_entry(path, method, one, parts))
    return tuple(Chapter(name, tuple(entries)) for name, entries in found.items())


@cache
def shapes() -> tuple[Shape, ...]:
    """Return every named schema with fields, by name."""
    parts = document()["components"]["schemas"]
    return tuple(
        Shape(name, one.get("description", ""), tuple(_fields(one)) or _choices(one))
        for name, one in sorted(parts.items())
    )


def _choices(schema: dict[str, Any]) -> tuple[Field, ...]:
    """The members of a union, as fields."""
    return tuple(
        Field(kind_of(one), "one of these", False, "", _inner(one))
        for one in schema.get("anyOf", [])
    )


@guarded("portal.api_schema_read")
@require_GET
def developers(request: HttpRequest) -> HttpResponse:
    """Show the API: manners, operations, shapes, problems."""
    context = {"chapters": chapters(), "shapes": shapes(), "problems": PROBLEMS.values()}
    return render(request, "portal/developers.html", context)
