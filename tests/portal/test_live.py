"""Topics: who may follow which, what moves them, and that they say nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from eventstore import projections
from eventstore.ids import new_id
from judging import services as judging
from people.live import live
from tests.conftest import Member
from tests.helpers import query_count, rebuilds_equal
from tests.portal.stage import Stage, player, set_stage
from tournaments import services
from tournaments.models import MatchRow

ClientOf = Callable[..., Client]
pytestmark = [pytest.mark.django_db, pytest.mark.pg]


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """The event in progress."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def _now(client: Client, *topics: str) -> str:
    """The counters of topics, as the fallback tells them."""
    answer = client.get("/live/now/", {"t": topics})
    assert answer.status_code == 200, answer.status_code
    counters, clock = answer.content.decode().split(" ")
    assert re.fullmatch(r"\d{13}", clock)
    return counters


@pytest.mark.parametrize(
    ("kind", "followers"),
    [
        ("board", {"nobody", "alice", "bob", "charlie", "olga", "jude", "hedda"}),
        ("round", {"nobody", "alice", "bob", "charlie", "olga", "jude", "hedda"}),
        ("desk", {"olga", "jude", "hedda"}),
        ("calls", {"olga", "jude", "hedda"}),
        ("mine", {"alice", "bob", "charlie", "olga", "jude", "hedda"}),
    ],
)
def test_a_topic_is_followed_by_those_who_may_see_its_page(
    stage: Stage,
    alice: Member,
    bob: Member,
    charlie: Member,
    olga: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
    kind: str,
    followers: set[str],
) -> None:
    cast = {"alice": alice, "bob": bob, "charlie": charlie, "olga": olga, "jude": jude}
    cast |= {"hedda": hedda, "nobody": None}
    for address in ("/live/", "/live/now/"):
        found = {
            name
            for name, member in cast.items()
            if client_of(member).get(address, {"t": f"{kind}.{stage.event_id}"}).status_code == 200
        }
        assert found == followers, address


def test_what_may_not_be_followed_looks_like_what_does_not_exist(
    stage: Stage, olga: Member, alice: Member, charlie: Member, client_of: ClientOf
) -> None:
    draft = new_id()
    services.event_create(olga.context(), event_id=draft, name="Secret cup")
    for member in (None, alice, charlie):
        client = client_of(member)
        for kind in ("board", "desk", "calls", "mine"):
            for address in ("/live/", "/live/now/"):
                there = client.get(address, {"t": f"{kind}.{draft}"})
                nowhere = client.get(address, {"t": f"{kind}.{new_id()}"})
                assert there.status_code == nowhere.status_code == 404
                assert _plain(there.content) == _plain(nowhere.content)
                costs = [_cost(client, address, f"{kind}.{of}") for of in (draft, new_id())]
                assert costs[0] == costs[1], f"{kind}: {costs}"


def _cost(client: Client, address: str, topic: str) -> int:
    return query_count(lambda: client.get(address, {"t": topic}))


def _plain(body: bytes) -> str:
    text = re.sub(r'name="(nonce|csrfmiddlewaretoken)" value="[^"]*"', "", body.decode())
    return re.sub(r'name="next" value="[^"]*"', "", text)


@pytest.mark.parametrize(
    "query",
    [
        "",
        "t=",
        "t=board",
        "t=board.x",
        "t=all.{event}",
        "t=rights.{event}",
        "t=board.{event}&t=board.{event}",
        "t=board.{event}%00",
        "&".join(["t=board.{event}"] * 9),
    ],
)
def test_a_damaged_subscription_is_not_found(stage: Stage, client: Client, query: str) -> None:
    for address in ("/live/", "/live/now/"):
        assert client.get(f"{address}?{query.format(event=stage.event_id)}").status_code == 404
    assert client.post("/live/").status_code in (403, 405)


def test_the_stream_opens_with_what_moved_since_the_page_was_drawn(
    stage: Stage, olga: Member, client_of: ClientOf
) -> None:
    client, topics = client_of(olga), (f"board.{stage.event_id}", f"calls.{stage.event_id}")
    before = _now(client, *topics)
    judging.call_raise(
        player(stage.persons["Alice"]), call_id=new_id(), match_id=stage.match_id, category="rules"
    )
    at = _now(client, *topics)
    (board, calls), (same, more) = before.split("."), at.split(".")
    assert (same, int(more) > int(calls)) == (board, True)

    def told(**extra: Any) -> bytes:
        body = client.get("/live/", {"t": topics, **extra}).content
        return re.sub(rb"event: clock\ndata: \d{13}", b"event: clock\ndata: 0", body)

    opening = f"retry: 2000\n\nid: {at}\nevent: clock\ndata: 0\n\n".encode()
    news = f"id: {at}\nevent: moved\ndata: 1 {more}\n\n".encode()
    assert told() == told(since=at) == opening
    assert told(since=before) == opening + news
    for foreign in ("x", "1", "1.2.3", "-1.2", "9" * 40):
        assert told(since=foreign).count(b"event: moved") == 2, foreign
    resumed = client.get("/live/", {"t": topics, "since": at}, headers={"Last-Event-ID": before})
    assert resumed.content.endswith(news), "the header is newer than the address"


def test_pages_carry_the_counters_they_were_drawn_with(
    stage: Stage, alice: Member, olga: Member, jude: Member, client_of: ClientOf
) -> None:
    event = stage.event_id
    pages = [
        (None, f"/events/{event}/pairings/", ["board"]),
        (None, f"/events/{event}/standings/", ["board"]),
        (olga, f"/events/{event}/pairings/", ["board", "desk"]),
        (alice, f"/my/{event}/", ["round", "mine"]),
        (alice, f"/my/{event}/judge/", ["mine", "round"]),
        (jude, f"/staff/events/{event}/calls/", ["calls"]),
        (olga, f"/staff/events/{event}/", ["desk"]),
    ]
    for member, page, kinds in pages:
        client = client_of(member)
        body = client.get(page).content.decode()
        found = re.search(r'<body data-live="([^"]+)" data-at="([\d.]+)"', body)
        assert found, page
        wanted = [f"{kind}.{event}" for kind in kinds]
        assert found[1].replace("&amp;", "&") == "&".join(f"t={one}" for one in wanted)
        assert found[2] == _now(client, *wanted)


def test_a_page_that_is_refused_carries_no_counters(
    stage: Stage, alice: Member, charlie: Member, client_of: ClientOf
) -> None:
    for member in (None, alice, charlie):
        for page in ("/staff/events/{}/calls/", "/staff/events/{}/", "/my/{}/"):
            if member is alice and page == "/my/{}/":
                continue
            body = client_of(member).get(page.format(stage.event_id)).content.decode()
            assert "data-live" not in body


def test_nothing_hidden_moves_what_others_follow(
    stage: Stage, alice: Member, bob: Member, jude: Member, olga: Member, client_of: ClientOf
) -> None:
    event, public = stage.event_id, client_of(None)
    board, mine = f"board.{event}", f"mine.{event}"
    third = client_of(Member(stage.persons["Fay"], "Fay"), events=[event])
    won = {"P1": [2, 0, 0], "P2": [0, 2, 0]}
    other = {"P1": "P2", "P2": "P1"}[stage.seat]

    def seen() -> tuple[str, str]:
        return _now(public, board), _now(third, board, mine)

    before = seen()
    for member, seat in ((alice, stage.seat), (bob, other)):
        services.result_claim(player(member.person_id), match_id=stage.match_id, score=won[seat])
    assert MatchRow.objects.get(pk=stage.match_id).state == "disputed"
    judging.call_claim(jude.context("judge"), call_id=stage.call_id)
    judging.call_arrive(jude.context("judge"), call_id=stage.call_id, time_left_s=600)
    judging.call_raise(player(bob.person_id), call_id=new_id(), match_id=stage.match_id)
    jude.grant("deck_checker", event)
    assert seen() == before
    services.result_enter(olga.context(), match_id=stage.match_id, score=[2, 0, 0])
    assert seen() != before, "the result is public"


def test_a_second_call_of_the_table_does_not_move_the_players(
    stage: Stage, alice: Member, bob: Member, jude: Member, client_of: ClientOf
) -> None:
    mine, calls = f"mine.{stage.event_id}", f"calls.{stage.event_id}"
    before = _now(client_of(alice), mine), _now(client_of(jude), calls)
    judging.call_raise(player(bob.person_id), call_id=new_id(), match_id=stage.match_id)
    after = _now(client_of(alice), mine), _now(client_of(jude), calls)
    assert after[0] == before[0]
    assert int(after[1]) > int(before[1])


def test_a_draft_counts_nothing_for_later(olga: Member, client_of: ClientOf) -> None:
    made = [new_id(), new_id()]
    for event_id in made:
        services.event_create(olga.context(), event_id=event_id, name="Cup")
    for name in ("A", "B"):
        services.event_configure(olga.context(), event_id=made[0], changes={"name": name})
        services.entrant_enrol(olga.context(), event_id=made[0], display_name=name)
    for event_id in made:
        services.registration_open(olga.context(), event_id=event_id)
    counters = [_now(client_of(None), f"board.{event_id}") for event_id in made]
    assert counters == ["1", "1"]


def test_counters_come_back_from_the_log(stage: Stage, alice: Member, client_of: ClientOf) -> None:
    rebuilds_equal("portal.live")
    mine = f"mine.{stage.event_id}"
    before = _now(client_of(alice), mine)
    projections.rebuild("portal.live")
    assert _now(client_of(alice), mine) == before != "0"


def test_a_mark_knows_its_words() -> None:
    with pytest.raises(ValueError, match="no such topic: everything"):
        live("everything")
    with pytest.raises(ValueError, match="no such topic: none"):
        live()
