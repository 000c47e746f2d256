"""The pages of the door: the desk's one field, the phone's seat and code, what each may see."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from eventstore import clock
from eventstore.ids import new_id
from people import joinlinks
from tests.conftest import Member
from tests.helpers import query_count
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.domain.door_codes import code_of
from tournaments.models import FeeRow, Suspension, WaitingRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]
NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)


def act(client: Client, path: str, name: str, **values: str) -> Any:
    """Post the form of an act and follow it."""
    return client.post(path, {"act": name, "nonce": new_id(), **values}, follow=True)


@pytest.fixture
def desk(
    make_event: Make, olga: Member, client_of: Callable[..., Client]
) -> tuple[Running, Client]:
    """An event of two seats, taken, and its organiser's browser."""
    event = make_event(2)
    event.run(services.door_set, changes={"capacity": 2, "fee": 1500, "currency": "EUR"})
    return event, client_of(olga)


class TestPhone:
    def join(self, event: Running) -> Client:
        """A phone that enrols by the join link."""
        client = Client()
        token = joinlinks.make(joinlinks.JoinLink(event.event_id, None))
        page = client.get(f"/join/{token}/").content.decode()
        assert "All seats are taken" in page
        assert "Entry fee: <b>15.00" in page
        answer = act(client, f"/join/{token}/", "join", display_name="Zoë Ünal")
        assert answer.redirect_chain[-1][0] == f"/my/{event.event_id}/seat/"
        return client

    def test_waiting_offer_countdown_and_seat(self, desk: tuple[Running, Client]) -> None:
        event, _ = desk
        now = NOON
        with clock.clock_set(lambda: now):
            phone = self.join(event)
            seat = f"/my/{event.event_id}/seat/"
            assert "Your place on the waiting list" in phone.get(seat).content.decode()
            assert phone.get("/my/").url == seat  # type: ignore[attr-defined]
            match = phone.get(f"/my/{event.event_id}/")
            assert match.url == seat  # type: ignore[attr-defined]
            home = phone.get(f"/events/{event.event_id}/").content.decode()
            assert "Place 1 on the waiting list" in home
            assert act(phone, seat, "accept").status_code == 409
            event.run(services.entrant_drop, entrant_id=event.entrants["Alice"])
            now += timedelta(minutes=5)
            page = phone.get(seat).content.decode()
            assert 'data-seconds-left="600"' in page
            # after its time it is gone, whether a worker was there or not
            now += timedelta(minutes=10)
            assert "Your offer ran out" in phone.get(seat).content.decode()
            assert act(phone, seat, "accept").status_code == 409
            token = joinlinks.make(joinlinks.JoinLink(event.event_id, None))
            answer = act(phone, f"/join/{token}/", "self")
            assert answer.redirect_chain[-1][0] == f"/my/{event.event_id}/"

    def test_my_code_and_the_name_that_others_see(self, desk: tuple[Running, Client]) -> None:
        event, staff = desk
        phone = self.join(event)
        waiting = WaitingRow.objects.get()
        code = code_of(waiting.entrant_id)
        path = f"/my/{event.event_id}/code/"
        page = phone.get(path).content.decode()
        assert code in page
        assert "<svg" in page
        answer = act(phone, path, "name", public_name="Zo\x00 Star")
        assert answer.status_code == 200
        assert act(phone, path, "name", public_name="x" * 90).status_code == 409
        found = staff.get(f"/staff/events/{event.event_id}/door/?q={code}").content.decode()
        assert "Zoë Ünal" in found
        assert "shown to others as Zo Star" in found
        event.run(services.entrant_drop, entrant_id=event.entrants["Alice"])
        act(phone, f"/my/{event.event_id}/seat/", "accept")
        public = Client().get(f"/events/{event.event_id}/").content.decode()
        assert "Zo Star" in public
        assert "Ünal" not in public
        people = staff.get(f"/staff/events/{event.event_id}/people/?q=unal").content.decode()
        assert "Zoë Ünal" in people

    def test_the_notice_is_accepted_before_anybody_enrols(self, make_event: Make) -> None:
        event = make_event()
        event.run(services.door_set, changes={"notice": "We keep <names>.", "notice_version": "7"})
        token = joinlinks.make(joinlinks.JoinLink(event.event_id, None))
        phone = Client()
        page = phone.get(f"/join/{token}/").content.decode()
        assert "We keep &lt;names&gt;." in page
        path = f"/join/{token}/"
        assert act(phone, path, "join", display_name="Nia").status_code == 409
        assert act(phone, path, "join", display_name="Nia", notice="6").status_code == 409
        assert act(phone, path, "join", display_name="Nia", notice="7").status_code == 200
        assert [one.side.name for one in selectors.roster(event.olga.actor, event.event_id)] == [
            "Nia"
        ]

    def test_outside_the_window_the_page_says_when(self, make_event: Make) -> None:
        event = make_event(zone="Europe/Budapest")
        event.run(services.door_set, changes={"opens_at": "2999-07-04T07:30:00.000000Z"})
        token = joinlinks.make(joinlinks.JoinLink(event.event_id, None))
        page = Client().get(f"/join/{token}/").content.decode()
        assert "09:30 CEST" in page
        answer = act(Client(), f"/join/{token}/", "join", display_name="Nia")
        assert answer.status_code == 409
        assert "09:30 CEST" in answer.content.decode()


class TestDesk:
    def test_one_field_takes_all_and_one_button_is_next(self, desk: tuple[Running, Client]) -> None:
        event, staff = desk
        door = f"/staff/events/{event.event_id}/door/"
        event.run(services.entrant_enrol, display_name="Łucja Źrebak", card_game_id="4711")
        code = code_of(WaitingRow.objects.get().entrant_id)
        for text in ("lucja", "ZREBAK łucja", "4711", "0000004711", code, code.lower()):
            page = staff.get(door, {"q": text}).content.decode()
            assert 'data-next="wait"' in page, text
        link = f"http://testserver{door}?q={code}"
        assert 'data-next="wait"' in staff.get(door, {"q": link}).content.decode()
        assert 'data-next="pay"' in staff.get(door, {"q": "#1"}).content.decode()
        for text in (
            "",
            "nobody at all",
            "#999",
            "%00",
            "'",
            "\u202e",
            "9" * 300,
            "http://[",
            "ÿ" * 390,
        ):
            assert staff.get(door, {"q": text}).status_code == 200, text

    def test_money_at_the_door_and_the_sheet(self, desk: tuple[Running, Client]) -> None:
        event, staff = desk
        door = f"/staff/events/{event.event_id}/door/"
        alice = {"entrant_id": event.entrants["Alice"], "q": "#1"}
        page = act(staff, door, "pay", method="cash", amount="5,00", **alice)
        assert "10.00" in page.content.decode()
        assert act(staff, door, "pay", method="cash", amount="a lot", **alice).status_code == 409
        assert act(staff, door, "pay", method="gold", **alice).status_code == 409
        act(staff, door, "pay", method="card", **alice)
        assert act(staff, door, "pay", method="card", **alice).status_code == 409
        act(staff, door, "refund", method="cash", amount="2", **alice)
        bob = {"entrant_id": event.entrants["Bob"], "q": "#2"}
        act(staff, door, "comp", note="=HYPERLINK(1)", **bob)
        sheet = staff.get(f"{door}cash-up/").content.decode()
        assert re.search(r"13\.00.EUR", sheet)
        table = staff.get(f"{door}cash-up.csv")
        rows = list(csv.DictReader(io.StringIO(table.content.decode())))
        assert [(row["kind"], row["method"], row["amount"]) for row in rows] == [
            ("paid", "cash", "500"),
            ("paid", "card", "1000"),
            ("refunded", "cash", "-200"),
            ("comped", "", "0"),
        ]
        assert rows[3]["note"] == "'=HYPERLINK(1)"
        assert {row["by"] for row in rows} == {"Olga"}
        assert FeeRow.objects.count() == 4

    def test_duplicates_are_shown_and_merged_and_parted(self, desk: tuple[Running, Client]) -> None:
        event, staff = desk
        door = f"/staff/events/{event.event_id}/door/"
        event.run(services.door_set, changes={"capacity": 9})
        act(staff, door, "enrol", display_name="Đorđe Čačić", q="x")
        page = act(staff, door, "enrol", display_name="Cacic Djorde", q="x").content.decode()
        assert "Enrolled as number 4" in page  # dj is another letter than đ
        answer = act(staff, door, "enrol", display_name="cacic, dorde", q="x")
        assert answer.status_code == 409
        assert "Đorđe Čačić" in answer.content.decode()
        page = act(
            staff, door, "enrol", display_name="cacic, dorde", other_person="1", q="x"
        ).content.decode()
        assert "Could be the same person" in page
        merge = re.search(
            r'name="person_id" value="([^"]+)".*?name="gone" value="([^"]+)"', page, re.S
        )
        assert merge is not None
        answer = act(staff, door, "merge", person_id=merge[2], gone=merge[1], q="#5")
        assert "The two are one person now." in answer.content.decode()
        assert "was merged into this person" in answer.content.decode()
        assert selectors.event_home(event.olga.actor, event.event_id).enrolled == 4
        answer = act(staff, door, "unmerge", gone=merge[1], q="#3")
        assert "The merge is undone." in answer.content.decode()
        assert selectors.event_home(event.olga.actor, event.event_id).enrolled == 5

    def test_the_id_whose_list_is_in_is_proposed_to_stay(
        self, desk: tuple[Running, Client]
    ) -> None:
        event, _ = desk
        event.run(services.door_set, changes={"capacity": 9})
        one = event.run(services.entrant_enrol, display_name="Ana Horvat")
        event.run(services.paper_receive, entrant_id=one.entrant_id)
        two = event.run(services.entrant_enrol, display_name="Horvat Ana", other_person=True)
        for number in (3, 4):
            found = selectors.door_find(event.olga.actor, event.event_id, f"#{number}")
            assert found.card is not None
            assert [(other.keep, other.gone) for other in found.card.duplicates] == [
                (one.person_id, two.person_id)
            ]

    def test_who_dropped_finds_a_seat_or_the_line(self, desk: tuple[Running, Client]) -> None:
        event, staff = desk
        door = f"/staff/events/{event.event_id}/door/"
        event.run(services.entrant_drop, entrant_id=event.entrants["Alice"])
        page = staff.get(door, {"q": "#1"}).content.decode()
        assert 'data-next="back"' in page
        event.run(services.entrant_enrol, display_name="Zoe")
        person = event.persons["Alice"]
        page = act(staff, door, "back", person_id=person, q="#1").content.decode()
        assert "place 1 on the waiting list" in page
        lines = staff.get(f"{door}waiting/").content.decode()
        assert "Alice" in lines
        entrant = event.entrants["Alice"]
        assert act(staff, f"{door}waiting/", "leave", entrant_id=entrant).status_code == 200
        assert act(staff, f"{door}waiting/", "leave", entrant_id=entrant).status_code == 409

    def test_the_policy_page_keeps_what_was_typed(self, desk: tuple[Running, Client]) -> None:
        event, staff = desk
        path = f"/staff/events/{event.event_id}/door/policy/"
        good = {
            "opens_at": "2026-07-04T09:30",
            "capacity": "64",
            "offer_minutes": "20",
            "fee": "1500",
            "currency": "HUF",
            "prizes": "1: Trophy",
        }
        assert act(staff, path, "set", **good).status_code == 200
        assert selectors.door_now(event.olga.actor, event.event_id).policy.fee == 150_000
        for field, value in (
            ("opens_at", "soon"),
            ("fee", "free"),
            ("fee", "1.234"),
            ("currency", "€"),
            ("prizes", "nonsense"),
            ("capacity", "1"),
            ("notice", "text without a version"),
        ):
            answer = act(staff, path, "set", **{**good, field: value})
            assert answer.status_code == 409, field
            assert value in answer.content.decode(), field

    def test_a_link_that_no_phone_reaches_says_so(self, desk: tuple[Running, Client]) -> None:
        event, client = desk
        path, said = f"/staff/events/{event.event_id}/join/", "no phone reaches it"
        here = client.get(path, headers={"host": "127.0.0.1:8000"}).content.decode()
        there = client.get(path).content.decode()
        assert said in here
        assert said not in there

    def test_who_leaves_before_the_start_is_not_counted_and_who_drops_later_is(
        self, make_event: Make
    ) -> None:
        event = make_event(5)
        event.run(services.entrant_drop, entrant_id=event.entrants["Fay"])
        assert event.home().enrolled == 4
        event.run(services.event_start)
        event.pair()
        event.run(services.entrant_drop, entrant_id=event.entrants["Emil"])
        assert event.home().enrolled == 4

    def test_rounds_are_of_the_cut_only_when_it_is_paired(
        self, make_event: Make, client_of: Callable[..., Client]
    ) -> None:
        event = make_event(4, start=True, cut=2)
        event.play_swiss()
        last = event.home().row.round
        client, path = client_of(event.olga), f"/staff/events/{event.event_id}/"
        event.run(services.cut_make)
        assert f"round {last} of {last}" in client.get(path).content.decode()
        event.pair()
        assert f"round {last + 1} (cut)" in client.get(path).content.decode()

    def test_suspended_ids_stop_at_the_door(
        self, desk: tuple[Running, Client], olga: Member
    ) -> None:
        event, staff = desk
        answer = act(staff, "/staff/suspended/", "import", content="4711,2999-01-01,marked cards")
        assert "marked cards" in answer.content.decode()
        assert act(staff, "/staff/suspended/", "import", content="4711").status_code == 409
        assert Suspension.objects.count() == 1
        door = f"/staff/events/{event.event_id}/door/"
        answer = act(staff, door, "enrol", display_name="Sue", card_game_id="4711", q="Sue")
        assert answer.status_code == 409
        assert "suspended until 2999-01-01" in answer.content.decode()
        assert "marked" not in answer.content.decode()


def test_a_lookup_costs_the_same_for_few_and_for_many(make_event: Make) -> None:
    counts: list[dict[str, int]] = []
    for players in (3, 30):
        event = make_event(players)
        event.run(services.door_set, changes={"capacity": players, "fee": 100})
        for number in range(players):
            event.run(services.entrant_enrol, display_name=f"Waiting {number}")
        viewer = event.olga.actor
        found: dict[str, int] = {}
        for text in ("#1", "waiting", code_of(event.entrants["Bob"])):
            found[text[:4]] = query_count(
                lambda text=text, event=event, viewer=viewer: selectors.door_find(
                    viewer, event.event_id, text
                )
            )
        found["cash"] = query_count(
            lambda event=event, viewer=viewer: selectors.cash_up(viewer, event.event_id)
        )
        found["line"] = query_count(
            lambda event=event, viewer=viewer: selectors.waiting_list(viewer, event.event_id)
        )
        counts.append(dict(zip("abcde", found.values(), strict=True)))
    assert all(counts[1][key] <= held for key, held in counts[0].items())
    assert max(counts[0].values()) <= 15
