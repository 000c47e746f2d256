"""Read tables: written by their projector only, and equal to their rebuild."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from eventstore import projections
from eventstore.models import NotTheProjector, projector_writes
from people.models import RoleRow
from tests.conftest import Member
from tests.helpers import queries, rebuilds_equal

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


def test_nobody_but_the_projector_writes_a_read_table(olga: Member) -> None:
    row = RoleRow.objects.get()
    for act in (
        row.save,
        row.delete,
        RoleRow.objects.all().delete,
        lambda: RoleRow.objects.update(role="judge"),
        lambda: RoleRow.objects.create(key="k", person_id="p", role="judge"),
        lambda: RoleRow.objects.bulk_create([RoleRow(key="k", person_id="p", role="judge")]),
        lambda: RoleRow.objects.bulk_update([row], ["role"]),
        lambda: RoleRow.objects.get_or_create(key="k", defaults={"role": "judge"}),
        lambda: RoleRow.objects.update_or_create(key=row.key, defaults={"role": "judge"}),
    ):
        with pytest.raises(NotTheProjector):
            act()
    assert list(RoleRow.objects.values_list("role", flat=True)) == ["organiser"]


def test_the_rebuild_gives_the_rows_that_stood_there(olga: Member, jude: Member) -> None:
    jude.grant("judge", "e1")
    before = list(RoleRow.objects.order_by("key").values())
    with projector_writes():
        RoleRow.objects.all().delete()
    assert projections.rebuild("people.roles") == 2
    assert list(RoleRow.objects.order_by("key").values()) == before


def test_the_helper_sees_a_row_too_many_too_few_or_different(olga: Member, jude: Member) -> None:
    jude.grant("judge", "e1")
    assert rebuilds_equal() == len(projections.registered())
    with projector_writes():
        RoleRow.objects.filter(event_id="e1").update(role="head_judge")
    with pytest.raises(AssertionError, match="head_judge"):
        rebuilds_equal("people.roles")
    with projector_writes():
        RoleRow.objects.filter(event_id="e1").delete()
    with pytest.raises(AssertionError, match="kept:    None"):
        rebuilds_equal("people.roles")
    projections.rebuild("people.roles")
    with projector_writes():
        RoleRow(key="more", person_id="p", role="judge").save()
    with pytest.raises(AssertionError, match="rebuilt: None"):
        rebuilds_equal("people.roles")
    assert RoleRow.objects.filter(key="more").exists(), "the helper changes nothing"


def test_the_command_rebuilds_and_speaks_json(olga: Member) -> None:
    out, err = StringIO(), StringIO()
    call_command("rebuild", "people.roles", json=True, stdout=out, stderr=err)
    assert json.loads(out.getvalue()) == {"rebuilt": {"people.roles": 1}}
    assert "people.roles: 1 events" in err.getvalue()


def test_the_command_rebuilds_all_without_a_name(olga: Member) -> None:
    out = StringIO()
    call_command("rebuild", json=True, stdout=out, stderr=StringIO())
    assert json.loads(out.getvalue())["rebuilt"].keys() == projections.registered().keys()


def test_the_command_names_a_projection_that_is_not_there() -> None:
    with pytest.raises(CommandError, match=r"no projection people\.nobody"):
        call_command("rebuild", "people.nobody")
    with pytest.raises(KeyError):
        projections.rebuild("people.nobody")


def test_a_name_and_an_event_have_one_projection_and_one_handler() -> None:
    with pytest.raises(ValueError, match="exists"):
        projections.Projection("people.roles", [])


def test_the_query_counter_counts(olga: Member) -> None:
    with queries(exactly=1) as seen:
        list(RoleRow.objects.all())
    assert len(seen) == 1
    with pytest.raises(AssertionError, match="2 queries, not 1"), queries(exactly=1):
        RoleRow.objects.count()
        RoleRow.objects.count()
    with pytest.raises(AssertionError, match="more than 0"), queries(at_most=0):
        RoleRow.objects.count()
