"""Every route with damaged ids, queries and bodies, by a stranger, a person and the organiser:
an answer that says no, never a fault of the server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.conftest import Member
from tests.sizes import SOAK

IDS = ["x", "00000000-0000-7000-8000-000000000000", "%00", "A" * 300, "%F0%9F%98%80", "-1", "..%2f"]
QUERY = "?page=abc&at=-5&as=judge&round=zz&q=%00&page_size=9e9&number=99999999999999999999"
BODIES = [
    b"",
    b"[]",
    b"null",
    b'{"a":',
    b"\xff\xfe{",
    b'{"score":[1e400]}',
    b'{"score":[9999999999999999999999,0,0],"reason":"played"}',
    b'{"name":"\\ud800"}',
    b'{"name":"\\u0000","event_id":5}',
    b'{"content":"' + b"9" * 100 + b'","preset":"classic"}',
    b'{"statement":{"statement":"lp_declared","about":"P1","value":1e99}}',
    b'{"winner":{"a":[[[[]]]]},"seed":-1}',
    b"[" * 50_000,
    b'{"statement":' * 2_000 + b"1" + b"}" * 2_000,
    b'{"statement":{"note":' + b"[" * 400 + b"]" * 400 + b"}}",
    json.dumps({"act": {"act": "normal_summon", "card": "P9.x"}, "player": "P1"}).encode(),
    json.dumps({"display_name": "\u202e" * 3, "card_game_id": "x" * 500}).encode(),
]
FORM = {"act": "zz", "nonce": "x", "name": "\x00", "content": "\x00", "username": "\x00a"}


def routes(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for one in patterns:
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, before + str(one.pattern))
        else:
            raw = before + str(one.pattern)
            yield re.sub(r"\(\?P<[^>]*>[^)]*\)", "<v>", raw).translate(
                {ord("^"): None, ord("$"): None, ord("\\"): None, ord("?"): None}
            )


def addresses(part: str) -> Iterator[tuple[str, str]]:
    for route in routes(get_resolver().url_patterns):
        if route.startswith("api/") is (part == "api"):
            values = IDS[:2] if route.startswith("admin/") else IDS
            for value in values if "<" in route else [""]:
                yield route, "/" + re.sub(r"<[^>]*>", value, route)


def bodies(part: str, number: int) -> list[bytes]:
    """What is sent to the address of this number. A route has an address for each of IDS, one
    after the other: in a sample they share all bodies among them (a page has one), in the soak
    each gets all."""
    share = 1 if SOAK else len(IDS)
    if part != "api":
        return BODIES[:1] if number % share == 0 else []
    return BODIES[number % share :: share]


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["pages", "api"])
@pytest.mark.parametrize("who", ["nobody", "charlie", "olga"])
def test_no_input_makes_the_server_fail(
    part: str,
    who: str,
    charlie: Member,
    olga: Member,
    client_of: Callable[[Member | None], Client],
) -> None:
    client = client_of({"nobody": None, "charlie": charlie, "olga": olga}[who])
    client.raise_request_exception = False
    faults: list[str] = []
    for number, (route, address) in enumerate(addresses(part)):
        answers = [client.get(address)]
        if SOAK or part == "api" or number % 2:
            answers.append(client.get(address + QUERY))
        if SOAK or part == "api" or not number % 2:
            answers.append(client.post(address, FORM))
        for body in bodies(part, number):
            answers.append(client.post(address, body, content_type="application/json"))
        faults += [f"{route} {address[:80]}" for one in answers if one.status_code >= 500]
    assert faults == []
