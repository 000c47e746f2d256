"""The door: guesses are slowed, a hall behind one address is not; sessions begin and end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from eventstore import clock
from people.domain.throttle import FREE
from people.throttle import DEVICE_COOKIE
from tests.altered import altered
from tests.conftest import PASSWORD, Member, make_member
from tests.sizes import SIZES

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)
ADDRESS = "192.0.2.7"
ClientOf = Callable[[Member | None], Client]


@contextmanager
def at(seconds: float = 0) -> Iterator[None]:
    """Let it be so many seconds past noon."""
    with clock.clock_set(lambda: NOON + timedelta(seconds=seconds)):
        yield


def knock(client: Client, name: str, password: str = "not the password") -> Any:
    """Send the form of the sign-in, from the one address of the hall."""
    return client.post("/sign-in/", {"username": name, "password": password}, REMOTE_ADDR=ADDRESS)


def test_a_hall_behind_one_address_signs_in(client: Client) -> None:
    """Every member of the hall on a phone of its own, all from one address, in five minutes:
    every tenth mistypes once, and somebody keeps guessing at an account nobody has."""
    people = range(SIZES.log_ins)
    crowd = [make_member(100 + one, f"Player {one}", account=True) for one in people]
    attacker = Client()
    for number in range(SIZES.log_ins):
        with at(number * 300 / SIZES.log_ins):
            name = crowd[number].username or ""
            phone = Client()
            if number % 10 == 0:
                assert knock(phone, name).status_code == 409
            assert knock(phone, name, PASSWORD).status_code == 302, number
            assert phone.get("/account/").status_code == 200
            knock(attacker, "administrator")


def test_twenty_wrong_passwords_on_one_account_are_slowed(olga: Member) -> None:
    with at():
        answers = [knock(Client(), "olga") for _ in range(20)]
    assert [one.status_code for one in answers] == [409] * FREE + [429] * (20 - FREE)
    for one in answers[FREE:]:
        assert int(one.headers["Retry-After"]) >= 1
        assert "Too many wrong attempts" in one.content.decode()
    moments, second, looked = [], 0.0, 0
    while looked < 15:  # the next fifteen guesses, each as early as it is looked at
        with at(second):
            answer = knock(Client(), "olga")
        if answer.status_code == 409:
            looked += 1
            moments.append(second)
            continue
        second += int(answer.headers["Retry-After"])
    assert moments[-1] > 25 * 60, "twenty guesses take longer than a coffee"


def test_the_right_password_is_not_looked_at_while_one_has_to_wait(olga: Member) -> None:
    with at():
        for _ in range(FREE):
            knock(Client(), "olga")
        assert knock(Client(), "olga", PASSWORD).status_code == 429
    with at(3):
        assert knock(Client(), "olga", PASSWORD).status_code == 302


def test_whoever_guesses_does_not_lock_the_owner_out_of_a_known_device(olga: Member) -> None:
    own = Client()
    with at():
        assert knock(own, "olga", PASSWORD).status_code == 302
        own.post("/sign-out/")
        for _ in range(20):
            knock(Client(), "olga")
        assert knock(Client(), "olga", PASSWORD).status_code == 429, "elsewhere one has to wait"
        assert knock(own, "olga", PASSWORD).status_code == 302, "the own device is not slowed"


def test_a_known_device_has_its_own_limit_and_a_forged_cookie_none(olga: Member) -> None:
    own = Client()
    with at():
        knock(own, "olga", PASSWORD)
        statuses = [knock(own, "olga").status_code for _ in range(FREE + 2)]
        assert statuses == [409] * FREE + [429] * 2
        forged = Client()
        forged.cookies[DEVICE_COOKIE] = altered(own.cookies[DEVICE_COOKIE].value)
        assert knock(forged, "olga", PASSWORD).status_code == 302, "it counts as unknown"


def test_a_device_known_for_one_account_is_not_known_for_another(
    olga: Member, jude: Member
) -> None:
    own = Client()
    with at():
        knock(own, "jude", PASSWORD)
        for _ in range(FREE):
            knock(Client(), "olga")
        assert knock(own, "olga", PASSWORD).status_code == 429


def test_names_nobody_has_are_slowed_alike(client: Client) -> None:
    with at():
        statuses = [knock(client, "nadja").status_code for _ in range(FREE + 1)]
        assert statuses == [409] * FREE + [429]
        assert knock(client, "NADJA").status_code == 429, "whatever the case"


def test_a_password_of_a_megabyte_is_not_hashed(olga: Member, client: Client) -> None:
    assert knock(client, "olga", "x" * 1_000_000).status_code == 409


def test_the_session_gets_a_fresh_key_at_the_door(olga: Member, client: Client) -> None:
    client.post("/preferences/", {"theme": "dark"})
    before = client.session
    before["planted"] = "1"
    before.save()
    client.cookies[django_settings.SESSION_COOKIE_NAME] = before.session_key
    knock(client, "olga", PASSWORD)
    cookie = client.cookies[django_settings.SESSION_COOKIE_NAME]
    assert cookie.value != before.session_key
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_cookies_are_secure_where_the_site_speaks_tls(
    olga: Member, client: Client, settings: Any
) -> None:
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    knock(client, "olga", PASSWORD)
    client.get("/sign-in/")
    for name in (settings.SESSION_COOKIE_NAME, DEVICE_COOKIE, settings.CSRF_COOKIE_NAME):
        assert client.cookies[name]["secure"], name


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        ([3600 * hour for hour in range(1, 16)], 200),
        ([3600 * hour for hour in range(1, 18)], 403),
        ([3600 * 3 + 60], 403),
        ([3600 * 2, 3600 * 4, 3600 * 6], 200),
    ],
    ids=["a day of work", "longer than a day", "three idle hours", "two idle hours, thrice"],
)
def test_a_session_of_staff_ends(
    olga: Member, client: Client, steps: list[int], status: int
) -> None:
    with at():
        knock(client, "olga", PASSWORD)
    for second in steps:
        with at(second):
            found = client.get("/staff/events/new/").status_code
    assert found == status


def test_the_session_of_somebody_without_a_role_stays(charlie: Member, client: Client) -> None:
    with at():
        knock(client, "charlie", PASSWORD)
    with at(40 * 3600):
        assert client.get("/account/").status_code == 200


def test_no_page_of_a_person_is_kept_in_between(olga: Member, client_of: ClientOf) -> None:
    for path in ("/", "/staff/", "/account/", "/admin/"):
        answer = client_of(olga).get(path)
        assert re.search(r"private|no-store", answer.headers["Cache-Control"]), path
