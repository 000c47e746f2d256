"""An event through its commands: registration, rounds, cut, end; refusals; rebuild."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from eventstore import clock
from eventstore.commands import CommandReused, Context
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, SYSTEM
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.models import EntrantRow, EventRow, MatchRow, RoundRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]


def refused(command: Callable[..., Any], *args: Any, **values: Any) -> Any:
    with pytest.raises(Refused) as caught:
        command(*args, **values)
    return caught.value.refusal


class TestCreation:
    def test_the_creator_becomes_the_organiser(self, make_event: Make, olga: Member) -> None:
        event = make_event()
        assert "organiser" in {str(role) for role in olga.actor.roles_in(event.event_id)}

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("name", "  "),
            ("name", "x" * 121),
            ("name", "two\x07signs"),
            ("name", "no sign of XML \uffff"),
            ("zone", "Mars/Olympus"),
            ("preset", "own"),
            ("match_rules", "best-of-nine"),
            ("standings", "konami-policy@99"),
            ("pack", "Under the Table"),
            ("rounds", 0),
            ("rounds", 31),
            ("cut", 1),
            ("cut", -4),
            ("game", "chess"),
            ("deck_deadline", "tomorrow"),
        ],
    )
    def test_a_wrong_setting_is_named(self, olga: Member, field: str, value: Any) -> None:
        values = {"name": "Cup"} | {field: value}
        no = refused(services.event_create, olga.context(), event_id=new_id(), **values)
        assert no.code == "tournaments.setting_invalid"
        assert no.params["field"] == field
        assert "allowed" in no.params
        assert not EventRow.objects.exists()

    def test_a_value_of_another_type_is_refused(self, olga: Member) -> None:
        no = refused(
            services.event_create, olga.context(), event_id=new_id(), name="Cup", rounds="five"
        )
        assert no.code == "tournaments.setting_invalid"

    def test_an_unknown_banlist_is_refused(self, olga: Member) -> None:
        no = refused(
            services.event_create, olga.context(), event_id=new_id(), name="Cup", banlist_id="x"
        )
        assert no.code == "tournaments.banlist_unknown"

    def test_the_same_id_twice(self, make_event: Make, olga: Member) -> None:
        event = make_event()
        no = refused(services.event_create, olga.context(), event_id=event.event_id, name="Cup")
        assert no.code == "tournaments.event_exists"

    def test_what_is_no_id_makes_and_names_nothing(self, make_event: Make, olga: Member) -> None:
        for bad in ("", "1", "x" * 300, "a\x00b", "../etc"):
            no = refused(services.event_create, olga.context(), event_id=bad, name="Cup")
            assert no.code == "tournaments.bad_id"
            with pytest.raises(NotAllowed):
                services.event_start(olga.context(), event_id=bad)
            with pytest.raises(NotAllowed):
                services.result_enter(olga.context(), match_id=bad, score=[2, 0, 0])
            with pytest.raises(NotAllowed):
                selectors.event_home(olga.actor, bad)
            with pytest.raises(NotAllowed):
                selectors.match_detail(olga.actor, bad)
        event = make_event()
        no = refused(event.run, services.entrant_enrol, display_name="Dora", entrant_id="1")
        assert no.code == "tournaments.bad_id"

    def test_names_are_brought_to_nfc(self, olga: Member) -> None:
        event_id = new_id()
        services.event_create(olga.context(), event_id=event_id, name="Gyo\u030bri  kupa")
        assert EventRow.objects.get().name == "Győri kupa"

    def test_configure_changes_and_refuses(self, make_event: Make) -> None:
        event = make_event()
        event.run(services.event_configure, changes={"rounds": 5, "cut": 8})
        assert (event.home().row.rounds, event.home().row.cut) == (5, 8)
        for changes, code in (
            ({"rounds": 5}, "nothing_changed"),
            ({"colour": "red"}, "setting_invalid"),
            ({"banlist_hash": "0"}, "setting_invalid"),
            ({"cut": "many"}, "setting_invalid"),
        ):
            no = refused(event.run, services.event_configure, changes=changes)
            assert no.code == f"tournaments.{code}"

    def test_a_draft_event_is_hidden(self, olga: Member, charlie: Member) -> None:
        event_id = new_id()
        services.event_create(olga.context(), event_id=event_id, name="Secret cup")
        for viewer in (ANONYMOUS, charlie.actor):
            with pytest.raises(NotAllowed) as caught:
                selectors.event_home(viewer, event_id)
            assert caught.value.hidden
            assert not selectors.events_list(viewer).exists()
        assert selectors.event_home(olga.actor, event_id).may_run

    def test_cancel(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.run(services.round_pair, seed=1)
        event.run(services.event_cancel, note="the hall is flooded")
        assert event.home().row.status == "cancelled"
        assert not MatchRow.objects.exists()
        assert refused(event.run, services.event_cancel).code == "tournaments.wrong_state"
        rebuilds_equal("tournaments.board")


class TestRegistration:
    def test_staff_enrol_by_name_and_id(self, make_event: Make) -> None:
        event = make_event()
        made = event.run(services.entrant_enrol, display_name="Dóra Kovács", card_game_id="123")
        assert made.number == 1
        (line,) = selectors.roster(ANONYMOUS, event.event_id)
        assert (line.side.name, line.side.status) == ("Dóra Kovács", "enrolled")

    def test_staff_enrol_a_known_person_by_id_or_card_game_id(self, make_event: Make) -> None:
        first, second, third = make_event(), make_event(), make_event()
        made = first.run(services.entrant_enrol, display_name="Dora", card_game_id="0000000123")
        by_id = second.run(services.entrant_enrol, person_id=made.person_id)
        by_number = third.run(services.entrant_enrol, card_game_id="123")
        assert by_id.person_id == by_number.person_id == made.person_id

    def test_a_person_nobody_knows(self, make_event: Make) -> None:
        event = make_event()
        for values in ({}, {"person_id": new_id()}, {"card_game_id": "999"}):
            no = refused(event.run, services.entrant_enrol, **values)
            assert no.code == "tournaments.person_missing"
        no = refused(event.run, services.entrant_enrol, card_game_id="not a number")
        assert no.code == "people.card_game_id"
        assert not EntrantRow.objects.exists()

    def test_a_person_is_in_an_event_once_also_after_a_drop(self, make_event: Make) -> None:
        event = make_event(1)
        person = event.persons["Alice"]
        no = refused(event.run, services.entrant_enrol, person_id=person)
        assert (no.code, no.params["number"]) == ("tournaments.already_enrolled", 1)
        event.run(services.entrant_drop, entrant_id=event.entrants["Alice"])
        again = event.run(services.entrant_enrol, person_id=person)
        assert (again.entrant_id, again.number) == (event.entrants["Alice"], 1)

    def test_a_person_with_a_log_in_enrols_while_registration_is_open(
        self, make_event: Make, charlie: Member
    ) -> None:
        event = make_event()
        made = services.entrant_enrol_self(charlie.context("player"), event_id=event.event_id)
        assert selectors.entrant_of_person(charlie.actor, event.event_id) == made.entrant_id
        assert [row.pk for row in selectors.my_events(charlie.actor)] == [event.event_id]
        event.run(services.entrant_drop, entrant_id=made.entrant_id)
        event.run(services.registration_close)
        no = refused(
            services.entrant_enrol_self, charlie.context("player"), event_id=event.event_id
        )
        assert no.code == "tournaments.registration_closed"

    def test_an_anonymous_visitor_enrols_nobody(self, make_event: Make) -> None:
        event = make_event()
        with pytest.raises(NotAllowed):
            services.entrant_enrol(Context(ANONYMOUS, "player"), event_id=event.event_id)

    def test_an_event_that_does_not_exist_is_hidden(self, olga: Member) -> None:
        with pytest.raises(NotAllowed) as caught:
            services.event_start(olga.context(), event_id=new_id())
        assert caught.value.hidden

    def test_check_in_needs_the_deck_where_lists_are_required(self, make_event: Make) -> None:
        event = make_event(decks_required=True)
        event.enrol("Alice", check_in=False)
        no = refused(event.run, services.entrant_check_in, entrant_id=event.entrants["Alice"])
        assert no.code == "tournaments.deck_missing"

    def test_check_in_once(self, make_event: Make) -> None:
        event = make_event(1)
        no = refused(event.run, services.entrant_check_in, entrant_id=event.entrants["Alice"])
        assert no.code == "tournaments.already_checked_in"
        no = refused(event.run, services.entrant_check_in, entrant_id=new_id())
        assert no.code == "tournaments.entrant_unknown"

    def test_a_player_checks_in_and_drops_itself_and_nobody_else(self, make_event: Make) -> None:
        event = make_event()
        event.enrol("Alice", "Bob", check_in=False)
        own = {"event_id": event.event_id, "entrant_id": event.entrants["Alice"]}
        services.entrant_check_in(event.player("Alice"), **own)
        with pytest.raises(NotAllowed) as caught:
            services.entrant_drop(event.player("Bob"), **own)
        assert caught.value.hidden
        services.entrant_drop(event.player("Alice"), **own)
        assert EntrantRow.objects.get(pk=own["entrant_id"]).reason == "own"
        no = refused(services.entrant_drop, event.player("Alice"), **own)
        assert no.code == "tournaments.entrant_out"

    def test_a_visitor_without_a_person_enrols_nobody(self, make_event: Make) -> None:
        event = make_event()
        no = refused(
            services.entrant_enrol_self, Context(ANONYMOUS, "player"), event_id=event.event_id
        )
        assert no.code == "tournaments.person_missing"


class TestStart:
    def test_four_players_at_least(self, make_event: Make) -> None:
        event = make_event(3)
        no = refused(event.run, services.event_start)
        assert (no.code, no.params) == (
            "tournaments.too_few_players",
            {"found": 3, "allowed": 4},
        )

    def test_rounds_as_recommended_and_the_absent_are_out(self, make_event: Make) -> None:
        event = make_event(9)
        event.enrol("Zoe", check_in=False)
        assert event.run(services.event_start) == 4
        zoe = EntrantRow.objects.get(pk=event.entrants["Zoe"])
        assert (zoe.status, zoe.reason) == ("dropped", "absent")
        assert refused(event.run, services.event_start).code == "tournaments.wrong_state"

    def test_a_cut_larger_than_the_field(self, make_event: Make) -> None:
        event = make_event(4, cut=8)
        assert refused(event.run, services.event_start).code == "tournaments.cut_too_large"

    def test_nothing_is_configured_or_paired_out_of_turn(self, make_event: Make) -> None:
        event = make_event(4)
        assert refused(event.run, services.round_pair).code == "tournaments.wrong_state"
        event.run(services.event_start)
        no = refused(event.run, services.event_configure, changes={"rounds": 9})
        assert no.code == "tournaments.wrong_state"
        no = refused(event.run, services.round_publish, number=1)
        assert no.code == "tournaments.no_draft"


class TestRounds:
    def test_a_draft_shows_to_staff_only(self, make_event: Make, charlie: Member) -> None:
        event = make_event(4, start=True)
        event.run(services.round_pair, seed=1)
        assert len(selectors.pairings(event.olga.actor, event.event_id, 1).tables) == 2
        for viewer in (ANONYMOUS, charlie.actor, event.player("Alice").actor):
            assert selectors.rounds_list(viewer, event.event_id) == []
            assert not selectors.event_home(viewer, event.event_id).row.round
            with pytest.raises(NotAllowed) as caught:
                selectors.pairings(viewer, event.event_id, 1)
            assert caught.value.hidden
        assert selectors.my_match(event.player("Alice").actor, event.event_id) is None
        event.run(services.round_publish, number=1)
        assert len(selectors.pairings(ANONYMOUS, event.event_id, 1).tables) == 2

    def test_a_draft_match_cannot_be_played(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.run(services.round_pair, seed=1)
        draft = MatchRow.objects.first()
        assert draft is not None
        with pytest.raises(NotAllowed):
            services.result_enter(event.staff(), match_id=draft.pk, score=[2, 0, 0])
        with pytest.raises(NotAllowed):
            selectors.match_detail(event.olga.actor, draft.pk)

    def test_pairing_again_replaces_the_draft(self, make_event: Make) -> None:
        event = make_event(8, start=True)
        event.run(services.round_pair, seed=1)
        first = {(row.p1, row.p2) for row in MatchRow.objects.all()}
        event.run(services.round_pair, seed=2)
        second = {(row.p1, row.p2) for row in MatchRow.objects.all()}
        assert (len(first), len(second)) == (4, 4)
        assert first != second
        assert RoundRow.objects.count() == 1

    def test_the_proof_is_kept(self, make_event: Make) -> None:
        event = make_event(5, start=True)
        event.pair(seed=7)
        row = selectors.pairings(ANONYMOUS, event.event_id, 1).row
        assert (row.seed, row.rematches, row.cost, row.lower_bound) == (7, 0, 0, 0)
        assert (row.method, row.proven) == ("exact", True)

    def test_line_1_five_players_one_bye_a_round_and_nobody_twice(self, make_event: Make) -> None:
        event = make_event(5, start=True, rounds=4)
        given: list[str] = []
        for number in range(1, 5):
            event.pair(seed=number)
            event.settle()
            view = selectors.pairings(ANONYMOUS, event.event_id, number)
            assert (len(view.tables), len(view.byes)) == (2, 1)
            given += [side.entrant_id for side in view.byes]
        assert len(set(given)) == 4
        rebuilds_equal("tournaments.board")

    def test_line_8_no_next_round_while_results_are_open(self, make_event: Make) -> None:
        event = make_event(8, start=True)
        event.pair()
        row = next(row for row in event.matches(1) if row.table == 2)
        services.result_enter(event.staff(), match_id=row.pk, score=[2, 0, 0])
        no = refused(event.run, services.round_pair)
        assert (no.code, no.params) == ("tournaments.results_open", {"tables": [1, 3, 4]})
        assert RoundRow.objects.count() == 1

    def test_line_19_publishing_twice_has_one_effect(self, make_event: Make) -> None:
        event = make_event(5, start=True)
        number = event.run(services.round_pair, seed=1)
        context = event.staff()
        for _ in range(2):
            assert services.round_publish(context, event_id=event.event_id, number=number) == 2
        no = refused(event.run, services.round_publish, number=number)
        assert no.code == "tournaments.round_published"
        event.settle()
        assert [row.byes for row in selectors.standings_after(SYSTEM, event.event_id).lines].count(
            1
        ) == 1
        assert len(event.matches()) == 2

    def test_the_same_command_id_for_something_else(self, make_event: Make) -> None:
        event = make_event(5, start=True)
        context = event.staff()
        services.round_pair(context, event_id=event.event_id, seed=1)
        with pytest.raises(CommandReused):
            services.round_pair(context, event_id=event.event_id, seed=2)

    def test_a_draft_is_stale_once_somebody_left_or_came(self, make_event: Make) -> None:
        event = make_event(6, start=True)
        event.run(services.round_pair, seed=1)
        event.run(services.entrant_drop, entrant_id=event.entrants["Bob"])
        no = refused(event.run, services.round_publish, number=1)
        assert (no.code, no.params["gone"]) == (
            "tournaments.draft_stale",
            [event.entrants["Bob"]],
        )
        event.run(services.round_pair, seed=1)
        event.run(services.entrant_reinstate, entrant_id=event.entrants["Bob"])
        no = refused(event.run, services.round_publish, number=1)
        assert no.params["missing"] == [event.entrants["Bob"]]
        event.pair(seed=1)
        assert len(event.matches(1)) == 3

    def test_a_draft_is_stale_after_a_correction(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.pair()
        event.settle()
        event.run(services.round_pair, seed=1)
        row = event.matches(1)[0]
        services.result_correct(event.staff(), match_id=row.pk, score=[0, 2, 0])
        no = refused(event.run, services.round_publish, number=2)
        assert no.params["moved"] == sorted([row.p1, row.p2])
        assert event.pair() == 2

    def test_line_25_a_late_player_has_lost_round_1_and_is_paired(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.pair()
        event.enrol("Late")
        event.settle()
        event.pair()
        view = selectors.pairings(ANONYMOUS, event.event_id, 2)
        assert [side.name for side in view.late] == ["Late"]
        event.settle()
        line = next(
            line
            for line in selectors.standings_after(ANONYMOUS, event.event_id).lines
            if line.side.name == "Late"
        )
        assert line.losses >= 1
        assert 1 in line.detail["lost_rounds"]
        no = refused(event.run, services.entrant_enrol, display_name="Too late")
        assert (no.code, no.params) == ("tournaments.too_late", {"found": 2, "allowed": 1})
        rebuilds_equal("tournaments.board")

    def test_line_24_undropped_in_mid_round_is_paired_again(self, make_event: Make) -> None:
        event = make_event(6, start=True)
        event.pair()
        event.run(services.entrant_drop, entrant_id=event.entrants["Bob"])
        event.settle()
        event.run(services.entrant_reinstate, entrant_id=event.entrants["Bob"])
        event.pair()
        assert event.match_of("Bob", 2)
        no = refused(event.run, services.entrant_reinstate, entrant_id=event.entrants["Bob"])
        assert no.code == "tournaments.entrant_in"

    def test_line_24_pairing_again_with_an_odd_field_gives_one_bye(self, make_event: Make) -> None:
        event = make_event(5, start=True)
        for seed in range(3):
            event.run(services.round_pair, seed=seed)
        event.run(services.round_publish, number=1)
        assert len(selectors.pairings(ANONYMOUS, event.event_id, 1).byes) == 1

    def test_line_22_a_bye_after_a_drop_goes_by_the_objective(self, make_event: Make) -> None:
        event = make_event(6, start=True)
        event.pair()
        event.settle()
        winners = {row.p1 for row in event.matches(1)}
        gone = next(row.p2 for row in event.matches(1))
        event.run(services.entrant_drop, entrant_id=gone)
        event.pair()
        (bye,) = selectors.pairings(ANONYMOUS, event.event_id, 2).byes
        assert bye.entrant_id not in winners

    def test_line_20_everybody_left_the_event_ends_cleanly(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        event.pair()
        event.settle()
        for entrant in event.entrants.values():
            event.run(services.entrant_drop, entrant_id=entrant)
        no = refused(event.run, services.round_pair)
        assert no.code == "tournaments.too_few_active"
        event.run(services.event_finish)
        assert event.home().row.status == "finished"
        assert EntrantRow.objects.filter(place__isnull=False).count() == 4
        rebuilds_equal("tournaments.board")

    def test_no_round_beyond_the_planned_ones(self, make_event: Make) -> None:
        event = make_event(4, start=True, rounds=1)
        event.play_swiss()
        no = refused(event.run, services.round_pair)
        assert (no.code, no.params) == ("tournaments.rounds_played", {"found": 2, "allowed": 1})

    def test_a_seed_out_of_range(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        no = refused(event.run, services.round_pair, seed=2**53)
        assert no.code == "tournaments.seed_invalid"


class TestCutAndEnd:
    @pytest.mark.pg
    def test_swiss_to_cut_to_places(self, make_event: Make) -> None:
        event = make_event(8, start=True, cut=4)
        event.play_swiss()
        seeds = event.run(services.cut_make, seed=1)
        assert seeds[0] == event.entrants["Alice"]
        event.pair()
        pairs = {frozenset((row.p1, row.p2)) for row in event.matches(4)}
        assert pairs == {
            frozenset((seeds[0], seeds[3])),
            frozenset((seeds[1], seeds[2])),
        }
        assert refused(event.run, services.event_finish).code == "tournaments.results_open"
        event.settle()
        assert refused(event.run, services.event_finish).code == "tournaments.cut_not_over"
        event.pair()
        final = event.matches(5)
        assert len(final) == 1
        event.settle([1, 2, 0])
        assert refused(event.run, services.round_pair).code == "tournaments.cut_over"
        event.run(services.event_finish)
        places = {row.pk: row.place for row in EntrantRow.objects.all()}
        assert places[final[0].p2] == 1
        assert places[final[0].p1] == 2
        assert sorted(place for place in places.values() if place) == [1, 2, 3, 4, 5, 6, 7, 8]
        tree = selectors.bracket(ANONYMOUS, event.event_id)
        assert tree.champion is not None
        assert tree.champion.entrant_id == final[0].p2
        assert [len(made.slots) for made in tree.rounds] == [4, 2]
        rebuilds_equal("tournaments.board")

    def test_a_cut_of_six_gives_byes_to_the_first_two(self, make_event: Make) -> None:
        event = make_event(8, start=True, cut=6)
        event.play_swiss()
        seeds = event.run(services.cut_make, seed=1)
        event.pair()
        view = selectors.pairings(ANONYMOUS, event.event_id, 4)
        assert {side.entrant_id for side in view.byes} == set(seeds[:2])
        event.settle()
        event.pair()
        assert len(event.matches(5)) == 2

    def test_line_5_the_cut_changes_no_registration_and_no_standing(self, make_event: Make) -> None:
        event = make_event(8, start=True, cut=4)
        event.play_swiss()
        before = [
            (line.rank, line.side.entrant_id, line.code)
            for line in selectors.standings_after(SYSTEM, event.event_id).lines
        ]
        event.run(services.cut_make, seed=1)
        event.pair()
        event.settle()
        after = selectors.standings_after(SYSTEM, event.event_id)
        assert [(line.rank, line.side.entrant_id, line.code) for line in after.lines] == before
        assert EntrantRow.objects.filter(status="checked_in").count() == 8

    def test_a_seed_that_left_gives_its_place_to_the_next(self, make_event: Make) -> None:
        event = make_event(8, start=True, cut=4)
        event.play_swiss()
        best = selectors.standings_after(SYSTEM, event.event_id).lines[0].side.entrant_id
        event.run(services.entrant_drop, entrant_id=best)
        assert best not in event.run(services.cut_make, seed=1)

    def test_a_finalist_who_leaves_gives_the_other_a_bye(self, make_event: Make) -> None:
        event = make_event(4, start=True, cut=4, rounds=1)
        event.play_swiss()
        seeds = event.run(services.cut_make, seed=1)
        event.pair()
        event.settle()
        event.run(services.entrant_drop, entrant_id=seeds[0])
        no = refused(event.run, services.round_pair)
        assert no.code == "tournaments.cut_over"
        event.run(services.event_finish)
        assert EntrantRow.objects.get(place=1).pk == seeds[1]

    def test_a_corrected_cut_match_before_and_after_its_next_round(self, make_event: Make) -> None:
        event = make_event(4, start=True, cut=4, rounds=1)
        event.play_swiss()
        event.run(services.cut_make, seed=1)
        event.pair()
        event.settle()
        event.run(services.round_pair, seed=1)
        first = event.matches(2)[0]
        services.result_correct(event.staff(), match_id=first.pk, score=[0, 2, 0])
        no = refused(event.run, services.round_publish, number=3)
        assert no.code == "tournaments.draft_stale"
        event.pair()
        assert first.p2 in (event.matches(3)[0].p1, event.matches(3)[0].p2)
        no = refused(services.result_correct, event.staff(), match_id=first.pk, score=[2, 0, 0])
        assert no.code == "tournaments.cut_moved_on"

    @pytest.mark.parametrize("size", [0, 1, 9])
    def test_a_cut_of_a_size_that_is_none(self, make_event: Make, size: int) -> None:
        event = make_event(8, start=True, cut=4)
        event.play_swiss()
        no = refused(event.run, services.cut_make, size=size)
        assert (no.code, no.params["found"]) == ("tournaments.cut_size", size)

    def test_no_cut_and_no_end_before_the_swiss_is_over(self, make_event: Make) -> None:
        event = make_event(8, start=True, cut=4)
        assert refused(event.run, services.cut_make).code == "tournaments.swiss_not_over"
        assert refused(event.run, services.event_finish).code == "tournaments.rounds_left"
        event.play_swiss()
        assert refused(event.run, services.event_finish).code == "tournaments.cut_not_made"

    def test_the_disqualified_have_no_place(self, make_event: Make) -> None:
        event = make_event(4, start=True, rounds=1)
        event.pair()
        event.run(
            services.penalty_apply,
            entrant_id=event.entrants["Alice"],
            kind="disqualification",
            note="seen to swap a deck",
        )
        event.settle()
        event.run(services.event_finish)
        alice = EntrantRow.objects.get(pk=event.entrants["Alice"])
        assert (alice.status, alice.place) == ("disqualified", None)
        others = EntrantRow.objects.exclude(pk=alice.pk).order_by("place")
        assert next(row.place for row in others) == 1
        no = refused(event.run, services.entrant_reinstate, entrant_id=alice.pk)
        assert no.code == "tournaments.wrong_state"


class TestStandings:
    @pytest.mark.pg
    def test_frozen_after_each_round_and_again_after_a_correction(self, make_event: Make) -> None:
        event = make_event(8, start=True)
        event.play_swiss()
        first = selectors.standings_after(SYSTEM, event.event_id, 1)
        assert (first.frozen, first.revision, len(first.lines)) == (True, 1, 8)
        row = event.matches(1)[0]
        services.result_correct(event.staff(), match_id=row.pk, reason="double_loss", note="x")
        for number in (1, 2, 3):
            view = selectors.standings_after(SYSTEM, event.event_id, number)
            assert (view.revision, view.revisions) == (2, 2)
        kept = selectors.standings_after(SYSTEM, event.event_id, 1, 1)
        assert [line.code for line in kept.lines] == [line.code for line in first.lines]
        with pytest.raises(NotAllowed):
            selectors.standings_after(SYSTEM, event.event_id, 1, 3)
        with pytest.raises(NotAllowed):
            selectors.standings_after(SYSTEM, event.event_id, 9)
        rebuilds_equal("tournaments.board")

    def test_live_while_results_come_in(self, make_event: Make) -> None:
        event = make_event(4, start=True)
        assert selectors.standings_after(ANONYMOUS, event.event_id).lines == ()
        event.pair()
        row = event.matches(1)[0]
        services.result_enter(event.staff(), match_id=row.pk, score=[2, 0, 0])
        view = selectors.standings_after(ANONYMOUS, event.event_id)
        assert (view.frozen, view.round, view.lines[0].points) == (False, 1, 3)
        event.settle()
        assert selectors.standings_after(ANONYMOUS, event.event_id).frozen


def test_desk_names_the_next_action(make_event: Make) -> None:
    event = make_event(4, cut=2, rounds=1)

    def todo() -> str:
        return selectors.desk(event.olga.actor, event.event_id).next_action

    assert todo() == "registration_close"
    event.run(services.registration_close)
    assert todo() == "event_start"
    event.run(services.event_start)
    assert todo() == "round_pair"
    event.run(services.round_pair, seed=1)
    assert todo() == "round_publish"
    event.run(services.round_publish, number=1)
    assert todo() == "wait_results"
    event.settle()
    assert todo() == "cut_make"
    event.run(services.cut_make, seed=1)
    assert todo() == "round_pair"
    event.pair()
    event.settle()
    assert todo() == "event_finish"
    event.run(services.event_finish)
    assert todo() == ""


def test_the_desk_is_for_staff(make_event: Make, charlie: Member) -> None:
    event = make_event(4)
    for viewer in (ANONYMOUS, charlie.actor, event.player("Alice").actor):
        with pytest.raises(NotAllowed) as caught:
            selectors.desk(viewer, event.event_id)
        assert not caught.value.hidden


def test_deadline_moves_with_the_clock(make_event: Make) -> None:
    event = make_event(deck_deadline="2026-05-01T10:00:00.000000Z")
    event.enrol("Alice", check_in=False)
    late = datetime(2026, 5, 1, 10, 0, 1, tzinfo=UTC)
    with clock.clock_set(lambda: late):
        no = refused(
            event.run,
            services.deck_submit,
            entrant_id=event.entrants["Alice"],
            content="#main",
        )
    assert no.code == "tournaments.deck_deadline_passed"
    assert no.params["allowed"] == "2026-05-01T10:00:00.000000Z"
