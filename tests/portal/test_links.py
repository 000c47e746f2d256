"""Join links: how long they work, what their end ends, and who may end them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing
from django.test import Client

from eventstore import clock
from eventstore.ids import new_id
from people.joinlinks import SALT, JoinLink, make, read
from people.web import DEVICE_SINCE
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.portal.test_join_scope import event_with, joined
from tournaments.models import EntrantRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)


@contextmanager
def at(hours: float) -> Iterator[None]:
    """Let it be so many hours past noon."""
    with clock.clock_set(lambda: NOON + timedelta(hours=hours)):
        yield


@pytest.mark.parametrize("hours", [12, 72, 336])
def test_a_link_works_as_long_as_it_says(hours: int) -> None:
    with at(0):
        token = make(JoinLink("event", "person"), hours=hours)
        assert read(token) == JoinLink("event", "person")
    with at(hours - 0.01):
        assert read(token) is not None
    with at(hours):
        assert read(token) is None


@pytest.mark.parametrize(
    "content",
    [
        None, [], ["event"], ["event", None], {"a": 1}, ["e", "p", "now", "later"],
        ["e", "p", 1, 10**40], ["e", "p", -(10**30), 0], "text", ["e", "p", 1, 2, 3],
    ],
)  # fmt: skip
def test_a_link_of_another_shape_is_dead_though_signed(content: object) -> None:
    assert read(signing.dumps(content, salt=SALT)) is None


def test_a_signature_for_something_else_makes_no_link() -> None:
    with at(0):
        token = make(JoinLink("event", "person"))
        assert read(signing.dumps(signing.loads(token, salt=SALT), salt="headjudge.device")) is None


def _address(desk: Client, page: str) -> str:
    return re.search(r'href="http://testserver(/join/[^"]+)"', desk.get(page).content.decode())[1]  # type: ignore[index]


def test_ending_the_links_of_a_player_signs_out_the_phone_that_was_lost(
    olga: Member, alice: Member, bob: Member, client_of: ClientOf
) -> None:
    event, other = event_with(olga, alice, bob), event_with(olga, alice)
    entrant = EntrantRow.objects.filter(event_id=event).order_by("number")[0].pk
    desk, page = client_of(olga), f"/staff/events/{event}/join/?entrant={entrant}"
    before = _address(desk, page)
    lost = joined(joined(Client(), event, alice.person_id), other, alice.person_id)
    of_bob = joined(Client(), event, bob.person_id)
    assert lost.get(f"/my/{event}/").status_code == 200
    assert desk.post(page, {"act": "end", "nonce": new_id()}).status_code == 302
    assert lost.get(f"/my/{event}/").status_code == 404
    assert lost.get(f"/my/{other}/").status_code == 200, "another event is another binding"
    assert of_bob.get(f"/my/{event}/").status_code == 200
    assert "does not work" in Client().get(before).content.decode()
    after = _address(desk, page)
    found = Client()
    assert found.post(after, {"act": "join"}).status_code == 302
    assert found.get(f"/my/{event}/").status_code == 200
    rebuilds_equal()


def test_ending_the_links_of_an_event_leaves_those_who_joined(
    olga: Member, alice: Member, client_of: ClientOf
) -> None:
    event = event_with(olga, alice)
    desk, page = client_of(olga), f"/staff/events/{event}/join/"
    before = _address(desk, page)
    phone = Client()
    given = {"act": "join", "display_name": "Nora", "nonce": new_id()}
    assert phone.post(before, given).status_code == 302
    of_alice = joined(Client(), event, alice.person_id)
    assert desk.post(page, {"act": "end", "nonce": new_id()}).status_code == 302
    late = Client().post(before, {"act": "join", "display_name": "Late", "nonce": new_id()})
    assert late.status_code == 404
    for one in (phone, of_alice):
        assert one.get(f"/my/{event}/").status_code == 200


def test_a_device_of_unknown_age_ends_with_the_links(
    olga: Member, alice: Member, client_of: ClientOf
) -> None:
    event = event_with(olga, alice)
    phone = client_of(alice)
    assert DEVICE_SINCE not in phone.session
    assert phone.get(f"/my/{event}/").status_code == 200
    entrant = EntrantRow.objects.get(event_id=event).pk
    page = f"/staff/events/{event}/join/?entrant={entrant}"
    client_of(olga).post(page, {"act": "end", "nonce": new_id()})
    assert phone.get(f"/my/{event}/").status_code == 404


def test_the_desk_chooses_how_long_a_link_works(
    olga: Member, alice: Member, client_of: ClientOf
) -> None:
    event = event_with(olga, alice)
    desk, page = client_of(olga), f"/staff/events/{event}/join/"
    with at(0):
        desk = client_of(olga)
        short = _address(desk, f"{page}?hours=12")
        usual = _address(desk, f"{page}?hours=99999")
    with at(13):
        assert Client().get(short).status_code == 404
        assert Client().get(usual).status_code == 200


def test_nobody_else_ends_links(
    olga: Member, alice: Member, jude: Member, charlie: Member, client_of: ClientOf
) -> None:
    event = event_with(olga, alice)
    jude.grant("judge", event)
    page = f"/staff/events/{event}/join/"
    live = _address(client_of(olga), page)
    for member in (None, alice, jude, charlie):
        assert client_of(member).post(page, {"act": "end"}).status_code == 403
    assert Client().get(live).status_code == 200
