"""The API of judging: the flow over HTTP, repeated requests, bad input, codes in the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from eventstore.ids import new_id
from eventstore.store import head_position
from judging.models import CallRow
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, raise_call, to_table

pytestmark = [pytest.mark.django_db]
ClientOf = Callable[[Member | None], Client]
BASE = "/api/v1"


def send(
    client: Client, path: str, body: Any = None, key: str | None = None
) -> tuple[int, dict[str, Any]]:
    headers = {"Idempotency-Key": key} if key else {}
    answer = client.post(
        f"{BASE}/{path}", body if body is not None else {}, "application/json", headers=headers
    )
    return answer.status_code, answer.json()


def test_from_the_tap_to_the_approved_game_loss(
    hall: Hall,
    alice: Member,
    bob: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
) -> None:
    player, judge, head = client_of(alice), client_of(jude), client_of(hedda)
    key = new_id()
    for _ in range(2):
        status, made = send(player, "calls", {"match_id": hall.match_id, "category": "lp"}, key)
        assert (status, made) == (201, {"call_id": key, "merged": False})
    call = f"calls/{key}"
    status, made = send(client_of(bob), "calls", {"match_id": hall.match_id})
    assert (status, made) == (201, {"call_id": key, "merged": True})
    queue = judge.get(f"{BASE}/events/{hall.event_id}/calls").json()
    assert [(one["call_id"], one["joined"]) for one in queue["results"]] == [(key, 1)]

    assert send(judge, f"{call}/claim")[1]["state"] == "claimed"
    status, problem = send(client_of(hall.joan), f"{call}/claim")
    assert (status, problem["code"]) == (409, "judging.already_claimed")
    assert problem["params"]["name"] == "Jude"
    assert send(judge, f"{call}/arrive", {"time_left_s": 900})[1]["state"] == "at_table"
    policy = judge.get(f"{BASE}/events/{hall.event_id}/policy").json()
    major = next(one for one in policy["infractions"] if one["code"] == "DC-MAJOR")
    assert (major["base"], major["needs_approval"]) == ("game_loss", True)
    status, ruled = send(
        judge,
        f"{call}/rule",
        {"infraction": "DC-MAJOR", "target_entrant": hall.ea, "remedy": "loss", "note": "Ánh"},
    )
    assert (status, ruled["approval"], ruled["in_force"]) == (200, "pending", False)
    approve = f"{call}/penalties/{ruled['ruling_id']}/approve"
    assert send(judge, approve)[0] == 403
    assert hall.wins(hall.eb) == 0
    assert send(head, approve)[1]["in_force"] is True
    assert hall.wins(hall.eb) == 1

    mine = player.get(f"{BASE}/calls/mine").json()["results"]
    assert mine[0]["rulings"][0]["text"].startswith("Alice: Extra card drawn")
    assert "note" not in mine[0]["rulings"][0]
    assert "steps" not in mine[0]
    seen = head.get(f"{BASE}/{call}").json()
    assert seen["rulings"][0]["note"] == "Ánh"
    assert send(judge, f"{call}/close")[1]["state"] == "closed"
    listed = head.get(f"{BASE}/events/{hall.event_id}/rulings").json()
    assert [one["penalty"] for one in listed["results"]] == ["game_loss"]
    rebuilds_equal()


def test_appeal_accept_escalate_and_withdraw_have_their_routes(
    hall: Hall,
    alice: Member,
    bob: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    call = f"calls/{call_id}"
    judge, head = client_of(jude), client_of(hedda)
    assert send(judge, f"{call}/rule", {"rule_id": "YGO-16.1"})[0] == 200
    assert send(client_of(bob), f"{call}/accept")[1]["state"] == "ruled"
    assert send(client_of(alice), f"{call}/appeal", {"reason": "No."})[1]["state"] == "appealed"
    status, problem = send(judge, f"{call}/appeal-ruling", {"outcome": "upheld"})
    assert (status, problem["code"]) == (409, "judging.head_judge_only")
    send(head, f"{call}/claim")
    assert send(head, f"{call}/appeal-ruling", {"outcome": "upheld"})[1]["state"] == "hj_ruled"
    assert send(head, f"{call}/close", {"extension_s": 90})[1]["code"] == "judging.reason_missing"
    closed = send(head, f"{call}/close", {"extension_s": 90, "reason": "Long talk."})[1]
    assert (closed["state"], closed["extension_s"]) == ("closed", 90)

    call = f"calls/{raise_call(alice, hall.match_id)}"
    send(judge, f"{call}/claim")
    assert send(judge, f"{call}/give-back")[1]["state"] == "raised"
    assert send(judge, f"{call}/escalate", {"note": "Yours."})[1]["state"] == "escalated"
    assert send(client_of(alice), f"{call}/withdraw")[1]["state"] == "withdrawn"


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("calls", {}, 400, "invalid"),
        ("calls", [], 400, "invalid"),
        ("calls", {"match_id": "x"}, 400, "invalid"),
        ("calls", {"match_id": "MATCH", "kind": "tea"}, 409, "judging.unknown_call_kind"),
        ("calls", {"match_id": "MATCH", "head_judge_wanted": "maybe"}, 400, "invalid"),
        ("calls", {"match_id": "00000000-0000-7000-8000-0000000000ff"}, 404, "not_found"),
        ("CALL/withdraw", "no JSON", 400, "parse_error"),
        ("CALL/withdraw", '"text"', 400, "invalid"),
        ("CALL/claim", {}, 403, "not_allowed"),
        ("CALL/appeal", {"reason": "\x00"}, 400, "invalid"),
        ("CALL/appeal", {"reason": "x" * 5000}, 400, "invalid"),
        ("CALL/appeal", {"seat": "P9"}, 409, "judging.wrong_state"),
        ("CALL/rule", {"rewind_to": -1}, 400, "invalid"),
        ("CALL/rule", {"rewind_to": 10**30}, 400, "invalid"),
    ],
)
def test_bad_input_from_a_player_gets_a_code_and_leaves_nothing(
    hall: Hall,
    alice: Member,
    client_of: ClientOf,
    path: str,
    body: Any,
    status: int,
    code: str,
) -> None:
    call_id = raise_call(alice, hall.match_id)
    if isinstance(body, dict) and body.get("match_id") == "MATCH":
        body = body | {"match_id": hall.match_id}
    before = head_position()
    got, problem = send(client_of(alice), path.replace("CALL", f"calls/{call_id}"), body)
    assert (got, problem["code"]) == (status, code)
    assert head_position() == before


def test_a_damaged_idempotency_key_is_refused_and_a_used_one_too(
    hall: Hall, alice: Member, client_of: ClientOf
) -> None:
    client, body = client_of(alice), {"match_id": hall.match_id}
    assert send(client, "calls", body, "not-a-uuid")[0] == 400
    key = new_id()
    assert send(client, "calls", body, key)[0] == 201
    status, problem = send(client, "calls", body | {"category": "lp"}, key)
    assert (status, problem["code"]) == (409, "command_reused")
    assert CallRow.objects.count() == 1


def test_strange_codes_are_refused_by_name_in_any_form_of_text(
    hall: Hall, alice: Member, jude: Member, client_of: ClientOf
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    for strange in ("e\u0301", "YGO-0", "' OR 1=1"):
        status, problem = send(client_of(jude), f"calls/{call_id}/rule", {"rule_id": strange})
        assert (status, problem["code"]) == (409, "judging.unknown_rule")


def test_nobody_signed_in_learns_nothing(hall: Hall, client_of: ClientOf) -> None:
    client = client_of(None)
    assert send(client, "calls", {"match_id": hall.match_id})[0] == 404
    for path in ("calls/mine", f"events/{hall.event_id}/calls"):
        assert client.get(f"{BASE}/{path}").status_code == 404


def test_a_list_is_paged(hall: Hall, alice: Member, jude: Member, client_of: ClientOf) -> None:
    raise_call(alice, hall.match_id)
    raise_call(hall.dora, hall.other_match)
    path = f"{BASE}/events/{hall.event_id}/calls?page_size=1"
    page = client_of(jude).get(path).json()
    assert (page["count"], len(page["results"])) == (2, 1)
    assert page["next"]
