"""A replay file handed in and looked at, and a duel on paper recorded, over the API alone. Every
answer is held to the schema."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from django.test import Client

from tests.api.test_walk import Checked
from tests.conftest import Member, make_member
from tests.duels.replays import made
from tests.judging.hall import open_hall

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
FILE = {"matches_replay", "duel_replay", "duel_notes", "duel_note", "duel_note_withdraw"}
RECORD = {"matches_record_open", "duel_act", "duel_take_back", "matches_record_take"}
NEEDED = FILE | RECORD
"""What these walks must have seen go well."""


def test_a_replay_file_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    hall = open_hall(olga, alice, bob, jude, hedda)
    done: set[str] = set()
    judge = Checked(client_of(jude), done)
    packets = [*made.opening(), (222, b"?"), made.damage(1, 800), made.win(0, 1)]
    body = made.stream(packets)
    at = body.index(made.packet(222, b"?"))
    asked = {"first": "P1", "file": base64.b64encode(made.file(made.YRPX, body)).decode()}
    address = f"matches/{hall.match_id}/replays"
    handed = judge.post(address, asked, status=201)
    assert (handed["winner"], handed["reason"], handed["findings"]) == ("P1", "lp", 1)
    judge.post(address, asked, status=409)
    judge.post(address, {**asked, "file": "%"}, status=400)
    found = judge.get(f"duels/{handed['duel_id']}/replay")
    assert found["unknown"] == [{"number": 222, "times": 1, "at": at}]
    assert [one["code"] for one in found["findings"]] == ["END_WITHOUT_CAUSE"]
    notes = f"duels/{handed['duel_id']}/notes"
    flag = judge.post(notes, {"kind": "note", "line": 3, "text": "Drawn twice?"}, status=201)
    judge.post(notes, {"kind": "note", "line": 3}, status=409)
    judge.post(notes, {"kind": "note", "line": 3, "text": "x" * 2000}, status=400)
    assert [one["text"] for one in judge.get(f"{notes}?line=3")["results"]] == ["Drawn twice?"]
    judge.post(f"{notes}/{flag['result']}/withdraw", {})
    assert [one["withdrawn"] for one in judge.get(notes)["results"]] == [True]
    assert done >= FILE, sorted(FILE - done)


def test_a_duel_on_paper_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    hall = open_hall(olga, alice, bob, jude, hedda)
    sam = make_member(7, "Sam", account=True)
    for member in (jude, sam):
        member.grant("recorder", hall.event_id)
    done: set[str] = set()
    judge, desk, head, own = (Checked(client_of(one), done) for one in (jude, sam, hedda, alice))
    match = f"matches/{hall.match_id}"
    for other in (head, own):  # a head judge without the role, and who plays there
        other.post(f"{match}/record", {"first": "P1"}, status=403)
    judge.post(f"{match}/record", {"first": "P3"}, status=400)
    judge.post(f"{match}/record", {}, status=409)  # nobody has said who begins
    duel_id = judge.post(f"{match}/record", {"first": "P1"}, status=201)["result"]
    assert judge.post(f"{match}/record", {}, status=409)["code"] == "tournaments.duel_running"
    duel = f"duels/{duel_id}"
    back = f"{duel}/take-back"
    assert judge.post(back, {}, status=409)["code"] == "duels.nothing_to_take_back"
    before = judge.get(f"{duel}/log")["count"]
    drawn = judge.post(f"{duel}/acts", {"player": "P1", "act": {"act": "draw"}}, status=201)
    own.post(back, {}, status=403)
    Checked(client_of(None), done).post(back, {}, status=404)
    stale = judge.post(back, {"expected": drawn["version"] - 1}, status=409)
    assert stale["code"] == "wrong_version"
    taken = desk.post(back, {"expected": drawn["version"]}, status=201)
    assert taken["version"] == drawn["version"] + 1
    desk.post(f"{duel}/acts", {"player": "P1", "act": {"act": "draw"}}, status=201)
    said = {"statement": "count_declared", "about": "P1", "zone": "hand", "value": 6}
    judge.post(f"{duel}/statements", {"player": "P1", "statement": said}, status=201)
    lines = judge.get(f"{duel}/log")["results"]
    assert {one["source"] for one in lines[:before]} == {"judge"}
    written = [(one["source"], one["fidelity"], one["struck"]) for one in lines[before:]]
    assert written[0] == ("judge", "full", True)
    assert {one[0] for one in written[1:-1]} == {"scorekeeper"}
    assert written[-1] == ("judge", "full", False)
    desk.post(f"{match}/record/result", status=409)  # it is not over
    desk.post(f"{duel}/acts", {"player": "P2", "act": {"act": "concede"}}, status=201)
    assert desk.post(f"{match}/record/result")["result"] == judge.get(match)["state"]
    desk.post(f"{match}/record/result", status=409)  # it is taken
    assert done >= RECORD, sorted(RECORD - done)
