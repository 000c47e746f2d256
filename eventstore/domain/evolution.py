"""Schema evolution: what must hold so that every event ever stored can be read.

A released type and version keep their shape for ever; a version below the newest has an upcaster
to the next. (The golden samples in tests/golden show the same from the side of the data.)
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec

from eventstore.domain import registry
from eventstore.domain.registry import DomainEvent


def _bare(value: Any) -> Any:
    """Return a JSON schema without the words in it: docstrings and titles may change."""
    if isinstance(value, dict):
        return {
            key: _bare(item)
            for key, item in value.items()
            if key not in {"description", "title"} or isinstance(item, dict)
        }
    if isinstance(value, list):
        return [_bare(item) for item in value]
    return value


def shape_of(cls: type[DomainEvent]) -> str:
    """Return the fingerprint (hex, 32 signs) of the fields, types and defaults of an event."""
    found = json.dumps(_bare(msgspec.json.schema(cls)), sort_keys=True)
    return hashlib.sha256(found.encode()).hexdigest()[:32]


def shapes() -> dict[str, str]:
    """Return the shape of the newest version of every registered type: `name.vN` to it."""
    return {
        f"{name}.v{schema}": shape_of(registry.class_of(name))
        for name, schema in registry.registered().items()
    }


def without_path() -> list[str]:
    """Return the versions (`name.vN`) from which no upcaster leads to the next."""
    return [
        f"{name}.v{version}"
        for name, newest in registry.registered().items()
        for version in range(1, newest)
        if not registry.has_upcaster(name, version)
    ]
