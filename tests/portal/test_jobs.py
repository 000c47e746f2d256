"""Background work as people see it: progress, what it found, and starting it again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction
from django.test import Client

from cards.services import banlist_import
from eventstore import outbox, store
from eventstore.commands import Context
from eventstore.ids import new_id
from eventstore.models import OutboxRow
from people.domain.actor import SYSTEM
from people.services import role_end
from portal import job_words, work
from tests.conftest import Member
from tests.portal.stage import starter
from tournaments import rechecks, services
from tournaments.domain.exchange import archive

ClientOf = Callable[..., Client]
pytestmark = pytest.mark.django_db


def cup(olga: Member) -> str:
    """An event whose registration is open."""
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Cup")
    services.registration_open(olga.context(), event_id=event_id)
    return event_id


def handed_in(olga: Member, event_id: str, name: str, deck: str) -> str:
    made = services.entrant_enrol(olga.context(), event_id=event_id, display_name=name)
    services.deck_submit(
        olga.context(), event_id=event_id, entrant_id=made.entrant_id, content=starter(deck)
    )
    return made.entrant_id


def test_all_lists_are_checked_again_and_those_that_differ_are_named(
    olga: Member, hedda: Member, charlie: Member, client_of: ClientOf
) -> None:
    """A list of limits that forbids a card of one of two lists."""
    event_id = cup(olga)
    hedda.grant("head_judge", event_id)
    ada = handed_in(olga, event_id, "Ada", "starter-ember")
    handed_in(olga, event_id, "Ben", "starter-tide")
    ember, tide = (set(starter(one).split()) for one in ("starter-ember", "starter-tide"))
    (card, *_) = sorted(one for one in ember - tide if one.isdigit())
    client = client_of(hedda)
    asked = client.post(f"/staff/events/{event_id}/lists/recheck/")
    outbox.drain()
    assert "2 lists checked, 0 illegal; 0 differ" in client.get(asked["Location"]).content.decode()

    limits = f"!2026.05 Cup\n{card} 0 --none\n".encode()
    made = banlist_import(Context(actor=SYSTEM, source="import"), source="cup", content=limits)
    chosen = {"banlist_id": made.lists[0].banlist_id}
    asked = client.post(f"/staff/events/{event_id}/lists/recheck/", chosen)
    outbox.drain()
    page = client.get(asked["Location"]).content.decode()
    assert "2 lists checked, 1 illegal; 1 differ" in page
    assert f'href="/staff/events/{event_id}/lists/{ada}/"' in page
    row = OutboxRow.objects.latest("pk")
    assert (row.progress, row.total, row.asked_by) == (2, 2, hedda.person_id)
    assert [one["now"] for one in row.found["params"]["lists"]] == [["forbidden"]]
    unknown = client.post(f"/staff/events/{event_id}/lists/recheck/", {"banlist_id": "x"})
    assert unknown["Location"].endswith("/lists/")
    told = client_of(olga).get(f"/api/v1/jobs/{row.pk}").json()
    assert (told["state"], told["done"], told["total"]) == ("done", 2, 2)
    assert told["found"]["code"] == "tournaments.lists_rechecked"
    assert client_of(charlie).get(f"/api/v1/jobs/{row.pk}").status_code == 404
    assert client_of(charlie).get(f"/jobs/{row.pk}/").status_code == 404


def test_what_was_given_up_is_started_again_by_the_site_and_that_is_on_record(
    olga: Member, jude: Member, client_of: ClientOf
) -> None:
    event_id = cup(olga)
    jude.grant("organiser", event_id)
    job = rechecks.lists_recheck(jude.context(), event_id=event_id)
    row = OutboxRow.objects.filter(pk=job)
    row.update(state="given_up", attempts=6, error="OSError: no space")
    address = f"/jobs/{job}/"
    mine = client_of(jude).get(address).content.decode()
    assert "Given up after 6 tries." in mine
    assert "OSError" not in mine, "that is for who runs the server"
    assert client_of(jude).post(address).status_code == 403
    site = client_of(olga)
    assert "OSError: no space" in site.get(address).content.decode()
    assert site.post(address).status_code == 302
    assert site.post(address).status_code == 409, "it waits already"
    (event,) = store.read_stream(f"job-{job}")
    assert (event.type, event.meta.actor) == ("portal.job_started_again", olga.person_id)
    assert f'href="{address}"' in site.get("/jobs/").content.decode()
    assert "hx-trigger" in client_of(jude).get(f"/staff/events/{event_id}/jobs/").content.decode()
    outbox.drain()
    assert row.get().state == "done"
    assert "hx-trigger" not in site.get(address).content.decode(), "nothing moves any more"


def test_a_running_job_shows_how_far_it_is_and_others_learn_nothing(
    olga: Member, charlie: Member, client_of: ClientOf
) -> None:
    with transaction.atomic():
        job = outbox.enqueue(
            "portal.webhook",
            {"delivery": new_id()},
            asked_by=charlie.person_id,
            receiver="somebody",
        )
    OutboxRow.objects.filter(pk=job).update(state="running", progress=30, total=120)
    page = client_of(charlie).get(f"/jobs/{job}/").content.decode()
    assert "30 of 120 done" in page
    assert 'width="25%"' in page
    for address in ("/jobs/0/", f"/jobs/{2**70}/", f"/jobs/{job}9/"):
        assert client_of(charlie).get(address).status_code == 404
    assert client_of(charlie).get("/jobs/").status_code == 404
    assert client_of(None).get(f"/jobs/{job}/").status_code == 404


def test_the_archive_is_made_for_who_runs_the_event_and_no_longer(
    olga: Member, jude: Member, charlie: Member, client_of: ClientOf
) -> None:
    event_id = cup(olga)
    jude.grant("organiser", event_id)
    client = client_of(jude)
    refused = client_of(charlie).post(f"/staff/events/{event_id}/files/archive/make/")
    assert refused.status_code == 403
    form = {"nonce": new_id()}
    make = f"/staff/events/{event_id}/files/archive/make/"
    asked = client.post(make, form)["Location"]
    for again in (form, {"nonce": new_id()}):  # a double tap, another one while it waits
        assert client.post(make, again)["Location"] == asked
    assert OutboxRow.objects.filter(topic=work.ARCHIVE).count() == 1
    # a form that was used for something else says so
    other = cup(olga)
    jude.grant("organiser", other)
    said = client.post(f"/staff/events/{other}/files/archive/make/", form)
    assert said["Location"] == f"/staff/events/{other}/files/"
    outbox.drain()
    got = client.get(f"{asked}file/")
    assert got["Content-Type"] == "application/json"
    assert archive.read(got.content).settings["name"] == "Cup"
    again = rechecks.lists_recheck(jude.context(), event_id=event_id)
    late = work.file_ask(jude.context(), topic=work.ARCHIVE, event_id=event_id)
    system = Context(actor=SYSTEM, source="system")
    role_end(system, person_id=jude.person_id, role="organiser", event_id=event_id)
    outbox.drain()
    for job in (again, late):
        assert OutboxRow.objects.get(pk=job).found["code"] == "people.rights_lost"
    assert client.get(f"{asked}file/").status_code == 403
    assert "The file is made" not in client.get(asked).content.decode()


def test_each_job_has_words_and_a_missing_value_is_a_dash() -> None:
    site = [one for one in outbox.topics() if not one.startswith("sample.")]
    assert [one for one in site if job_words.title(one, {}) == one] == []
    assert job_words.title("cards.import", {}) == "Import of –"
    assert job_words.title("room.gone", {}) == "room.gone"
    assert job_words.outcome({}) == ""
    assert job_words.outcome({"code": "people.rights_lost"}).startswith("Whoever asked")
