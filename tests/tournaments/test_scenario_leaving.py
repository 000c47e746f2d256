"""Everybody leaves: the field falls to 3, to 1, to 0, and the event can be ended at each stage.

Players drop themselves on their phones, staff drop the others by the API; the desk always knows
a next act, and the end leaves places and public pages whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from eventstore.ids import new_id
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import selectors
from tournaments.models import EntrantRow

pytestmark = pytest.mark.django_db


class Hall:
    """An event and the clients of its staff and of everybody."""

    def __init__(self, event: Running, client_of: Callable[..., Client]) -> None:
        self.event, self.client_of = event, client_of
        self.desk, self.public = client_of(event.olga), client_of(None)
        self.base = f"/staff/events/{event.event_id}/"
        self.api = f"/api/v1/events/{event.event_id}"

    def press(self, act: str, **values: Any) -> str:
        """Press a button of the desk and return the page it leads to."""
        path = values.pop("page", self.base)
        sent = self.desk.post(path, {"act": act, "nonce": new_id(), **values}, follow=True)
        assert sent.status_code == 200, sent.content.decode()
        return sent.content.decode()

    def next_act(self) -> str:
        """Ask the desk what comes next."""
        return str(self.desk.get(f"{self.api}/desk").json()["next_action"])

    def left(self) -> int:
        """Count who still plays."""
        return EntrantRow.objects.filter(status="checked_in").count()

    def drop(self, name: str, *, phone: bool) -> None:
        """A player drops on the phone, or staff drop it."""
        entrant = self.event.entrants[name]
        if phone:
            from tests.conftest import Member

            own = self.client_of(Member(self.event.persons[name], name))
            sent = own.post(
                f"/my/{self.event.event_id}/", {"act": "drop", "nonce": new_id()}, follow=True
            )
            assert sent.status_code == 200
        else:
            sent = self.desk.post(
                f"{self.api}/entrants/{entrant}/drop", "{}", content_type="application/json"
            )
            assert sent.status_code == 200, sent.content
        assert EntrantRow.objects.get(pk=entrant).status == "dropped"

    def play_round(self) -> None:
        """Pair, publish and enter every result by the line of the page of results."""
        self.press("round_pair")
        number = self.event.home().row.draft_round
        self.press("round_publish", number=number)
        for row in self.event.matches(number):
            self.press("line", page=f"{self.base}results/?round={number}", line=f"{row.table} 2-0")

    def ended(self, places: int) -> None:
        """The event is over with this many places, and everybody can read it."""
        assert self.event.home().row.status == "finished"
        found = [one for one in EntrantRow.objects.values_list("place", flat=True) if one]
        assert len(found) == places
        assert min(found) == 1
        for page in ("", "pairings/", "standings/"):
            shown = self.public.get(f"/events/{self.event.event_id}/{page}")
            assert shown.status_code == 200
        assert self.next_act() == ""
        rebuilds_equal("tournaments.board", "tournaments.day", "portal.live")


@pytest.fixture
def hall(make_event: Callable[..., Running], client_of: Callable[..., Client]) -> Hall:
    """Seven players, four rounds, round 1 played."""
    made = Hall(make_event(7, start=True, rounds=4), client_of)
    made.play_round()
    return made


LEAVE = ("Alice", "Bob", "Dora", "Emil", "Fay", "Gus", "Hal")


def leave(hall: Hall, upto: int) -> None:
    """Drop one after the other until so many are left, by phone and by staff in turn."""
    for number, name in enumerate(LEAVE):
        if hall.left() <= upto:
            return
        if EntrantRow.objects.get(pk=hall.event.entrants[name]).status == "checked_in":
            hall.drop(name, phone=number % 2 == 0)


def test_three_are_left(hall: Hall) -> None:
    leave(hall, 3)
    assert hall.next_act() == "round_pair"
    hall.play_round()
    assert len(selectors.pairings(hall.event.olga.actor, hall.event.event_id, 2).tables) == 1
    refused = hall.desk.post(f"{hall.api}/finish", "{}", content_type="application/json")
    assert refused.json()["code"] == "tournaments.rounds_left"
    page = hall.base + "policy/"
    assert (
        "Say why"
        in hall.desk.post(page, {"act": "finish", "nonce": new_id(), "note": ""}).content.decode()
    )
    said = hall.press("finish", page=page, note="three players want to go home")
    assert "The event is finished." in said
    hall.ended(7)


def test_one_is_left(hall: Hall) -> None:
    leave(hall, 1)
    assert hall.next_act() == "event_finish"
    refused = hall.desk.post(
        f"{hall.api}/rounds/pair", json.dumps({}), content_type="application/json"
    )
    assert refused.json()["code"] == "tournaments.too_few_active"
    assert "The event is finished." in hall.press("event_finish")
    hall.ended(7)


def test_nobody_is_left(hall: Hall) -> None:
    hall.press("round_pair")
    hall.press("round_publish", number=2)
    leave(hall, 0)
    assert hall.next_act() == "wait_results"
    refused = hall.desk.post(f"{hall.api}/finish", "{}", content_type="application/json")
    assert refused.json()["code"] == "tournaments.results_open"
    for row in hall.event.matches(2):
        sent = hall.desk.post(
            f"/api/v1/matches/{row.pk}/result",
            json.dumps({"reason": "double_loss"}),
            content_type="application/json",
        )
        assert sent.status_code == 200, sent.content
    assert hall.next_act() == "event_finish"
    assert "The event is finished." in hall.press("event_finish")
    hall.ended(7)


def test_nobody_is_left_in_the_cut(
    make_event: Callable[..., Running], client_of: Callable[..., Client]
) -> None:
    hall = Hall(make_event(6, start=True, rounds=1, cut=4), client_of)
    hall.play_round()
    hall.press("cut_make")
    hall.play_round()
    final = [one.entrant_id for one in _in_play(hall)]
    names = {entrant: name for name, entrant in hall.event.entrants.items()}
    for entrant in final:
        hall.drop(names[entrant], phone=False)
    for name in LEAVE[:6]:
        if EntrantRow.objects.get(pk=hall.event.entrants[name]).status == "checked_in":
            hall.drop(name, phone=False)
    assert hall.left() == 0
    assert hall.next_act() == "event_finish"
    hall.press("event_finish")
    hall.ended(6)


def _in_play(hall: Hall) -> list[Any]:
    newest = selectors.bracket(hall.event.olga.actor, hall.event.event_id).rounds[-1]
    return [
        line.p1 if line.winner == "P1" else line.p2 for line in newest.lines if line is not None
    ]
