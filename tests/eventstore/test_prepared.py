"""Look-ups that are written once: they find what their query set finds."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Q

from eventstore.models import NotTheProjector, projector_writes
from eventstore.prepared import PreparedInsert, PreparedUpdate, ask, prepared
from people.models import Person
from portal.models import LiveSubject
from tests.helpers import query_count

pytestmark = pytest.mark.django_db


@prepared
def rows_of(event_id: Any, key: Any) -> Any:
    return LiveSubject.objects.filter(Q(key=key) | Q(shown=True), event_id=event_id).order_by("key")


@prepared
def some(*keys: Any) -> Any:
    rows = LiveSubject.objects.filter(pk__in=keys).order_by("-key")
    return rows.values_list("key", "shown", "persons")


@prepared
def keys_of(event_id: Any) -> Any:
    return (
        LiveSubject.objects.filter(event_id=event_id).order_by("key").values_list("key", flat=True)
    )


@pytest.fixture(autouse=True)
def subjects() -> None:
    with projector_writes():
        LiveSubject.objects.bulk_create(
            [
                LiveSubject(key="match:1", event_id="e", persons=["a", "b"], shown=False),
                LiveSubject(key="match:2", event_id="e", persons=["c'; --"], shown=True),
                LiveSubject(key="match:3", event_id="f", persons=[], shown=True),
            ]
        )


def test_rows_and_values_are_those_of_the_query_set() -> None:
    for event_id, key in (("e", "match:1"), ("e", "none"), ("f", "match:1"), ("g' OR 1=1", "%s")):
        usual = LiveSubject.objects.filter(Q(key=key) | Q(shown=True), event_id=event_id)
        found = rows_of(event_id, key)
        assert found == list(usual.order_by("key"))
        assert [(one.persons, one.shown) for one in found] == [
            (one.persons, one.shown) for one in usual.order_by("key")
        ]
    assert some("match:1", "match:2") == [
        ("match:2", True, ["c'; --"]),
        ("match:1", False, ["a", "b"]),
    ]
    assert some("match:3") == [("match:3", True, [])]
    assert keys_of("e") == ["match:1", "match:2"]
    assert query_count(lambda: keys_of("e")) == 1


def test_several_are_asked_at_once_where_that_can_be() -> None:
    bound = (keys_of.bind("e"), some.bind("match:3", "%s;"), keys_of.bind("none"))
    assert ask(*bound) == [["match:1", "match:2"], [("match:3", True, [])], []]
    assert ask() == []
    asked = query_count(lambda: ask(*bound))
    assert asked == (1 if connection.vendor == "postgresql" else len(bound))


def test_a_read_table_is_written_by_its_projector_alone() -> None:
    write = PreparedUpdate(LiveSubject, "shown", "persons")
    with pytest.raises(NotTheProjector):
        write("match:1", True, ["x"])
    with projector_writes():
        write("match:1", True, ["x", {"y": None}])
    assert some("match:1", "match:3") == [
        ("match:3", True, []),
        ("match:1", True, ["x", {"y": None}]),
    ]


def test_a_row_is_added_by_its_projector_alone() -> None:
    add, row = PreparedInsert(LiveSubject), LiveSubject(key="match:4", event_id="e", persons=["d"])
    with pytest.raises(NotTheProjector):
        add(row)
    with projector_writes():
        add(row)
        with pytest.raises(IntegrityError), transaction.atomic():
            add(row)
    assert rows_of("e", "match:4")[-1].persons == ["d"]
    assert some("match:4") == [("match:4", False, ["d"])]


def test_what_cannot_be_read_this_way_is_told_at_once() -> None:
    as_dicts = prepared(lambda pk: Person.objects.filter(pk=pk).values("pk"))
    with pytest.raises(TypeError):
        as_dicts("a")
