"""A join link of one event opens nothing of its person at another one."""

from __future__ import annotations

import pytest
from django.test import Client

from eventstore.commands import Context
from eventstore.ids import new_id
from people.access import NotAllowed
from people.joinlinks import JoinLink, make
from people.selectors import actor_for
from tests.conftest import Member
from tournaments import selectors, services

pytestmark = pytest.mark.django_db


def event_with(olga: Member, *members: Member) -> str:
    event_id = services.event_create(
        olga.context(), event_id=new_id(), name="Cup", decks_required=False
    )
    services.registration_open(olga.context(), event_id=event_id)
    for member in members:
        services.entrant_enrol(olga.context(), event_id=event_id, person_id=member.person_id)
    return event_id


def joined(client: Client, event_id: str, person_id: str) -> Client:
    answer = client.post(f"/join/{make(JoinLink(event_id, person_id))}/", {"act": "join"})
    assert answer.status_code == 302
    return client


def test_a_link_of_one_event_is_no_key_to_another(olga: Member, alice: Member) -> None:
    here, there = event_with(olga, alice), event_with(olga, alice)
    phone = joined(Client(), here, alice.person_id)
    assert phone.get(f"/my/{here}/").status_code == 200
    for page in ("", "deck/", "standing/", "judge/"):
        assert phone.get(f"/my/{there}/{page}").status_code == 404
    assert phone.get("/my/").headers["Location"].endswith(f"/my/{here}/")


def test_links_of_two_events_add_up_and_another_person_starts_anew(
    olga: Member, alice: Member, bob: Member
) -> None:
    here, there = event_with(olga, alice, bob), event_with(olga, alice)
    phone = joined(joined(Client(), here, alice.person_id), there, alice.person_id)
    assert phone.get(f"/my/{here}/").status_code == phone.get(f"/my/{there}/").status_code == 200
    joined(phone, here, bob.person_id)
    assert phone.get(f"/my/{here}/").status_code == 200
    assert phone.get(f"/my/{there}/").status_code == 404


def test_commands_of_a_device_end_at_its_event(olga: Member, alice: Member) -> None:
    here, there = event_with(olga, alice), event_with(olga, alice)
    device = actor_for(alice.person_id, signed_in=False, device_events=frozenset({here}))
    assert [one.pk for one in selectors.my_events(device)] == [here]
    assert selectors.entrant_of_person(device, there) is None

    own = selectors.entrant_of_person(alice.actor, there) or ""
    with pytest.raises(NotAllowed) as fault:
        services.entrant_drop(
            Context(actor=device, source="player"), event_id=there, entrant_id=own
        )
    assert fault.value.hidden
