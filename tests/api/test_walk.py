"""One whole event over the API alone, every answer held to the schema: with the answers to the
whole cast (test_answers) no operation is left that was never seen to succeed as described."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from config.openapi import document
from eventstore.ids import new_id
from tests.api.described import checker
from tests.conftest import Member
from tests.portal.stage import starter

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
PATHS = {
    re.compile("^" + re.sub(r"{\w+}", "[^/]+", path) + "$"): path for path in document()["paths"]
}


class Checked:
    """A client whose every answer is held to the schema; `done` are the operations that went
    well."""

    def __init__(self, client: Client, done: set[str]) -> None:
        self.client, self.done = client, done

    def send(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """Send a request, compare its status, check its answer, return its body."""
        address = f"/api/v1/{path}"
        if method == "get":
            answer: Any = self.client.get(address)
        else:
            answer = self.client.post(address, body or {}, content_type="application/json")
        assert answer.status_code == status, (address, answer.content)
        bare = address.partition("?")[0]
        # a word that is written out in the schema goes before one that is a parameter
        template = min((path for form, path in PATHS.items() if form.match(bare)), key=holes)
        faults = list(checker(template, method, str(status)).iter_errors(answer.json()))
        assert not faults, (address, [fault.message for fault in faults])
        if status < 300:
            self.done.add(document()["paths"][template][method]["operationId"])
        return answer.json()

    def get(self, path: str, **values: Any) -> Any:
        """Read."""
        return self.send("get", path, **values)

    def post(self, path: str, body: Any = None, **values: Any) -> Any:
        """Carry a command out."""
        return self.send("post", path, body, **values)


def holes(path: str) -> int:
    """Count the parameters of a path."""
    return path.count("{")


def with_side() -> str:
    """A shipped list with fifteen cards of another one as its Side Deck."""
    main, _mark, _rest = starter().partition("!side")
    known = set(main.split())
    others = [line for line in starter("starter-tide").splitlines() if line.isdigit()]
    side = [line for line in dict.fromkeys(others) if line not in known][:15]
    assert len(side) == 15
    return f"{main}!side\n" + "\n".join(side) + "\n"


def test_an_event_and_a_call_over_the_api_alone(
    olga: Member,
    alice: Member,
    bob: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
) -> None:
    call_command("load_shipped", verbosity=0)
    done: set[str] = set()
    desk = Checked(client_of(olga), done)
    event_id = desk.post("events", {"name": "Walk", "rounds": 1}, status=201)["result"]
    event = f"events/{event_id}"
    desk.post(f"{event}/configure", {"cut": 2, "decklists": "cut"})
    desk.post(f"{event}/registration-open")
    jude.grant("judge", event_id)
    hedda.grant("head_judge", event_id)
    players = {
        one.person_id: Checked(client_of(one, events=[event_id]), done) for one in (alice, bob)
    }
    entrants: dict[str, str] = {}
    for person_id, client in players.items():
        entrants[person_id] = client.post(f"{event}/enrol-self", status=201)["entrant_id"]
    for name in ("Dora", "Emil"):
        made = desk.post(f"{event}/entrants", {"display_name": name}, status=201)
        entrants[made["person_id"]] = made["entrant_id"]
    for entrant in entrants.values():
        deck = {"content": with_side()}
        desk.get(f"decks/{desk.post(f'{event}/entrants/{entrant}/deck', deck)['deck_id']}")
        desk.post(f"{event}/entrants/{entrant}/check-in")
    paper = desk.post(f"{event}/entrants", {"display_name": "Fay"}, status=201)["entrant_id"]
    on_paper = f"{event}/entrants/{paper}"
    assert desk.post(f"{on_paper}/paper")["state"] == "paper"
    assert desk.post(f"{on_paper}/paper/return")["state"] == "none"
    desk.post(f"{on_paper}/paper")
    assert desk.post(f"{on_paper}/paper/entry", {"content": "3 No Such"})["errors"]
    judged = {"content": starter(), "reason": "unreadable", "infraction": "DE-MINOR"}
    Checked(client_of(hedda), done).post(f"{on_paper}/deck/repair", judged)
    assert desk.post(f"{on_paper}/deck/checked", {"number": 2})["state"] == "checked"
    assert desk.get(f"{event}/hand-ins?page_size=99")["count"] == 5
    desk.post(f"{event}/entrants/{entrant}/drop")
    desk.post(f"{event}/entrants/{entrant}/reinstate")
    _pack(desk, event)
    assert desk.post(f"{event}/start")["result"] == 1
    desk.post(f"{event}/rounds/pair", {"seed": 3}, status=201)
    desk.post(f"{event}/rounds/1/publish")
    tables = desk.get(f"{event}/rounds/1")["tables"]
    assert len(desk.get(f"{event}/rounds/1?entrant={entrants[alice.person_id]}")["tables"]) == 1
    table = next(
        one
        for one in tables
        if entrants[alice.person_id] in (one["p1"]["entrant_id"], one["p2"]["entrant_id"])
    )
    match = f"matches/{table['match_id']}"
    _play(players[alice.person_id], event, match, desk)
    _call(players[alice.person_id], table, Checked(client_of(jude), done), hedda, client_of, done)
    _deck_check(tables, table, Checked(client_of(jude), done), event)
    for one in tables:
        path = f"matches/{one['match_id']}"
        held = desk.get(path)
        if held["state"] != "decided":
            won = next(score for score in held["possible"] if score[0] != score[1])
            desk.post(f"{path}/result", {"score": won})
    desk.post(f"{match}/correction", {"score": [2, 1, 0], "note": "slip"})
    desk.get(f"{event}/standings?round=1&revision=1")
    desk.post(f"{event}/cut", {"seed": 5})
    desk.post(f"{event}/rounds/pair", {"seed": 3}, status=201)
    desk.post(f"{event}/rounds/2/publish")
    last = desk.get(f"{event}/rounds/2")["tables"][0]["match_id"]
    desk.post(f"matches/{last}/result", {"score": [2, 0, 0]})
    desk.get(f"{event}/bracket")
    published = desk.get(f"{event}/lists")["results"]
    assert len(published) == 2
    desk.get(f"{event}/lists/{published[0]['entrant_id']}")
    desk.get(f"{event}/desk")
    desk.post(f"{event}/finish")
    desk.get(f"{event}/entrants?late=false&status=checked_in&q=d")
    missing = NEEDED - done
    assert not missing, sorted(missing)


NEEDED = {
    "events_create", "events_configure", "events_command", "events_cut", "entrants_enrol",
    "entrants_enrol_self", "entrants_deck", "entrants_command", "rounds_pair", "rounds_publish",
    "matches_coin", "matches_starter", "matches_duel_start", "matches_result", "matches_correct",
    "duel_act", "judging_call_raise", "judging_call_claim", "judging_call_arrive",
    "judging_call_give_back", "judging_ruling_make", "judging_call_appeal", "judging_appeal_rule",
    "judging_call_close", "judging_call_withdraw", "matches_duel_result", "matches_sides",
    "judging_ruling_accept", "standings_read", "bracket_read", "desk_read",
    "lists_hand_ins", "lists_paper_receive", "lists_paper_return", "lists_paper_enter",
    "deck_checks_read", "deck_checks_pick", "deck_check_begin", "deck_check_read",
    "deck_check_count", "deck_check_take", "deck_check_return", "deck_check_sleeves",
    "lists_confirm", "lists_open", "lists_open_read", "judging_list_repair",
    "judging_pack_read", "judging_pack_choose", "judging_pack_keep", "judging_pack_confirm",
}  # fmt: skip
"""What this walk must have seen go well."""


def _pack(desk: Checked, event: str) -> None:
    """Another pack is chosen, copied with a change, confirmed; then the house rules again."""
    desk.post(f"{event}/policy/choose", {"ref": "konami-tcg@2.2"})
    held = desk.get(f"{event}/policy/pack")
    assert {one["open"] for one in held["marks"]} == {True}
    content = held["content"].replace("window_hours = 72", "window_hours = 24")
    kept = desk.post(f"{event}/policy/keep", {"content": content, "use": True})
    assert desk.get(f"{event}/policy/pack")["ref"] == kept["ref"]
    marks = [one["path"] for one in held["marks"]]
    assert desk.post(f"{event}/policy/confirm", {"paths": marks})["result"] == 0
    assert {one["open"] for one in desk.get(f"{event}/policy/pack")["marks"]} == {False}
    desk.post(f"{event}/policy/choose", {"ref": "house-rules@1"})


def _deck_check(
    tables: list[dict[str, Any]], table: dict[str, Any], judge: Checked, event: str
) -> None:
    """A table is picked, its decks taken, counted and given back."""
    other = next(one for one in tables if one["match_id"] != table["match_id"])
    picked = judge.post(f"{event}/deck-checks", {"targeted": [other["table"]], "seed": "s"})
    assert picked["result"] == [other["match_id"]]
    made = judge.post(f"matches/{other['match_id']}/deck-check", status=201)
    check = f"calls/{made['result']}/deck-check"
    judge.post(f"{check}/take")
    judge.post(f"{check}/count", {"seat": "P1", "section": "main", "wrong_language": 1})
    judge.post(f"{check}/sleeves", {"seat": "P2", "places": [1, 3], "pattern": "no"})
    for seat, who in (("P1", "player"), ("P2", "staff")):
        judge.post(f"{check}/return", {"seat": seat, "confirmed_by": who})
    first, second = judge.get(check)["decks"]
    assert (first["found"]["wrong_language"], second["marked_places"]) == (1, [1, 3])
    assert judge.get(f"{event}/deck-checks")["checked"] == 1
    judge.post(f"calls/{made['result']}/rule", {"rule_id": "YGO-3.1"})
    judge.post(f"calls/{made['result']}/close")


def _play(client: Checked, event: str, match: str, desk: Checked) -> None:
    """The coin, who starts, a duel, its first acts, its log."""
    mine = client.get(f"{event}/my-match")["match"]
    tossed = desk.post(f"{match}/coin", {"winner": mine["seat"]})["result"]
    client.post(f"{match}/starter", {"first": tossed})
    duel = f"duels/{client.post(f'{match}/duels', status=201)['result']}"
    for _ in range(6):
        acts = client.get(f"{duel}/acts?player={mine['seat']}")["results"]
        lawful = [one for one in acts if one["act"] != "concede"]
        if not lawful:
            break
        act = {key: value for key, value in lawful[0].items() if key != "player"}
        client.post(f"{duel}/acts", {"player": mine["seat"], "act": act}, status=201)
    seen = client.get(f"{duel}?as={mine['seat'].lower()}")
    assert seen["head"] >= 2
    lines = client.get(f"{duel}/log?after=1&page_size=1")
    assert (lines["count"], len(lines["results"])) == (seen["head"] - 1, 1)
    client.get(f"{duel}/ledger?diverges=false")
    client.post(f"{duel}/acts", {"player": mine["seat"], "act": {"act": "concede"}}, status=201)
    desk.post(f"{match}/duels/result")
    client.post(f"{match}/sides", {"into_main": [], "out_of_main": []})


def _call(
    client: Checked,
    table: dict[str, Any],
    judge: Checked,
    hedda: Member,
    client_of: ClientOf,
    done: set[str],
) -> None:
    """A call from the tap over an appeal to its end, and one that both accept."""
    head = Checked(client_of(hedda), done)
    call = f"calls/{client.post('calls', {'match_id': table['match_id']}, status=201)['call_id']}"
    client.post(f"{call}/withdraw")
    call = f"calls/{client.post('calls', {'match_id': table['match_id']}, status=201)['call_id']}"
    judge.post(f"{call}/claim")
    judge.post(f"{call}/give-back")
    judge.post(f"{call}/claim")
    judge.post(f"{call}/arrive", {"time_left_s": 900})
    judge.post(f"{call}/rule", {"rule_id": "YGO-16.1"})
    client.post(f"{call}/appeal", {"reason": "No."})
    head.post(f"{call}/claim")
    head.post(f"{call}/appeal-ruling", {"outcome": "upheld"})
    head.post(f"{call}/close")
    second = {"match_id": table["match_id"], "call_id": new_id(), "category": "lp"}
    call = f"calls/{client.post('calls', second, status=201)['call_id']}"
    judge.post(f"{call}/claim")
    judge.post(f"{call}/arrive")
    judge.post(f"{call}/rule", {"rule_id": "YGO-16.1"})
    client.post(f"{call}/accept")
    head.get(call)
