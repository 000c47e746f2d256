"""Undo anything: each act appends, is previewed by the same decisions, and has one effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eventstore import store
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from people.access import NotAllowed
from people.domain.actor import ANONYMOUS, SYSTEM
from tests.conftest import Member
from tests.helpers import queries, rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import round_projections, selectors, services
from tournaments.models import EntrantRow, EventRow, MatchRow, RoundRow, StandingRow, UndoneRow

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]
WHY = "the slip was read upside down"


def refused(command: Callable[..., Any], *args: Any, **values: Any) -> Any:
    with pytest.raises(Refused) as caught:
        command(*args, **values)
    return caught.value.refusal


def preview(event: Running, act: str, **asked: Any) -> Any:
    return selectors.undo_preview(event.olga.actor, event.event_id, act, **asked)


def ranks(event: Running, number: int) -> dict[str, int]:
    view = selectors.standings_after(SYSTEM, event.event_id, number)
    return {line.side.entrant_id: line.rank for line in view.lines}


def pairs(number: int) -> set[tuple[int, str, str]]:
    return set(MatchRow.objects.filter(round=number).values_list("table", "p1", "p2"))


class TestCorrection:
    def test_the_preview_is_what_then_happens(self, make_event: Make) -> None:
        event = make_event(9, start=True, rounds=4, cut=4)
        for number in (1, 2):
            event.pair(seed=number)
            event.settle()
        match = event.matches(1)[0]
        before = ranks(event, 2)
        told = preview(event, "result", match_id=match.pk, score=[0, 2, 0])
        assert told.refusal is None
        assert not UndoneRow.objects.exists(), "a preview writes nothing"
        services.result_correct(event.staff(), match_id=match.pk, score=[0, 2, 0], note=WHY)
        after = ranks(event, 2)
        assert {one.side.entrant_id: (one.move.before, one.move.after) for one in told.moves} == {
            one: (before[one], after[one]) for one in before if before[one] != after[one]
        }
        event.run(services.round_pair, seed=1)
        byes = RoundRow.objects.get(number=3).byes
        assert [one.entrant_id for one in told.byes_after] == byes
        assert told.new_pairs > 0

    def test_who_falls_out_of_the_cut_and_who_comes_in(self, make_event: Make) -> None:
        event = make_event(6, start=True, rounds=3, cut=2)
        event.play_swiss()
        first = selectors.standings_after(SYSTEM, event.event_id).lines[0].side.entrant_id
        lost = [row for row in event.matches() if first in (row.p1, row.p2)]
        for row in lost[:-1]:
            score = [0, 2, 0] if row.p1 == first else [2, 0, 0]
            services.result_correct(event.staff(), match_id=row.pk, score=score, note=WHY)
        last = lost[-1]
        score = [0, 2, 0] if last.p1 == first else [2, 0, 0]
        told = preview(event, "result", match_id=last.pk, score=score)
        before = {one.side.entrant_id for one in told.moves}
        services.result_correct(event.staff(), match_id=last.pk, score=score, note=WHY)
        seeds = set(event.run(services.cut_make, seed=1))
        assert first in before
        assert first not in seeds
        assert {one.entrant_id for one in told.cut_in} <= seeds
        assert not {one.entrant_id for one in told.cut_out} & seeds

    def test_a_published_round_stands_and_its_draft_does_not(self, make_event: Make) -> None:
        event = make_event(8, start=True, rounds=3)
        event.pair(seed=1)
        event.settle()
        event.pair(seed=2)
        seated = pairs(2)
        match = event.matches(1)[0]
        told = preview(event, "result", match_id=match.pk, score=[0, 2, 0])
        (stands,) = told.stands
        assert (stands.number, stands.tables) == (2, 4)
        assert stands.others > 0, "drawn from the true result the round would be another"
        assert told.next_before.code == told.next_after.code == "tournaments.results_open"
        services.result_correct(event.staff(), match_id=match.pk, score=[0, 2, 0], note=WHY)
        assert pairs(2) == seated
        event.settle()
        event.run(services.round_pair, seed=3)
        other = event.matches(2)[0]
        told = preview(event, "result", match_id=other.pk, score=[0, 2, 0])
        assert told.draft_stale
        services.result_correct(event.staff(), match_id=other.pk, score=[0, 2, 0], note=WHY)
        no = refused(event.run, services.round_publish, number=3)
        assert no.code == "tournaments.draft_stale"
        assert selectors.draft_fault(event.olga.actor, event.event_id) == no
        rebuilds_equal("tournaments.board", "tournaments.day")

    def test_a_finished_event_gets_its_places_anew(self, make_event: Make) -> None:
        event = make_event(4, start=True, rounds=2)
        event.play_swiss()
        event.run(services.event_finish)
        places = dict(EntrantRow.objects.values_list("pk", "place"))
        row = event.matches(2)[0]
        score = [0, 2, 0] if row.winner == "P1" else [2, 0, 0]
        told = preview(event, "result", match_id=row.pk, score=score)
        services.result_correct(event.staff(), match_id=row.pk, score=score, note=WHY)
        now = dict(EntrantRow.objects.values_list("pk", "place"))
        assert event.home().row.status == "finished"
        assert now != places
        assert {one.entrant_id: (was, new) for one, was, new in told.places} == {
            one: (places[one], now[one]) for one in places if places[one] != now[one]
        }
        rebuilds_equal("tournaments.board", "tournaments.day")

    def test_who_went_on_in_the_cut_stays_but_the_score_may_change(self, make_event: Make) -> None:
        event = make_event(8, start=True, rounds=2, cut=4)
        event.play_swiss()
        event.run(services.cut_make, seed=1)
        first = event.pair()
        event.settle()
        event.pair()
        match = event.matches(first)[0]
        no = refused(
            services.result_correct, event.staff(), match_id=match.pk, score=[0, 2, 0], note=WHY
        )
        assert (no.code, no.params["found"]) == ("tournaments.cut_moved_on", first + 1)
        told = preview(event, "result", match_id=match.pk, score=[0, 2, 0])
        assert told.refusal == no
        services.result_correct(event.staff(), match_id=match.pk, score=[2, 1, 0], note=WHY)
        match.refresh_from_db()
        assert (match.winner, match.p2_wins) == ("P1", 1)
        event.run(services.round_delete, number=first + 1, note=WHY)
        services.result_correct(event.staff(), match_id=match.pk, score=[0, 2, 0], note=WHY)
        event.pair()
        assert match.p2 in {one for _, *both in pairs(first + 1) for one in both}


class TestRounds:
    def test_the_newest_round_is_deleted_with_its_results(self, make_event: Make) -> None:
        event = make_event(5, start=True, rounds=3)
        event.pair(seed=1)
        event.settle()
        event.pair(seed=2)
        event.settle()
        before = ranks(event, 1)
        told = preview(event, "round", number=2)
        assert told.results_gone == 2
        event.run(services.round_delete, number=2, note=WHY)
        assert EventRow.objects.get().round == 1
        assert ranks(event, 1) == before
        assert not MatchRow.objects.filter(round=2).exists()
        assert event.pair(seed=5) == 2
        event.settle([0, 2, 0], [0, 2, 0])
        view = selectors.standings_after(SYSTEM, event.event_id, 2)
        assert (view.revision, view.revisions) == (2, 2), "numbers of revisions go on"
        assert selectors.standings_after(SYSTEM, event.event_id, 2, 1).lines
        rebuilds_equal("tournaments.board", "tournaments.day", "portal.live")

    def test_an_older_round_says_why_not_and_what_to_do(self, make_event: Make) -> None:
        event = make_event(6, start=True, rounds=3)
        for number in (1, 2):
            event.pair(seed=number)
            event.settle()
        no = refused(event.run, services.round_delete, number=1, note=WHY)
        assert (no.code, no.params) == ("tournaments.round_older", {"found": 1, "newest": 2})
        assert preview(event, "round", number=1).refusal == no
        assert refused(event.run, services.round_delete, number=9, note=WHY).code == (
            "tournaments.round_none"
        )
        assert refused(event.run, services.round_delete, number=2, note=" ").code == (
            "tournaments.reason_missing"
        )

    def test_a_round_is_paired_anew_only_while_no_table_has_started(self, make_event: Make) -> None:
        event = make_event(4, start=True, rounds=3)
        event.pair(seed=1)
        row = event.matches(1)[0]
        services.coin_toss(event.staff(), match_id=row.pk, winner="P1")
        services.starter_choose(event.staff(), match_id=row.pk, first="P1")
        player = Context(next(iter([event.player("Alice").actor])), "player")
        seat = event.match_of("Alice", 1)[0]
        services.result_claim(
            player, match_id=seat.pk, score=[2, 0, 0] if seat.p1 == event.entrants["Alice"]
            else [0, 2, 0],
        )  # fmt: skip
        no = refused(event.run, services.round_withdraw, number=1)
        assert (no.code, no.params["tables"]) == ("tournaments.tables_started", [seat.table])

    def test_the_page_of_the_draft_tells_what_another_draw_changed(self, make_event: Make) -> None:
        event = make_event(8, start=True)
        event.run(services.round_pair, seed=1)
        assert selectors.draw_change(event.olga.actor, event.event_id, 1) is None
        first = pairs(1)
        event.run(services.round_pair, seed=2)
        made = selectors.draw_change(event.olga.actor, event.event_id, 1)
        assert made is not None
        assert not made.was_published
        gone = {frozenset((one.p1.entrant_id, one.p2.entrant_id)) for one in made.gone}
        assert gone == {frozenset(two) for _, *two in first} - {
            frozenset(two) for _, *two in pairs(1)
        }
        with pytest.raises(NotAllowed):
            selectors.draw_change(ANONYMOUS, event.event_id, 1)


class TestCutAndEnd:
    def played(self, make_event: Make) -> tuple[Running, int]:
        event = make_event(8, start=True, rounds=2, cut=4)
        event.play_swiss()
        event.run(services.cut_make, seed=3)
        first = event.pair()
        event.settle()
        event.pair()
        return event, first

    def test_the_cut_is_begun_again_and_the_swiss_rounds_stand(self, make_event: Make) -> None:
        event, first = self.played(make_event)
        standings = list(StandingRow.objects.order_by("pk").values())
        told = preview(event, "cut")
        assert (told.results_gone, told.cut_in) == (2, ())
        assert event.run(services.cut_restart, note=WHY) == 3
        assert event.home().row.status == "running"
        assert event.home().row.round == first - 1
        assert list(StandingRow.objects.order_by("pk").values()) == standings
        assert not EntrantRow.objects.filter(seed__isnull=False).exists()
        event.run(services.cut_make, seed=3)
        assert event.pair() == first
        rebuilds_equal("tournaments.board", "tournaments.day")

    def test_a_finished_event_goes_on_where_it_stood(self, make_event: Make) -> None:
        event, _ = self.played(make_event)
        event.settle()
        event.run(services.event_finish)
        told = preview(event, "reopen")
        assert {was for _, was, now in told.places if now is None} == set(range(1, 9))
        event.run(services.event_reopen, note=WHY)
        assert event.home().row.status == "cut"
        assert not EntrantRow.objects.filter(place__isnull=False).exists()
        newest = event.home().row.round
        event.run(services.round_delete, number=newest, note=WHY)
        event.pair()
        event.settle([0, 2, 0])
        event.run(services.event_finish)
        assert event.home().row.status == "finished"
        rebuilds_equal("tournaments.board", "tournaments.day")

    def test_a_drop_is_taken_back_with_its_effect_shown(self, make_event: Make) -> None:
        event = make_event(6, start=True, rounds=3)
        event.pair()
        event.settle()
        alice = event.entrants["Alice"]
        told = preview(event, "drop", entrant_id=alice)
        assert (len(told.byes_before), len(told.byes_after)) == (0, 1)
        event.run(services.entrant_drop, entrant_id=alice)
        told = preview(event, "reinstate", entrant_id=alice)
        assert (len(told.byes_before), len(told.byes_after)) == (1, 0)
        event.run(services.entrant_reinstate, entrant_id=alice)
        event.pair()
        assert RoundRow.objects.get(number=2).byes == []


class TestSafety:
    def test_twice_has_one_effect(self, make_event: Make, olga: Member) -> None:
        event = make_event(4, start=True, rounds=2)
        event.play_swiss()
        event.run(services.event_finish)
        for service, values in (
            (services.event_reopen, {}),
            (services.round_delete, {"number": 2}),
        ):
            sent = olga.context()
            first = service(sent, event_id=event.event_id, note=WHY, **values)
            head = store.head_position()
            again = olga.context(command_id=sent.command_id)
            assert service(again, event_id=event.event_id, note=WHY, **values) == first
            assert store.head_position() == head

    @pytest.mark.parametrize("act", ["result", "round", "cut", "reopen"])
    def test_a_failure_leaves_nothing_half_written(
        self, make_event: Make, act: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        event = make_event(8, start=True, rounds=2, cut=4)
        event.play_swiss()
        if act in ("cut", "reopen"):
            event.run(services.cut_make, seed=3)
            for _ in range(2):
                event.pair()
                event.settle()
        if act in ("result", "reopen"):
            if act == "result":
                event.run(services.event_finish, early=True, note=WHY)
            else:
                event.run(services.event_finish)
        head = store.head_position()
        rows = list(MatchRow.objects.order_by("pk").values())
        name = {"result": "tournaments.match_corrected", "reopen": "tournaments.event_reopened"}
        monkeypatch.setitem(
            round_projections.day.handlers,
            name.get(act, "tournaments.round_withdrawn"),
            _fails,
        )
        monkeypatch.setattr("eventstore.projections._routes", None)
        run: dict[str, Callable[[], Any]] = {
            "result": lambda: services.result_correct(
                event.staff(), match_id=rows[0]["id"], score=[1, 1, 1], note=WHY
            ),
            "round": lambda: event.run(services.round_delete, number=2, note=WHY),
            "cut": lambda: event.run(services.cut_restart, note=WHY),
            "reopen": lambda: event.run(services.event_reopen, note=WHY),
        }
        with pytest.raises(ZeroDivisionError):
            run[act]()
        assert store.head_position() == head
        assert list(MatchRow.objects.order_by("pk").values()) == rows
        monkeypatch.undo()
        monkeypatch.setattr("eventstore.projections._routes", None)
        run[act]()
        rebuilds_equal("tournaments.board", "tournaments.day")

    def test_others_may_not_even_look(self, make_event: Make, charlie: Member) -> None:
        event = make_event(4, start=True, rounds=2)
        event.pair()
        for act in selectors.ACTS:
            for viewer in (ANONYMOUS, charlie.actor, event.player("Alice").actor):
                with pytest.raises(NotAllowed):
                    selectors.undo_preview(viewer, event.event_id, act, number=1)
        for viewer in (ANONYMOUS, charlie.actor, event.player("Alice").actor):
            with pytest.raises(NotAllowed):
                selectors.undone(viewer, event.event_id)

    def test_a_preview_costs_the_same_whatever_the_size(self, make_event: Make) -> None:
        for players in (4, 12):
            event = make_event(players, start=True, rounds=2)
            event.pair()
            event.settle()
            with queries(at_most=9):
                seen = preview(event, "round", number=1)
            assert seen

    def test_what_was_undone_is_told_to_staff_with_its_reason(self, make_event: Make) -> None:
        event = make_event(4, start=True, rounds=2)
        event.pair()
        event.settle()
        match = event.matches(1)[0]
        services.result_correct(event.staff(), match_id=match.pk, score=[0, 2, 0], note=WHY)
        event.run(services.round_delete, number=1, note="the wrong hall")
        newest, first = selectors.undone(event.olga.actor, event.event_id)
        assert (newest.row.kind, newest.note, newest.by) == ("round", "the wrong hall", "Olga")
        assert (first.row.kind, first.note, first.row.was) == ("result", WHY, "P1")


def _fails(event: Any, recorded: Any) -> None:
    raise ZeroDivisionError
