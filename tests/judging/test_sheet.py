"""The table sheet: START, DONE, a penalty, notes and undo, each one command."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from eventstore.clock import as_text
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.store import head_position, read_stream
from judging import services, sheet
from judging.domain.words import Approval
from judging.models import CallRow, RulingRow
from people.access import NotAllowed
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import NOON, Hall, at, raise_call
from tournaments import selectors as tournaments_selectors
from tournaments import services as tournaments
from tournaments.models import EntrantPerson, MatchRow

pytestmark = [pytest.mark.django_db, pytest.mark.pg]


def refused(call: Any) -> str:
    before = head_position()
    with pytest.raises(Refused) as fault:
        call()
    assert head_position() == before
    return fault.value.refusal.code


def start(judge: Member, hall: Hall, minutes_ago: int = 0, **context: Any) -> Any:
    return sheet.sheet_start(
        judge.context("judge", **context),
        match_id=hall.match_id,
        call_id=new_id(),
        minutes_ago=minutes_ago,
    )


def done(judge: Member, hall: Hall, context: dict[str, Any] | None = None, **more: Any) -> Any:
    return sheet.sheet_done(
        judge.context("judge", **(context or {})), match_id=hall.match_id, **more
    )


def warn(judge: Member, hall: Hall, code: str = "PE-MINOR", **more: Any) -> Any:
    kind = {"PE-MINOR": "missed_effect", "DC-MAJOR": "not_told_apart"}.get(code)
    return sheet.sheet_rule(
        judge.context("judge", **more.pop("context", {})),
        match_id=hall.match_id,
        call_id=new_id(),
        infraction=code,
        infraction_kind=kind,
        seat=hall.seat,
        **more,
    )


def types(call_id: str) -> list[str]:
    return [one.type.removeprefix("judging.") for one in read_stream(f"call-{call_id}")]


def test_start_and_done_where_nobody_called(hall: Hall, jude: Member) -> None:
    with at(5):
        tournaments.clock_start(hall.olga.context(), event_id=hall.event_id, minutes=40)
    with at(10):
        begun = start(jude, hall)
    assert begun.state == "at_table"
    with at(14.2):
        ended = done(jude, hall)
    assert (ended.state, ended.extension_s) == ("closed", 252)
    assert types(begun.call_id) == [
        "call_raised", "call_claimed", "judge_arrived", "ruling_made", "call_closed",
    ]  # fmt: skip
    assert RulingRow.objects.get().infraction == ""
    rebuilds_equal("judging.calls", "portal.live")


def test_start_takes_the_call_of_a_player_and_no_second_judge_gets_it(
    hall: Hall, alice: Member, jude: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    assert start(jude, hall).call_id == call_id
    assert CallRow.objects.count() == 1
    assert refused(lambda: start(hall.joan, hall)) == "judging.already_claimed"
    assert refused(lambda: done(hall.joan, hall)) == "judging.not_your_call"
    assert refused(lambda: start(jude, hall)) == "judging.wrong_state"


def test_a_chip_sets_the_start_back_and_the_log_keeps_both_moments(
    hall: Hall, jude: Member
) -> None:
    with at(20):
        call_id = start(jude, hall, minutes_ago=3).call_id
    moment = read_stream(f"call-{call_id}")[-1]
    assert moment.type == "judging.moment_claimed"
    said = (moment.data.claimed, moment.data.at, moment.data.why)  # type: ignore[attr-defined]
    assert said == (
        as_text(NOON + timedelta(minutes=17)),
        as_text(NOON + timedelta(minutes=20)),
        "set_back",
    )
    assert CallRow.objects.get().arrived_at == as_text(NOON + timedelta(minutes=17))
    with at(21):
        assert done(jude, hall).extension_s == 240
    assert refused(lambda: start(jude, hall, minutes_ago=4)) == "judging.minutes_range"
    rebuilds_equal("judging.calls")


def test_acts_that_a_phone_held_back_count_from_when_they_were_made(
    hall: Hall, jude: Member
) -> None:
    """Made at 12:02 and 12:05:30, both come in at 12:20."""
    with at(20):
        call_id = start(jude, hall, client_time=as_text(NOON + timedelta(minutes=2))).call_id
        ended = done(jude, hall, {"client_time": as_text(NOON + timedelta(minutes=5.5))})
    assert ended.extension_s == 210
    assert types(call_id).count("moment_claimed") == 2
    row = CallRow.objects.get()
    assert (row.took_s, row.closed_at) == (210, as_text(NOON + timedelta(minutes=20)))


@pytest.mark.parametrize(
    "told", ["2026-05-02T12:30:00.000000Z", "2026-05-02T08:00:00.000000Z", "x"]
)
def test_a_moment_that_cannot_be_is_not_believed(hall: Hall, jude: Member, told: str) -> None:
    with at(20):
        start(jude, hall, client_time=told)
    assert CallRow.objects.get().arrived_at == as_text(NOON + timedelta(minutes=20))


def test_a_warning_without_a_start_and_play_goes_on(hall: Hall, jude: Member) -> None:
    told = warn(jude, hall, done=True)
    assert (told.state, told.penalty, told.approval) == ("closed", "warning", "not_needed")
    ruling = RulingRow.objects.get()
    assert (ruling.target_entrant, ruling.in_force, ruling.remedy) == (hall.ea, True, "play_on")
    rebuilds_equal("judging.calls")


def test_a_game_loss_waits_for_the_head_judge_and_the_clock_keeps_running(
    hall: Hall, jude: Member, hedda: Member
) -> None:
    start(jude, hall)
    told = warn(jude, hall, "DC-MAJOR", done=True)
    assert (told.state, told.approval) == ("ruled", "pending")
    assert hall.wins(hall.eb) == 0
    assert done(jude, hall).state == "closed"
    ruling = RulingRow.objects.get()
    services.penalty_approve(
        hedda.context("judge"), call_id=ruling.call_id, ruling_id=ruling.ruling_id
    )
    assert hall.wins(hall.eb) == 1


def test_the_head_judge_is_called_with_all_so_far(hall: Hall, jude: Member, hedda: Member) -> None:
    call_id = sheet.sheet_call_head_judge(
        jude.context("judge"), match_id=hall.match_id, call_id=new_id(), note="Two versions."
    ).call_id
    assert types(call_id)[-1] == "call_escalated"
    assert CallRow.objects.get().arrived_at
    assert start(hedda, hall).state == "hj_claimed"
    assert done(hedda, hall).state == "closed"


def undo(judge: Member, hall: Hall, command_id: str) -> str:
    return sheet.sheet_undo(judge.context("judge"), match_id=hall.match_id, command_id=command_id)


def test_every_act_is_taken_back_within_seconds_and_stays_readable(
    hall: Hall, alice: Member, jude: Member
) -> None:
    first, second, third = new_id(), new_id(), new_id()
    start(jude, hall, command_id=first)
    assert refused(lambda: undo(hall.joan, hall, first)) == "judging.undo_unknown"
    assert undo(jude, hall, first) == "start"
    assert CallRow.objects.get().state == "withdrawn"
    call_id = raise_call(alice, hall.match_id)
    start(jude, hall, command_id=second)
    assert undo(jude, hall, second) == "start"
    row = CallRow.objects.get(pk=call_id)
    assert (row.state, row.claimed_by, row.arrived_at) == ("raised", "", "")
    start(jude, hall)
    warn(jude, hall, context={"command_id": third}, done=True)
    ruling = RulingRow.objects.get()
    assert ruling.in_force
    assert undo(jude, hall, third) == "close"
    ruling.refresh_from_db()
    assert (ruling.approval, ruling.in_force) == (Approval.WITHDRAWN.value, False)
    assert CallRow.objects.get(pk=call_id).state == "at_table"
    assert refused(lambda: undo(jude, hall, third)) == "judging.undo_moved_on"
    assert done(jude, hall).state == "closed"
    rebuilds_equal("judging.calls", "portal.live")


def test_what_is_too_late_or_in_force_is_not_taken_back(
    hall: Hall, jude: Member, hedda: Member
) -> None:
    late, lost = new_id(), new_id()
    with at(1):
        start(jude, hall, command_id=late)
    with at(2):
        assert refused(lambda: undo(jude, hall, late)) == "judging.undo_late"
        done(jude, hall)
    warn(hedda, hall, "DC-MAJOR", context={"command_id": lost})
    assert hall.wins(hall.eb) == 1
    assert refused(lambda: undo(hedda, hall, lost)) == "judging.undo_in_force"


def test_handing_over_is_taken_back(hall: Hall, jude: Member) -> None:
    command_id = new_id()
    start(jude, hall)
    sheet.sheet_call_head_judge(
        jude.context("judge", command_id=command_id), match_id=hall.match_id, call_id=new_id()
    )
    assert undo(jude, hall, command_id) == "escalation"
    assert done(jude, hall).state == "closed"


def test_notes_and_copied_totals_need_no_call(hall: Hall, jude: Member, alice: Member) -> None:
    command_id = new_id()
    sheet.sheet_note(jude.context("judge"), match_id=hall.match_id, note="Chair is broken.")
    sheet.sheet_lp(
        jude.context("judge", command_id=command_id),
        match_id=hall.match_id,
        about="P2",
        first=[8000, 5400, 3200],
        second=[8000, 5400, 4000],
    )
    assert undo(jude, hall, command_id) == "entry"
    assert refused(lambda: undo(jude, hall, command_id)) == "judging.undo_unknown"
    assert (
        refused(lambda: sheet.sheet_note(jude.context("judge"), match_id=hall.match_id, note="  "))
        == "judging.note_empty"
    )
    with pytest.raises(NotAllowed):
        sheet.sheet_note(alice.context(), match_id=hall.match_id, note="mine")


def test_a_judge_who_plays_there_gets_nothing_done(hall: Hall, alice: Member) -> None:
    alice.grant("judge", hall.event_id)
    judge = Member(alice.person_id, "Alice", "alice")
    assert refused(lambda: start(judge, hall)) == "judging.own_match"
    assert (
        refused(lambda: sheet.sheet_note(judge.context("judge"), match_id=hall.match_id, note="x"))
        == "judging.own_match"
    )


def test_a_conflict_is_overridden_by_taking_the_call_and_logged(hall: Hall, olga: Member) -> None:
    own = EntrantPerson.objects.get(person_id=hall.dora.person_id).entrant_id
    for entrant in (hall.ea, own):
        tournaments.plan_entrant(
            olga.context(), event_id=hall.event_id, entrant_id=entrant, values={"club": "Harbour"}
        )
    hall.dora.grant("judge", hall.event_id)
    dora = Member(hall.dora.person_id, "Dora", "dora")
    call_id = start(dora, hall).call_id
    assert "conflict_overridden" in types(call_id)


def test_a_loss_for_the_next_match_falls_by_itself_when_it_is_published(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    """A game loss for Alice and a match loss for Bob, both in the next match; nothing falls here,
    nor while the head judge has not approved."""
    first = warn(jude, hall, "DC-MAJOR", target="next_match_first_game")
    assert first.approval == "pending"
    done(jude, hall)
    assert tournaments_selectors.losses(alice.actor, hall.event_id) == []
    ruling = RulingRow.objects.get()
    services.penalty_approve(
        hedda.context("judge"), call_id=ruling.call_id, ruling_id=ruling.ruling_id
    )
    other = {"P1": "P2", "P2": "P1"}[hall.seat]
    sheet.sheet_rule(
        hedda.context("judge"), match_id=hall.match_id, call_id=new_id(), infraction="PE-STRICT",
        infraction_kind="deck_lost", seat=other, target="next_match", done=True,
    )  # fmt: skip
    assert (hall.wins(hall.ea), hall.wins(hall.eb), hall.match.winner) == (0, 0, "")
    waiting = tournaments_selectors.losses(hedda.actor, hall.event_id)
    assert {(one.side.entrant_id, one.row.kind, one.row.state) for one in waiting} == {
        (hall.ea, "game_loss", "pending"),
        (hall.eb, "match_loss", "pending"),
    }
    won = [2, 0, 0] if hall.seat == "P1" else [0, 2, 0]
    tournaments.result_enter(hall.olga.context(), match_id=hall.match_id, score=won)
    tournaments.result_enter(hall.olga.context(), match_id=hall.other_match, score=[2, 0, 0])
    tournaments.round_pair(hall.olga.context(), event_id=hall.event_id, seed=1)
    tournaments.round_publish(hall.olga.context(), event_id=hall.event_id, number=2)
    rows = MatchRow.objects.filter(event_id=hall.event_id, round=2)
    of_alice = next(row for row in rows if hall.ea in (row.p1, row.p2))
    of_bob = next(row for row in rows if hall.eb in (row.p1, row.p2))
    lost = [(one["winner"], one["reason"]) for one in of_alice.duels]
    assert lost == [("P2" if of_alice.p1 == hall.ea else "P1", "game_loss")]
    assert (of_bob.winner, of_bob.reason) == (
        "P2" if of_bob.p1 == hall.eb else "P1",
        "match_loss",
    )
    rebuilds_equal()
