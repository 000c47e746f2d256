"""A replay file handed in and looked at over the API alone. Every answer is held to the schema."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from django.test import Client

from tests.api.test_walk import Checked
from tests.conftest import Member
from tests.duels.replays import made
from tests.judging.hall import open_hall

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
NEEDED = {"matches_replay", "duel_replay", "duel_notes", "duel_note", "duel_note_withdraw"}
"""What this walk must have seen go well."""


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
    assert done >= NEEDED, sorted(NEEDED - done)
