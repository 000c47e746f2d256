"""Forms that a page sends by itself: what is confirmed, what is refused, what a repeat does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from duels import selectors as duels
from eventstore.ids import new_id
from eventstore.models import Event
from tests.conftest import Member
from tests.portal.stage import Stage, set_stage
from tests.portal.test_pages import CAST, PAGES, House, house  # noqa: F401
from tournaments import services
from tournaments.models import MatchRow

ClientOf = Callable[..., Client]
pytestmark = pytest.mark.django_db
BY_ITSELF = {"Headjudge-Queue": "1"}


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """The event in progress."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def _win(stage: Stage) -> str:
    return "2-0" if stage.seat == "P1" else "0-2"


def _send(client: Client, stage: Stage, **values: Any) -> Any:
    given = {"nonce": new_id(), "match_id": stage.match_id, **values}
    return client.post(f"/my/{stage.event_id}/", given, headers=BY_ITSELF)


def test_what_was_kept_is_confirmed_and_a_repeat_gets_the_same(
    stage: Stage, alice: Member, client_of: ClientOf
) -> None:
    client, before = client_of(alice), Event.objects.count()
    nonce = new_id()
    for _ in range(3):
        answer = _send(client, stage, act="claim", score=_win(stage), nonce=nonce)
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers["Headjudge-Then"] == f"/my/{stage.event_id}/"
    assert Event.objects.count() == before + 1
    again = client.post(
        f"/my/{stage.event_id}/",
        {"nonce": nonce, "match_id": stage.match_id, "act": "claim", "score": _win(stage)},
    )
    assert again.status_code == 302, "a form of the page itself is redirected as ever"
    other = _send(client, stage, act="claim", score="1-1-1", nonce=nonce)
    assert other.status_code == 409
    assert "already sent with other content" in other.content.decode()
    assert Event.objects.count() == before + 1


def test_a_page_that_stands_where_the_answer_does_gets_itself_anew(
    stage: Stage, alice: Member, client_of: ClientOf
) -> None:
    client, before = client_of(alice), Event.objects.count()
    page = f"/my/{stage.event_id}/"
    whole = client.get(page).content.decode()
    counters = re.compile(r'data-at="([\d.]+)"')
    form = {"nonce": new_id(), "match_id": stage.match_id, "act": "claim", "score": _win(stage)}
    for _ in range(2):
        answer = client.post(page, form, headers={"Headjudge-Queue": page, "Headjudge-Age": "3"})
        assert (answer.status_code, answer.headers["Headjudge-Then"]) == (200, page)
        assert answer.headers["Headjudge-Keep"] == f"{page} /my/"
        body = answer.content.decode()
        assert "You reported 2-0" in body
        assert body.count("<main") == 1
        assert 'class="top"' not in body, "its frame stands there already"
        assert re.findall(r'name="nonce" value="([^"]+)"', body), "its forms can be sent"
        assert len(counters.findall(body)) == 1
        assert counters.findall(body) != counters.findall(whole), "counters after the command"
    assert Event.objects.count() == before + 1
    assert "Your report is in" not in client.get(page).content.decode(), "it was told already"
    refused = client.post(page, {**form, "score": "1-1-1"}, headers={"Headjudge-Queue": page})
    assert (refused.status_code, "Headjudge-Then" in refused.headers) == (409, False)


def test_an_answer_that_stands_elsewhere_is_named_and_not_shown(
    stage: Stage, alice: Member, client_of: ClientOf
) -> None:
    client, page = client_of(alice), f"/my/{stage.event_id}/"
    form = {"match_id": stage.match_id, "act": "claim", "score": _win(stage)}
    for here in ("1", "/", f"{page}?page=2", f"/my/{new_id()}/", "https://elsewhere.example/"):
        answer = client.post(page, {**form, "nonce": new_id()}, headers={"Headjudge-Queue": here})
        assert (answer.status_code, answer.content) == (204, b""), here
        assert answer.headers["Headjudge-Then"] == page


def test_what_was_not_kept_is_never_confirmed(
    stage: Stage, alice: Member, charlie: Member, client_of: ClientOf
) -> None:
    before = Event.objects.count()
    refused = _send(client_of(alice), stage, act="claim", score="3-3")
    assert refused.status_code == 409
    assert 'class="fault"' in refused.content.decode()
    here = {"Headjudge-Queue": f"/my/{stage.event_id}/"}
    for member in (None, charlie):
        assert _send(client_of(member), stage, act="claim", score=_win(stage)).status_code == 404
        form = {"nonce": new_id(), "match_id": stage.match_id, "act": "claim", "score": "2-0"}
        answer = client_of(member).post(f"/my/{stage.event_id}/", form, headers=here)
        assert (answer.status_code, "Headjudge-Then" in answer.headers) == (404, False)
    assert client_of(None).post("/staff/", headers=BY_ITSELF).status_code != 204
    assert client_of(None).get("/staff/", headers=BY_ITSELF).status_code != 204
    assert Event.objects.count() == before


def test_a_form_means_the_match_it_was_written_for(
    stage: Stage, alice: Member, olga: Member, client_of: ClientOf
) -> None:
    mine = stage.entrants["Alice"]
    rows = MatchRow.objects.filter(event_id=stage.event_id)
    first = next(one for one in rows.filter(round=1) if mine in (one.p1, one.p2))
    claims = Event.objects.filter(type="tournaments.result_claimed").count()
    late = _send(client_of(alice), stage, act="claim", score="2-0", match_id=first.pk)
    assert late.status_code == 409, "that match is decided; the one that runs is not meant"
    assert MatchRow.objects.get(pk=stage.match_id).claims == {}
    foreign = next(one for one in rows.filter(round=2, winner="") if mine not in (one.p1, one.p2))
    for match_id in (foreign.pk, new_id()):
        answer = _send(client_of(alice), stage, act="claim", score="2-0", match_id=match_id)
        assert answer.status_code == 404
    elsewhere = new_id()
    services.event_create(olga.context(), event_id=elsewhere, name="Other cup")
    services.registration_open(olga.context(), event_id=elsewhere)
    services.entrant_enrol(olga.context(), event_id=elsewhere, person_id=alice.person_id)
    answer = client_of(alice).post(
        f"/my/{elsewhere}/",
        {"nonce": new_id(), "match_id": stage.match_id, "act": "claim", "score": _win(stage)},
    )
    assert answer.status_code == 404
    called = client_of(alice).post(
        f"/my/{stage.event_id}/judge/",
        {"nonce": new_id(), "match_id": foreign.pk, "act": "raise", "call_id": new_id()},
        headers=BY_ITSELF,
    )
    assert called.status_code == 404
    assert Event.objects.filter(type="tournaments.result_claimed").count() == claims
    assert Event.objects.filter(type="judging.call_raised").count() == 1


def test_a_line_of_the_pad_goes_into_the_log_of_its_duel(
    stage: Stage, alice: Member, client_of: ClientOf
) -> None:
    client = client_of(alice)
    form = client.get(f"/my/{stage.event_id}/").content.decode()
    found = re.search(r'name="pad_seq" value="(\d+)"', form)
    assert found
    line = {"act": "lp", "duel_id": stage.duel_id, "pad_seq": found[1], "about": "theirs"}
    assert _send(client, stage, **line, value="6500").status_code == 204
    assert (stage.seat, int(found[1])) in duels.duel_state(stage.duel_id).pad_lines
    assert (
        f'name="pad_seq" value="{int(found[1]) + 1}"'
        in client.get(f"/my/{stage.event_id}/").content.decode()
    )
    for wrong in (
        {**line, "value": "6000"},
        {**line, "value": "-1", "pad_seq": "9"},
        {**line, "value": "x", "pad_seq": "9"},
        {**line, "value": "1", "pad_seq": "9", "client_time": "yesterday"},
        {**line, "value": "1", "pad_seq": "9", "duel_id": new_id()},
    ):
        assert _send(client, stage, **wrong).status_code == 409, wrong


def test_every_form_of_every_page_carries_a_nonce(house: House) -> None:  # noqa: F811
    seen = 0
    for name in CAST:
        client = house.client(name)
        for page, expected in PAGES.items():
            if expected[name] != 200:
                continue
            body = client.get(house.address(page)).content.decode()
            for form in re.findall(r'<form[^>]*method="post".*?</form>', body, re.S):
                seen += 1
                nonce = re.search(r'name="nonce" value="([0-9a-f-]{36})"', form)
                assert nonce, f"{page} for {name}: {form[:200]}"
    assert seen > 50
