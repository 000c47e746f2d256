"""While the database fails, people get a plain page in their language and programs a problem:
503, when to ask again, and what is known of the step that was sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from eventstore import clock, store
from eventstore.ids import new_id
from eventstore.models import Event
from people import sessions
from people.rates import CallerRate
from people.sessionstore import SessionStore
from tests.conftest import Member
from tournaments import selectors, services
from tournaments.models import EventRow

ClientOf = Callable[..., Client]
pytestmark = pytest.mark.django_db


def _fails(fault: Exception) -> Callable[..., Any]:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise fault

    return broken


def _quiet(client: Client) -> Client:
    client.raise_request_exception = False
    return client


@pytest.mark.parametrize("language", ["en", "hu", "hr", "vi", "pl"])
@pytest.mark.parametrize(
    "fault", [OperationalError("server closed the connection"), InterfaceError("closed")]
)
def test_a_page_says_503_when_to_come_again_and_in_which_language(
    client_of: ClientOf, monkeypatch: pytest.MonkeyPatch, language: str, fault: Exception
) -> None:
    monkeypatch.setattr(selectors, "events_list", _fails(fault))
    client = _quiet(client_of(None))
    client.cookies["headjudge_language"] = language
    answer = client.get("/?of=1")
    text = answer.content.decode()
    assert (answer.status_code, answer["Content-Language"]) == (503, language)
    assert int(answer["Retry-After"]) >= 1
    assert f'<html lang="{language}"' in text
    assert 'href="/?of=1"' in text
    assert "Traceback" not in text
    assert "closed" not in text, "what the driver says is for the log"
    assert answer["Content-Security-Policy"]


def test_a_session_that_cannot_be_read_is_the_same(
    client_of: ClientOf, olga: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = _quiet(client_of(olga))
    monkeypatch.setattr(SessionStore, "_get_session_from_db", _fails(OperationalError("gone")))
    page, api = client.get("/staff/"), client.get("/api/v1/calls/mine")
    assert (page.status_code, api.status_code) == (503, 503)
    assert api["Content-Type"] == "application/problem+json"
    assert (api.json()["code"], api.json()["retry"]) == ("unavailable", "same_key")
    assert page["Retry-After"] == api["Retry-After"]


def test_a_full_disk_is_named(client_of: ClientOf, monkeypatch: pytest.MonkeyPatch) -> None:
    full = OperationalError("database or disk is full")
    monkeypatch.setattr(selectors, "events_list", _fails(full))
    client = _quiet(client_of(None))
    assert "no room left" in client.get("/").content.decode()
    assert client.get("/api/v1/events").json()["params"] == {"reason": "full"}


def test_staff_see_their_pages_on_a_full_disk(
    client_of: ClientOf, olga: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every few minutes a session of staff notes that it is used; that may fail."""
    client = _quiet(client_of(olga))
    session = client.session
    session[sessions.SEEN] = clock.as_text(clock.now() - 2 * sessions.SEEN_EVERY)
    session.save()
    asked: list[str] = []

    def full(*args: Any, **kwargs: Any) -> None:
        asked.append("save")
        raise OperationalError("database or disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(SessionStore, "save", full)
        assert client.get("/staff/").status_code == 200
    assert asked, "the session was to be noted"
    assert client.get("/staff/").status_code == 200
    seen = clock.from_text(client.session[sessions.SEEN])
    assert clock.now() - seen < sessions.SEEN_EVERY, "and is noted when there is room"


def _open(client: Client, event_id: str, nonce: str) -> Any:
    return client.post(f"/staff/events/{event_id}/", {"act": "registration_open", "nonce": nonce})


def test_a_step_whose_end_nobody_saw_is_sent_again_and_counts_once(
    client_of: ClientOf, olga: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is committed, then the database goes before the answer is made."""
    client, nonce, event_id = _quiet(client_of(olga)), new_id(), new_id()
    services.event_create(olga.context(), event_id=event_id, name="Here")
    with monkeypatch.context() as broken:
        broken.setattr("tournaments.pages.desk.redirect", _fails(OperationalError("gone")))
        unseen = _open(client, event_id, nonce)
    assert unseen.status_code == 503
    assert "Nobody knows yet" in unseen.content.decode()
    before = Event.objects.count()
    assert EventRow.objects.get().status == "open"
    assert _open(client, event_id, nonce).status_code == 302
    assert Event.objects.count() == before


@pytest.mark.django_db(transaction=True)
def test_a_step_that_was_surely_not_kept_is_told_so(
    client_of: ClientOf, olga: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, event_id = _quiet(client_of(olga)), new_id()
    services.event_create(olga.context(), event_id=event_id, name="Here")
    monkeypatch.setattr(store, "append", _fails(OperationalError("gone")))
    monkeypatch.setattr(selectors, "desk", _fails(OperationalError("gone")))
    answer = _open(client, event_id, new_id())
    assert answer.status_code == 503
    assert "Nothing of your last step was kept" in answer.content.decode()
    assert EventRow.objects.get().status == "draft"


def test_a_redis_that_is_away_counts_no_requests(
    client_of: ClientOf, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis

    settings.REDIS_URL, settings.API_RATE = "redis://127.0.0.1:1/0", "1/min"
    asked = []

    class Away:
        def get(self, *args: Any) -> Any:
            asked.append(args)
            raise redis.ConnectionError("refused")

    monkeypatch.setattr(CallerRate, "cache", Away())
    monkeypatch.setattr(CallerRate, "get_cache_key", lambda *_: "somebody")
    monkeypatch.setattr("people.rates._silent_until", 0.0)
    client = client_of(None)
    assert [client.get("/api/v1/events").status_code for _ in range(3)] == [200] * 3
    assert len(asked) == 1, "left alone for a while"
