"""Slips, conflicts, take-backs, extensions, the end of a match, losses that wait: by commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from eventstore import clock
from eventstore.commands import Context
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.roles import Role
from tests.conftest import Member, make_member
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.models import EntrantRow, EntryRow, EventRow, LossRow, MatchRow

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 5, 2, 12, 0, tzinfo=UTC)
Make = Callable[..., Running]


@contextmanager
def at(minutes: float) -> Iterator[None]:
    with clock.clock_set(lambda: NOON + timedelta(minutes=minutes)):
        yield


@pytest.fixture
def event(make_event: Make) -> Running:
    """Eight players, round 1 out."""
    made = make_event(8, start=True, rounds=3)
    made.pair()
    return made


@pytest.fixture
def sven(event: Running) -> Member:
    """Another scorekeeper."""
    member = make_member(7, "Sven", account=True)
    member.grant("scorekeeper", event.event_id)
    return member


def slip(event: Running, line: str, number: int = 1, who: Member | None = None) -> Any:
    context = (who or event.olga).context("scorekeeper")
    return services.slip_enter(context, event_id=event.event_id, number=number, line=line)


def refused(run: Callable[[], Any]) -> Refusal:
    with pytest.raises(Refused) as caught:
        run()
    return caught.value.refusal


def table(event: Running, number: int, in_round: int = 1) -> MatchRow:
    return MatchRow.objects.get(event_id=event.event_id, round=in_round, table=number)


def status(entrant_id: str) -> str:
    return EntrantRow.objects.get(pk=entrant_id).status


def name_of(event: Running, entrant_id: str) -> str:
    return next(name for name, one in event.entrants.items() if one == entrant_id)


def test_a_line_enters_the_result_and_the_drop(event: Running) -> None:
    made = slip(event, " 1  2-1 D2 ")
    row = table(event, 1)
    assert (made.word, made.table, made.drops) == ("entered", 1, ["P2"])
    assert (row.winner, row.p1_wins, row.p2_wins, row.decided_by) == ("P1", 2, 1, "staff")
    assert row.entered_by == event.olga.person_id
    assert status(row.p2) == "dropped"
    assert status(row.p1) == "checked_in"
    entry = EntryRow.objects.get(match_id=row.pk)
    assert (entry.kind, entry.line, entry.drops) == ("decided", "1 2-1 D2", ["P2"])
    again = slip(event, "1 2-1 d2")
    assert (again.word, again.drops) == ("same", [])
    assert EntryRow.objects.count() == 1
    rebuilds_equal("tournaments.board", "tournaments.floor")


def test_a_drop_beside_the_same_result_is_told(
    event: Running, client_of: Callable[..., Any]
) -> None:
    slip(event, "1 2-1")
    answer = client_of(event.olga).post(
        f"/staff/events/{event.event_id}/results/",
        {"act": "line", "line": "1 2-1 d2", "number": "1", "nonce": new_id()},
        follow=True,
    )
    assert "The same result was in already. The player has dropped." in answer.content.decode()
    assert status(table(event, 1).p2) == "dropped"


def test_what_cannot_be_entered_is_refused_and_changes_nothing(event: Running) -> None:
    for line, code in (
        ("1 9-9", "tournaments.score_impossible"),
        ("9 2-1", "tournaments.table_unknown"),
        ("nonsense", "tournaments.line_unreadable"),
    ):
        assert refused(lambda line=line: slip(event, line)).code == code
    assert refused(lambda: slip(event, "1 2-1", number=2)).code == "tournaments.table_unknown"
    with at(0):
        event.run(services.clock_start, minutes=40)
    with at(10):
        assert refused(lambda: slip(event, "1 1-0")).code == "tournaments.time_not_over"
    with at(41):
        assert slip(event, "1 1-0").word == "entered"
    assert table(event, 1).reason == "time"
    assert MatchRow.objects.filter(state="decided").count() == 1


def test_two_that_differ_stand_side_by_side_until_somebody_chooses(
    event: Running, sven: Member, client_of: Callable[..., Any]
) -> None:
    row = table(event, 1)
    slip(event, "1 2-1 d2")
    other = slip(event, "1 1-2 d1", who=sven)
    assert (other.word, other.drops) == ("conflict", [])
    assert slip(event, "1 1-2 d1", who=sven).word == "conflict"
    loser = event.player(name_of(event, row.p2))
    said = services.result_claim(loser, match_id=row.pk, score=[0, 2, 0])
    assert said == "contested"
    (found,) = selectors.conflicts(event.olga.actor, event.event_id)
    assert found.standing.author == "Olga"
    assert [one.author for one in found.against] == ["Sven", found.line.p2.name]
    assert [one.score for one in found.against] == [(1, 2, 0), (0, 2, 0)]
    assert status(row.p1) == "checked_in", "the drop of a slip that is contested waits with it"
    for number in (2, 3, 4):
        assert slip(event, f"{number} 2-0").word == "entered"
    pairing = refused(lambda: event.run(services.round_pair))
    assert pairing == Refusal("tournaments.results_conflict", {"tables": [1]})
    desk = selectors.desk(event.olga.actor, event.event_id)
    assert (desk.next_action, list(desk.open_tables)) == ("wait_results", [])
    assert [one.table for one in desk.clashes] == [1]
    page = client_of(event.olga).get(f"/staff/events/{event.event_id}/").content.decode()
    assert "Table 1: two results" in page
    assert "0 tables are open" not in page
    settle = services.conflict_settle
    for values, code in (
        ({"choice": 0}, "tournaments.reason_missing"),
        ({"choice": 7, "note": "x"}, "tournaments.choice_unknown"),
        ({"drops": ["P9"]}, "tournaments.seat_unknown"),
    ):
        why = refused(lambda values=values: settle(event.staff(), match_id=row.pk, **values))
        assert why.code == code
    settle(event.staff(), match_id=row.pk, choice=0, note="The slip says so", drops=["P1"])
    row.refresh_from_db()
    assert (row.winner, row.p1_wins, row.p2_wins, row.contests) == ("P2", 1, 2, [])
    assert status(row.p1) == "dropped"
    assert refused(lambda: settle(event.staff(), match_id=row.pk)).code == (
        "tournaments.conflict_none"
    )
    event.run(services.round_pair, seed=1)
    rebuilds_equal("tournaments.board", "tournaments.floor")


def test_keeping_the_result_needs_no_reason(event: Running, sven: Member) -> None:
    slip(event, "1 2-1")
    slip(event, "1 2-0", who=sven)
    row = table(event, 1)
    services.conflict_settle(event.staff(), match_id=row.pk)
    row.refresh_from_db()
    assert (row.winner, row.p2_wins, row.contests, row.corrections) == ("P1", 1, [], 0)


def test_a_report_that_waited_is_held_against_a_slip_that_differs(event: Running) -> None:
    row = table(event, 1)
    winner = event.player(name_of(event, row.p1))
    assert services.result_claim(winner, match_id=row.pk, score=[2, 0, 0]) == "claimed"
    assert slip(event, "1 2-1").word == "conflict"
    (found,) = selectors.conflicts(event.olga.actor, event.event_id)
    assert [(one.by_player, one.score) for one in found.against] == [(True, (2, 0, 0))]


def test_players_who_agreed_and_players_of_a_past_round_are_not_questioned(
    event: Running,
) -> None:
    row = table(event, 1)
    one, two = name_of(event, row.p1), name_of(event, row.p2)
    services.result_claim(event.player(one), match_id=row.pk, score=[2, 0, 0])
    services.result_claim(event.player(two), match_id=row.pk, score=[2, 0, 0])
    why = refused(
        lambda: services.result_claim(event.player(two), match_id=row.pk, score=[0, 2, 0])
    )
    assert why.code == "tournaments.match_decided"
    for number in (2, 3, 4):
        slip(event, f"{number} 2-0")
    old = table(event, 2)
    event.pair()
    loser = event.player(name_of(event, old.p2))
    why = refused(lambda: services.result_claim(loser, match_id=old.pk, score=[0, 2, 0]))
    assert why.code == "tournaments.match_decided"
    assert refused(lambda: slip(event, "2 0-2")).code == "tournaments.match_decided"


def test_a_contest_after_the_draft_stops_the_publication(event: Running, sven: Member) -> None:
    for number in (1, 2, 3, 4):
        slip(event, f"{number} 2-0")
    event.run(services.round_pair, seed=1)
    slip(event, "3 0-2", who=sven)
    why = refused(lambda: event.run(services.round_publish, number=2))
    assert why == Refusal("tournaments.results_conflict", {"tables": [3]})


def test_an_entry_is_taken_back_with_its_drop(event: Running) -> None:
    slip(event, "1 2-1 d2")
    row = table(event, 1)
    services.result_take_back(event.staff(), match_id=row.pk)
    row.refresh_from_db()
    assert (row.state, row.winner, row.decided_by) == ("waiting", "", "")
    assert status(row.p2) == "checked_in"
    why = refused(lambda: services.result_take_back(event.staff(), match_id=row.pk))
    assert why.code == "tournaments.result_missing"
    assert slip(event, "1 0-2").word == "entered"
    for number in (2, 3, 4):
        slip(event, f"{number} 2-0")
    event.run(services.round_pair, seed=1)
    services.result_take_back(event.staff(), match_id=row.pk)
    assert refused(lambda: event.run(services.round_publish, number=2)).code == (
        "tournaments.results_open"
    )
    slip(event, "1 2-0")
    event.pair()
    why = refused(lambda: services.result_take_back(event.staff(), match_id=row.pk))
    assert why.code == "tournaments.take_back_late"
    rebuilds_equal("tournaments.board", "tournaments.floor")


def test_what_players_decided_is_corrected_not_taken_back(event: Running) -> None:
    row = table(event, 1)
    loser = event.player(name_of(event, row.p2))
    services.result_claim(loser, match_id=row.pk, score=[2, 0, 0])
    why = refused(lambda: services.result_take_back(event.staff(), match_id=row.pk))
    assert why == Refusal("tournaments.take_back_staff_only", {"found": "admitted"})


def test_a_late_slip_costs_the_first_game_of_the_next_match_by_itself(event: Running) -> None:
    with at(0):
        event.run(services.clock_start, minutes=40)
    with at(44):
        for number in (2, 3, 4):
            assert not slip(event, f"{number} 2-0").late
    late = table(event, 1)
    with at(45.5):
        assert slip(event, "1 2-1").late
    (loss,) = LossRow.objects.all()
    assert (loss.entrant_id, loss.kind, loss.state) == (late.p1, "game_loss", "pending")
    assert (loss.infraction, loss.infraction_kind, loss.match_id) == (
        "PE-MAJOR",
        "late_slip",
        late.pk,
    )
    winner = name_of(event, late.p1)
    own = selectors.losses(event.player(winner).actor, event.event_id)
    assert [one.row.pk for one in own] == [loss.pk], "visible before it falls"
    stranger = event.player(name_of(event, late.p2)).actor
    assert selectors.losses(stranger, event.event_id) == []
    with at(50):
        event.pair(seed=2)
    row, seat = event.match_of(winner, 2)
    assert [(one["winner"], one["reason"]) for one in row.duels] == [
        ("P2" if seat == "P1" else "P1", "game_loss")
    ]
    loss.refresh_from_db()
    assert (loss.state, loss.carried_match, loss.carried_round) == ("carried_out", row.pk, 2)
    gone = refused(
        lambda: event.run(services.loss_take_back, loss_id=loss.pk, note="The clock was wrong")
    )
    assert gone.code == "tournaments.loss_over"
    event.run(services.round_delete, number=2, note="Paired too early")
    loss.refresh_from_db()
    assert loss.state == "pending", "the round is gone, so it waits again"
    rebuilds_equal("tournaments.board", "tournaments.floor")


def test_a_waiting_loss_is_taken_back_with_a_reason_and_then_does_nothing(event: Running) -> None:
    with at(0):
        event.run(services.clock_start, minutes=40)
    with at(46):
        slip(event, "1 1-1")
        assert LossRow.objects.count() == 2, "after a draw both should have brought it"
        for loss in LossRow.objects.all():
            empty = refused(lambda loss=loss: event.run(services.loss_take_back, loss_id=loss.pk))
            assert empty.code == "tournaments.reason_missing"
            event.run(services.loss_take_back, loss_id=loss.pk, note="The judge kept the slip")
        for number in (2, 3, 4):
            row = table(event, number)
            services.result_enter(event.staff(), match_id=row.pk, reason="double_loss")
        assert not LossRow.objects.filter(state="pending").exists()
        event.pair()
    assert all(row.duels == [] for row in event.matches(2))


def test_a_waiting_loss_follows_a_result_that_takes_the_place_of_another(
    event: Running, sven: Member
) -> None:
    row = table(event, 1)
    with at(0):
        event.run(services.clock_start, minutes=40)
    with at(46):
        slip(event, "1 2-1")
        slip(event, "1 1-2", who=sven)
        services.conflict_settle(event.staff(), match_id=row.pk, choice=0, note="Two twos")
    waiting = LossRow.objects.filter(state="pending")
    assert [one.entrant_id for one in waiting] == [row.p2]
    with at(47):
        services.result_correct(
            event.staff(), match_id=row.pk, score=[2, 1, 0], note="The first was right"
        )
        assert [one.entrant_id for one in waiting.all()] == [row.p1]
        services.result_correct(
            event.staff(), match_id=row.pk, reason="no_show", winner="P1", note="Nobody came"
        )
        assert not waiting.all().exists()


def test_an_entry_taken_back_takes_its_loss_along(event: Running) -> None:
    with at(0):
        event.run(services.clock_start, minutes=40)
    with at(46):
        slip(event, "1 2-1")
        services.result_take_back(event.staff(), match_id=table(event, 1).pk)
    assert [one.state for one in LossRow.objects.all()] == ["taken_back"]


def test_a_loss_of_somebody_with_a_bye_goes_on_waiting(make_event: Make) -> None:
    event = make_event(5, start=True, rounds=3)
    event.pair()
    with at(0):
        event.run(services.clock_start, minutes=40)
    with at(46):
        slip(event, "1 2-0")
        slip(event, "2 2-0")
        losers = {table(event, 1).p1, table(event, 2).p1}
        for seed in range(60):
            event.run(services.round_pair, seed=seed)
        event.run(services.round_publish, number=2)
    played = {one for row in event.matches(2) for one in (row.p1, row.p2)}
    states = {one.entrant_id: one.state for one in LossRow.objects.all()}
    assert set(states) == losers
    for entrant, state in states.items():
        assert state == ("carried_out" if entrant in played else "pending")


def test_a_table_without_a_slip_gets_what_the_ruleset_says_and_not_before(event: Running) -> None:
    row = table(event, 1)
    apply = services.slip_missing_apply
    none = refused(lambda: apply(event.staff(), match_id=row.pk))
    assert none.code == "tournaments.clock_not_started"
    with at(0):
        event.run(services.clock_start, minutes=40)
        services.time_extend(event.staff(), match_id=row.pk, seconds=240)
    with at(48):
        early = refused(lambda: apply(event.staff(), match_id=row.pk))
        assert early == Refusal("tournaments.slip_not_due", {"table": 1, "seconds": 60})
    with at(49.5):
        apply(event.staff(), match_id=row.pk, note="Nobody was there")
    row.refresh_from_db()
    assert (row.winner, row.reason) == ("double_loss", "double_loss")
    assert LossRow.objects.count() == 0


def test_extensions_move_the_end_of_one_table_alone(event: Running) -> None:
    with at(0):
        event.run(services.clock_start, minutes=40)
        row = table(event, 1)
        assert services.time_extend(event.staff(), match_id=row.pk, seconds=240) == 240
        assert services.time_extend(event.staff(), match_id=row.pk, seconds=60) == 300
        shown = selectors.table_clock(table(event, 1))
        assert shown is not None
        assert (shown.left_s, shown.extension_minutes) == (2700, 5)
        other = selectors.table_clock(table(event, 2))
        assert other is not None
        assert (other.left_s, other.extension_s) == (2400, 0)
        view = selectors.pairings(event.olga.actor, event.event_id, 1)
        assert [one.extension_s for one in view.tables] == [300, 0, 0, 0]


def answers(event: Running, match_id: str, *given: str) -> Any:
    step = None
    for answer in given:
        row = MatchRow.objects.get(pk=match_id)
        question = (
            services.end_start(event.staff(), match_id=match_id).question
            if not row.end
            else step.question  # type: ignore[union-attr]
        )
        step = services.end_answer(
            event.staff(), match_id=match_id, question=question, answer=answer
        )
    return step


def test_the_end_of_a_match_is_asked_answered_and_confirmed(event: Running) -> None:
    row = table(event, 1)
    with at(0):
        event.run(services.clock_start, minutes=40)
        services.time_extend(event.staff(), match_id=row.pk, seconds=240)
        event.run(services.ruleset_choose, ruleset="eom.phase_2018@1")
    with at(41):
        early = refused(lambda: services.end_start(event.staff(), match_id=row.pk))
        assert early == Refusal("tournaments.table_time_left", {"table": 1, "seconds": 180})
    with at(44):
        step = answers(event, row.pk, "1-0-0", "in_duel", "done", "1000-2000")
        assert (step.question, step.winner, step.score) == ("", "draw", [1, 1, 0])
        back = services.end_back(event.staff(), match_id=row.pk)
        assert back.question == "points"
        for values, code in (
            ({"question": "moment", "answer": "between"}, "tournaments.question_moved"),
            ({"question": "points", "answer": "lots"}, "tournaments.answer_unknown"),
        ):
            why = refused(
                lambda values=values: services.end_answer(event.staff(), match_id=row.pk, **values)
            )
            assert why.code == code
        unfinished = refused(lambda: services.end_confirm(event.staff(), match_id=row.pk))
        assert unfinished.code == "tournaments.end_not_over"
        services.end_answer(event.staff(), match_id=row.pk, question="points", answer="3000-2000")
        services.end_confirm(event.staff(), match_id=row.pk)
        row.refresh_from_db()
        assert (row.winner, row.p1_wins, row.reason) == ("P1", 2, "time")
        assert row.end["ruleset"] == "eom.phase_2018"
        assert row.end["answers"] == [
            ["score", "1-0-0"],
            ["moment", "in_duel"],
            ["stop", "done"],
            ["points", "3000-2000"],
        ]
        assert row.end["why"] == ["points_higher", "more_wins"]
        assert slip(event, "1 2-0").word == "same"
    rebuilds_equal("tournaments.board", "tournaments.floor")


def test_nobody_is_late_while_the_end_of_the_match_is_played(event: Running) -> None:
    row = table(event, 1)
    with at(0):
        event.run(services.clock_start, minutes=40)
    with at(40):
        answers(event, row.pk, "1-0-0", "in_duel")
    with at(55):
        assert not slip(event, "1 2-0").late


def test_who_may_do_what(event: Running, charlie: Member, jude: Member) -> None:
    jude.grant("judge", event.event_id)
    row = table(event, 1)
    name = name_of(event, row.p1)
    player = event.player(name)
    for run in (
        lambda context: services.slip_enter(
            context, event_id=event.event_id, number=1, line="1 2-0"
        ),
        lambda context: services.result_take_back(context, match_id=row.pk),
        lambda context: services.conflict_settle(context, match_id=row.pk),
        lambda context: services.slip_missing_apply(context, match_id=row.pk),
        lambda context: services.loss_take_back(
            context, event_id=event.event_id, loss_id=row.pk, note="x"
        ),
        lambda context: services.ruleset_choose(
            context, event_id=event.event_id, ruleset="eom.phase_2018@1"
        ),
    ):
        for context in (charlie.context(), player, jude.context("judge")):
            with pytest.raises(NotAllowed):
                run(context)
    for run in (
        lambda context: services.time_extend(context, match_id=row.pk, seconds=60),
        lambda context: services.end_start(context, match_id=row.pk),
    ):
        for context in (charlie.context(), player):
            with pytest.raises(NotAllowed):
                run(context)
        run(jude.context("judge"))
    unknown = refused(lambda: event.run(services.ruleset_choose, ruleset="eom.coin@1"))
    assert unknown.code == "tournaments.ruleset_unknown"
    assert EventRow.objects.get().ruleset == ""


def test_a_judge_who_plays_sees_no_own_match_to_its_end(event: Running) -> None:
    row, _ = event.match_of("Alice", 1)
    playing = Member(event.persons["Alice"], "Alice", "alice")
    playing.grant("judge", event.event_id)
    for run in (
        lambda context: services.end_start(context, match_id=row.pk),
        lambda context: services.time_extend(context, match_id=row.pk, seconds=60),
    ):
        why = refused(lambda run=run: run(playing.context("judge")))
        assert why.code == "tournaments.own_match"


def test_a_waiting_loss_stands_on_the_page_of_its_player(
    event: Running, client_of: Callable[..., Any]
) -> None:
    with at(0):
        event.run(services.clock_start, minutes=40)
    with at(46):
        slip(event, "1 2-1")
    row = table(event, 1)
    for entrant, told in ((row.p1, True), (row.p2, False)):
        name = name_of(event, entrant)
        body = client_of(Member(event.persons[name], name)).get(f"/my/{event.event_id}/")
        assert ("came late" in body.content.decode()) is told


def test_nobody_takes_back_or_contests_a_result_of_an_event_that_is_over(
    make_event: Make,
) -> None:
    event = make_event(4, start=True, rounds=1)
    event.pair()
    slip(event, "1 2-0")
    slip(event, "2 2-0")
    event.run(services.event_finish)
    row = table(event, 2)
    context = event.olga.context("scorekeeper")
    no = refused(lambda: services.result_take_back(context, match_id=row.pk))
    assert no.code == "tournaments.take_back_late"
    loser = event.player(name_of(event, row.p2))
    no = refused(lambda: services.result_claim(loser, match_id=row.pk, score=[0, 2, 0]))
    assert no.code == "tournaments.match_decided"
    assert refused(lambda: slip(event, "2 0-2")).code == "tournaments.match_decided"
    told = selectors.entries(event.olga.actor, event.event_id, 1)
    assert len(told) == 2
    assert not any(one.may_undo for one in told)
    assert selectors.conflicts(event.olga.actor, event.event_id) == []


def test_staff_who_play_mark_and_penalise_nobody_at_their_own_table(event: Running) -> None:
    row, seat = event.match_of("Alice", 1)
    alice = row.persons[0 if seat == "P1" else 1][0]
    other = "P2" if seat == "P1" else "P1"
    judge = Actor(
        person_id=alice,
        signed_in=True,
        event_roles={event.event_id: frozenset({Role.HEAD_JUDGE})},
    )
    seats = {"match_id": row.pk, "seat": other}

    def again() -> Context:
        return Context(judge, "judge")

    for run in (
        lambda: services.player_miss(again(), **seats),
        lambda: services.player_arrive(again(), match_id=row.pk, seat=seat),
        lambda: services.tardiness_confirm(again(), **seats, kind="match_loss"),
        lambda: services.penalty_apply(
            again(),
            event_id=event.event_id,
            entrant_id=row.p2 if seat == "P1" else row.p1,
            kind="game_loss",
        ),
        lambda: services.time_extend(again(), match_id=row.pk, seconds=60),
    ):
        assert refused(run).code == "tournaments.own_match"
    elsewhere = next(one for one in event.matches(1) if one.pk != row.pk)
    services.player_miss(again(), match_id=elsewhere.pk, seat="P1")


def test_the_open_tables_of_a_cancelled_event_stay_as_they_are(event: Running) -> None:
    row, seat = event.match_of("Alice", 1)
    event.run(services.event_cancel, note="The hall is flooded.")
    alice, staff = event.player("Alice"), event.olga.context("scorekeeper")
    of = {"match_id": row.pk}
    for run in (
        lambda: services.result_claim(event.player("Alice"), **of, score=[2, 0, 0]),
        lambda: services.coin_toss(alice, **of, seed=1),
        lambda: services.duel_start(event.player("Alice"), **of),
        lambda: services.result_enter(staff, **of, score=[2, 0, 0]),
        lambda: services.end_start(event.olga.context("scorekeeper"), **of),
        lambda: services.player_miss(event.olga.context("scorekeeper"), **of, seat=seat),
        lambda: services.slip_missing_apply(event.olga.context("scorekeeper"), **of),
        lambda: slip(event, f"{row.table} 2-0"),
        lambda: event.run(
            services.penalty_apply, entrant_id=event.entrants["Alice"], kind="match_loss"
        ),
    ):
        assert refused(run).code == "tournaments.wrong_state"
    assert not MatchRow.objects.exclude(winner="").exists()


HEAD = "ORDER BY position DESC LIMIT 1"
"""The newest row of the log: SQLite calls it a scan, and it ends at the first row."""


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads SQLite's plan")
def test_no_step_of_a_match_looks_through_a_whole_table(make_event: Make) -> None:
    """What an entry costs does not grow with the event: every statement finds its rows by key."""
    event = make_event(4, start=True)
    event.pair()
    one, other = event.matches(1)
    commands = [
        lambda: services.result_claim(
            event.player(next(n for n, e in event.entrants.items() if e == one.p1)),
            match_id=one.pk,
            score=[2, 0, 0],
        ),
        lambda: services.result_enter(event.staff(), match_id=one.pk, score=[2, 0, 0]),
        lambda: services.result_correct(
            event.staff(), match_id=one.pk, score=[2, 1, 0], note="slip"
        ),
        lambda: services.slip_enter(
            event.staff(), event_id=event.event_id, number=1, line=f"{other.table} 2-1"
        ),
    ]
    scanned, looked_at = set(), 0
    for command in commands:
        with CaptureQueriesContext(connection) as captured:
            command()
        for query in captured.captured_queries:
            if query["sql"].startswith(("SELECT", "UPDATE", "DELETE")):
                looked_at += 1
                with connection.cursor() as cursor:
                    cursor.execute("EXPLAIN QUERY PLAN " + query["sql"].replace("%", "%%"))
                    scanned |= {
                        f"{row[3]}: {query['sql'][:200]}"
                        for row in cursor.fetchall()
                        if row[3].startswith("SCAN ") and HEAD not in query["sql"]
                    }
    assert scanned == set()
    assert looked_at > 30
