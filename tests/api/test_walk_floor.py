"""A round on the floor over the API alone: slips, a conflict, the ends of the matches, a loss that
waits. Every answer is held to the schema."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from eventstore.clock import as_text
from eventstore.commands import Context
from people.domain.actor import SYSTEM
from tests.api.test_walk import Checked
from tests.conftest import Member, make_member
from tests.judging.hall import NOON, at, open_hall
from tournaments import services

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
NEEDED = {
    "slips_enter", "conflicts_read", "matches_settle", "matches_take_back", "matches_slip_missing",
    "matches_extend", "matches_end_start", "matches_end_answer", "matches_end_back",
    "matches_end_confirm", "events_ruleset", "losses_read", "losses_take_back", "floor_read",
    "matches_judge", "outages_read", "outages_settle", "outages_reopen",
}  # fmt: skip
"""What this walk must have seen go well."""


def _away(desk: Checked, event: str, event_id: str) -> Any:
    """Let the server have been away for a minute before the clock of the round was started."""
    services.outage_notice(
        Context(SYSTEM, "system"),
        event_id=event_id,
        since=as_text(NOON - timedelta(minutes=2)),
        until=as_text(NOON - timedelta(minutes=1)),
        seconds=60,
        copy=False,
    )
    return desk.get(f"{event}/outages")["outages"]


def test_a_round_on_the_floor_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    hall = open_hall(olga, alice, bob, jude, hedda)
    sven = make_member(7, "Sven", account=True)
    sven.grant("scorekeeper", hall.event_id)
    done: set[str] = set()
    desk, other, judge, head = (Checked(client_of(one), done) for one in (olga, sven, jude, hedda))
    event, match = f"events/{hall.event_id}", f"matches/{hall.match_id}"
    table = hall.match.table

    def slip(who: Checked, line: str) -> str:
        return str(who.post(f"{event}/slips", {"round": 1, "line": line})["word"])

    with at(0):
        services.clock_start(olga.context(), event_id=hall.event_id, minutes=40)
        desk.post(f"{event}/ruleset", {"ruleset": "eom.phase_2018@1"})
        assert judge.post(f"{match}/judge")["result"] == jude.person_id
        assert judge.post(f"{match}/extension", {"seconds": 120})["result"] == 120
        assert slip(desk, f"{table} 2-1 d2") == "entered"
        assert slip(desk, f"{table} 2-1 d2") == "same"
        assert slip(other, f"{table} 1-2") == "conflict"
        (conflict,) = desk.get(f"{event}/conflicts")["conflicts"]
        assert (conflict["standing"]["author"], conflict["against"][0]["author"]) == (
            "Olga",
            "Sven",
        )
        desk.post(f"{match}/conflict", {"choice": 9, "note": "No"}, status=409)
        desk.post(f"{match}/conflict", {})
        desk.post(f"{match}/take-back")
        (away,) = _away(desk, event, hall.event_id)
        assert (away["seconds"], away["clock_ran"], away["waits"]) == (60, True, True)
        gap = f"{event}/outages/{away['id']}"
        desk.post(f"{gap}/settle", {"given_s": 60, "tables": [hall.event_id]}, status=409)
        assert desk.post(f"{gap}/settle", {"given_s": 60})["result"] == 60
        assert desk.post(f"{gap}/reopen")["result"] == -60
        assert desk.post(f"{gap}/settle", {"given_s": 60, "tables": [hall.match_id]})["result"] == 0
        desk.post(f"{gap}/reopen")
    with at(43):
        first = judge.post(f"{match}/end")
        assert first["question"] == "score"
        judge.post(f"{match}/end/answer", {"question": "score", "answer": "1-0-0"})
        assert judge.post(f"{match}/end/back")["question"] == "score"
        judge.post(f"{match}/end/answer", {"question": "score", "answer": "1-0-0"})
        last = judge.post(f"{match}/end/answer", {"question": "moment", "answer": "between"})
        assert (last["question"], last["winner"], last["score"]) == ("", "P1", [1, 0, 0])
        judge.post(f"{match}/end/confirm")
        (waits,) = head.get(f"{event}/floor")["tables"]
        assert waits["match_id"] == hall.other_match
    with at(46):
        desk.post(f"matches/{hall.other_match}/no-slip", {"note": "Nobody"})
        desk.post(f"matches/{hall.other_match}/take-back")
        line = f"{waits['table']} 2-0"
        assert desk.post(f"{event}/slips", {"round": 1, "line": line})["late"] is True
        (loss,) = desk.get(f"{event}/losses")["losses"]
        assert loss["state"] == "pending"
        desk.post(f"{event}/losses/{loss['id']}/take-back", {"note": "The judge kept it"})
        assert desk.get(f"{event}/losses")["losses"][0]["state"] == "taken_back"
    assert done >= NEEDED, sorted(NEEDED - done)
