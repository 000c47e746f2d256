"""An event over the API alone that takes back what can be taken back: rounds, the cut, its early
and its true end. Every answer is held to the schema."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from tests.api.test_walk import Checked
from tests.conftest import Member
from tests.portal.stage import starter

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
NEEDED = {
    "events_policy", "events_policy_choose", "rounds_from_paper", "rounds_withdraw",
    "rounds_delete", "events_finish_early", "events_reopen", "events_cut_restart",
    "deck_checks_pick_cut", "lists_opponent", "undo_preview",
}  # fmt: skip
"""What this walk must have seen go well."""
WHY = {"note": "The slips of two tables were exchanged"}


def test_what_was_done_is_taken_back_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, hedda: Member, client_of: ClientOf
) -> None:
    call_command("load_shipped", verbosity=0)
    done: set[str] = set()
    desk = Checked(client_of(olga), done)
    event_id = desk.post("events", {"name": "Second thoughts", "rounds": 2}, status=201)["result"]
    event = f"events/{event_id}"
    hedda.grant("head_judge", event_id)
    head = Checked(client_of(hedda), done)
    desk.post(f"{event}/configure", {"cut": 2, "decklists": "opponents"})
    desk.post(f"{event}/rules", {"policy": "policy-2.3"})
    desk.post(f"{event}/rules", {"policy": "policy-2.3"}, status=409)
    assert desk.get(f"{event}/rules")["policy"] == "policy-2.3"
    desk.post(f"{event}/registration-open")
    ids = []
    for who in ({"person_id": alice.person_id}, {"person_id": bob.person_id},
                {"display_name": "Dora"}, {"display_name": "Emil"}):  # fmt: skip
        ids.append(desk.post(f"{event}/entrants", who, status=201)["entrant_id"])
        desk.post(f"{event}/entrants/{ids[-1]}/deck", {"content": starter()})
        desk.post(f"{event}/entrants/{ids[-1]}/check-in")
    first, second, third, fourth = ids
    desk.post(f"{event}/start")

    wrong = {"pairs": [[first, third], [second, fourth]], "tables": [7, 4], "note": "No power"}
    assert desk.post(f"{event}/rounds/from-paper", wrong, status=201)["result"] == 1
    assert desk.post(f"{event}/rounds/1/withdraw")["result"] == 1
    desk.get(f"{event}/rounds/1", status=404)
    meant = {"pairs": [[first, second], [third, fourth]], "tables": [7, 4], "note": "No power"}
    assert desk.post(f"{event}/rounds/from-paper", meant, status=201)["result"] == 1
    seated = {
        (one["table"], one["p1"]["entrant_id"], one["p2"]["entrant_id"])
        for one in desk.get(f"{event}/rounds/1")["tables"]
    }
    assert seated == {(7, first, second), (4, third, fourth)}
    player = Checked(client_of(alice, events=[event_id]), done)
    assert player.get(f"{event}/my-match/opponent-list")["list"]["entrant_id"] == second

    settle(desk, event, 1)
    desk.post(f"{event}/finish", status=409)
    desk.post(f"{event}/finish-early", {"note": " "}, status=400)
    desk.post(f"{event}/finish-early", WHY)
    assert desk.get(event)["status"] == "finished"
    desk.post(f"{event}/reopen", WHY)
    assert desk.get(event)["status"] == "running"
    draw(desk, event, 2)
    settle(desk, event, 2)
    told = desk.get(f"{event}/undo?act=round&number=2")
    assert told["results_gone"] == 2
    assert desk.post(f"{event}/rounds/2/delete", WHY)["result"] == 2
    draw(desk, event, 2)
    settle(desk, event, 2)

    before = desk.get(f"{event}/standings?round=2")
    for time in range(2):
        assert len(desk.post(f"{event}/cut", {"seed": 5})["result"]) == 2
        draw(desk, event, 3)
        (final,) = desk.get(f"{event}/rounds/3")["tables"]
        assert head.post(f"{event}/deck-checks/cut")["result"] == [final["match_id"]]
        settle(desk, event, 3)
        if time == 0:
            assert desk.post(f"{event}/cut/restart", WHY)["result"] == 1
            assert desk.get(event)["status"] == "running"
            assert desk.get(f"{event}/standings?round=2") == before
    desk.post(f"{event}/finish")
    desk.post(f"{event}/reopen", WHY)
    assert desk.get(event)["status"] == "cut"
    assert done >= NEEDED, sorted(NEEDED - done)


def draw(desk: Checked, event: str, number: int) -> None:
    """Pair and publish the next round, which must be of this number."""
    assert desk.post(f"{event}/rounds/pair", {"seed": 1}, status=201)["result"] == number
    desk.post(f"{event}/rounds/{number}/publish")


def settle(desk: Checked, event: str, number: int) -> None:
    """Let the first seat of each table win."""
    for one in desk.get(f"{event}/rounds/{number}")["tables"]:
        desk.post(f"matches/{one['match_id']}/result", {"score": [2, 0, 0]})
