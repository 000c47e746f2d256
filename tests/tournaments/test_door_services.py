"""The door through the real commands: who may, what is kept, what the read tables say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from eventstore import clock, outbox
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.models import Event, OutboxRow
from people import merging
from people import selectors as people
from people.access import NotAllowed
from people.domain.actor import Actor
from people.erasure import person_erase
from people.models import Person
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import door_jobs, selectors, services
from tournaments.domain.round_clock import text_of
from tournaments.models import DoorEntrantRow, EntrantRow, FeeRow, Suspension, WaitingRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]
NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)


def refused(command: Callable[..., Any], *args: Any, **values: Any) -> Any:
    """Run a command that is refused; returns its refusal."""
    with pytest.raises(Refused) as caught:
        command(*args, **values)
    return caught.value.refusal


def line(event_id: str) -> list[tuple[str, str]]:
    """The waiting list as the read table has it: names and states."""
    rows = WaitingRow.objects.filter(event_id=event_id, state__in=["waiting", "offered"])
    names = people.names(row.person_id for row in rows)
    return [(names[row.person_id], row.state) for row in rows]


class TestSeats:
    def test_a_full_event_queues_in_order_and_a_drop_makes_an_offer(self, make_event: Make) -> None:
        event = make_event(2)
        event.run(services.door_set, changes={"capacity": 2})
        made = [event.run(services.entrant_enrol, display_name=name) for name in ("Zoe", "Yan")]
        assert [(one.number, one.waiting) for one in made] == [(0, 1), (0, 2)]
        assert refused(event.run, services.entrant_enrol, person_id=made[1].person_id).params == {
            "entrant": made[1].entrant_id,
            "found": 2,
        }
        event.run(services.entrant_drop, entrant_id=event.entrants["Alice"])
        assert line(event.event_id) == [("Zoe", "offered"), ("Yan", "waiting")]
        assert EntrantRow.objects.count() == 2
        zoe = Context(Actor(person_id=made[0].person_id), "player")
        yan = Context(Actor(person_id=made[1].person_id), "player")
        seat = {"event_id": event.event_id, "entrant_id": made[0].entrant_id}
        with pytest.raises(NotAllowed):
            services.offer_accept(yan, **seat)
        assert services.offer_accept(zoe, **seat) == 3
        assert line(event.event_id) == [("Yan", "waiting")]
        services.waiting_leave(yan, event_id=event.event_id, entrant_id=made[1].entrant_id)
        assert line(event.event_id) == []
        xia = event.run(services.entrant_enrol, display_name="Xia")
        event.run(services.door_set, changes={"capacity": 3})
        event.run(services.offer_decline, entrant_id=xia.entrant_id)
        assert WaitingRow.objects.get(entrant_id=xia.entrant_id).state == "declined"
        rebuilds_equal("tournaments.door", "tournaments.board", "portal.live")

    def test_the_worker_lets_an_offer_run_out_and_nothing_depends_on_it(
        self, make_event: Make
    ) -> None:
        now = NOON
        with clock.clock_set(lambda: now):
            event = make_event(1)
            event.run(services.door_set, changes={"capacity": 1, "offer_minutes": 10})
            for name in ("Zoe", "Yan", "Xia"):
                event.run(services.entrant_enrol, display_name=name)
            event.run(services.entrant_drop, entrant_id=event.entrants["Alice"])
            (work,) = OutboxRow.objects.filter(topic=services.seats.EXPIRE)
            with pytest.raises(outbox.Later) as later:
                door_jobs.expire(work.payload)
            assert later.value.seconds == pytest.approx(600.5)
            now += timedelta(minutes=10)
            with pytest.raises(outbox.Later):
                door_jobs.expire(work.payload)
            assert line(event.event_id) == [("Yan", "offered"), ("Xia", "waiting")]
            # without the worker: the next command finds the list as it is by the clock
            now += timedelta(minutes=11)
            waiting = WaitingRow.objects.get(state="waiting")
            person = Context(Actor(person_id=waiting.person_id), "player")
            assert (
                services.offer_accept(
                    person, event_id=event.event_id, entrant_id=waiting.entrant_id
                )
                == 2
            )
            assert line(event.event_id) == []
        assert set(WaitingRow.objects.values_list("state", flat=True)) == {"expired", "taken"}

    def test_who_is_absent_at_the_start_frees_seats_for_the_line(self, make_event: Make) -> None:
        event = make_event(4)
        event.enrol("Late Lou", check_in=False)
        event.run(services.door_set, changes={"capacity": 5})
        event.run(services.entrant_enrol, display_name="Zoe")
        event.run(services.event_start)
        assert line(event.event_id) == [("Zoe", "offered")]
        again = event.run(services.entrant_enrol, person_id=event.persons["Late Lou"])
        assert (again.entrant_id, again.waiting) == (event.entrants["Late Lou"], 2)

    def test_dropping_and_enrolling_again_is_the_same_entrant(self, make_event: Make) -> None:
        event = make_event(1)
        player = event.player("Alice")
        ids = {"event_id": event.event_id, "entrant_id": event.entrants["Alice"]}
        services.entrant_drop(player, **ids)
        again = services.entrant_enrol_self(event.player("Alice"), event_id=event.event_id)
        assert (again.entrant_id, again.number) == (event.entrants["Alice"], 1)
        assert EntrantRow.objects.get().status == "checked_in"

    def test_windows_in_words_and_in_time(self, make_event: Make, charlie: Member) -> None:
        now = NOON
        with clock.clock_set(lambda: now):
            event = make_event(1)
            event.enrol("Bea", check_in=False)
            opens, closes = (text_of(NOON + timedelta(hours=h)) for h in (1, 2))
            event.run(
                services.door_set,
                changes={
                    "opens_at": opens,
                    "closes_at": closes,
                    "check_in_opens": opens,
                    "check_in_closes": closes,
                },
            )
            mine = {"event_id": event.event_id}
            no = refused(services.entrant_enrol_self, charlie.context("player"), **mine)
            assert (no.code, no.params["allowed"]) == ("tournaments.registration_early", opens)
            bea = mine | {"entrant_id": event.entrants["Bea"]}
            for who in (event.player("Bea"), event.staff()):
                no = refused(services.entrant_check_in, who, **bea)
                assert no.code == "tournaments.check_in_early"
            now += timedelta(hours=3)
            no = refused(services.entrant_enrol_self, charlie.context("player"), **mine)
            assert (no.code, no.params["allowed"]) == ("tournaments.registration_over", closes)
            no = refused(services.entrant_check_in, event.player("Bea"), **bea)
            assert no.code == "tournaments.check_in_over"
            services.entrant_check_in(event.staff(), **bea)

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"nonsense": 1}, "nonsense"),
            ({"capacity": "many"}, "policy"),
            ({"capacity": True}, "policy"),
            ({"prizes": [{"least": 0}]}, "policy"),
            ({"fee": 1.5}, "policy"),
            ({"currency": "euro"}, "currency"),
        ],
    )
    def test_a_bad_policy_is_refused(
        self, make_event: Make, changes: dict[str, Any], field: str
    ) -> None:
        event = make_event()
        no = refused(event.run, services.door_set, changes=changes)
        assert (no.code, no.params["field"]) == ("tournaments.door_invalid", field)
        with pytest.raises(NotAllowed):
            services.door_set(
                Context(Actor(person_id="x"), "player"), event_id=event.event_id, changes={}
            )


class TestFees:
    def test_each_movement_is_kept_with_whom_and_when(
        self, make_event: Make, olga: Member, charlie: Member
    ) -> None:
        event = make_event(3)
        charlie.grant("scorekeeper", event.event_id)
        event.run(services.door_set, changes={"fee": 1500, "currency": "EUR"})
        alice, bob, dora = (event.entrants[name] for name in ("Alice", "Bob", "Dora"))
        desk = {"event_id": event.event_id}
        assert event.run(services.fee_pay, entrant_id=alice, method="cash", amount=500) == 1000
        assert (
            services.fee_pay(
                charlie.context("scorekeeper"), entrant_id=alice, method="card", **desk
            )
            == 0
        )
        event.run(services.fee_comp, entrant_id=bob, note="guest of the shop")
        event.run(services.fee_pay, entrant_id=dora, method="voucher")
        event.run(services.fee_refund, entrant_id=dora, method="cash", amount=300)
        rows = [(row.kind, row.amount, row.method, row.by) for row in FeeRow.objects.all()]
        mine, theirs = olga.person_id, charlie.person_id
        assert rows == [
            ("paid", 500, "cash", mine),
            ("paid", 1000, "card", theirs),
            ("comped", 0, "", mine),
            ("paid", 1500, "voucher", mine),
            ("refunded", -300, "cash", mine),
        ]
        assert "guest" not in "".join(FeeRow.objects.values_list("note", flat=True))
        for who in (event.player("Alice"), Context(Actor(), "player")):
            with pytest.raises(NotAllowed):
                services.fee_pay(who, entrant_id=alice, method="cash", **desk)
        rebuilds_equal("tournaments.door")

    def test_the_same_command_takes_money_once(self, make_event: Make, olga: Member) -> None:
        event = make_event(1)
        event.run(services.door_set, changes={"fee": 1000})
        sent = olga.context()
        for _ in range(2):
            left = services.fee_pay(
                sent, event_id=event.event_id, entrant_id=event.entrants["Alice"], method="cash"
            )
            assert left == 0
        assert FeeRow.objects.count() == 1

    def test_eligibility_is_asked_for_before_the_check_in(self, make_event: Make) -> None:
        event = make_event()
        event.enrol("Kid", check_in=False)
        event.run(services.door_set, changes={"eligibility": True})
        kid = {"entrant_id": event.entrants["Kid"]}
        assert refused(event.run, services.entrant_check_in, **kid).code == (
            "tournaments.eligibility_open"
        )
        no = refused(event.run, services.eligibility_note, seen="2014-01-01", **kid)
        assert no.code == "tournaments.eligibility_unknown"
        event.run(services.eligibility_note, seen="guardian_consent", **kid)
        event.run(services.entrant_check_in, **kid)
        assert DoorEntrantRow.objects.get().seen == "guardian_consent"

    def test_the_version_of_the_privacy_notice_is_kept(
        self, make_event: Make, charlie: Member
    ) -> None:
        event = make_event()
        event.run(services.door_set, changes={"notice": "We keep names.", "notice_version": "v2"})
        mine = {"event_id": event.event_id}
        no = refused(services.entrant_enrol_self, charlie.context("player"), **mine)
        assert (no.code, no.params) == ("tournaments.notice_missing", {"allowed": "v2"})
        no = refused(services.entrant_enrol_self, charlie.context("player"), notice="v1", **mine)
        assert no.code == "tournaments.notice_other"
        services.entrant_enrol_self(charlie.context("player"), notice="v2", **mine)
        kept = Event.objects.get(type="tournaments.notice_accepted")
        assert b'"version":"v2"' in bytes(kept.body)
        assert charlie.person_id.encode() in bytes(kept.body)


class TestDuplicates:
    def test_one_name_with_and_without_its_marks_and_turned_round(self, make_event: Make) -> None:
        event = make_event()
        event.run(
            services.entrant_enrol, display_name="Łukasz Żółtański", card_game_id="0101112131"
        )
        for name in ("Lukasz Zoltanski", "ZOLTANSKI, Łukasz", "żółtański łukasz"):
            no = refused(event.run, services.entrant_enrol, display_name=name)
            assert no.code == "tournaments.duplicate_person"
            assert [one["why"] for one in no.params["candidates"]] == ["name"]
        no = refused(
            event.run,
            services.entrant_enrol,
            display_name="Somebody Else",
            card_game_id="101112131",
            other_person=True,
        )
        assert [one["why"] for one in no.params["candidates"]] == ["id"]
        made = event.run(services.entrant_enrol, display_name="Lukasz Zoltanski", other_person=True)
        assert made.number == 2

    def test_somebody_known_from_another_event_is_that_person(self, make_event: Make) -> None:
        first, second = make_event(), make_event()
        values = {"display_name": "Đặng Châu", "card_game_id": "123"}
        known = first.run(services.entrant_enrol, **values)
        values["display_name"] = "dang chau"
        assert second.run(services.entrant_enrol, **values).person_id == known.person_id
        assert Person.objects.filter(card_game_id="0000000123").count() == 1


class TestMerge:
    def both(self, event: Running) -> tuple[Any, Any]:
        """Two entrants of one name."""
        one = event.run(services.entrant_enrol, display_name="Jörg Ábel")
        two = event.run(
            services.entrant_enrol,
            display_name="Abel Jorg",
            card_game_id="77",
            other_person=True,
        )
        return one, two

    def test_merge_and_undo_in_every_event(self, make_event: Make) -> None:
        event, other = make_event(2), make_event()
        one, two = self.both(event)
        other.run(services.entrant_enrol, person_id=two.person_id)
        before = list(EntrantRow.objects.values().order_by("pk"))
        changed = event.run(services.persons_merge, keep=one.person_id, gone=two.person_id)
        assert changed == 2
        assert people.names([two.person_id]) == {two.person_id: "Jörg Ábel"}
        assert Person.objects.get(pk=one.person_id).card_game_id == "0000000077"
        assert [row.side.name for row in selectors.roster(event.olga.actor, event.event_id)] == [
            "Alice",
            "Bob",
            "Jörg Ábel",
        ]
        assert EntrantRow.objects.get(event_id=other.event_id).persons == [
            one.person_id,
            two.person_id,
        ]
        # a phone bound to either id goes on working
        for person in (one.person_id, two.person_id):
            actor = Actor(person_id=person)
            assert selectors.entrant_of_person(actor, event.event_id) == one.entrant_id
        assert people.people_search(event.olga.actor, "jorg", event_id=event.event_id) == [
            Person.objects.get(pk=one.person_id)
        ]
        rebuilds_equal("tournaments.door", "tournaments.board", "portal.live")
        assert event.run(services.merge_undo, gone=two.person_id) == 2
        assert list(EntrantRow.objects.values().order_by("pk")) == before
        assert Person.objects.get(pk=two.person_id).card_game_id == "0000000077"
        assert people.names([two.person_id]) == {two.person_id: "Abel Jorg"}
        rebuilds_equal("tournaments.door", "tournaments.board")

    def test_refused_with_reasons_and_nothing_half_done(
        self, make_event: Make, charlie: Member
    ) -> None:
        event = make_event(2)
        one, two = self.both(event)
        for made in (one, two):
            event.run(services.entrant_check_in, entrant_id=made.entrant_id)
        event.run(services.event_start)
        event.pair()
        events = Event.objects.count()
        pair = {"keep": one.person_id, "gone": two.person_id}
        no = refused(event.run, services.persons_merge, **pair)
        assert (no.code, no.params["found"]) == ("tournaments.both_played", [3, 4])
        assert Event.objects.count() == events
        assert not Person.objects.get(pk=two.person_id).merged_into
        me = {"keep": one.person_id, "gone": one.person_id}
        assert refused(event.run, services.persons_merge, **me).code == "people.merge_same"
        login = {"keep": one.person_id, "gone": charlie.person_id}
        assert refused(event.run, services.persons_merge, **login).code == "people.merge_login"
        charlie.grant("scorekeeper", event.event_id)
        desk = charlie.context("scorekeeper")
        stranger = merging_stranger()
        no = refused(
            services.persons_merge,
            desk,
            event_id=event.event_id,
            keep=one.person_id,
            gone=stranger,
        )
        assert no.code == "tournaments.not_both_here"
        with pytest.raises(NotAllowed):
            services.persons_merge(event.player("Alice"), event_id=event.event_id, **pair)

    def test_two_card_game_ids_are_two_humans(self, make_event: Make) -> None:
        event = make_event()
        one = event.run(services.entrant_enrol, display_name="A B", card_game_id="1")
        two = event.run(
            services.entrant_enrol, display_name="B A", card_game_id="2", other_person=True
        )
        no = refused(event.run, services.persons_merge, keep=one.person_id, gone=two.person_id)
        assert no.code == "people.merge_ids_differ"

    def test_erasing_the_kept_id_takes_the_other_along(
        self, make_event: Make, olga: Member
    ) -> None:
        event = make_event()
        one, two = self.both(event)
        event.run(services.persons_merge, keep=one.person_id, gone=two.person_id)
        no = refused(person_erase, olga.context(), person_id=two.person_id)
        assert no.code == "people.merge_chain"
        person_erase(olga.context(), person_id=one.person_id)
        assert set(
            Person.objects.filter(pk__in=[one.person_id, two.person_id]).values_list(
                "display_name", flat=True
            )
        ) == {"—"}


def merging_stranger() -> str:
    """Somebody known who takes part nowhere."""
    return Person.objects.create(
        id=new_id(), display_name="Stranger", folded="stranger", created_at=clock.now()
    ).pk


class TestNames:
    def test_the_public_name_is_the_players_own_choice(
        self, make_event: Make, olga: Member, charlie: Member
    ) -> None:
        event = make_event(1)
        person = event.persons["Alice"]
        values = {"person_id": person, "event_id": event.event_id}
        merging.public_name_set(event.player("Alice"), public_name="  Ace ", **values)
        assert people.names([person]) == {person: "Ace"}
        assert people.registered_names([person]) == {person: "Alice"}
        no = refused(merging.public_name_set, event.player("Alice"), public_name="x" * 90, **values)
        assert no.code == "people.name_too_long"
        with pytest.raises(NotAllowed):
            merging.public_name_set(charlie.context("player"), public_name="Fool", **values)
        merging.public_name_set(event.player("Alice"), public_name="", **values)
        assert people.names([person]) == {person: "Alice"}
        assert b"Ace" not in b"".join(map(bytes, Event.objects.values_list("body", flat=True)))


class TestSuspensions:
    def test_the_desk_is_told_the_player_hears_neutral_words(
        self, make_event: Make, olga: Member, charlie: Member
    ) -> None:
        event = make_event()
        Person.objects.filter(pk=charlie.person_id).update(card_game_id="0000000042")
        taken = "id,until,reason\n42,2999-12-31,marked cards\n43,2001-01-01,over\n"
        assert services.suspensions_import(olga.context(), content=taken) == 2
        assert "marked" not in Suspension.objects.get(pk="0000000042").reason
        no = refused(event.run, services.entrant_enrol, card_game_id="42")
        assert (no.code, no.params["allowed"]) == ("tournaments.suspended", "2999-12-31")
        no = refused(
            services.entrant_enrol_self, charlie.context("player"), event_id=event.event_id
        )
        assert (no.code, no.params) == ("tournaments.see_desk", {})
        event.run(services.entrant_enrol, display_name="Free Again", card_game_id="43")
        with pytest.raises(NotAllowed):
            services.suspensions_import(charlie.context("player"), content="")
        assert services.suspensions_import(olga.context(), content="") == 0
        event.run(services.entrant_enrol, card_game_id="42")

    def test_who_is_suspended_meanwhile_takes_no_offered_seat_and_no_old_one(
        self, make_event: Make, olga: Member
    ) -> None:
        event = make_event(2)
        event.run(services.door_set, changes={"capacity": 2})
        zoe = event.run(services.entrant_enrol, display_name="Zoe", card_game_id="42")
        event.run(services.entrant_drop, entrant_id=event.entrants["Alice"])
        assert line(event.event_id) == [("Zoe", "offered")]
        services.suspensions_import(olga.context(), content="42,2999-12-31")
        herself = Context(Actor(person_id=zoe.person_id), "player")
        seat = {"event_id": event.event_id, "entrant_id": zoe.entrant_id}
        assert refused(services.offer_accept, herself, **seat).code == "tournaments.see_desk"
        no = refused(services.offer_accept, olga.context(), **seat)
        assert (no.code, no.params["allowed"]) == ("tournaments.suspended", "2999-12-31")
        services.suspensions_import(olga.context(), content="")
        assert services.offer_accept(herself, **seat) == 3
        event.run(services.entrant_drop, entrant_id=zoe.entrant_id)
        services.suspensions_import(olga.context(), content="42,2999-12-31")
        no = refused(services.entrant_reinstate, olga.context(), **seat)
        assert no.code == "tournaments.suspended"

    @pytest.mark.parametrize(
        ("content", "line"),
        [("42", 1), ("42,soon", 1), ("id,until\n42,2026-02-30", 2), ("12345678901,2026-01-01", 1)],
    )
    def test_bad_lists_name_the_line(self, olga: Member, content: str, line: int) -> None:
        no = refused(services.suspensions_import, olga.context(), content=content)
        assert (no.code, no.params["line"]) == ("tournaments.suspension_invalid", line)
