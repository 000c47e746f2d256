"""The door over the API alone: what holds there, the waiting list and its offers, money taken and
given back, who is who. Every answer is held to the schema."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from tests.api.test_walk import Checked
from tests.conftest import Member

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
SEATS = {
    "door_read", "door_set", "door_field", "waiting_list", "my_seat", "waiting_command",
}  # fmt: skip
FEES = {
    "door_find", "fee_pay", "fee_refund", "fee_comp", "cash_up", "eligibility_note",
    "notice_accept",
}  # fmt: skip
PERSONS = {"public_name_set", "persons_merge", "merge_undo", "suspensions_import"}
NEEDED = SEATS | FEES | PERSONS
"""What these walks must have seen go well."""
PRIZES = [{"least": 2, "first": 1, "last": 1, "text": "A playmat"}]


@pytest.fixture
def done() -> set[str]:
    """The operations that went well."""
    return set()


def opened(desk: Checked, **door: object) -> str:
    """Create an event with an open registration and this door; returns its path."""
    event = f"events/{desk.post('events', {'name': 'Door cup'}, status=201)['result']}"
    desk.post(f"{event}/configure", {"decks_required": False})
    desk.post(f"{event}/registration-open")
    desk.post(f"{event}/door", door)
    return event


def test_a_full_event_fills_its_free_seats_over_the_api_alone(
    olga: Member, alice: Member, bob: Member, charlie: Member, client_of: ClientOf, done: set[str]
) -> None:
    desk = Checked(client_of(olga), done)
    event = opened(desk, capacity=1, fee=1500, currency="EUR", prizes=PRIZES)
    first, second, third = (Checked(client_of(one), done) for one in (alice, bob, charlie))
    assert first.get(f"{event}/my-seat")["state"] == "none"
    seated = first.post(f"{event}/enrol-self", status=201)
    waits = second.post(f"{event}/enrol-self", status=201)
    last = third.post(f"{event}/enrol-self", status=201)
    assert (seated["waiting"], waits["waiting"], last["waiting"]) == (0, 1, 2)
    full = desk.get(f"{event}/door")
    assert (full["free"], full["taken"], full["waiting"], full["prizes"]) == (0, 1, 2, PRIZES)
    line = desk.get(f"{event}/waiting")["results"]
    assert [(one["name"], one["place"], one["state"]) for one in line] == [
        ("Bob", 1, "waiting"),
        ("Charlie", 2, "waiting"),
    ]
    second.post(f"{event}/waiting/{waits['entrant_id']}/accept", status=409)
    desk.post(f"{event}/entrants/{seated['entrant_id']}/drop")
    mine = second.get(f"{event}/my-seat")
    assert (mine["state"], mine["until"] is not None, mine["left_s"] > 0) == ("offered", True, True)
    second.post(f"{event}/waiting/{waits['entrant_id']}/decline")
    assert second.get(f"{event}/my-seat")["state"] == "declined"
    third.post(f"{event}/waiting/{last['entrant_id']}/accept")
    assert third.get(f"{event}/my-seat")["state"] == "in"
    again = second.post(f"{event}/enrol-self", status=201)
    second.post(f"{event}/waiting/{again['entrant_id']}/leave")
    assert desk.get(f"{event}/waiting")["count"] == 0
    assert desk.get(f"{event}/door/field")["prizes"] == {}
    assert done >= SEATS, sorted(SEATS - done)


def test_money_and_papers_at_the_door_over_the_api_alone(
    olga: Member, alice: Member, client_of: ClientOf, done: set[str]
) -> None:
    desk = Checked(client_of(olga), done)
    event = opened(
        desk, fee=1500, currency="EUR", eligibility=True, notice="We keep names.",
        notice_version="v2",
    )  # fmt: skip
    player = Checked(client_of(alice), done)
    player.post(f"{event}/enrol-self", {"notice": "v1"}, status=409)
    mine = player.post(f"{event}/enrol-self", {"notice": "v2"}, status=201)
    entrant = f"{event}/entrants/{mine['entrant_id']}"

    def card(asked: str) -> dict[str, object]:
        (found,) = desk.get(f"{event}/door/find?q={asked}")["cards"]
        return dict(found)

    found = card("%231")
    assert (found["name"], found["owes"], found["next"]) == ("Alice", 1500, "pay")
    assert desk.post(f"{entrant}/fee", {"method": "cash", "amount": 500})["result"] == 1000
    assert desk.post(f"{entrant}/fee", {"method": "card"})["result"] == 0
    desk.post(f"{entrant}/fee", {"method": "card"}, status=409)
    player.post(f"{entrant}/fee", {"method": "cash"}, status=404)
    assert (card("Alice")["owes"], card("Alice")["next"]) == (0, "eligible")
    desk.post(f"{entrant}/eligibility", {"seen": "guardian_consent"})
    assert (card("Alice")["seen"], card("Alice")["next"]) == ("guardian_consent", "check_in")
    desk.post(f"{entrant}/fee/refund", {"method": "cash", "amount": 300})
    dora = desk.post(f"{event}/entrants", {"display_name": "Dora"}, status=201)
    assert card("Dora")["notice"] is False
    told = {"version": "v2", "person_id": dora["person_id"]}
    desk.post(f"{event}/door/notice", told | {"version": "v1"}, status=409)
    desk.post(f"{event}/door/notice", told)
    assert card("Dora")["notice"] is True
    desk.post(f"{event}/entrants/{dora['entrant_id']}/fee/comp", {"note": "Guest of the shop"})
    assert (card("Dora")["comped"], card("Dora")["owes"]) == (True, 0)
    sheet = desk.get(f"{event}/door/cash-up")
    assert (sheet["paid"], sheet["comped"], sheet["owing"]) == (0, 1, 1)
    assert [
        (one["method"], one["taken"], one["given_back"], one["balance"]) for one in sheet["lines"]
    ] == [("card", 1000, 0, 1000), ("cash", 500, -300, 200)]
    assert done >= FEES, sorted(FEES - done)


def test_who_is_who_at_the_door_over_the_api_alone(
    olga: Member, alice: Member, client_of: ClientOf, done: set[str]
) -> None:
    olga.grant("organiser")
    desk = Checked(client_of(olga), done)
    event = opened(desk, capacity=64)
    player = Checked(client_of(alice), done)
    player.post(f"{event}/enrol-self", status=201)
    player.post(f"{event}/door/name", {"public_name": "Ace"})
    (found,) = desk.get(f"{event}/door/find?q=Alice")["cards"]
    assert (found["name"], found["public_name"]) == ("Alice", "Ace")
    one = desk.post(f"{event}/entrants", {"display_name": "Jörg Ábel"}, status=201)
    twin = {"display_name": "Abel Jorg", "card_game_id": "77"}
    desk.post(f"{event}/entrants", twin, status=409)
    two = desk.post(f"{event}/entrants", twin | {"other_person": True}, status=201)
    (found,) = desk.get(f"{event}/door/find?q=77")["cards"]
    assert [other["person_id"] for other in found["duplicates"]] == [one["person_id"]]
    pair = {"keep": one["person_id"], "gone": two["person_id"]}
    player.post(f"{event}/door/merge", pair, status=403)
    assert desk.post(f"{event}/door/merge", pair)["result"] == 1
    assert desk.get(f"{event}/entrants")["count"] == 2
    assert desk.post(f"{event}/door/merge/undo", {"gone": two["person_id"]})["result"] == 1
    assert desk.get(f"{event}/entrants")["count"] == 3
    listed = {"content": "77,2999-01-31,Unsporting conduct"}
    player.post("suspensions", listed, status=403)
    desk.post("suspensions", {"content": "77,tomorrow"}, status=409)
    assert desk.post("suspensions", listed)["result"] == 1
    (found,) = desk.get(f"{event}/door/find?q=77")["cards"]
    assert (found["suspended"], found["next"]) == ("2999-01-31", "stop")
    assert done >= PERSONS, sorted(PERSONS - done)
