"""Rewinds over the API alone. Every answer is held to the schema."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from tests.api.test_walk import Checked
from tests.conftest import Member
from tests.judging.hall import open_hall

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
NEEDED = {"judging_rewinds", "judging_rewind_undo"}
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
    assert done >= NEEDED, sorted(NEEDED - done)
