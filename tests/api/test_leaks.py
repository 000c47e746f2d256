"""Tokens that reach less than their person learn nothing of what lies beyond, and what is hidden
answers as what is not there: equal bytes at equal cost, on every route of the API."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from django.test import Client

from eventstore import clock
from eventstore.ids import new_id
from judging import services as judging
from portal.webhooks import services as webhooks
from tests.api.test_tokens import make_token
from tests.portal.cast import House
from tests.portal.leaks import Watch, seen, shows
from tests.portal.stage import player
from tests.portal.test_routes import table
from tournaments import services
from tournaments.models import MatchRow

pytestmark = pytest.mark.django_db
NARROW = {
    "head:read": ("head", ["read"], True),
    "head:play": ("head", ["play"], True),
    "head:elsewhere": ("head", ["judge", "staff_read"], False),
    "organ:webhooks": ("organ", ["webhooks"], True),
    "site:read": ("site", ["read"], True),
}
"""Readers: whose token it is, its scopes, whether it is for this event or for another."""
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}")


@pytest.fixture
def house(
    make_house: Callable[[], House],
) -> Iterator[House]:
    """The whole cast on the stage with its tokens, and a clock that stands still."""
    made = make_house()
    moment = clock.now()
    with clock.clock_set(lambda: moment):
        for reader, (name, scopes, here) in NARROW.items():
            member = made.cast[name]
            assert member is not None
            secret = make_token(member, *scopes, event_id=None if here else new_id())
            made.clients[reader] = Client(headers={"Authorization": f"Bearer {secret}"})
            made.clients[reader].get("/api/v1/events")  # its first use is marked
        yield made


def addresses(house: House) -> list[str]:
    """Every address of the API that can be read."""
    return [
        house.address(line.route)
        for line in table()
        if line.method == "GET" and line.route.startswith("api/")
    ]


def calls_of(house: House) -> str:
    """The queue of the event, which shows the secret to those who may know."""
    return f"/api/v1/events/{house.stage.event_id}/calls"


def test_a_call_shows_to_no_token_without_a_judge_s_reading(house: House) -> None:
    row = (
        MatchRow.objects.filter(event_id=house.stage.event_id, round=2)
        .exclude(pk=house.stage.match_id)
        .exclude(state="decided")
        .first()
    )
    assert row is not None
    watch = Watch(house, NARROW, addresses(house))
    judges = Watch(house, ("head",), [calls_of(house)])
    caller = player(row.persons[0][0])
    change = lambda: judging.call_raise(caller, call_id=new_id(), match_id=row.pk)  # noqa: E731
    assert shows(watch, change) == []
    assert judges.differences(), "the head judge herself sees the call"


def test_a_note_shows_to_no_narrow_token(house: House) -> None:
    watch = Watch(house, NARROW, addresses(house))
    head = Watch(house, ("head",), [f"/api/v1/calls/{house.stage.call_id}"])
    judge = house.cast["judge"]
    assert judge is not None
    context = judge.context("judge")
    call_id = house.stage.call_id
    assert shows(watch, lambda: judging.call_escalate(context, call_id=call_id, note="So.")) == []
    assert head.differences()


def test_a_draft_and_a_message_show_to_no_narrow_token(house: House) -> None:
    site, organiser = house.cast["site"], house.cast["organ"]
    assert site is not None
    assert organiser is not None
    readers = [name for name in NARROW if name != "organ:webhooks"]
    watch = Watch(house, readers, addresses(house))
    own = Watch(house, ("site",), ["/api/v1/events"])
    hooks = Watch(house, ("organ:webhooks",), addresses(house))
    assert shows(hooks, lambda: services.event_create(
        site.context(), event_id=new_id(), name="Secret cup"
    )) == []  # fmt: skip
    webhooks.webhook_ping(organiser.context(), webhook_id=house.ids["webhook"])
    assert watch.differences() == []
    assert own.differences(), "the organiser of the site sees the draft"
    told = hooks.differences()
    assert all("/webhooks/" in line for line in told), "and its own token the message, no more"
    assert told


@pytest.mark.parametrize("reader", ["anyone", "spect", "third", *NARROW])
def test_hidden_answers_as_not_there(house: House, reader: str) -> None:
    client, differ = house.clients[reader], []
    compared = 0
    for address in addresses(house):
        there = seen(client, address)
        if there.status != 404:
            continue
        path, mark, query = address.partition("?")
        nowhere = ID.sub(lambda _: new_id(), path) + mark + query
        if nowhere == address:
            continue
        compared += 1
        gone = seen(client, nowhere)
        if (gone.status, gone.body, gone.headers) != (there.status, there.body, there.headers):
            differ.append(f"{address}: {there.body[:90]!r} {gone.body[:90]!r}")
    assert differ == []
    assert compared >= 3
