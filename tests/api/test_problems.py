"""Every error of the API is problem+json with a code: of the framework, of the rules, of the
database, of requests that no view takes, and of our own faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import translation

from config.api import MEDIA, findings
from eventstore import store
from eventstore.faults import BUSY, LOST, NotDone, OutcomeUnknown
from eventstore.ids import new_id
from people.posts import Form
from portal import problems
from tests.conftest import Member
from tournaments import selectors, services
from tournaments.models import EventRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
BASE = "/api/v1"
JSON = "application/json"


def problem(answer: Any, status: int, code: str) -> dict[str, Any]:
    """Assert that an answer is this problem, and return its body."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == MEDIA
    body: dict[str, Any] = answer.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"] == f"urn:headjudge:problem:{code}"
    assert body["title"]
    assert body["title"] != code
    return body


def test_the_framework_s_errors(client_of: ClientOf, olga: Member) -> None:
    client = client_of(olga)
    problem(client.get(f"{BASE}/nowhere"), 404, "not_found")
    problem(client.get(f"{BASE}/events/{new_id()}"), 404, "not_found")
    problem(client.get("/api/v2/events"), 404, "not_found")
    wrong = client.delete(f"{BASE}/events")
    assert problem(wrong, 405, "method_not_allowed")["params"]["allowed"] == [
        "GET", "HEAD", "OPTIONS", "POST",
    ]  # fmt: skip
    assert wrong["Allow"] == "GET, POST, HEAD, OPTIONS"
    asked = client.get(f"{BASE}/events", headers={"Accept": "text/html"})
    problem(asked, 406, "not_acceptable")
    problem(client.post(f"{BASE}/events", "a=b", "text/plain"), 415, "unsupported_media_type")
    problem(client.post(f"{BASE}/events", "{", JSON), 400, "parse_error")
    problem(client.post(f"{BASE}/events", b"\xff", JSON), 400, "parse_error")
    problem(client.post(f"{BASE}/events", {"name": "x" * 7_000_000}, JSON), 413, "too_large")
    key = client.post(f"{BASE}/events", {"name": "x"}, JSON, headers={"Idempotency-Key": "7"})
    assert problem(key, 400, "idempotency_key")["params"] == {"found": "7"}


def test_what_is_wrong_with_a_body_is_said_by_place(client_of: ClientOf, olga: Member) -> None:
    client = client_of(olga)
    body = problem(client.post(f"{BASE}/events", {"nam": "x", "a/b~c": 1}, JSON), 400, "invalid")
    assert {(one["pointer"], one["code"]) for one in body["errors"]} == {
        ("/nam", "unknown_field"),
        ("/a~1b~0c", "unknown_field"),
    }
    body = problem(client.post(f"{BASE}/events", {"rounds": 0}, JSON), 400, "invalid")
    assert {(one["pointer"], one["code"]) for one in body["errors"]} == {
        ("/name", "required"),
        ("/rounds", "min_value"),
    }
    path = f"{BASE}/matches/{new_id()}/result"
    body = problem(client.post(path, {"score": [1, "x", -1]}, JSON), 400, "invalid")
    assert [(one["pointer"], one["code"]) for one in body["errors"]] == [
        ("/score/1", "invalid"),
        ("/score/2", "min_value"),
    ]
    body = problem(client.post(f"{BASE}/events", "[]", JSON), 400, "invalid")
    assert [one["pointer"] for one in body["errors"]] == [""]


def test_what_is_wrong_with_a_query_is_said_by_parameter(client_of: ClientOf) -> None:
    client = client_of(None)
    body = problem(client.get(f"{BASE}/events?stat=open"), 400, "invalid")
    assert [(one["parameter"], one["code"]) for one in body["errors"]] == [
        ("stat", "unknown_field")
    ]
    body = problem(client.get(f"{BASE}/events?status=tea&page=0&page_size=201"), 400, "invalid")
    assert sorted(one["parameter"] for one in body["errors"]) == ["page", "page_size", "status"]
    problem(client.get(f"{BASE}/events?page=7"), 404, "not_found")


def test_nested_findings_are_flat() -> None:
    leaf = {"message": "m", "code": "c"}
    assert findings({"a": {"message": [leaf], "code": [leaf]}}, "pointer") == [
        {"pointer": "/a/message", "code": "c", "title": "m"},
        {"pointer": "/a/code", "code": "c", "title": "m"},
    ]
    nested = {"non_field_errors": [leaf], "a": {0: [leaf], 3: {"b": [leaf]}}}
    assert findings(nested, "pointer") == [
        {"pointer": "", "code": "c", "title": "m"},
        {"pointer": "/a/0", "code": "c", "title": "m"},
        {"pointer": "/a/3/b", "code": "c", "title": "m"},
    ]  # fmt: skip


def test_what_is_hidden_and_what_is_not_there_answer_alike(
    client_of: ClientOf, olga: Member, charlie: Member
) -> None:
    hidden = new_id()
    services.event_create(olga.context(), event_id=hidden, name="Secret")
    client = client_of(charlie)
    there = client.get(f"{BASE}/events/{hidden}")
    problem(there, 404, "not_found")
    assert there.content == client.get(f"{BASE}/events/{new_id()}").content
    assert there.content == client.get(f"{BASE}/nothing/{hidden}").content
    services.registration_open(olga.context(), event_id=hidden)
    refused = client.post(f"{BASE}/events/{hidden}/start", {}, JSON)
    problem(refused, 403, "not_allowed")


@pytest.mark.parametrize(
    ("fault", "code", "retry"),
    [
        (NotDone("id-7", BUSY), "not_done", "safe"),
        (OutcomeUnknown("id-7", LOST), "outcome_unknown", "same_key"),
    ],
)
def test_a_command_that_the_database_broke(
    client_of: ClientOf,
    olga: Member,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
    code: str,
    retry: str,
) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise fault

    monkeypatch.setattr(services, "event_create", broken)
    answer = client_of(olga).post(f"{BASE}/events", {"name": "x"}, JSON)
    body = problem(answer, 503, code)
    assert (body["retry"], body["params"]["command"]) == (retry, "id-7")
    assert int(answer["Retry-After"]) >= 1


def test_a_read_that_the_database_broke(
    client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(selectors, "events_list", broken)
    answer = client_of(None).get(f"{BASE}/events")
    assert problem(answer, 503, "unavailable")["retry"] == "same_key"
    assert answer["Retry-After"]


def test_a_fault_of_ours_is_a_problem_without_a_trace(
    client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(selectors, "events_list", broken)
    client = client_of(None)
    client.raise_request_exception = False
    answer = client.get(f"{BASE}/events")
    problem(answer, 500, "server_error")
    assert b"secret of the house" not in answer.content


@pytest.mark.django_db(transaction=True)
def test_a_busy_database_through_a_form_keeps_the_nonce(
    client_of: ClientOf, olga: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form that failed comes back with its own nonce, so that sending it again is safe."""
    client, nonce, event_id = client_of(olga), new_id(), new_id()
    form = {"act": "create", "nonce": nonce, "event_id": event_id, "name": "Twice"}
    usual = store.append

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise OperationalError("database is locked")

    monkeypatch.setattr(store, "append", broken)
    fields = {
        "rounds": "",
        "cut": "0",
        "preset": "classic",
        "zone": "UTC",
        "match_rules": "ygo-classic",
        "standings": "konami-policy@1",
        "pack": "house-rules",
    }
    answer = client.post("/staff/events/new/", fields | form)
    assert answer.status_code == 503
    text = answer.content.decode()
    assert "safe to send this once more" in text
    assert f'name="nonce" value="{nonce}"' in text
    monkeypatch.setattr(store, "append", usual)
    assert client.post("/staff/events/new/", fields | form).status_code == 302
    assert client.post("/staff/events/new/", fields | form).status_code == 302
    assert EventRow.objects.count() == 1


def test_forms_tell_a_failed_database_from_a_refusal() -> None:
    from eventstore.domain.refusal import Refusal

    assert Form().status == 200
    assert Form("x", Refusal("people.moved_on")).status == 409
    assert Form("x", Refusal("people.outcome_unknown")).status == 503


def test_words_are_in_the_language_asked_for(client_of: ClientOf) -> None:
    assert {str(text) for text in problems.TITLES.values()}
    with translation.override("en"):
        assert problems.title("throttled").startswith("Too many")
    assert problems.title("never heard") == "never heard"


# ------------------------------------------------------------ manners of reads


def test_an_etag_saves_the_bytes_and_tells_a_change(client_of: ClientOf, olga: Member) -> None:
    client = client_of(None)
    first = client.get(f"{BASE}/events")
    tag = first["ETag"]
    assert {"Authorization", "Cookie", "Accept-Language"} <= set(first["Vary"].split(", "))
    assert "private" in first["Cache-Control"]
    same = client.get(f"{BASE}/events", headers={"If-None-Match": tag})
    assert (same.status_code, same.content, same["ETag"]) == (304, b"", tag)
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="New")
    services.registration_open(olga.context(), event_id=event_id)
    other = client.get(f"{BASE}/events", headers={"If-None-Match": tag})
    assert other.status_code == 200
    assert other["ETag"] != tag


def test_filters_of_events(client_of: ClientOf, olga: Member) -> None:
    for name in ("Harbour Open", "Harbour Cup", "Winter"):
        event_id = new_id()
        services.event_create(olga.context(), event_id=event_id, name=name)
        if name != "Winter":
            services.registration_open(olga.context(), event_id=event_id)
    client = client_of(olga)

    def found(query: str) -> list[str]:
        results = client.get(f"{BASE}/events?{query}").json()["results"]
        return sorted(one["name"] for one in results)

    assert found("") == ["Harbour Cup", "Harbour Open", "Winter"]
    assert found("status=draft") == ["Winter"]
    assert found("q=harbour&status=open") == ["Harbour Cup", "Harbour Open"]
    assert found("q=cup") == ["Harbour Cup"]
    assert found("preset=goat") == []


def test_the_same_key_without_an_id_makes_one_event(client_of: ClientOf, olga: Member) -> None:
    client, key = client_of(olga), new_id()
    answers = [
        client.post(f"{BASE}/events", {"name": "Once"}, JSON, headers={"Idempotency-Key": key})
        for _ in range(3)
    ]
    assert [one.status_code for one in answers] == [201] * 3
    assert len({one.content for one in answers}) == 1
    assert EventRow.objects.count() == 1
    other = client.post(f"{BASE}/events", {"name": "Else"}, JSON, headers={"Idempotency-Key": key})
    assert problem(other, 409, "command_reused")["params"] == {"command": key}
