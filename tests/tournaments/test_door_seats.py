"""Seats as pure decisions: capacity, the line, offers, whatever the order of what happens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.domain.refusal import Refusal
from tournaments import events as main
from tournaments.domain import door_codes, door_fees, door_merge, door_policy, door_seats, enrolment
from tournaments.domain.door_events import DoorPolicy, DoorSet, Prize
from tournaments.domain.event import DROPPED, Tournament
from tournaments.domain.round_clock import text_of

NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)
MINUTES = 15


def opened(**policy: Any) -> Tournament:
    """An event with an open registration and this policy."""
    return door_seats.folded(
        Tournament(),
        [
            main.EventCreated("e", main.Settings(name="Cup", decks_required=False)),
            main.RegistrationOpened("e"),
            DoorSet("e", DoorPolicy(offer_minutes=MINUTES, **policy)),
        ],
    )


class Hall:
    """An event with a clock; each act settles first and fills afterwards, as the commands do."""

    def __init__(self, state: Tournament) -> None:
        self.state, self.now = state, NOON

    def do(self, decide: Any = None, **values: Any) -> Any:
        """Run a decision on the state; returns its refusal or None."""
        self.state = door_seats.folded(self.state, door_seats.settle(self.state, self.now))
        made = decide(self.state, **values) if decide else []
        if isinstance(made, Refusal):
            return made
        self.state = door_seats.folded(self.state, made)
        self.state = door_seats.folded(self.state, door_seats.fill(self.state, self.now))
        return None

    def comes(self, who: str) -> str:
        """Somebody enrols: `in` or `waits`."""
        no = self.do(enrolment.enrol, entrant_id=who, persons=(f"p{who}",), by_staff=True)
        if no is None:
            return "in"
        assert no.code == "tournaments.event_full"
        assert (
            self.do(door_seats.waits, entrant_id=who, persons=(f"p{who}",), by_staff=True) is None
        )
        return "waits"

    def drops(self, who: str) -> Any:
        """Somebody drops."""
        return self.do(enrolment.drop, entrant_id=who, reason="own")

    def line(self) -> list[tuple[str, bool]]:
        """Who waits, in order, and whether a seat is kept for them."""
        return [(one.entrant_id, one.until is not None) for one in self.state.door.waiting]


class TestSeats:
    def test_a_freed_seat_is_offered_to_the_first_and_goes_on_when_its_time_is_over(self) -> None:
        hall = Hall(opened(capacity=2))
        assert [hall.comes(one) for one in "abcd"] == ["in", "in", "waits", "waits"]
        hall.drops("a")
        assert hall.line() == [("c", True), ("d", False)]
        assert hall.comes("e") == "waits"
        hall.now += timedelta(minutes=MINUTES)
        hall.do()
        assert hall.line() == [("d", True), ("e", False)]
        no = hall.do(door_seats.accept, entrant_id="e")
        assert (no.code, no.params) == ("tournaments.no_offer", {"found": 2})
        assert hall.do(door_seats.accept, entrant_id="c").code == "tournaments.not_waiting"
        hall.do(door_seats.decline, entrant_id="d")
        assert hall.do(door_seats.accept, entrant_id="e") is None
        assert hall.line() == []
        assert sorted(
            one.entrant_id for one in hall.state.entrants.values() if one.status != DROPPED
        ) == ["b", "e"]

    def test_more_seats_go_to_the_line_and_fewer_than_are_held_are_refused(self) -> None:
        hall = Hall(opened(capacity=1))
        for one in "abcd":
            hall.comes(one)
        wider = DoorPolicy(capacity=3, offer_minutes=MINUTES)
        hall.do(door_policy.set_policy, policy=wider)
        assert hall.line() == [("b", True), ("c", True), ("d", False)]
        no = hall.do(door_policy.set_policy, policy=DoorPolicy(capacity=2))
        assert (no.code, no.params["allowed"]) == ("tournaments.capacity_below", 3)
        hall.do(door_policy.set_policy, policy=DoorPolicy())
        assert all(offered for _, offered in hall.line())

    def test_who_dropped_waits_like_anybody_and_comes_back_as_the_same_entrant(self) -> None:
        hall = Hall(opened(capacity=1))
        hall.comes("a")
        hall.comes("b")
        hall.drops("a")
        assert hall.do(enrolment.reinstate, entrant_id="a").code == "tournaments.event_full"
        hall.do(door_seats.waits, entrant_id="a", persons=("pa",), by_staff=True)
        hall.do(door_seats.decline, entrant_id="b")
        hall.do(door_seats.accept, entrant_id="a")
        one = hall.state.entrants["a"]
        assert (one.number, one.status, len(hall.state.entrants)) == (1, "enrolled", 1)

    def test_a_disqualification_is_taken_back_though_the_seat_has_gone(self) -> None:
        hall = Hall(opened(capacity=1))
        hall.comes("a")
        hall.comes("b")
        hall.do(enrolment.disqualify, entrant_id="a", rule=None, note=None)
        assert hall.line() == [("b", True)]
        hall.do(door_seats.accept, entrant_id="b")
        assert hall.do(enrolment.undo_disqualification, entrant_id="a", note="sealed") is None
        assert (hall.state.entrants["a"].status, door_seats.taken(hall.state)) == ("enrolled", 2)
        # one above the seats: nobody new comes in, and the policy can still be changed
        assert hall.comes("c") == "waits"
        prized = DoorPolicy(capacity=1, offer_minutes=MINUTES, fee=500)
        assert hall.do(door_policy.set_policy, policy=prized) is None
        hall.drops("b")
        assert hall.line() == [("c", False)]

    def test_windows_say_when(self) -> None:
        at, until = text_of(NOON), text_of(NOON + timedelta(hours=1))
        state = opened(opens_at=at, closes_at=until, check_in_opens=at, check_in_closes=until)
        early, late = NOON - timedelta(seconds=1), NOON + timedelta(hours=1)
        for moment, code, when in (
            (early, "tournaments.registration_early", at),
            (late, "tournaments.registration_over", until),
        ):
            no = door_seats.window(state, moment)
            assert no is not None
            assert (no.code, no.params) == (code, {"allowed": when, "zone": "UTC"})
        assert door_seats.window(state, NOON) is None
        for staff in (False, True):
            no = door_seats.check_in_window(state, early, by_staff=staff)
            assert no is not None
            assert no.code == "tournaments.check_in_early"
        assert door_seats.check_in_window(state, late, by_staff=True) is None
        over = door_seats.check_in_window(state, late, by_staff=False)
        assert over is not None
        assert over.code == "tournaments.check_in_over"


ACTS = st.tuples(
    st.sampled_from(["comes", "drops", "accept", "decline", "leave", "back", "wait", "seats"]),
    st.integers(0, 9),
)


@given(st.integers(1, 4), st.lists(ACTS, max_size=60))
def test_no_order_of_acts_exceeds_the_seats_or_passes_somebody_over(
    capacity: int, acts: list[tuple[str, int]]
) -> None:
    hall = Hall(opened(capacity=capacity))
    gone: set[str] = set()
    for act, number in acts:
        who = f"x{number}"
        before = {one.entrant_id: one.place for one in hall.state.door.waiting}
        if act == "comes":
            known = who in hall.state.entrants or hall.state.door.waits(who)
            if not known:
                hall.comes(who)
        elif act == "drops":
            hall.drops(who)
        elif act == "back" and who in hall.state.entrants and not hall.state.door.waits(who):
            hall.do(enrolment.reinstate, entrant_id=who)
        elif act in ("accept", "decline"):
            hall.do(getattr(door_seats, act), entrant_id=who)
        elif act == "leave":
            hall.do(door_seats.leave, entrant_id=who, reason="own")
        elif act == "wait":
            hall.now += timedelta(minutes=number * 4)
            hall.do()
        elif act == "seats" and number:
            wanted = DoorPolicy(capacity=number, offer_minutes=MINUTES)
            hall.do(door_policy.set_policy, policy=wanted)
        state = hall.state
        for later in (hall.now, hall.now + timedelta(minutes=MINUTES)):
            shown = door_seats.standing(
                [one.until for one in state.door.waiting],
                state.door.policy.capacity,
                door_seats.taken(state),
                later,
                enters=True,
            )
            would = door_seats.folded(state, door_seats.settle(state, later))
            kept = [one for one, word in zip(state.door.waiting, shown, strict=True) if word]
            assert [one.entrant_id for one in would.door.waiting] == [
                one.entrant_id for one in kept
            ]
            assert [one.until is not None for one in would.door.waiting] == [
                word != "waiting" for word in shown if word
            ]
        seats = state.door.policy.capacity
        assert seats is not None
        held = door_seats.taken(state)
        assert held + state.door.offered <= seats
        line = state.door.waiting
        assert [one.place for one in line] == sorted(one.place for one in line)
        offered = [one.until is not None for one in line]
        assert offered == sorted(offered, reverse=True), "somebody was passed over"
        if not all(offered):
            assert held + state.door.offered == seats, "a seat is free while somebody waits"
        # nobody came before somebody who waited at an earlier place and still does
        came = before.keys() - {one.entrant_id for one in line}
        seated = {
            one for one in came if one in state.entrants and state.entrants[one].status != DROPPED
        }
        for one in seated:
            still = [other.place for other in line if other.until is None]
            assert all(before[one] < place for place in still)
        gone |= came
    people = [one for each in hall.state.entrants.values() for one in each.persons]
    assert len(people) == len(set(people))


class TestFees:
    def test_money_is_taken_once_given_back_and_never_more_than_owed(self) -> None:
        hall = Hall(opened(fee=2500, currency="HUF"))
        hall.comes("a")
        pay: dict[str, Any] = {"entrant_id": "a", "method": "cash"}
        assert hall.do(door_fees.pay, amount=3000, **pay).params == {
            "found": 3000,
            "allowed": [1, 2500],
        }
        assert hall.do(door_fees.pay, amount=1000, **pay) is None
        assert hall.state.door.owes("a") == 1500
        assert hall.do(door_fees.pay, amount=None, **pay) is None
        assert hall.do(door_fees.pay, amount=None, **pay).code == "tournaments.fee_settled"
        no = hall.do(door_fees.comp, entrant_id="a", note=None)
        assert no.code == "tournaments.fee_settled"
        no = hall.do(door_policy.set_policy, policy=DoorPolicy(fee=10, currency="EUR"))
        assert no.code == "tournaments.fees_taken"
        assert hall.do(door_fees.refund, amount=500, **pay) is None
        assert hall.state.door.owes("a") == 500
        assert hall.do(door_fees.refund, amount=None, **pay) is None
        assert hall.do(door_fees.refund, amount=None, **pay).code == "tournaments.fee_unpaid"
        assert hall.do(door_fees.comp, entrant_id="a", note=None) is None
        assert hall.state.door.owes("a") == 0

    @pytest.mark.parametrize(
        ("values", "code"),
        [
            ({"method": "gold", "amount": None}, "tournaments.method_unknown"),
            ({"method": "cash", "amount": 0}, "tournaments.fee_amount"),
            ({"method": "cash", "amount": -5}, "tournaments.fee_amount"),
        ],
    )
    def test_bad_payments(self, values: dict[str, Any], code: str) -> None:
        hall = Hall(opened(fee=100))
        hall.comes("a")
        assert hall.do(door_fees.pay, entrant_id="a", **values).code == code
        assert (
            hall.do(door_fees.pay, entrant_id="b", **values).code == "tournaments.entrant_unknown"
        )
        free = Hall(opened())
        free.comes("a")
        if code == "tournaments.fee_amount":
            assert free.do(door_fees.pay, entrant_id="a", **values).code == "tournaments.fee_none"


class TestPolicy:
    @pytest.mark.parametrize(
        ("values", "field"),
        [
            ({"opens_at": "tomorrow"}, "opens_at"),
            ({"capacity": 0}, "capacity"),
            ({"capacity": 10**9}, "capacity"),
            ({"offer_minutes": 0}, "offer_minutes"),
            ({"fee": -1}, "fee"),
            ({"currency": "eur"}, "currency"),
            ({"notice_version": "1"}, "notice_version"),
            ({"notice": "text\x00", "notice_version": "1"}, "notice"),
            ({"notice": "x" * 5000, "notice_version": "1"}, "notice"),
            ({"prizes": (Prize(0, 3, 2, "x"),)}, "prizes"),
            ({"prizes": (Prize(0, 1, 1, " "),)}, "prizes"),
            ({"opens_at": text_of(NOON), "closes_at": text_of(NOON)}, "closes_at"),
        ],
    )
    def test_what_is_wrong_is_named(self, values: dict[str, Any], field: str) -> None:
        no = door_policy.policy_refused(DoorPolicy(**values))
        assert no is not None
        assert (no.code, no.params["field"]) == ("tournaments.door_invalid", field)

    def test_prizes_by_number_of_players(self) -> None:
        text = "1: Trophy\n2-4: Booster\n129+ 4: Mat\n129+ 5-8: Mat"
        table = door_policy.prizes_read(text)
        assert not isinstance(table, Refusal)
        assert door_policy.prizes_text(table) == text
        assert door_policy.prizes_for(table, 3) == {1: "Trophy", 2: "Booster", 3: "Booster"}
        moved = door_policy.prizes_moved(table, 128, 130)
        assert [(one.first, one.last, one.was, one.now) for one in moved] == [
            (4, 4, "Booster", "Mat"),
            (5, 8, "", "Mat"),
        ]
        assert door_policy.prizes_moved(table, 128, 128) == []
        for bad in ("first: x", "1:", "+ 1: x", "1-: x"):
            no = door_policy.prizes_read(bad)
            assert isinstance(no, Refusal)
            assert no.code == "tournaments.door_invalid"


class TestMerge:
    def test_two_who_have_not_played_the_earlier_stays_and_both_ids_count(self) -> None:
        hall = Hall(opened(fee=100, capacity=3))
        for one in "abc":
            hall.comes(one)
        hall.do(door_fees.pay, entrant_id="b", amount=None, method="cash")
        hall.do(enrolment.check_in, entrant_id="b")
        before = hall.state
        assert hall.do(door_merge.merge, keep="pa", gone="pb") is None
        kept, other = hall.state.entrants["a"], hall.state.entrants["b"]
        assert (kept.persons, kept.status) == (("pa", "pb"), "checked_in")
        assert (other.status, other.merged_into) == (DROPPED, "a")
        assert hall.state.entrant_of("pb") == kept
        assert hall.state.door.owes("a") == 0
        assert door_seats.free(hall.state) == 1
        no = hall.do(enrolment.reinstate, entrant_id="b")
        assert no.code == "tournaments.entrant_merged"
        assert hall.do(door_merge.unmerge, keep="pa", gone="pb") is None
        assert hall.state.entrants == before.entrants
        assert hall.state.door.fee_of("b").paid == 100
        assert hall.state.door.owes("a") == 100

    def test_the_undo_is_refused_when_the_seat_has_gone(self) -> None:
        hall = Hall(opened(capacity=2))
        for one in "abc":
            hall.comes(one)
        hall.do(door_merge.merge, keep="pa", gone="pb")
        assert hall.line() == [("c", True)]
        no = hall.do(door_merge.unmerge, keep="pa", gone="pb")
        assert no.code == "tournaments.event_full"

    def test_of_several_merges_each_undo_parts_the_two_it_names(self) -> None:
        """`a` has no list, so it gives way to `b`; `c` and `d` give way to what became of both."""
        hall = Hall(opened())
        for one in "abcd":
            hall.comes(one)
        hall.state = door_seats.folded(hall.state, [main.DeckAttached("e", "b", "list")])

        def persons() -> dict[str, tuple[str, ...]]:
            held = hall.state.entrants.items()
            return {key: one.persons for key, one in held if not one.merged_into}

        for gone in ("pb", "pc", "pd"):
            assert hall.do(door_merge.merge, keep="pa", gone=gone) is None
        assert persons() == {"b": ("pa", "pb", "pc", "pd")}
        assert hall.do(door_merge.unmerge, keep="pa", gone="pd") is None
        assert persons() == {"b": ("pa", "pb", "pc"), "d": ("pd",)}
        assert hall.do(door_merge.merge, keep="pa", gone="pd") is None
        assert hall.do(door_merge.unmerge, keep="pa", gone="pc") is None
        assert persons() == {"b": ("pa", "pb", "pd"), "c": ("pc",)}
        # the ids of one human stay together
        assert hall.do(door_merge.unmerge, keep="pa", gone="pb") is None
        assert persons() == {"a": ("pa", "pd"), "b": ("pb",), "c": ("pc",)}
        assert hall.state.entrants["b"].deck_id == "list"

    @pytest.mark.parametrize("order", [*permutations(["pb", "pc", "pd"])])
    def test_each_has_its_own_list_again_in_whatever_order_merges_are_undone(
        self, order: tuple[str, ...]
    ) -> None:
        hall = Hall(opened())
        for one in "abcd":
            hall.comes(one)
            attached = main.DeckAttached("e", one, f"list {one}")
            hall.state = door_seats.folded(hall.state, [attached])

        def lists() -> dict[str, str | None]:
            return {key: one.deck_id for key, one in hall.state.entrants.items()}

        before = lists()
        for gone in ("pb", "pc", "pd"):
            assert hall.do(door_merge.merge, keep="pa", gone=gone, lists="gone") is None
            assert hall.state.entrants["a"].deck_id == f"list {gone[1]}"
        for gone in order:
            assert hall.do(door_merge.unmerge, keep="pa", gone=gone) is None
            assert lists()[gone[1]] == before[gone[1]]
            assert {*lists().values()} == {*before.values()}
        assert lists() == before

    def test_one_place_in_the_line_and_a_seat_needs_no_place(self) -> None:
        hall = Hall(opened(capacity=1))
        for one in "abcd":
            hall.comes(one)
        hall.do(door_merge.merge, keep="pc", gone="pb")
        assert hall.line() == [("b", False), ("d", False)]
        assert hall.state.door.waiting[0].persons == ("pc", "pb")
        hall.do(door_merge.unmerge, keep="pc", gone="pb")
        assert hall.state.door.waiting[0].persons == ("pb",)
        hall.do(door_merge.merge, keep="pa", gone="pd")
        assert hall.line() == [("b", False)]
        assert hall.state.entrants["a"].persons == ("pa", "pd")
        hall.do(door_merge.unmerge, keep="pa", gone="pd")
        assert hall.state.entrants["a"].persons == ("pa",)

    def test_alone_in_an_event_both_ids_stand_behind_the_entrant_until_the_undo(self) -> None:
        hall = Hall(opened())
        hall.comes("a")
        assert hall.do(door_merge.merge, keep="other", gone="pa") is None
        assert hall.state.entrants["a"].persons == ("other", "pa")
        assert hall.do(door_merge.unmerge, keep="other", gone="pa") is None
        assert hall.state.entrants["a"].persons == ("pa",)
        assert door_merge.merge(hall.state, keep="pa", gone="nobody") == []


class TestTheField:
    def test_what_it_is_given(self) -> None:
        code = door_codes.code_of("00000000-0000-7000-8000-000000000001")
        plain = code.replace("-", "")
        for text in (code, code.lower(), plain, f"https://hall.example/staff/door/?q={plain}&x=1"):
            assert door_codes.read(text).code == code
        assert door_codes.read("#12").number == 12
        assert door_codes.read("00 0123 4567").digits == "0001234567"
        name = door_codes.read("  Łukasz   Nowak ")
        assert (name.text, name.code, name.digits) == ("Łukasz Nowak", "", "")
        assert door_codes.read("http://[").text == ""
        assert len(door_codes.read("x" * 9999).text) == door_codes.LONGEST

    def test_codes_differ(self) -> None:
        codes = {door_codes.code_of(f"id-{number}") for number in range(20_000)}
        assert len(codes) == 20_000
