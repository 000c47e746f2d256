"""The schema as a judge of answers: validators that allow no field it does not name."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from config.openapi import document


def strict(schema: Any) -> Any:
    """Return a schema that allows no field beyond those it names: a field that an answer has
    and the schema has not is found by it."""
    made = copy.deepcopy(schema)

    def close(value: Any) -> None:
        if isinstance(value, dict):
            if "properties" in value and "additionalProperties" not in value:
                value["unevaluatedProperties"] = False
            for inner in value.values():
                close(inner)
        elif isinstance(value, list):
            for inner in value:
                close(inner)

    close(made)
    return made


def validator(schema: dict[str, Any], *, closed: bool = True) -> Draft202012Validator:
    """Return a validator of a schema within the document."""
    held = {"components": document()["components"], **schema}
    if closed:
        # parts of an allOf are closed together, by the whole, not one by one
        held = strict(held)
        for part in schema.get("allOf", []):
            name = part.get("$ref", "").rpartition("/")[2]
            if name:
                held["components"]["schemas"][name].pop("unevaluatedProperties", None)
        for part in held.get("allOf", []):
            part.pop("unevaluatedProperties", None)
        if "allOf" in held:
            held["unevaluatedProperties"] = False
    return Draft202012Validator(held)


@cache
def checker(path: str, method: str, status: str) -> Draft202012Validator:
    """Return the validator of one answer; raises KeyError when the schema has no such answer."""
    response = document()["paths"][path][method]["responses"][status]
    if "$ref" in response:
        name = response["$ref"].rpartition("/")[2]
        response = document()["components"]["responses"][name]
    (media,) = response["content"].values()
    return validator(media["schema"])
