"""Plans, hands and second thoughts: what an organiser asks of rounds beyond pressing on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from eventstore.domain.refusal import Refused
from people.access import NotAllowed
from tests.conftest import Member
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.models import EntrantRow, EventRow, MatchRow, RoundRow, StandingRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]


def refused(run: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as fault:
        run()
    return fault.value.refusal.code.removeprefix("tournaments.")


def pairs_of(event: Running, number: int) -> set[frozenset[str]]:
    names = {entrant: name for name, entrant in event.entrants.items()}
    rows = MatchRow.objects.filter(event_id=event.event_id, round=number)
    return {frozenset((names[one.p1], names[one.p2])) for one in rows}


def tables_of(event: Running, number: int) -> dict[str, int]:
    names = {entrant: name for name, entrant in event.entrants.items()}
    found: dict[str, int] = {}
    for row in MatchRow.objects.filter(event_id=event.event_id, round=number):
        found |= {names[row.p1]: row.table, names[row.p2]: row.table}
    return found


def round_of(event: Running, number: int) -> RoundRow:
    return RoundRow.objects.get(event_id=event.event_id, number=number)


class TestPlan:
    def test_forbidden_pairs_do_not_meet(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        alice = event.entrants["Alice"]
        event.run(
            services.plan_entrant,
            entrant_id=alice,
            values={"apart": [event.entrants["Bob"], event.entrants["Dora"]]},
        )
        for seed in range(8):
            event.run(services.round_pair, seed=seed)
            assert frozenset(("Alice", "Emil")) in pairs_of(event, 1)

    def test_clubs_are_kept_apart_in_the_first_rounds(self, make_event: Make) -> None:
        event = make_event(8, start=True, rounds=3)
        event.run(services.plan_make, changes={"soft": ["club"], "soft_rounds": 1})
        for name in ("Alice", "Bob", "Dora", "Emil"):
            event.run(
                services.plan_entrant,
                entrant_id=event.entrants[name],
                values={"club": "  Card   Shop "},
            )
        home = {"Alice", "Bob", "Dora", "Emil"}
        for seed in range(6):
            event.run(services.round_pair, seed=seed)
            assert all(len(pair & home) == 1 for pair in pairs_of(event, 1))
        assert round_of(event, 1).wishes == 0
        assert set(EventRow.objects.get().plan["clubs"].values()) == {"Card Shop"}

    def test_line_1_five_players_one_of_them_with_a_free_round_1(self, make_event: Make) -> None:
        event = make_event(5, start=True)
        free = event.entrants["Alice"]
        event.run(services.plan_entrant, entrant_id=free, values={"free": 1})
        event.pair()
        assert round_of(event, 1).byes == [free]  # four are left: no further bye
        event.settle()
        event.pair()
        assert len(round_of(event, 2).byes) == 1
        assert round_of(event, 2).byes != [free]

    def test_an_odd_rest_beside_a_free_round_gives_one_more_bye(self, make_event: Make) -> None:
        event = make_event(6, start=True)
        event.run(services.plan_entrant, entrant_id=event.entrants["Alice"], values={"free": 1})
        event.pair()
        row = round_of(event, 1)
        assert len(row.byes) == 2
        assert row.reasons[event.entrants["Alice"]] == "free_by_plan"

    def test_tables_fixed_accessible_and_offset(self, make_event: Make) -> None:
        event = make_event(6, start=True)
        event.run(
            services.plan_make,
            changes={
                "ranges": [[1, 2], [11, 20]],
                "accessible": [15],
                "needs": [event.entrants["Bob"]],
                "fixed": {event.entrants["Alice"]: 12},
            },
        )
        event.run(services.round_pair, seed=3)
        tables = tables_of(event, 1)
        assert tables["Alice"] == 12
        assert tables["Bob"] in (12, 15)
        assert set(tables.values()) <= {1, 2, 11, 12, 15}

    def test_tables_are_numbered_as_they_are_printed(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.run(services.plan_make, changes={"offset": 100, "ranges": [[5, 9]]})
        event.pair()
        assert sorted(row.table for row in event.matches(1)) == [105, 106]
        wrong = {"offset": -5}
        assert refused(lambda: event.run(services.plan_make, changes=wrong)) == "seating_invalid"

    def test_too_few_tables_leave_no_draft(self, make_event: Make) -> None:
        event = make_event(6, start=True)
        event.run(services.plan_make, changes={"ranges": [[1, 2]]})
        assert refused(lambda: event.run(services.round_pair)) == "tables_short"
        assert not RoundRow.objects.exists()

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"order": "luck"}, "plan_invalid"),
            ({"soft": ["rain"]}, "plan_invalid"),
            ({"soft_rounds": 99}, "plan_invalid"),
            ({"companion": "abacus"}, "plan_invalid"),
            ({"nothing": 1}, "plan_invalid"),
            ({"order": 5}, "plan_invalid"),
            ({"fixed": {"nobody": 3}}, "entrant_unknown"),
            ({"ranges": [[9, 1]]}, "seating_invalid"),
            ({"switches": {"luck": True}}, "switch_invalid"),
            ({}, "nothing_changed"),
        ],
    )
    def test_wrong_plans_are_refused(
        self, make_event: Make, changes: dict[str, Any], code: str
    ) -> None:
        event = make_event(4)
        assert refused(lambda: event.run(services.plan_make, changes=changes)) == code

    def test_how_the_standings_count_is_fixed_at_the_start(self, make_event: Make) -> None:
        event = make_event(4)
        event.run(services.plan_make, changes={"switches": {"floor_permille": 330}})
        event.run(services.event_start)
        changes = {"switches": {"floor_permille": 250}}
        assert refused(lambda: event.run(services.plan_make, changes=changes)) == "plan_fixed"
        event.run(services.plan_make, changes={"offset": 100})

    def test_a_system_without_the_switch_is_refused(self, make_event: Make) -> None:
        event = make_event(4)
        event.run(services.plan_make, changes={"switches": {"floor_permille": 330}})
        changes = {"standings": "buchholz@1"}
        assert (
            refused(lambda: event.run(services.event_configure, changes=changes))
            == "switch_invalid"
        )
        event.run(services.plan_make, changes={"switches": {}})
        event.run(services.event_configure, changes=changes)

    def test_only_the_organiser_makes_the_plan(self, make_event: Make, charlie: Member) -> None:
        event = make_event(4)
        for sent in (charlie.context(), event.player("Alice")):
            with pytest.raises(NotAllowed):
                services.plan_make(sent, event_id=event.event_id, changes={"offset": 1})


class TestSystems:
    @pytest.mark.parametrize(
        "system", ["konami-kts@1", "owm-gw-ogw@1", "duel-masters@1", "buchholz@1"]
    )
    def test_an_event_runs_under_any_system(self, make_event: Make, system: str) -> None:
        event = make_event(6, start=True, standings=system, rounds=2)
        event.play_swiss()
        view = selectors.standings_after(event.olga.actor, event.event_id)
        assert (view.frozen, view.system) == (True, system)
        assert all(line.code and line.tiebreaks for line in view.lines)
        rows = StandingRow.objects.filter(event_id=event.event_id, round=2).order_by("position")
        assert [row.code for row in rows] == [line.code for line in view.lines]
        event.run(services.event_finish)

    def test_switches_of_the_plan_count(self, make_event: Make) -> None:
        codes = []
        for switches in ({}, {"floor_permille": 700}):
            event = make_event(4, standings="konami-policy@1", rounds=2)
            if switches:
                event.run(services.plan_make, changes={"switches": switches})
            event.run(services.event_start)
            event.play_swiss()
            view = selectors.standings_after(event.olga.actor, event.event_id)
            codes.append([line.figure("opponents_permille") for line in view.lines])
        assert min(codes[1]) >= 700 > min(codes[0])


class TestByHand:
    def test_a_swap_says_what_it_costs_and_why(self, make_event: Make) -> None:
        event = make_event(6, start=True, rounds=3)
        event.pair()
        event.settle()
        event.run(services.round_pair, seed=5)
        best = round_of(event, 2)
        rows = list(MatchRow.objects.filter(event_id=event.event_id, round=2).order_by("table"))
        event.run(services.draft_swap, one=rows[0].p1, two=rows[-1].p1, note="they share a car")
        made = round_of(event, 2)
        assert made.by_hand
        assert made.method == "by_hand"
        assert made.note
        assert "car" not in made.note
        assert (made.rematches, made.cost) >= (best.rematches, best.cost)
        assert made.proven == ((made.rematches, made.cost) == (best.rematches, best.cost))
        event.run(services.round_publish, number=2)

    def test_line_24_undropped_and_swapped_with_the_bye(self, make_event: Make) -> None:
        event = make_event(5, start=True, rounds=3)
        event.pair()
        event.settle()
        event.run(services.entrant_drop, entrant_id=event.entrants["Alice"])
        event.run(services.round_pair, seed=1)
        assert round_of(event, 2).byes == []
        event.run(services.entrant_reinstate, entrant_id=event.entrants["Alice"])
        event.run(services.round_pair, seed=1)
        (bye,) = round_of(event, 2).byes
        other = next(one for one in event.entrants.values() if one != bye)
        event.run(services.draft_swap, one=bye, two=other, note="came back late")
        assert round_of(event, 2).byes == [other]
        event.run(services.round_publish, number=2)

    def test_a_whole_round_by_hand(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        ids = [event.entrants[one] for one in ("Alice", "Bob", "Dora", "Emil")]
        event.run(services.draft_by_hand, pairs=[ids[:2], ids[2:]], note="as drawn from a hat")
        assert pairs_of(event, 1) == {frozenset(("Alice", "Bob")), frozenset(("Dora", "Emil"))}
        assert round_of(event, 1).proven  # a first round has no worse pairing

    @pytest.mark.parametrize(
        ("pairs", "byes", "code"),
        [
            ([(0, 1)], [], "draft_incomplete"),
            ([(0, 1), (0, 2)], [3], "draft_incomplete"),
            ([(0, 1), (2, 3)], [4], "draft_incomplete"),
            ([(0, 1)], [2, 3], "byes_many"),
        ],
    )
    def test_a_round_by_hand_needs_everybody_once(
        self, make_event: Make, pairs: list[tuple[int, int]], byes: list[int], code: str
    ) -> None:
        event = make_event(4, start=True)
        ids = [*event.entrants.values(), "somebody else"]
        made = [[ids[one], ids[two]] for one, two in pairs]
        alone = [ids[one] for one in byes]
        assert code == refused(
            lambda: event.run(services.draft_by_hand, pairs=made, byes=alone, note="x")
        )

    def test_a_hand_needs_a_reason(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.run(services.round_pair)
        rows = list(MatchRow.objects.filter(event_id=event.event_id))
        one, two = rows[0].p1, rows[1].p1
        assert (
            refused(lambda: event.run(services.draft_swap, one=one, two=two, note="  "))
            == "reason_missing"
        )
        assert (
            refused(lambda: event.run(services.draft_swap, one=one, two=rows[0].p2, note="x"))
            == "nothing_changed"
        )
        assert (
            refused(lambda: event.run(services.draft_swap, one=one, two="nobody", note="x"))
            == "not_in_draft"
        )

    def test_locked_pairs_stay_when_the_round_is_paired_anew(self, make_event: Make) -> None:
        event = make_event(8, start=True)
        kept = [event.entrants["Alice"], event.entrants["Bob"]]
        event.run(services.round_pair, seed=1, locked=[kept])
        for seed in range(2, 7):
            event.run(services.round_pair, seed=seed)
            assert frozenset(("Alice", "Bob")) in pairs_of(event, 1)
        event.run(services.round_pair, seed=2, locked=[])
        assert round_of(event, 1).locked == []

    def test_a_lock_on_somebody_who_left_is_forgotten(self, make_event: Make) -> None:
        event = make_event(6, start=True)
        kept = [event.entrants["Alice"], event.entrants["Bob"]]
        event.run(services.round_pair, seed=1, locked=[kept])
        event.run(services.entrant_drop, entrant_id=kept[0])
        event.run(services.round_pair, seed=2)
        assert round_of(event, 1).locked == []
        wrong = [[kept[0], kept[1]]]
        assert refused(lambda: event.run(services.round_pair, locked=wrong)) == "lock_invalid"


class TestSecondThoughts:
    def test_a_round_is_taken_back_while_it_has_no_result(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.pair()
        match = event.matches(1)[0].pk
        event.run(services.round_withdraw, number=1)
        assert not RoundRow.objects.exists()
        assert EventRow.objects.get().round == 0
        with pytest.raises((Refused, NotAllowed)):
            services.result_enter(event.staff(), match_id=match, score=[2, 0, 0])
        assert event.pair(seed=9) == 1
        event.settle()
        assert refused(lambda: event.run(services.round_withdraw, number=1)) == "results_there"
        assert refused(lambda: event.run(services.round_withdraw, number=2)) == "not_newest"

    def test_line_24_first_cut_round_deleted_and_started_again(self, make_event: Make) -> None:
        event = make_event(8, start=True, rounds=2, cut=4)
        event.play_swiss()
        before = list(StandingRow.objects.order_by("pk").values())
        event.run(services.cut_make, seed=1)
        first = event.pair(seed=1)
        seeds = pairs_of(event, first)
        event.run(services.round_withdraw, number=first)
        assert event.pair(seed=2) == first
        assert pairs_of(event, first) == seeds
        assert list(StandingRow.objects.order_by("pk").values()) == before

    def test_line_5_deleting_the_cut_changes_no_registration_and_no_standing(
        self, make_event: Make
    ) -> None:
        event = make_event(8, start=True, rounds=2, cut=4)
        event.play_swiss()
        frozen = list(StandingRow.objects.order_by("pk").values())
        people = list(EntrantRow.objects.order_by("pk").values())
        event.run(services.cut_make, seed=1)
        event.run(services.cut_undo)
        assert list(StandingRow.objects.order_by("pk").values()) == frozen
        assert list(EntrantRow.objects.order_by("pk").values()) == people
        assert EventRow.objects.get().status == "running"
        event.run(services.cut_make, size=2, seed=1)
        assert len(event.home().row.status) > 0
        event.pair()
        assert refused(lambda: event.run(services.cut_undo)) == "cut_moved_on"

    def test_line_6_a_cut_player_replaced_by_hand_gets_a_seed(self, make_event: Make) -> None:
        event = make_event(8, start=True, rounds=2, cut=4)
        event.play_swiss()
        seeds = event.run(services.cut_make, seed=1)
        outside = next(one for one in event.entrants.values() if one not in seeds)
        event.run(services.cut_replace, gone=seeds[1], entrant_id=outside)
        assert EntrantRow.objects.get(pk=outside).seed == 2
        assert EntrantRow.objects.get(pk=seeds[1]).seed is None
        assert selectors.standings_after(event.olga.actor, event.event_id).lines
        bracket_round = event.pair()
        playing = {one for row in event.matches(bracket_round) for one in (row.p1, row.p2)}
        assert outside in playing
        assert selectors.bracket(event.olga.actor, event.event_id).seeds[1].entrant_id == outside

    @pytest.mark.parametrize(
        ("gone", "taken", "code"),
        [(7, 6, "not_in_cut"), (0, 1, "entrant_in"), (0, None, "entrant_out")],
    )
    def test_wrong_replacements_are_refused(
        self, make_event: Make, gone: int, taken: int | None, code: str
    ) -> None:
        event = make_event(8, start=True, rounds=2, cut=4)
        event.play_swiss()
        seeds = event.run(services.cut_make, seed=1)
        order = [*seeds, *(one for one in event.entrants.values() if one not in seeds)]
        by = "nobody" if taken is None else order[taken]
        assert code == refused(
            lambda: event.run(services.cut_replace, gone=order[gone], entrant_id=by)
        )


class TestReports:
    def test_line_4_odd_results_do_not_block_round_4_and_a_failure_leaves_nothing(
        self, make_event: Make
    ) -> None:
        event = make_event(6, start=True, rounds=4)
        for number in range(1, 4):
            event.pair(seed=number)
            assert refused(lambda: event.run(services.round_pair)) == "results_open"
            assert RoundRow.objects.count() == number
            rows = event.matches(number)
            services.result_enter(event.staff(), match_id=rows[0].pk, reason="double_loss")
            services.result_enter(event.staff(), match_id=rows[1].pk, score=[1, 1, 1])
            event.settle()
        assert event.pair(seed=4) == 4
        assert len(event.matches(4)) == 3

    def test_line_10_staff_accept_all_half_confirmed_reports_at_once(
        self, make_event: Make
    ) -> None:
        event = make_event(8, start=True)
        event.pair()
        rows = event.matches(1)
        names = {entrant: name for name, entrant in event.entrants.items()}
        for row in rows[:3]:
            services.result_claim(event.player(names[row.p1]), match_id=row.pk, score=[2, 1, 0])
        services.result_claim(event.player(names[rows[2].p2]), match_id=rows[2].pk, score=[0, 2, 0])
        assert event.run(services.results_accept) == 2
        states = {row.pk: row.state for row in event.matches(1)}
        assert [states[row.pk] for row in rows] == ["decided", "decided", "disputed", "waiting"]
        assert event.run(services.results_accept) == 0

    def test_line_10_players_drop_themselves(self, make_event: Make) -> None:
        event = make_event(6, start=True)
        services.entrant_drop(
            event.player("Alice"), event_id=event.event_id, entrant_id=event.entrants["Alice"]
        )
        assert EntrantRow.objects.get(pk=event.entrants["Alice"]).reason == "own"

    def test_line_10_no_report_button_when_reporting_is_off(
        self, make_event: Make, client_of: Callable[..., Any], alice: Member
    ) -> None:
        for devices, shown in (("allowed", True), ("not_in_match", False)):
            event = make_event(3, devices=devices)
            made = event.run(services.entrant_enrol, person_id=alice.person_id)
            event.run(services.entrant_check_in, entrant_id=made.entrant_id)
            event.run(services.event_start)
            event.pair()
            page = client_of(alice).get(reverse("my:match", args=[event.event_id]))
            assert page.status_code == 200
            assert ('value="claim"' in page.content.decode()) == shown
