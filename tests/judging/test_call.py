"""The state machine of a call: every path of the picture, and no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eventstore.domain.refusal import Refusal
from judging.domain import acts
from judging.domain.call import NEW, Call, evolve
from judging.domain.decide import decide
from judging.domain.ruling import RulingAsk, Table
from judging.domain.words import OVER, Approval, Moment, Outcome, Penalty, Status
from judging.events import CallClosed, PenaltyEnforced, RulingMade
from tests.judging.material import ALICE, BOB, CARLA, HEDDA, JUDE, MATCH, RULES, house

PACK = house()


def by(person: str, at: str = "2026-01-01T12:00:00.000000Z") -> acts.By:
    return acts.By(person, at, head_judge=person == HEDDA)


def rule(
    person: str, ruling_id: str = "r1", at: str = "2026-01-01T12:01:00.000000Z", **ask: Any
) -> acts.MakeRuling:
    return acts.MakeRuling(
        by(person, at),
        ruling_id,
        RulingAsk(**ask),
        PACK,
        Table(("ea", "eb"), Moment.IN_GAME),
        RULES,
    )


WARNING = {"infraction": "DC-MINOR", "target_entrant": "ea", "remedy": "resolve_now"}
GAME_LOSS = {"infraction": "DC-MAJOR", "target_entrant": "ea", "remedy": "loss"}
RAISE = acts.RaiseCall(by(ALICE), "c1", MATCH, "ruling", "rules", ("en", "hu"), PACK)


def play(*steps: acts.Act, state: Call = NEW) -> Call:
    for act in steps:
        made = decide(state, act)
        assert not isinstance(made, Refusal), (act, made)
        for one in made:
            state = evolve(state, one)
    return state


def refused(state: Call, act: acts.Act) -> str:
    made = decide(state, act)
    assert isinstance(made, Refusal), made
    return made.code


CLAIMED = (RAISE, acts.ClaimCall(by(JUDE)))
AT_TABLE = (*CLAIMED, acts.Arrive(by(JUDE), None))
RULED = (*AT_TABLE, rule(JUDE, **WARNING))
PENDING = (*AT_TABLE, rule(JUDE, **GAME_LOSS))
APPEALED = (*RULED, acts.Appeal(by(ALICE)))
HJ_CLAIMED = (*APPEALED, acts.ClaimCall(by(HEDDA)))


def test_the_short_way_from_a_call_to_its_end() -> None:
    for steps, status in (
        ((RAISE,), Status.RAISED),
        (CLAIMED, Status.CLAIMED),
        (AT_TABLE, Status.AT_TABLE),
        (RULED, Status.RULED),
        ((*RULED, acts.Close(by(JUDE), PACK)), Status.CLOSED),
    ):
        assert play(*steps).status is status


def test_the_way_through_an_appeal() -> None:
    ruled = play(*HJ_CLAIMED, acts.RuleAppeal(by(HEDDA), "upheld"))
    assert play(*APPEALED).status is Status.APPEALED
    assert play(*HJ_CLAIMED).status is Status.HJ_CLAIMED
    assert ruled.status is Status.HJ_RULED
    assert ruled.ruling is not None
    assert ruled.ruling.final
    assert ruled.ruling.in_force
    assert play(acts.Close(by(JUDE), PACK), state=ruled).status is Status.CLOSED


def test_of_two_judges_the_second_is_told_who_was_first() -> None:
    made = decide(play(*CLAIMED), acts.ClaimCall(by(CARLA)))
    assert made == Refusal("judging.already_claimed", {"by": JUDE})


def test_a_judge_who_plays_here_takes_no_part_as_judge() -> None:
    assert refused(play(RAISE), acts.ClaimCall(by(BOB))) == "judging.own_match"
    own = play(*PENDING)
    own = replace(own, seats=((HEDDA,), (BOB,)))
    assert refused(own, acts.Approve(by(HEDDA), "r1", PACK)) == "judging.own_match"
    assert refused(own, acts.Close(by(HEDDA), PACK)) == "judging.own_match"


def test_a_claim_given_back_starts_anew_and_loses_no_time_spent_at_the_table() -> None:
    back = play(*CLAIMED, acts.GiveBack(by(JUDE)))
    assert (back.status, back.claimed_by, back.claimed_at) == (Status.RAISED, None, None)
    back = play(*AT_TABLE, acts.GiveBack(by(JUDE)))
    assert (back.status, back.claimed_at is None) == (Status.RAISED, False)
    back = play(*HJ_CLAIMED, acts.GiveBack(by(HEDDA)))
    assert back.status is Status.APPEALED


def test_only_the_judge_of_the_call_goes_on_with_it() -> None:
    state = play(*CLAIMED)
    for act in (acts.Arrive(by(CARLA), None), acts.GiveBack(by(CARLA)), acts.Escalate(by(CARLA))):
        assert refused(state, act) == "judging.not_your_call"
    assert refused(play(*AT_TABLE), rule(CARLA, **WARNING)) == "judging.not_your_call"
    assert refused(play(*RULED), acts.Close(by(CARLA), PACK)) == "judging.not_your_call"


def test_a_ruling_needs_a_judge_at_the_table() -> None:
    assert refused(play(*CLAIMED), rule(JUDE)) == "judging.wrong_state"
    handed = play(RAISE, acts.Escalate(by(JUDE)), acts.ClaimCall(by(HEDDA)))
    assert refused(handed, rule(HEDDA)) == "judging.not_at_table"
    ruled = play(acts.Arrive(by(HEDDA), None), rule(HEDDA), state=handed)
    assert ruled.status is Status.HJ_RULED


def test_an_escalated_call_is_the_head_judges_and_that_ruling_is_final() -> None:
    handed = play(*AT_TABLE, acts.Escalate(by(JUDE)))
    assert refused(handed, acts.ClaimCall(by(CARLA))) == "judging.head_judge_only"
    ruled = play(acts.ClaimCall(by(HEDDA)), rule(HEDDA, **WARNING), state=handed)
    assert refused(ruled, acts.Appeal(by(BOB))) == "judging.ruling_final"


def test_a_judge_in_doubt_hands_the_own_ruling_on_and_it_is_replaced() -> None:
    handed = play(*RULED, acts.Escalate(by(JUDE)), acts.ClaimCall(by(HEDDA)))
    ruled = play(rule(HEDDA, "r2"), state=handed)
    assert [one.approval for one in ruled.rulings] == [Approval.SUPERSEDED, Approval.NOT_NEEDED]


def test_the_head_judges_first_ruling_is_final() -> None:
    ruled = play(
        RAISE, acts.ClaimCall(by(HEDDA)), acts.Arrive(by(HEDDA), None), rule(HEDDA, **WARNING)
    )
    assert ruled.status is Status.RULED
    assert refused(ruled, acts.Appeal(by(BOB))) == "judging.ruling_final"


def test_a_floor_judge_hears_no_appeal() -> None:
    assert refused(play(*APPEALED), acts.ClaimCall(by(CARLA))) == "judging.head_judge_only"
    appeal = acts.RuleAppeal(by(CARLA), "upheld")
    assert refused(play(*HJ_CLAIMED), appeal) == "judging.head_judge_only"


def test_nobody_hears_the_appeal_against_the_own_ruling() -> None:
    state = play(*APPEALED)
    made_by_hedda = replace(state, rulings=(replace(state.rulings[0], by=HEDDA),))
    assert refused(made_by_hedda, acts.ClaimCall(by(HEDDA))) == "judging.own_ruling"


def test_an_accepted_ruling_cannot_be_appealed_by_that_side() -> None:
    accepted = play(*RULED, acts.Accept(by(ALICE), PACK))
    assert refused(accepted, acts.Appeal(by(ALICE))) == "judging.already_accepted"
    assert play(acts.Appeal(by(BOB)), state=accepted).status is Status.APPEALED
    closed = play(acts.Accept(by(BOB), PACK), state=accepted)
    assert closed.status is Status.CLOSED
    assert refused(closed, acts.Appeal(by(BOB))) == "judging.wrong_state"


def test_staff_names_the_seat_and_a_player_has_only_the_own() -> None:
    ruled = play(*RULED)
    assert refused(ruled, acts.Appeal(by(JUDE))) == "judging.unknown_seat"
    assert refused(ruled, acts.Appeal(by(ALICE), "P2")) == "judging.not_your_seat"
    assert play(acts.Appeal(by(JUDE), "P2"), state=ruled).status is Status.APPEALED


def test_a_second_tap_is_born_merged_and_the_first_call_knows() -> None:
    second = replace(RAISE, by=by(BOB), call_id="c2", open_call="c1")
    assert play(second).status is Status.MERGED
    first = play(RAISE, acts.JoinCall(by(BOB), "c2", "ruling", "lp"))
    assert first.raised_by == {ALICE, BOB}
    assert refused(first, acts.Withdraw(by(ALICE))) == "judging.call_shared"


def test_a_call_is_withdrawn_by_its_caller_before_a_ruling_only() -> None:
    assert refused(play(RAISE), acts.Withdraw(by(BOB))) == "judging.not_your_call"
    assert play(*AT_TABLE, acts.Withdraw(by(ALICE))).status is Status.WITHDRAWN
    assert refused(play(*PENDING), acts.Withdraw(by(ALICE))) == "judging.wrong_state"
    handed = play(*RULED, acts.Escalate(by(JUDE)))
    assert refused(handed, acts.Withdraw(by(ALICE))) == "judging.already_ruled"


def test_a_game_loss_waits_for_the_head_judge() -> None:
    state = play(*PENDING)
    assert state.ruling is not None
    assert (state.ruling.approval, state.ruling.in_force) == (Approval.PENDING, False)
    assert refused(state, acts.Approve(by(CARLA), "r1", PACK)) == "judging.head_judge_only"
    closed = play(acts.Close(by(JUDE), PACK), state=state)
    assert closed.ruling is not None
    assert not closed.ruling.in_force
    approved = play(acts.Approve(by(HEDDA), "r1", PACK), state=closed)
    assert approved.ruling is not None
    assert approved.ruling.in_force
    assert refused(approved, acts.Approve(by(HEDDA), "r1", PACK)) == "judging.nothing_pending"
    declined = play(acts.Decline(by(HEDDA), "r1"), state=closed)
    assert declined.ruling is not None
    assert not declined.ruling.in_force


def test_an_approved_penalty_cannot_be_appealed_and_one_under_appeal_not_approved() -> None:
    approved = play(*PENDING, acts.Approve(by(HEDDA), "r1", PACK))
    assert refused(approved, acts.Appeal(by(ALICE))) == "judging.ruling_final"
    appealed = play(*PENDING, acts.Appeal(by(ALICE)))
    assert refused(appealed, acts.Approve(by(HEDDA), "r1", PACK)) == "judging.under_appeal"


def test_an_upheld_appeal_approves_and_an_overturned_one_replaces() -> None:
    heard = play(*PENDING, acts.Appeal(by(ALICE)), acts.ClaimCall(by(HEDDA)))
    upheld = play(acts.RuleAppeal(by(HEDDA), "upheld"), state=heard)
    assert [(one.approval, one.in_force) for one in upheld.rulings] == [(Approval.APPROVED, True)]
    instead = rule(HEDDA, "r2", rule_id="YGO-16.1")
    turned = play(acts.RuleAppeal(by(HEDDA), "overturned", instead), state=heard)
    assert [(one.approval, one.in_force) for one in turned.rulings] == [
        (Approval.SUPERSEDED, False),
        (Approval.NOT_NEEDED, False),
    ]
    for outcome, ruling, code in (
        ("modified", None, "judging.appeal_ruling_missing"),
        ("upheld", instead, "judging.appeal_upheld"),
        ("perhaps", None, "judging.unknown_outcome"),
    ):
        assert refused(heard, acts.RuleAppeal(by(HEDDA), outcome, ruling)) == code
    assert refused(heard, rule(HEDDA, "r3")) == "judging.appeal_open"


def test_a_penalty_without_approval_comes_into_force_when_no_appeal_is_left() -> None:
    late = rule(JUDE, infraction="T-MAJOR", target_entrant="eb", remedy="loss")
    state = play(*AT_TABLE, late)
    assert state.ruling is not None
    assert (state.ruling.approval, state.ruling.in_force) == (Approval.NOT_NEEDED, False)
    closed = decide(state, acts.Close(by(JUDE), PACK))
    assert isinstance(closed, list)
    assert isinstance(closed[0], CallClosed)
    assert isinstance(closed[1], PenaltyEnforced)


def test_the_computed_extension_stays_beside_one_set_by_hand() -> None:
    state = play(*RULED)
    late = by(JUDE, "2026-01-01T12:07:00.000000Z")
    assert refused(state, acts.Close(late, PACK, 600)) == "judging.reason_missing"
    assert refused(state, acts.Close(late, PACK, -1, "x")) == "judging.extension_range"
    made = decide(state, acts.Close(late, PACK, 600, "sealed"))
    assert isinstance(made, list)
    closed = made[0]
    assert isinstance(closed, CallClosed)
    assert (closed.computed_s, closed.extension_s, closed.why) == (420, 600, "override")


def test_approval_after_the_close_takes_the_extension_back() -> None:
    late = by(JUDE, "2026-01-01T12:07:00.000000Z")
    closed = play(*PENDING, acts.Close(late, PACK))
    assert closed.extension_s == 420
    assert play(acts.Approve(by(HEDDA), "r1", PACK), state=closed).extension_s == 0


EDGES = {
    Status.NONE: {Status.RAISED, Status.MERGED},
    Status.RAISED: {Status.CLAIMED, Status.ESCALATED, Status.WITHDRAWN},
    Status.CLAIMED: {Status.AT_TABLE, Status.RAISED, Status.ESCALATED, Status.WITHDRAWN},
    Status.AT_TABLE: {Status.RULED, Status.RAISED, Status.ESCALATED, Status.WITHDRAWN},
    Status.RULED: {Status.APPEALED, Status.ESCALATED, Status.CLOSED},
    Status.APPEALED: {Status.HJ_CLAIMED},
    Status.ESCALATED: {Status.HJ_CLAIMED, Status.WITHDRAWN},
    Status.HJ_CLAIMED: {Status.HJ_RULED, Status.APPEALED, Status.ESCALATED, Status.WITHDRAWN},
    Status.HJ_RULED: {Status.CLOSED},
    Status.CLOSED: set(),
    Status.WITHDRAWN: set(),
    Status.MERGED: set(),
}
"""The picture of the design as a table: where a command may lead from each state."""

people = st.sampled_from([ALICE, BOB, JUDE, HEDDA, CARLA])
seats = st.sampled_from([None, "P1", "P2", "P3"])


@st.composite
def any_act(draw: st.DrawFn, number: int) -> acts.Act:
    """Any act by anybody; ids are fresh or used before."""
    who = by(draw(people), f"2026-01-01T12:{number:02d}:00.000000Z")
    ruling_id = f"r{draw(st.integers(0, 3))}"
    ask = draw(
        st.sampled_from(
            [
                WARNING,
                GAME_LOSS,
                {},
                {"infraction": "T-MAJOR", "target_entrant": "eb", "remedy": "loss"},
                {"infraction": "NO-SUCH"},
                {"remedy": "rewind", "duel_id": "d", "rewind_to": 3, "reasoned": True},
            ]
        )
    )
    making = replace(rule(who.person, f"r{number}", who.at, **ask), by=who)
    return draw(
        st.sampled_from(
            [
                replace(RAISE, by=who),
                acts.JoinCall(who, "c2", "ruling", "lp"),
                acts.ClaimCall(who),
                acts.Arrive(who, None),
                acts.GiveBack(who),
                acts.Escalate(who),
                acts.Withdraw(who),
                making,
                acts.Approve(who, ruling_id, PACK),
                acts.Decline(who, ruling_id),
                acts.Accept(who, PACK, draw(seats)),
                acts.Appeal(who, draw(seats)),
                acts.RuleAppeal(who, draw(st.sampled_from([*Outcome, "?"])), None),
                acts.RuleAppeal(who, Outcome.OVERTURNED, making),
                acts.Close(who, PACK),
            ]
        )
    )


@given(st.data())
@settings(max_examples=200)
def test_no_sequence_of_acts_leaves_the_picture(data: st.DataObject) -> None:
    state = play(RAISE)
    in_force: set[str] = set()
    for number in range(1, 26):
        act = data.draw(any_act(number))
        made = decide(state, act)
        if isinstance(made, Refusal):
            assert made.code.startswith("judging.")
            continue
        before = state
        for one in made:
            state = evolve(state, one)
            if isinstance(one, PenaltyEnforced):
                assert one.ruling not in in_force, "a penalty is handed over once"
                in_force.add(one.ruling)
            if isinstance(one, RulingMade):
                assert before.seat_of(one.by) is None
        assert state.status is before.status or state.status in EDGES[before.status]
        if before.status in OVER:
            assert isinstance(act, acts.Approve | acts.Decline)
        for ruling in state.rulings:
            assert ruling.in_force == (ruling.ruling_id in in_force)
            if ruling.in_force and ruling.penalty is Penalty.GAME_LOSS:
                assert ruling.approval in (Approval.APPROVED, Approval.NOT_NEEDED)


@pytest.mark.parametrize("kind", ["", "Ruling", "nonsense"])
def test_a_call_of_no_known_kind_is_refused_with_what_there_is(kind: str) -> None:
    made = decide(NEW, replace(RAISE, kind=kind))
    assert isinstance(made, Refusal)
    assert (made.code, made.params["found"]) == ("judging.unknown_call_kind", kind)
    assert "ruling" in made.params["allowed"]
