"""Does a projection equal its rebuild? The difference, row by row, without leaving a trace."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models, transaction

from eventstore import projections

Dump = dict[str, dict[str, str]]


class _RollBack(Exception):
    """Ends the block whose rebuild must leave nothing behind."""


def differences(names: Iterable[str] = ()) -> list[str]:
    """Rebuild projections (all, or those named) and put the kept rows back.

    Return one text per row that differs, empty when every kept row equals its rebuilt one.
    Raises KeyError for an unknown name.
    """
    faults: list[str] = []
    for name in names or projections.registered():
        projection = projections.registered()[name]
        before = _dump(projection)
        after: Dump = {}
        try:
            with transaction.atomic():
                projections.rebuild(name)
                after = _dump(projection)
                raise _RollBack
        except _RollBack:
            pass
        faults += [f"{name}: {line}" for line in _compare(before, after)]
    return faults


def _dump(projection: projections.Projection) -> Dump:
    tables: Dump = {}
    for table in projection.tables:
        rows: dict[str, str] = {}
        for row in table._default_manager.order_by("pk"):
            values = {field.attname: _plain(field, row) for field in table._meta.concrete_fields}
            rows[str(row.pk)] = json.dumps(values, cls=DjangoJSONEncoder, sort_keys=True)
        tables[table._meta.label] = rows
    return tables


def _plain(field: models.Field[Any, Any], row: models.Model) -> Any:
    value = getattr(row, field.attname)
    return value.hex() if isinstance(value, bytes) else value


def _compare(before: Dump, after: Dump) -> list[str]:
    lines: list[str] = []
    for table in before:
        old, new = before[table], after[table]
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                lines.append(f"{table} {key}\n  kept:    {old.get(key)}\n  rebuilt: {new.get(key)}")
    return lines
