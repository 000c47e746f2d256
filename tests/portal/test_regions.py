"""The part of a public page that is made once for all who ask for the same state of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, MutableMapping
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from portal.live.regions import RegionApplication
from tests.conftest import Member
from tests.portal.stage import Stage, set_stage
from tournaments import services

ClientOf = Callable[..., Client]
ASKED = {"HX-Request": "true", "Headjudge-At": "0"}


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """The event in progress."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


@pytest.mark.django_db
def test_somebody_unknown_gets_the_region_alone_and_nothing_of_one_visitor(
    stage: Stage, alice: Member, olga: Member, client_of: ClientOf
) -> None:
    services.clock_start(olga.context(), event_id=stage.event_id, minutes=40)
    page = f"/events/{stage.event_id}/pairings/"
    whole = client_of(None).get(page)
    region = client_of(None).get(page, headers=ASKED)
    text = region.content.decode()
    assert text.startswith('<div class="stack" id="live" data-region>')
    assert "csrfmiddlewaretoken" in whole.content.decode()
    assert "csrfmiddlewaretoken" not in text
    assert "<body" not in text
    assert re.search(r'data-at="([\d.]+)"', whole.content.decode())[1] == region["Headjudge-Region"]  # type: ignore[index]
    assert region["Cache-Control"] == "private, no-cache"
    assert "HX-Request" in region["Vary"]
    assert "data-until" in text, "the clock says when it ends: the copy may be given later"
    assert "data-seconds-left" not in text
    assert client_of(None).get(page, headers=ASKED)["ETag"] == region["ETag"]
    for client, headers in (
        (client_of(alice), ASKED),
        (client_of(olga), ASKED),
        (client_of(None), {"HX-Request": "true"}),
        (client_of(None), {"HX-Request": "true", "Headjudge-At": "x"}),
        (client_of(None), {"Headjudge-At": "0"}),
    ):
        other = client.get(page, headers=headers)
        assert "Headjudge-Region" not in other
        assert b"<body" in other.content


class Site:
    """An application that counts how often it is asked; its answer says what it was asked."""

    def __init__(self, counters: str | None = "3") -> None:
        self.counters, self.asked = counters, 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked += 1
        await asyncio.sleep(0.01)
        headers = [(b"Set-Cookie", b"csrftoken=x"), (b"ETag", b'W/"t3"'), (b"Vary", b"Cookie")]
        if self.counters is not None:
            headers.append((b"Headjudge-Region", self.counters.encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": scope["path"].encode()})


async def _ask(
    site: RegionApplication,
    path: str = "/a/",
    at: str = "3",
    twice: Any = (),
    **more: str,
) -> Any:
    told: list[MutableMapping[str, Any]] = []
    headers = {"headjudge-at": at, "hx-request": "true", "host": "x"} | {
        name.replace("_", "-"): value for name, value in more.items()
    }
    scope = {
        "type": "http", "method": "GET", "scheme": "http", "path": path, "query_string": b"",
        "headers": [
            (name.encode(), value.encode()) for name, value in (*twice, *headers.items())
        ],
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: MutableMapping[str, Any]) -> None:
        told.append(message)

    await site(scope, receive, send)
    return told[0]["status"], dict(told[0]["headers"]), told[1]["body"]


@pytest.mark.parametrize("name", ["cookie", "accept-language", "accept-encoding", "host"])
def test_a_header_that_comes_twice_makes_nothing_for_others(name: str) -> None:
    """Django reads both, and what it makes of them must not stand where the last alone counts."""

    async def asked() -> int:
        inner = Site()
        site = RegionApplication(inner)
        last = {name.replace("-", "_"): "headjudge_theme=dark"}
        await _ask(site, twice=((name, "headjudge_language=hu"),), **last)
        await _ask(site, **last)
        return inner.asked

    assert asyncio.run(asked()) == 2


def test_many_who_ask_at_once_are_answered_by_one_making() -> None:
    async def asked() -> tuple[int, list[Any]]:
        inner = Site()
        site = RegionApplication(inner)
        found = await asyncio.gather(*(_ask(site) for _ in range(20)))
        return inner.asked, found

    times, found = asyncio.run(asked())
    assert times == 1
    assert {status for status, _, _ in found} == {200}
    assert all(b"Set-Cookie" not in headers for _, headers, _ in found)


@pytest.mark.parametrize(
    "other",
    [
        {"at": "4"},
        {"at": "3.1"},
        {"path": "/b/"},
        {"cookie": "headjudge_language=hu"},
        {"accept_language": "hu"},
        {"accept_encoding": "gzip"},
        {"host": "y"},
        {"cookie": "headjudge_session=s"},
    ],
)
def test_who_asks_for_something_else_is_given_nothing_kept(other: dict[str, str]) -> None:
    async def asked() -> int:
        inner = Site()
        site = RegionApplication(inner)
        await _ask(site)
        await _ask(site, at="2")
        await _ask(site, cookie="csrftoken=abc; headjudge_theme=dark")
        assert inner.asked == 1
        await _ask(site, **other)
        return inner.asked

    assert asyncio.run(asked()) == 2


def test_what_is_no_region_goes_out_as_it_is_and_is_made_each_time() -> None:
    async def asked() -> tuple[int, Any]:
        inner = Site(counters=None)
        site = RegionApplication(inner)
        await _ask(site)
        return inner.asked, await _ask(site)

    before, (_, headers, _) = asyncio.run(asked())
    assert before == 1
    assert headers[b"Set-Cookie"] == b"csrftoken=x"


def test_a_browser_that_has_it_is_told_so() -> None:
    async def asked() -> list[Any]:
        site = RegionApplication(Site())
        return [await _ask(site, if_none_match=tag) for tag in ('W/"t3"', '"t3"', '"t2"')]

    assert [(status, body) for status, _, body in asyncio.run(asked())] == [
        (304, b""), (304, b""), (200, b"/a/"),
    ]  # fmt: skip
