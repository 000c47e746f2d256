"""Who gets what from the pages, beside the matrix of test_pages.py: the two players of a match,
roles of another event, every form posted by those who may not, the cost of each list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from eventstore.ids import new_id
from eventstore.models import Event
from people.services import role_end
from tests.conftest import Member
from tests.helpers import queries
from tests.portal.stage import Stage, set_stage
from tournaments import services
from tournaments.models import MatchRow

ClientOf = Callable[[Member | None], Client]
pytestmark = pytest.mark.django_db

MINE = ("/my/{event}/", "/my/{event}/deck/", "/my/{event}/standing/", "/my/{event}/judge/")
COSTS = {
    "/": 10,
    "/my/{event}/": 25,
    "/events/{event}/pairings/": 17,
    "/events/{event}/pairings/?by=name": 17,
    "/events/{event}/standings/": 17,
    "/staff/": 12,
    "/staff/events/{event}/": 25,
    "/staff/events/{event}/results/": 25,
    "/staff/events/{event}/people/": 25,
    "/staff/events/{event}/paper/slips/": 25,
    "/staff/events/{event}/calls/": 20,
    "/staff/events/{event}/rulings/": 20,
}
"""Statements that a list page may send at most, session and actor included."""


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """The event in progress."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def _filled(stage: Stage, page: str, **ids: str) -> str:
    known = {
        "event": stage.event_id,
        "duel": stage.duel_id,
        "call": stage.call_id,
        "alice": stage.entrants["Alice"],
    }
    return page.format(**{**known, **ids})


def _forms(stage: Stage) -> list[tuple[str, dict[str, Any]]]:
    """Every form of the desk and of the judges, filled so that the right person may send it."""
    match = {"match_id": stage.match_id, "score": "2-0-0", "reason": "played"}
    alice = {"entrant_id": stage.entrants["Alice"]}
    event, calls = f"/staff/events/{stage.event_id}/", f"/staff/calls/{stage.call_id}/"
    return [
        ("/staff/events/new/", {"name": "Forged cup", "event_id": new_id()}),
        (event, {"act": "round_pair"}),
        (event, {"act": "event_cancel", "note": "because"}),
        (f"{event}settings/", {"name": "Forged cup"}),
        (f"{event}results/", {"act": "enter", **match}),
        (f"{event}results/", {"act": "drop", **alice}),
        (f"{event}people/", {"act": "enrol", "display_name": "Forged Player"}),
        (f"{event}people/{stage.entrants['Alice']}/", {"act": "drop"}),
        (
            f"{event}roles/",
            {"act": "grant", "person_id": stage.persons["Alice"], "role": "head_judge"},
        ),
        (f"{event}calls/", {"act": "claim", "call_id": stage.call_id}),
        (calls, {"act": "claim"}),
        (calls, {"act": "rule", "rule_id": "YGO-11.1", "ruling_id": new_id()}),
    ]


def test_both_players_open_their_match_and_nobody_elses_name_stands_as_theirs(
    stage: Stage, alice: Member, bob: Member, client_of: ClientOf
) -> None:
    table = MatchRow.objects.get(pk=stage.match_id).table
    for member in (alice, bob):
        client = client_of(member)
        for page in MINE:
            assert client.get(_filled(stage, page)).status_code == 200, page
        body = client.get(_filled(stage, "/my/{event}/")).content.decode()
        assert f'<h1 class="plate xl">{table}</h1>' in body
        assert f'<b>{member.name}</b> <span class="hl xs">you</span>' in body


def test_each_player_sees_the_own_side_of_a_duel_only(
    stage: Stage, alice: Member, bob: Member, charlie: Member, client_of: ClientOf
) -> None:
    other = {"P1": "P2", "P2": "P1"}[stage.seat]
    views = {alice: (200, 404), bob: (404, 200), charlie: (404, 404)}
    address = _filled(stage, "/duels/{duel}/")
    for member, expected in views.items():
        client = client_of(member)
        found = tuple(
            client.get(f"{address}?as={seat.lower()}").status_code for seat in (stage.seat, other)
        )
        assert found == expected, member.name


def test_a_role_ends_at_the_door_of_another_event(
    stage: Stage, olga: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    elsewhere = new_id()
    services.event_create(olga.context(), event_id=elsewhere, name="Other cup")
    services.registration_open(olga.context(), event_id=elsewhere)
    staff = ("", "results/", "people/", "roles/", "settings/", "calls/", "rulings/", "paper/")
    for member in (jude, hedda):
        client = client_of(member)
        assert client.get(f"/events/{elsewhere}/").status_code == 200
        for page in staff:
            status = client.get(f"/staff/events/{elsewhere}/{page}").status_code
            assert status in (403, 404), f"{member.name} {page}: {status}"


def test_a_role_that_is_ended_closes_the_pages_at_once(
    stage: Stage, olga: Member, jude: Member, client_of: ClientOf
) -> None:
    client, page = client_of(jude), _filled(stage, "/staff/calls/{call}/")
    assert client.get(page).status_code == 200
    role_end(olga.context(), person_id=jude.person_id, role="judge", event_id=stage.event_id)
    assert client.get(page).status_code == 404


def test_no_form_of_the_staff_works_for_players_and_strangers(
    stage: Stage, alice: Member, charlie: Member, client_of: ClientOf
) -> None:
    before = Event.objects.count()
    for member in (None, alice, charlie):
        client = client_of(member)
        for path, given in _forms(stage):
            status = client.post(path, {**given, "nonce": new_id()}).status_code
            assert status in (302, 403, 404), f"{path} {given}: {status}"
    assert Event.objects.count() == before, "a form was taken"


def test_a_judge_does_not_run_the_event(stage: Stage, jude: Member, client_of: ClientOf) -> None:
    client, before = client_of(jude), Event.objects.count()
    for path, given in _forms(stage):
        if "/calls/" not in path:
            status = client.post(path, {**given, "nonce": new_id()}).status_code
            assert status in (403, 404), f"{path} {given}: {status}"
    assert Event.objects.count() == before


def test_the_same_forms_work_for_those_who_may(
    stage: Stage, olga: Member, jude: Member, client_of: ClientOf
) -> None:
    """Without this the two tests above would pass on forms that nobody can send."""
    desk, judge = client_of(olga), client_of(jude)
    for path, given in _forms(stage):
        act = given.get("act")
        if act in ("grant", "enter") or path.endswith(f"{stage.call_id}/"):
            if act == "rule":
                judge.post(path, {"act": "arrive", "nonce": new_id()})
            before = Event.objects.count()
            client = judge if "/calls/" in path else desk
            assert client.post(path, {**given, "nonce": new_id()}).status_code == 302, path
            assert Event.objects.count() > before, f"{path} {given}"


@pytest.mark.parametrize("page", COSTS)
def test_a_list_costs_no_more_than_its_limit(
    stage: Stage, olga: Member, alice: Member, client_of: ClientOf, page: str
) -> None:
    client = client_of(alice if page.startswith("/my/") else olga)
    path = _filled(stage, page)
    client.get(path)  # what a process reads once is read
    with queries(at_most=COSTS[page]):
        assert client.get(path).status_code == 200


def test_results_entry_tells_what_players_said_at_the_open_tables(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    """Of the open tables one has two reports that differ, one the report of its winner alone."""
    answer = client_of(olga).get(_filled(stage, "/staff/events/{event}/results/"))
    open_rows = MatchRow.objects.filter(event_id=stage.event_id, round=2, winner="")
    states = {row.state: row.pk for row in open_rows}
    ((line, claims),) = answer.context["disputed"]
    assert line.match_id == states["disputed"]
    assert [claims[seat]["score"] for seat in ("P1", "P2")] == [[2, 1, 0], [1, 2, 0]]
    assert answer.context["said"][states["claimed"]] == "A says 2-0"
    assert answer.context["said"][stage.match_id] == ""
    assert answer.context["half"] == 1
    assert "Accept 1 report that waits" in answer.content.decode()
