"""A role with an end stops working at that moment: nothing runs, nobody has to press a button."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from eventstore import clock
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.models import Event
from people.access import NotAllowed
from people.selectors import without_log_in
from people.services import role_grant
from tests.conftest import Member, make_member
from tests.helpers import rebuilds_equal
from tournaments import services

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)


@contextmanager
def at(hours: float) -> Iterator[None]:
    """Let it be so many hours past noon."""
    with clock.clock_set(lambda: NOON + timedelta(hours=hours)):
        yield


def until(hours: float) -> str:
    return clock.as_text(NOON + timedelta(hours=hours))


def opened(olga: Member) -> str:
    event_id = new_id()
    services.event_create(
        olga.context(), event_id=event_id, name="Cup", zone="Europe/Zagreb", decks_required=False
    )
    services.registration_open(olga.context(), event_id=event_id)
    return event_id


def test_a_role_ends_by_the_clock_alone(olga: Member, jude: Member, client_of: ClientOf) -> None:
    with at(0):
        event = opened(olga)
        role_grant(
            olga.context(), person_id=jude.person_id, role="judge", event_id=event, until=until(2)
        )
        client, page = client_of(jude), f"/staff/events/{event}/calls/"
        assert client.get(page).status_code == 200
        logged = Event.objects.count()
    with at(1.999):
        assert client.get(page).status_code == 200
    with at(2):
        assert client.get(page).status_code == 404
        assert jude.actor.event_roles == {}
        rebuilds_equal()
    assert Event.objects.count() == logged, "nothing was written when it ended"


def test_the_sites_organiser_for_a_day(charlie: Member, olga: Member, client_of: ClientOf) -> None:
    with at(0):
        role_grant(olga.context(), person_id=charlie.person_id, role="organiser", until=until(2))
        client = client_of(charlie)
        assert client.get("/admin/").status_code == 200
    with at(2):
        assert client.get("/admin/").status_code == 403
        assert client.post("/staff/events/new/", {"act": "create"}).status_code == 403


@pytest.mark.parametrize("text", ["", "tomorrow", until(-1), until(0), "2026-05-02", "9" * 40])
def test_an_end_that_is_none_or_past_is_refused(olga: Member, jude: Member, text: str) -> None:
    with at(0), pytest.raises(Refused) as fault:
        role_grant(olga.context(), person_id=jude.person_id, role="organiser", until=text)
    assert fault.value.refusal.code == "people.until_invalid"


def test_the_page_of_roles_takes_a_local_time_and_forgets_who_has_ended(
    olga: Member, jude: Member, client_of: ClientOf
) -> None:
    with at(0):
        event = opened(olga)
        desk, page = client_of(olga), f"/staff/events/{event}/roles/"
        given = {"act": "grant", "person_id": jude.person_id, "role": "judge"}
        bad = desk.post(page, {**given, "until": "soon", "nonce": new_id()})
        assert bad.status_code == 409
        assert "must be a time to come" in bad.content.decode()
        past = desk.post(page, {**given, "until": "2026-05-02T13:00", "nonce": new_id()})
        assert past.status_code == 409, "one o'clock in Zagreb is before noon in UTC"
        done = desk.post(page, {**given, "until": "2026-05-02T18:00", "nonce": new_id()})
        assert done.status_code == 302
        assert "18:00 CEST" in desk.get(page).content.decode()
        assert jude.actor.event_roles
    with at(4):
        assert not jude.actor.event_roles
        assert "18:00 CEST" not in client_of(olga).get(page).content.decode()


def test_a_role_can_be_given_again_after_its_end(olga: Member, jude: Member) -> None:
    with at(0):
        role_grant(olga.context(), person_id=jude.person_id, role="organiser", until=until(1))
    with at(2):
        assert not jude.actor.site_organiser
        jude.grant("organiser")
        assert jude.actor.site_organiser


def test_the_page_of_roles_says_whose_role_needs_a_log_in_first(
    olga: Member, jude: Member, client_of: ClientOf
) -> None:
    event = opened(olga)
    newcomer = make_member(7, "Nora", account=False)
    desk, page = client_of(olga), f"/staff/events/{event}/roles/"
    role_grant(olga.context(), person_id=jude.person_id, role="judge", event_id=event)
    assert "has no log-in" not in desk.get(page).content.decode()
    role_grant(olga.context(), person_id=newcomer.person_id, role="judge", event_id=event)
    assert desk.get(page).content.decode().count("This person has no log-in.") == 1
    assert without_log_in(olga.actor, [jude.person_id, newcomer.person_id], event_id=event) == {
        newcomer.person_id
    }
    with pytest.raises(NotAllowed):
        without_log_in(jude.actor, [jude.person_id], event_id=event)


def test_whoever_is_not_signed_in_finds_the_sign_in_at_the_desk(
    olga: Member, client_of: ClientOf
) -> None:
    assert "/sign-in/" in main_of(client_of(None))
    assert "/sign-in/" not in main_of(client_of(olga))


def test_a_deck_checker_is_led_to_the_lists(
    olga: Member, jude: Member, client_of: ClientOf
) -> None:
    event = opened(olga)
    role_grant(olga.context(), person_id=jude.person_id, role="deck_checker", event_id=event)
    assert f"/staff/events/{event}/lists/" in main_of(client_of(jude))


def main_of(client: Client) -> str:
    """The desk's first page, without the frame."""
    return client.get("/staff/").content.decode().partition("<main")[2]
