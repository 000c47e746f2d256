"""/admin: read tables cut to the viewer's own events, and buttons that send commands."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from eventstore.domain.refusal import Refusal
from judging import services
from judging.models import CallRow, RulingRow
from portal.wording import refusal_text
from tests.conftest import Member
from tests.judging.hall import Hall, raise_call, to_table

pytestmark = [pytest.mark.django_db]
ClientOf = Callable[[Member | None], Client]
SUBMIT = {"_form_submitted": "1"}
CALLS = "admin:judging_callrow_changelist"


@pytest.fixture
def hedda_site(hedda: Member) -> Member:
    """Hedda, who is let into /admin as well."""
    hedda.grant("organiser")
    return hedda


def test_tables_open_and_hold_no_note(
    hall: Hall, alice: Member, hedda_site: Member, client_of: ClientOf
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda_site, call_id)
    ruled = services.ruling_make(hedda_site.context("judge"), call_id=call_id, note="secret")
    client = client_of(hedda_site)
    sealed = RulingRow.objects.get(pk=ruled.ruling_id).note
    for name, args in (
        ("callrow_changelist", []),
        ("callrow_change", [call_id]),
        ("rulingrow_changelist", []),
        ("rulingrow_change", [ruled.ruling_id]),
    ):
        page = client.get(reverse(f"admin:judging_{name}", args=args))
        assert page.status_code == 200, name
        assert sealed not in page.content.decode()
    assert call_id in client.get(reverse(CALLS)).content.decode()


def test_an_organiser_of_the_site_without_a_role_in_the_event_sees_no_call(
    hall: Hall, alice: Member, charlie: Member, client_of: ClientOf
) -> None:
    charlie.grant("organiser")
    call_id = raise_call(alice, hall.match_id)
    client = client_of(charlie)
    page = client.get(reverse(CALLS))
    assert page.status_code == 200
    assert call_id not in page.content.decode()
    answer = client.post(button("callrow", call_id, "claim"), SUBMIT)
    assert answer.status_code == 403
    assert CallRow.objects.get(pk=call_id).state == "raised"


def button(table: str, row: str, act: str) -> str:
    """Address of a button."""
    return reverse(f"admin:judging_{table}_{act}", args=[row])


def test_buttons_claim_close_and_approve(
    hall: Hall, alice: Member, jude: Member, hedda_site: Member, client_of: ClientOf
) -> None:
    client = client_of(hedda_site)
    call_id = raise_call(alice, hall.match_id)
    claim = button("callrow", call_id, "claim")
    assert client.get(claim).status_code == 200
    assert CallRow.objects.get(pk=call_id).state == "raised", "looking changes nothing"
    client.post(claim, SUBMIT)
    assert CallRow.objects.get(pk=call_id).claimed_by == hedda_site.person_id
    services.call_give_back(hedda_site.context("judge"), call_id=call_id)

    to_table(jude, call_id)
    ruled = services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="DC-MAJOR",
        target_entrant=hall.ea,
        remedy="loss",
    )
    client.post(button("callrow", call_id, "close"), SUBMIT)
    assert CallRow.objects.get(pk=call_id).state == "closed"
    client.post(button("rulingrow", ruled.ruling_id, "approve"), SUBMIT)
    assert RulingRow.objects.get(pk=ruled.ruling_id).in_force
    assert hall.wins(hall.eb) == 1


def test_a_refused_button_says_why(
    hall: Hall, alice: Member, jude: Member, hedda_site: Member, client_of: ClientOf
) -> None:
    client = client_of(hedda_site)
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    ruled = services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="DC-MAJOR",
        target_entrant=hall.ea,
        remedy="loss",
    )
    services.call_appeal(alice.context(), call_id=call_id)
    answer = client.post(button("rulingrow", ruled.ruling_id, "approve"), SUBMIT)
    # A form opened as a page of its own has no script to follow the header of the dialog.
    assert answer.headers["Refresh"] == f"0; url={answer.headers['HX-Redirect']}"
    page = client.get(answer.headers["HX-Redirect"]).content.decode()
    said = refusal_text(Refusal("judging.under_appeal", {"found": "appealed"}))
    assert escape(said) in page
    assert not RulingRow.objects.get(pk=ruled.ruling_id).in_force


def test_a_button_that_has_nothing_to_do_is_not_there(
    hall: Hall, alice: Member, hedda_site: Member, client_of: ClientOf
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda_site, call_id)
    answer = client_of(hedda_site).post(button("callrow", call_id, "claim"), SUBMIT)
    assert answer.status_code == 403
