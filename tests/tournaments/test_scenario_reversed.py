"""Reversed result: round 5 is 20 minutes in, and table 12 of round 4 was entered upside down.

Through the pages of staff, the API and the public pages: what is published stays, what it
changes is shown before it is confirmed, both standings stay readable, and the next round is
drawn from the truth.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from eventstore import clock
from eventstore.ids import new_id
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import reckoning, selectors, services
from tournaments.domain import drafting
from tournaments.models import MatchRow, RoundRow, StandingRow
from tournaments.selectors.positions import position_of

pytestmark = pytest.mark.django_db
WHY = "both players say the slip was signed on the wrong line"
PLAYERS = 25
"""An odd field of twelve tables, so that there is a table 12 and a bye."""


def tables(event: Running, number: int) -> list[tuple[int, str, str]]:
    rows = MatchRow.objects.filter(event_id=event.event_id, round=number).order_by("table")
    return list(rows.values_list("table", "p1", "p2"))


def asked(client: Client, path: str) -> Any:
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def posted(client: Client, path: str, **body: Any) -> Any:
    answer = client.post(f"/api/v1/{path}", json.dumps(body), content_type="application/json")
    assert answer.status_code in (200, 201), answer.content
    return answer.json()


def test_a_result_is_reversed_while_the_next_round_is_played(
    make_event: Callable[..., Running], client_of: Callable[..., Client]
) -> None:
    event = make_event(PLAYERS, start=True, rounds=6, cut=8)
    base = f"events/{event.event_id}"
    for number in range(1, 5):
        event.pair(seed=number)
        event.settle(*([0, 2, 0] for _ in range(number)))
    event.pair(seed=5)
    event.run(services.clock_start, minutes=45)
    seated, bye = tables(event, 5), RoundRow.objects.get(number=5).byes
    wrong = MatchRow.objects.get(event_id=event.event_id, round=4, table=12)
    score = "0-2" if wrong.winner == "P1" else "2-0"
    desk, public = client_of(event.olga), client_of(None)

    began = clock.now()
    with clock.clock_set(lambda: began + timedelta(minutes=20)):
        # the page of results leads to a look at what changes, not straight to the command
        results = desk.get(f"/staff/{base}/results/?round=4&match={wrong.pk}").content.decode()
        assert f'formaction="/staff/{base}/undo/"' in results
        query = f"act=result&match_id={wrong.pk}&score={score}&reason=played"
        page = desk.get(f"/staff/{base}/undo/?{query}").content.decode()
        assert "Round 5 stands as it is published" in page
        assert "Correct round 4, table 12" in page
        told = asked(desk, f"{base}/undo?act=result&match={wrong.pk}&score={score}&reason=played")
        assert told["refusal"] is None
        assert told["moves"], "ranks move"
        assert told["next_round_waits"] == {"code": "tournaments.results_open"}
        (stands,) = told["stands"]
        assert (stands["number"], stands["tables"]) == (5, 12)
        assert stands["others"] > 0
        assert stands["byes_before"] == bye
        for one in told["moves"]:
            assert one["name"] in page
        named = {
            line.side.entrant_id: line.side.name
            for line in selectors.standings_after(event.olga.actor, event.event_id).lines
        }
        for entrant in (*told["cut_in"], *told["cut_out"]):
            assert named[entrant] in page
        assert not StandingRow.objects.filter(round=4, revision=2).exists(), "only looked at"

        form = {
            "act": "result", "match_id": wrong.pk, "score": score, "reason": "played",
            "note": WHY, "nonce": new_id(),
        }  # fmt: skip
        for _ in range(2):  # pressed twice: one effect
            answer = desk.post(f"/staff/{base}/undo/", form, follow=True)
            assert "The result is corrected" in answer.content.decode()
    wrong.refresh_from_db()
    assert wrong.corrections == 1

    # round 5 is as it was, players see it and may go on
    assert tables(event, 5) == seated
    assert RoundRow.objects.get(number=5).byes == bye

    # after round 4 there are two standings; what the preview said is what they differ in
    first = asked(public, f"{base}/standings?round=4&revision=1&page_size=100")
    second = asked(public, f"{base}/standings?round=4&revision=2&page_size=100")
    assert (first["revision"], second["revision"], second["revisions"]) == (1, 2, 2)
    rank = [
        {one["entrant"]["entrant_id"]: one["rank"] for one in view["results"]}
        for view in (first, second)
    ]
    moved = {one: (rank[0][one], rank[1][one]) for one in rank[0] if rank[0][one] != rank[1][one]}
    assert {one["entrant_id"]: (one["before"], one["after"]) for one in told["moves"]} == moved
    points = [
        {one["entrant"]["entrant_id"]: one["points"] for one in view["results"]}
        for view in (first, second)
    ]
    assert {one for one in points[0] if points[0][one] != points[1][one]} == {wrong.p1, wrong.p2}

    # everybody reads that staff corrected it, and nothing else about it
    shown = public.get(f"/{base}/standings/?round=4").content.decode()
    assert "revision 2 of 2, corrected by staff" in shown
    assert "revision=1" in shown
    pairings = public.get(f"/{base}/pairings/?round=4&q={named[wrong.p1]}").content.decode()
    assert "corrected" in pairings
    for text in (shown, pairings, json.dumps(second)):
        assert WHY not in text
        assert "Olga" not in text
    for address in (f"/staff/{base}/undo/", f"/staff/{base}/undo/?{query}"):
        assert public.get(address).status_code == 403
    assert WHY in desk.get(f"/staff/{base}/undo/").content.decode()
    assert "moved with this correction" in desk.get(f"/{base}/standings/?round=4").content.decode()

    # round 6 uses the true scores and opponents
    event.settle()
    assert posted(desk, f"{base}/rounds/pair", seed=6)["result"] == 6
    drawn = RoundRow.objects.get(number=6)
    state, facts = position_of(event.event_id).state, reckoning.facts(event.event_id)
    true = drafting.record_of(state, facts.played)
    assert drawn.points == {one.entrant_id: true[one.entrant_id].points for one in state.active}
    won = wrong.p1 if score == "2-0" else wrong.p2
    lost = wrong.p2 if won == wrong.p1 else wrong.p1
    assert points[1][won] - points[0][won] == points[0][lost] - points[1][lost] == 3
    met = {frozenset(pair) for number in range(1, 6) for _, *pair in tables(event, number)}
    assert not met & {frozenset(pair) for _, *pair in tables(event, 6)}
    assert posted(desk, f"{base}/rounds/6/publish")["result"] == 12
    name = desk.get(f"/staff/{base}/files/standings/").headers["Content-Disposition"]
    assert "-r6-rev0" in name, "round 6 has no standings yet"
    event.settle()
    name = desk.get(f"/staff/{base}/files/standings/").headers["Content-Disposition"]
    assert "-r6-rev1" in name
    rebuilds_equal()
