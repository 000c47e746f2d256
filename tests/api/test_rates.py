"""One caller of the API cannot send without end; an address is never counted."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.api.test_tokens import make_token
from tests.conftest import Member

ClientOf = Callable[[Member | None], Client]
pytestmark = pytest.mark.django_db
EVENTS = "/api/v1/events"


@pytest.fixture(autouse=True)
def few(settings: Any) -> None:
    """Three requests a minute, counted under keys of this test's own: the other workers of a
    run share the Redis and the same members."""
    settings.API_RATE = "3/min"
    own = secrets.token_hex(4)
    settings.CACHES = {
        name: {**cache, "KEY_PREFIX": f"{cache.get('KEY_PREFIX', '')}-{own}"}
        for name, cache in settings.CACHES.items()
    }


def test_the_fourth_request_of_a_caller_waits(
    client_of: ClientOf, charlie: Member, bob: Member
) -> None:
    client = client_of(charlie)
    assert [client.get(EVENTS).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = client.get(EVENTS)
    assert refused.json()["code"] == "throttled"
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert client_of(bob).get(EVENTS).status_code == 200


def test_a_hall_of_one_address_is_not_counted(client_of: ClientOf) -> None:
    client = client_of(None)
    assert [client.get(EVENTS).status_code for _ in range(6)] == [200] * 6


def test_a_token_has_a_count_of_its_own(client_of: ClientOf, charlie: Member) -> None:
    client = client_of(charlie)
    for _ in range(4):
        last = client.get(EVENTS)
    assert last.status_code == 429
    made = make_token(charlie, "read")
    headers = {"Authorization": f"Bearer {made}"}
    assert Client().get(EVENTS, headers=headers).status_code == 200
