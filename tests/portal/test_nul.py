"""A NUL, which PostgreSQL keeps in no text: in addresses and in the cookie of a session."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

from tests.conftest import Member
from tests.portal.cast import routes

pytestmark = [pytest.mark.django_db, pytest.mark.pg]
TEXT = re.compile(r"<(?:str:|slug:)?\w+>")


def test_no_address_with_a_nul_fails(olga: Member) -> None:
    from people.models import Account

    stranger, organiser = (Client(raise_request_exception=False) for _ in range(2))
    organiser.force_login(Account.objects.get(username=olga.username))
    asked, failed = 0, []
    for one in routes():
        address = TEXT.sub("%00", one.text)
        if "%00" not in address or "<" in address or "(" in address:
            continue
        asked += 1
        for client in (stranger, organiser):
            status = client.get(f"/{address.lstrip('/^').rstrip('$')}").status_code
            if status >= 500:
                failed.append((one.text, status))
    assert asked > 50
    assert not failed


@pytest.mark.parametrize(
    "key", ['"\\000\\000\\000\\000\\000\\000\\000\\000"', "'; --aaaaaaaa", "é" * 9]
)
def test_what_is_no_key_of_a_session_is_nobody(key: str) -> None:
    client = Client(raise_request_exception=False)
    client.cookies.load({settings.SESSION_COOKIE_NAME: "x"})
    client.cookies[settings.SESSION_COOKIE_NAME].set(settings.SESSION_COOKIE_NAME, key, key)
    assert client.get("/").status_code == 200
    assert client.get("/my/").status_code == 200
