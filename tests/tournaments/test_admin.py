"""The admin: tables that nobody edits, buttons that send commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from tests.conftest import Member
from tests.tournaments.conftest import Running
from tournaments import services
from tournaments.models import EventRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]
TABLES = ("eventrow", "entrantrow", "roundrow", "matchrow", "standingrow")


@pytest.fixture
def admin_client(olga: Member, client_of: Callable[[Member], Client]) -> Client:
    return client_of(olga)


def press(client: Client, button: str, object_id: str | None = None, **fields: Any) -> Any:
    address = reverse(f"admin:tournaments_eventrow_{button}", args=[object_id] if object_id else [])
    return client.post(address, {"_form_submitted": "on"} | fields, headers={"HX-Request": "true"})


def test_every_table_lists_and_shows_its_rows(admin_client: Client, make_event: Make) -> None:
    event = make_event(5, start=True)
    event.play_swiss()
    for table in TABLES:
        answer = admin_client.get(reverse(f"admin:tournaments_{table}_changelist"))
        assert answer.status_code == 200
        assert b"Alice" in answer.content or table in ("eventrow", "roundrow")
        model = next(m for m in _models() if m._meta.model_name == table)
        row = model.objects.first()
        page = admin_client.get(reverse(f"admin:tournaments_{table}_change", args=[row.pk]))
        assert page.status_code == 200


def _models() -> list[Any]:
    from django.apps import apps

    return list(apps.get_app_config("tournaments").get_models())


def test_no_form_adds_changes_or_deletes(admin_client: Client, make_event: Make) -> None:
    event = make_event(4)
    for table in TABLES:
        assert admin_client.get(reverse(f"admin:tournaments_{table}_add")).status_code == 403
    change = reverse("admin:tournaments_eventrow_change", args=[event.event_id])
    assert admin_client.post(change, {"name": "Stolen"}).status_code == 403
    delete = reverse("admin:tournaments_eventrow_delete", args=[event.event_id])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403
    assert EventRow.objects.get().name == "Friday cup"


def test_an_event_from_creation_to_its_end_by_buttons(admin_client: Client, olga: Member) -> None:
    press(
        admin_client,
        "create",
        name="Button cup",
        zone="Europe/Budapest",
        preset="classic",
        match_rules="ygo-classic",
        deck_deadline="2026-07-01 10:00",
        rounds="1",
        cut="2",
    )
    row = EventRow.objects.get()
    assert (row.deck_deadline, row.status) == ("2026-07-01T08:00:00.000000Z", "draft")
    press(admin_client, "open_registration", row.pk)
    for name in ("Dora", "Emil", "Fay", "Gus"):
        made = services.entrant_enrol(olga.context(), event_id=row.pk, display_name=name)
        services.entrant_check_in(olga.context(), event_id=row.pk, entrant_id=made.entrant_id)
    press(admin_client, "close_registration", row.pk)
    event = Running(olga, row.pk)
    press(admin_client, "start", row.pk)
    for _ in range(2):
        press(admin_client, "pair", row.pk)
        press(admin_client, "publish", row.pk)
        event.settle()
        press(admin_client, "make_cut", row.pk)
    press(admin_client, "finish", row.pk)
    row.refresh_from_db()
    assert (row.status, row.round) == ("finished", 2)


def test_a_refusal_is_shown_and_changes_nothing(admin_client: Client, make_event: Make) -> None:
    event = make_event(3)
    press(admin_client, "start", event.event_id)
    page = admin_client.get(reverse("admin:tournaments_eventrow_change", args=[event.event_id]))
    assert b"4" in page.content
    assert EventRow.objects.get().status == "open"


def test_a_wrong_deadline_is_said_in_the_form(admin_client: Client) -> None:
    answer = press(
        admin_client,
        "create",
        name="Cup",
        zone="Nowhere/Land",
        preset="classic",
        match_rules="ygo-classic",
        deck_deadline="soon",
        cut="0",
    )
    assert answer.status_code == 200
    assert not EventRow.objects.exists()


def test_others_do_not_get_in(make_event: Make, charlie: Member, client_of: Any) -> None:
    make_event(4)
    answer = client_of(charlie).get(reverse("admin:tournaments_eventrow_changelist"))
    assert answer.status_code in (302, 403)


def test_the_labels_of_tables_are_english() -> None:
    """The plural that Django makes by itself puts the s behind the last word, whatever it is."""
    named = [model._meta for model in admin.site._registry]
    wrong = [
        str(one.verbose_name_plural)
        for one in named
        if str(one.verbose_name_plural) == f"{one.verbose_name}s"
        and (" of " in str(one.verbose_name) or str(one.verbose_name).endswith(" row"))
    ]
    assert len(named) > 20
    assert wrong == []
