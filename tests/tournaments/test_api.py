"""The REST API: who gets what, idempotent commands, bad input, pages of lists."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern

from eventstore.ids import new_id
from tests.conftest import Member
from tests.tournaments.conftest import Running
from tournaments import api, services
from tournaments.models import EventRow, MatchRow
from tournaments.urls_api import urlpatterns

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]
ClientOf = Callable[[Member | None], Client]
BASE = "/api/v1"


def post(client: Client, path: str, body: Any = None, key: str | None = None) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(
        BASE + path, json.dumps(body or {}), content_type="application/json", headers=headers
    )


def test_an_event_from_nothing_to_its_places(client_of: ClientOf, olga: Member) -> None:
    client = client_of(olga)
    made = post(client, "/events", {"name": "API cup", "decks_required": False, "cut": 2})
    assert made.status_code == 201
    event = f"/events/{made.json()['result']}"
    assert post(client, f"{event}/registration-open").status_code == 200
    for name in ("Dora", "Emil", "Fay", "Gus"):
        one = post(client, f"{event}/entrants", {"display_name": name})
        assert one.status_code == 201
        entrant = one.json()["entrant_id"]
        assert post(client, f"{event}/entrants/{entrant}/check-in").status_code == 200
    assert post(client, f"{event}/start").json()["result"] == 3
    for number in (1, 2, 3, 4):
        if number == 4:
            assert len(post(client, f"{event}/cut", {"seed": 5}).json()["result"]) == 2
        assert post(client, f"{event}/rounds/pair", {"seed": number}).json()["result"] == number
        assert post(client, f"{event}/rounds/{number}/publish").status_code == 200
        shown = client.get(f"{BASE}{event}/rounds/{number}").json()
        for table in shown["tables"]:
            path = f"/matches/{table['match_id']}/result"
            assert post(client, path, {"score": [2, 1, 0]}).status_code == 200
    assert post(client, f"{event}/finish").status_code == 200
    anybody = client_of(None)
    entrants = anybody.get(f"{BASE}{event}/entrants").json()
    assert sorted(one["place"] for one in entrants["results"]) == [1, 2, 3, 4]
    standings = anybody.get(f"{BASE}{event}/standings?round=3").json()
    assert (standings["frozen"], standings["count"]) == (True, 4)
    assert anybody.get(f"{BASE}{event}/bracket").json()["champion"]["name"]
    assert anybody.get(f"{BASE}{event}").json()["status"] == "finished"


def test_the_same_key_has_one_effect_and_other_content_is_refused(
    client_of: ClientOf, olga: Member
) -> None:
    client, key = client_of(olga), new_id()
    body = {"name": "Once", "event_id": new_id()}
    assert post(client, "/events", body, key).json() == post(client, "/events", body, key).json()
    assert EventRow.objects.count() == 1
    other = post(client, "/events", body | {"name": "Twice"}, key)
    assert (other.status_code, other.json()["code"]) == (409, "command_reused")
    bad = post(client, "/events", body, "not-a-uuid")
    assert bad.status_code == 400


def test_a_refusal_is_a_problem_with_code_and_params(client_of: ClientOf, make_event: Make) -> None:
    event = make_event(3)
    answer = post(client_of(event.olga), f"/events/{event.event_id}/start")
    assert answer.status_code == 409
    assert answer["Content-Type"].startswith("application/problem+json")
    body = answer.json()
    assert (body["code"], body["params"]) == (
        "tournaments.too_few_players",
        {"found": 3, "allowed": 4},
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b'{"score": "2-0"}',
        b'{"score": [2, 0]}',
        b'{"score": [2, 0, -1]}',
        b'{"score": [2, 0, 1e99]}',
        b'{"score": [[], {}, null]}',
        b'{"score": [2, 0, 0], "reason": ["played"]}',
        b'{"score": [2, 0, 0], "reason": "\\u0000"}',
        b'{"score": [2, 0, 0], "reason": "\\ud800"}',
        b"\xff\xfe",
    ],
)
def test_bad_input_is_an_answer_and_changes_nothing(
    client_of: ClientOf, make_event: Make, body: bytes
) -> None:
    event = make_event(4, start=True)
    event.pair()
    row = event.matches()[0]
    client = client_of(event.olga)
    answer = client.post(f"{BASE}/matches/{row.pk}/result", body, content_type="application/json")
    assert 400 <= answer.status_code < 500
    assert MatchRow.objects.get(pk=row.pk).state == "waiting"


@pytest.mark.parametrize(
    "query",
    ["round=x", "round=-1", "round=99999999", "round=1&revision=7", "round=\u0663", "page=0"],
)
def test_bad_queries_are_an_answer(client_of: ClientOf, make_event: Make, query: str) -> None:
    event = make_event(4, start=True)
    answer = client_of(None).get(f"{BASE}/events/{event.event_id}/standings?{query}")
    assert answer.status_code in (400, 404)


def test_players_report_through_the_api(client_of: ClientOf, make_event: Make) -> None:
    event = make_event(4, start=True)
    event.pair()
    row, seat = event.match_of("Alice", 1)
    alice = client_of(Member(event.persons["Alice"], "Alice"))
    mine = alice.get(f"{BASE}/events/{event.event_id}/my-match").json()["match"]
    assert (mine["match_id"], mine["seat"]) == (row.pk, seat)
    lost = [0, 2, 0] if seat == "P1" else [2, 0, 0]
    answer = post(alice, f"/matches/{row.pk}/claims", {"score": lost})
    assert answer.json()["result"] == "decided"


def test_lists_come_in_pages(client_of: ClientOf, make_event: Make) -> None:
    event = make_event(12)
    page = client_of(None).get(f"{BASE}/events/{event.event_id}/entrants?page_size=5&page=3").json()
    assert (page["count"], len(page["results"])) == (12, 2)


def test_claims_of_the_other_player_never_leave_the_server(
    client_of: ClientOf, make_event: Make
) -> None:
    """Two states that differ in the opponent's report only look the same from this seat, save
    for the one word that there is a report."""
    event = make_event(4, start=True)
    event.pair()
    row, seat = event.match_of("Alice", 1)
    other = next(
        name
        for name, entrant in event.entrants.items()
        if entrant in (row.p1, row.p2) and name != "Alice"
    )
    answers = []
    for lost in (0, 1):
        score = [2, lost, 0] if seat == "P2" else [lost, 2, 0]
        services.result_claim(event.player(other), match_id=row.pk, score=score)
        alice = client_of(Member(event.persons["Alice"], "Alice"))
        answers.append(
            [
                alice.get(f"{BASE}/matches/{row.pk}").content,
                alice.get(f"{BASE}/events/{event.event_id}/rounds/1").content,
                client_of(None).get(f"{BASE}/events/{event.event_id}/rounds/1").content,
            ]
        )
    assert answers[0] == answers[1]
    assert b'"opponent_claimed":true' in answers[0][0]


def _routes() -> Iterator[tuple[str, type[Any]]]:
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        yield str(pattern.pattern), pattern.callback.cls  # type: ignore[attr-defined]


def _filled(route: str, event: Running) -> str:
    row = event.matches(1)[0]
    for part, value in (
        ("<uuid:event>", event.event_id),
        ("<uuid:entrant>", event.entrants["Alice"]),
        ("<uuid:match>", row.pk),
        ("<int:number>", "1"),
        ("<event_word:command>", "start"),
        ("<entrant_word:command>", "drop"),
        ("<waiting_word:command>", "accept"),
        ("<uuid:message>", new_id()),
        ("<uuid:loss>", new_id()),
        ("<uuid:outage>", new_id()),
    ):
        route = route.replace(part, str(value))
    return f"/{route}"


PUBLIC_READS = {
    "events",
    "event",
    "entrants",
    "rounds",
    "round",
    "standings",
    "bracket",
    "my-match",
    "event-policy",
    "losses",
    "messages",
    "wall",
    "door",
    "door-field",
    "my-seat",
}


def test_the_access_matrix(
    client_of: ClientOf, make_event: Make, charlie: Member, jude: Member
) -> None:
    """Nobody without a part in the event writes anything or reads what is not public."""
    event = make_event(4, start=True)
    event.pair()
    jude.grant("judge", event.event_id)
    before = list(MatchRow.objects.order_by("pk").values())
    for route, view in _routes():
        path = _filled(route, event)
        name = next(str(one.name) for one in urlpatterns if str(one.pattern) == route)
        for who in (None, charlie):
            client = client_of(who)
            if hasattr(view, "get"):
                status = client.get(BASE + path).status_code
                assert (status == 200) == (name in PUBLIC_READS), (route, who, status)
            if hasattr(view, "post") and name != "enrol-self":
                status = post(client, path, {}).status_code
                assert status in (400, 403, 404), (route, who, status)
            assert client.delete(BASE + path).status_code in (403, 405)
    assert list(MatchRow.objects.order_by("pk").values()) == before
    judge = client_of(jude)
    assert judge.get(f"{BASE}/matches/{event.matches(1)[0].pk}").status_code == 200
    assert post(judge, f"/events/{event.event_id}/rounds/pair").status_code == 403


def test_every_view_names_its_row_and_its_commands_are_services() -> None:
    from people.domain.permissions import TABLE

    for _, view in _routes():
        assert view.guard_action in TABLE
    for held in (api.EventCommand, api.EntrantCommand):
        for run in held.COMMANDS.values():
            assert run.command_name.startswith("tournaments.")  # type: ignore[attr-defined]


def test_unknown_ids_and_words_are_not_found(
    client_of: ClientOf, olga: Member, make_event: Make
) -> None:
    client = client_of(olga)
    event = make_event(4, start=True)
    round_path = f"/events/{event.event_id}/rounds/{10**40}"
    assert client.get(BASE + round_path).status_code == 404
    assert post(client, f"{round_path}/publish").status_code == 409
    beyond = f"/events/{new_id()}/rounds/{10**40}"
    for path in (f"/events/{new_id()}", f"/matches/{new_id()}", "/events/1", "/matches/x", beyond):
        assert client.get(BASE + path).status_code == 404
    assert post(client, f"/events/{new_id()}/explode").status_code == 404
