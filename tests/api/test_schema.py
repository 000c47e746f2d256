"""The schema: valid, whole, and what the server really answers, field by field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from rest_framework import serializers

from config.developers import chapters, shapes
from config.openapi import PROBLEMS, document
from people import rest
from people.guard import action_of
from tests.api.described import validator
from tests.api.routes import api_routes
from tests.conftest import Member

ClientOf = Callable[[Member | None], Client]
NOT_IN_IT = {"schema"}
"""Routes that the schema does not describe: itself."""
CODES = {str(status) for status, _code, _text in PROBLEMS.values()}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (path, method, operation) of the schema."""
    for path, methods in document()["paths"].items():
        for method, one in methods.items():
            yield path, method, one


def test_the_generator_has_nothing_to_warn_of() -> None:
    out, err = StringIO(), StringIO()
    call_command(
        "spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json",
        stdout=out, stderr=err,
    )  # fmt: skip
    made = json.loads(out.getvalue())
    assert made["openapi"].startswith("3.1")
    assert made == json.loads(json.dumps(document())), "the served schema is the generated one"


def test_every_route_and_method_is_in_it_and_declared() -> None:
    routes = api_routes()
    assert len(routes) > 50
    described = {(path, method) for path, method, _one in operations()}
    there: set[tuple[str, str]] = set()
    for route in routes:
        if route.name in NOT_IN_IT:
            continue
        assert issubclass(route.view, rest.Endpoint), route.path
        for method, declared in route.operations():
            assert declared is not None, f"{method} {route.path}: no operation()"
            there.add((route.path, method))
    assert there == described


def test_every_operation_says_all_there_is_to_say() -> None:
    ids: list[str] = []
    views = {route.path: route.view for route in api_routes()}
    for path, method, one in operations():
        where = f"{method} {path}"
        declared = rest.operation_of(views[path], method)
        assert declared is not None
        ids.append(one["operationId"])
        assert one["description"].strip(), where
        good = [code for code in one["responses"] if code.startswith("2")]
        assert good == [str(declared.status)], where
        media = one["responses"][good[0]]["content"]["application/json"]
        assert media["schema"] != {}, where
        assert "example" in media, where
        expected = CODES if method != "get" else (CODES | {"304"}) - {"413", "415"}
        assert set(one["responses"]) - set(good) == expected, where
        names = {held["name"] for held in one["parameters"]}
        assert set(re.findall(r"{(\w+)}", path)) <= names, where
        assert ("Idempotency-Key" in names) == declared.writes, where
        if method == "get":
            assert set(declared.query().fields) <= names, where
            assert "If-None-Match" in names
            assert declared.pages == ("page" in names), where
        if declared.body is not None:
            body = one["requestBody"]["content"]["application/json"]
            ref = body["schema"]["$ref"].rpartition("/")[2]
            fields = document()["components"]["schemas"][ref]
            assert set(fields["properties"]) == set(declared.body().fields), where
            assert fields["additionalProperties"] is False
            assert "example" in body, where
        assert {"session": []} in one["security"], where
        assert one["x-permission"] == action_of(views[path])
    assert len(ids) == len(set(ids))


def test_every_list_comes_in_pages_and_every_body_is_strict() -> None:
    for route in api_routes():
        for method, declared in route.operations():
            if declared is None:
                continue
            if declared.body is not None:
                assert issubclass(declared.body, rest.Body), route.path
                assert all(
                    isinstance(one, serializers.Field) for one in declared.body().fields.values()
                )
            if declared.operation_id.endswith(("_list", "_search", "_mine", "_queue", "_log")):
                assert declared.pages, route.path
            if method == "get":
                assert issubclass(declared.query, rest.Query), route.path


def test_every_example_fits_its_schema() -> None:
    tried = 0
    for path, method, one in operations():
        held = [one.get("requestBody", {}).get("content", {})]
        held += [found.get("content", {}) for found in one["responses"].values()]
        for content in held:
            for media in content.values():
                tried += 1
                faults = list(
                    validator(media["schema"], closed=False).iter_errors(media["example"])
                )
                assert not faults, f"{method} {path}: {[fault.message for fault in faults]}"
    for response in document()["components"]["responses"].values():
        media = response["content"]["application/problem+json"]
        assert not list(validator(media["schema"]).iter_errors(media["example"]))
    assert tried > 80


def test_no_named_shape_is_open_or_without_words() -> None:
    parts = document()["components"]["schemas"]
    assert not [name for name in parts if "." in name], "two shapes have one name"
    for name, one in parts.items():
        if one.get("type") == "object" and "properties" in one and name != "Problem":
            assert all(held != {} or key in ANYTHING for key, held in one["properties"].items()), (
                f"{name} has a field of no kind"
            )


ANYTHING = {"found", "allowed"}
"""Fields that hold whatever a rule found: a number, a text, a list."""


@pytest.mark.django_db
def test_the_schema_and_its_page_are_served(client_of: ClientOf) -> None:
    client = client_of(None)
    served = client.get("/api/v1/schema")
    assert served.status_code == 200
    assert served.json() == json.loads(json.dumps(document()))
    assert (
        client.get("/api/v1/schema", headers={"If-None-Match": served["ETag"]}).status_code == 304
    )
    page = client.get("/developers/")
    text = page.content.decode()
    assert page.status_code == 200
    assert "default-src 'self'" in page["Content-Security-Policy"]
    assert "unsafe" not in page["Content-Security-Policy"]
    for path, method, one in operations():
        assert f"<b>{method.upper()}</b> <code>{path}</code>" in text
        assert f'id="o-{one["operationId"]}"' in text
    ids = set(re.findall(r'id="([^"]+)"', text))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= ids
    assert not re.search(r'(src|href)="(https?:)?//', text)
    for shape in shapes():
        for field in shape.fields:
            assert f"<code>{field.name}</code>" in text
    assert sum(len(chapter.entries) for chapter in chapters()) == len(list(operations()))
