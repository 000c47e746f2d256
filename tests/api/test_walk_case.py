"""The case of a call over the API alone: where the pads part, a look at hidden cards, sealed
statements. Every answer is held to the schema."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from tests.api.test_walk import Checked
from tests.conftest import Member
from tests.judging.hall import open_hall, raise_call, to_table
from tournaments import services

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]
NEEDED = {
    "judging_case", "judging_case_reveals", "judging_case_reveal", "judging_statements",
    "judging_statement_give", "judging_statements_ask", "judging_statement_withdraw",
    "judging_statements_open",
}  # fmt: skip
"""What this walk must have seen go well."""


def test_a_case_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    hall = open_hall(olga, alice, bob, jude, hedda)
    services.coin_toss(olga.context(), match_id=hall.match_id, winner="P1")
    services.starter_choose(olga.context(), match_id=hall.match_id, first="P1")
    duel_id = services.duel_start(olga.context(), match_id=hall.match_id, seed=7)
    call_id = raise_call(alice, hall.match_id, category="lp")
    to_table(jude, call_id)
    done: set[str] = set()
    one, judge, head = (Checked(client_of(who), done) for who in (alice, jude, hedda))
    call, duel = f"calls/{call_id}", f"duels/{duel_id}"
    seat, other = hall.seat, {"P1": "P2", "P2": "P1"}[hall.seat]
    for player, value in ((seat, 7000), (other, 8000)):
        said = {"statement": "lp_declared", "about": "P1", "value": value, "pad_seq": 1}
        writer = one if player == seat else Checked(client_of(bob), done)
        writer.post(f"{duel}/statements", {"player": player, "statement": said}, status=201)
    case = judge.get(f"{call}/case")
    assert (case["duel_id"], case["opened"]) == (duel_id, False)
    assert case["at"] == case["first_divergence"]
    judge.get(f"{duel}?as=judge", status=409)
    look = {"duel_id": duel_id, "reason": "A card was seen."}
    upto = judge.post(f"{call}/case/reveals", look, status=201)["upto"]
    assert judge.get(f"{duel}?as=judge")["at"] == upto
    assert judge.get(f"{call}/case?duel={duel_id}&at=2")["opened"] is True
    assert head.get(f"{call}/case/reveals")["results"][0]["reason"] == "A card was seen."
    judge.post(f"{call}/statements/ask", {"infraction": "PE-MINOR"}, status=409)
    judge.post(f"{call}/statements/ask", {"infraction": "UC-SEVERE"}, status=201)
    seen = {"infraction": "UC-SEVERE", "witnesses": ["Nora Night"]}
    assert judge.post(f"{call}/statements/ask", seen, status=201)["asked"] == 3
    one.post(f"{call}/statements/own", {"text": "Not so."}, status=201)
    one.post(f"{call}/statements/withdraw")
    one.post(f"{call}/statements/own", {"text": "He took two."}, status=201)
    sealed = head.get(f"{call}/statements")
    assert [two["texts"] for two in sealed["statements"]] == [[], [], []]
    assert sum(two["witness"] for two in sealed["statements"]) == 1
    head.post(f"{call}/statements/open", {"reason": "The other one left."})
    told = {text for two in judge.get(f"{call}/statements")["statements"] for text in two["texts"]}
    assert told == {"He took two."}
    assert sorted(NEEDED - done) == []
