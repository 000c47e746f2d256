"""Rewinds, disputes and packets over the API alone. Every answer is held to the schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.api.test_walk import Checked
from tests.conftest import Member, make_member
from tests.judging.hall import open_hall

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
REWINDS = {"judging_rewinds", "judging_rewind_undo"}
DISPUTES = {
    "judging_dispute_raise", "judging_disputes", "judging_disputes_mine", "judging_dispute_window",
    "judging_dispute_read", "judging_dispute_withdraw", "judging_dispute_take",
    "judging_dispute_give_back", "judging_dispute_rule", "judging_dispute_correct",
    "judging_dispute_leave", "judging_dispute_appeal",
}  # fmt: skip
PACKETS = {
    "judging_packets", "judging_packet_read", "judging_packet_person", "judging_packet_leave_out",
    "judging_packet_statement", "judging_packet_report", "judging_packet_evidence",
    "judging_packet_sign", "judging_packet_send", "judging_disqualification_undo",
}  # fmt: skip
NEEDED = REWINDS | DISPUTES | PACKETS
"""What this walk must have seen go well."""


def test_a_rewind_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    hall = open_hall(olga, alice, bob, jude, hedda)
    done: set[str] = set()
    desk, head = Checked(client_of(olga), done), Checked(client_of(hedda), done)
    player = Checked(client_of(alice, events=[hall.event_id]), done)
    match = f"matches/{hall.match_id}"
    desk.post(f"{match}/coin", {"winner": hall.seat})
    player.post(f"{match}/starter", {"first": hall.seat})
    duel = player.post(f"{match}/duels", status=201)["result"]
    player.post(f"duels/{duel}/acts", {"player": hall.seat, "act": {"act": "draw"}}, status=201)
    call = f"calls/{player.post('calls', {'match_id': hall.match_id}, status=201)['call_id']}"
    head.post(f"{call}/claim")
    head.post(f"{call}/arrive")
    line = player.get(f"duels/{duel}")["head"]
    order = {"remedy": "rewind", "rewind_to": line - 1, "note": "Drawn too early"}
    four = {"remedy": "rewind", "checklist": {"told_apart": True}, "note": "Drawn too early"}
    head.post(f"{call}/rule", four, status=409)
    ruling = head.post(f"{call}/rule", order)["ruling_id"]
    (sheet,) = head.get(f"{call}/rewinds")["results"]
    assert (sheet["to"], sheet["undoable"], sheet["lots"]) == (line - 1, True, [])
    undo = {"ruling_id": ruling, "reason": "The wrong line"}
    assert head.post(f"{call}/rewinds/undo", undo)["result"] == line + 2
    head.post(f"{call}/rewinds/undo", undo, status=409)
    assert done >= REWINDS, sorted(REWINDS - done)


def test_a_dispute_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    hall = open_hall(olga, alice, bob, jude, hedda)
    done: set[str] = set()
    desk, judge = Checked(client_of(olga), done), Checked(client_of(jude), done)
    player = Checked(client_of(alice, events=[hall.event_id]), done)
    match, event = f"matches/{hall.match_id}", f"events/{hall.event_id}"
    desk.post(f"{match}/coin", {"winner": hall.seat})
    player.post(f"{match}/starter", {"first": hall.seat})
    duel = player.post(f"{match}/duels", status=201)["result"]
    player.post(f"duels/{duel}/acts", {"player": hall.seat, "act": {"act": "concede"}}, status=201)
    lost = [0, 2, 0] if hall.seat == "P1" else [2, 0, 0]
    desk.post(f"{match}/result", {"score": lost})
    raised = {"duel_id": duel, "line": 2, "reason": "I did not"}
    held = player.post("disputes", raised, status=201)["dispute_id"]
    player.post(f"disputes/{held}/withdraw")
    nell = make_member(71, "Nell", account=True)
    nell.grant("head_judge", hall.event_id)
    chief = Checked(client_of(nell), done)
    assert desk.post(f"{event}/disputes/window", {"minutes": 0})["result"] == 0
    player.post("disputes", raised, status=409)
    desk.post(f"{event}/disputes/window", {"minutes": 90})
    for outcome, settle in (("stands", ""), ("result", "leave"), ("result", "correct")):
        path = f"disputes/{player.post('disputes', raised, status=201)['dispute_id']}"
        by = judge if outcome == "stands" else Checked(client_of(hall.joan), done)
        if settle == "correct":
            by = Checked(client_of(hedda), done)
        by.post(f"{path}/take")
        by.post(f"{path}/give-back")
        by.post(f"{path}/take")
        review: dict[str, Any] = {"outcome": outcome, "note": "Read twice", "rule_id": "YGO-2.7"}
        if settle:
            by.post(f"{path}/rule", review, status=409)
            review["score"] = [*lost[1::-1], 0]
        by.post(f"{path}/rule", review)
        if settle == "leave":
            player.post(f"{path}/appeal", {"reason": "I never said so"})
            by.post(f"{path}/take", status=409)
            chief.post(f"{path}/take")
            chief.post(f"{path}/rule", review)
            assert chief.get(path)["appeal_outcome"] == "upheld"
        if settle:
            desk.post(f"{path}/{settle}", {"note": "Read again"})
        by.get(path)
    assert [one["state"] for one in desk.get(f"{event}/disputes")["results"]] == [
        "corrected", "left", "ruled", "withdrawn",
    ]  # fmt: skip
    assert len(player.get(f"{event}/disputes/mine?state=left")["results"]) == 1
    assert done >= DISPUTES, sorted(DISPUTES - done)


def test_a_packet_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    hall = open_hall(olga, alice, bob, jude, hedda)
    done: set[str] = set()
    desk, head = Checked(client_of(olga), done), Checked(client_of(hedda), done)
    event = f"events/{hall.event_id}"
    out = {"kind": "disqualification", "match_id": hall.match_id}
    head.post(f"{event}/entrants/{hall.eb}/penalties", out)
    (held,) = head.get(f"{event}/packets")["results"]
    assert (held["state"], held["missing"]) == ("open", 3)
    packet = f"{event}/packets/{hall.eb}"
    seen = head.post(f"{packet}/persons", {"display_name": "Nora Night"})["result"]
    head.post(f"{packet}/sign", status=409)
    for person, how in ((bob.person_id, "dictated"), (seen, "refused")):
        said = {"person_id": person, "how": how, "text": "It was so."}
        desk.post(f"{packet}/statements", said)
    head.post(f"{packet}/persons/leave-out", {"person_id": seen, "reason": "Left the hall"})
    head.post(f"{packet}/report", {"text": "Found at a check."})
    assert head.post(f"{packet}/evidence", {"kind": "none"})["missing"] == 0
    assert head.post(f"{packet}/sign")["signed"]
    why = {"reason": "The list was right"}
    assert not head.post(f"{packet}/undo", why)["signed"]
    assert head.get(packet)["state"] == "undone"
    head.post(f"{event}/entrants/{hall.eb}/penalties", {"kind": "disqualification"})
    assert head.post(f"{packet}/sign")["signed"]
    assert desk.post(f"{packet}/send", {"note": "By post"})["sent"]
    assert head.post(f"{packet}/undo", why, status=409)["code"] == "judging.packet_sent"
    assert head.get(packet)["people"][0]["statements"][0]["text"] == "It was so."
    assert done >= PACKETS, sorted(PACKETS - done)
