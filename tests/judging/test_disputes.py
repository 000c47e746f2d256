"""A line of a duel that is over is disputed, reviewed by another judge, and settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from duels.selectors import duel_state
from duels.services import act
from eventstore.domain.refusal import Refusal, Refused
from eventstore.ids import new_id
from eventstore.store import read_stream
from judging import dispute_reads as reads
from judging import disputes, services
from judging.domain import dispute as rules
from judging.domain.dispute import Dispute
from judging.models import RulingRow
from judging.models_after import DisputeRow
from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.roles import Role
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, at, raise_call, to_table
from tournaments import services as tournaments

ClientOf = Callable[..., Client]
TABLE = Dispute(rules.RAISED, "e", "m", "d", 3, (("alice",), ("bob",)), "alice", ("jude",))
NOW = {"at": "2026-05-02T12:00:00.000000Z", "dispute": "x"}


def code(made: object) -> str:
    return made.code if isinstance(made, Refusal) else ""


def test_who_ruled_or_plays_there_is_no_other_judge() -> None:
    assert code(rules.take(TABLE, by="jude", conflicts=(), **NOW)) == "judging.dispute_own_ruling"
    assert code(rules.take(TABLE, by="bob", conflicts=(), **NOW)) == "judging.own_match"
    made = rules.take(TABLE, by="joan", conflicts=("club",), **NOW)
    assert isinstance(made, list)
    taken = rules.evolve(TABLE, made[0])
    assert (taken.state, taken.taken_by) == (rules.TAKEN, "joan")
    assert code(rules.take(taken, by="hedda", conflicts=(), **NOW)) == "judging.dispute_taken"
    assert code(rules.withdraw(taken, by="alice", **NOW)) == "judging.dispute_state"
    assert code(rules.withdraw(TABLE, by="bob", **NOW)) == "judging.dispute_not_yours"
    assert code(rules.give_back(taken, by="hedda", **NOW)) == "judging.dispute_taken"
    asked: dict[str, Any] = {"by": "joan", "proposed": False}
    assert code(rules.ruleable(taken, outcome="maybe", **asked)) == "judging.dispute_outcome"
    assert code(rules.ruleable(taken, outcome="result", **asked)) == "judging.dispute_proposal"
    assert rules.ruleable(taken, outcome="stands", **asked) is None
    assert code(rules.settle(taken, by="hedda", corrected=True, note="x", **NOW)) == (
        "judging.dispute_state"
    )


def test_the_window_has_an_end_once_the_match_has_one() -> None:
    assert rules.in_window(None, NOW["at"]) is None
    assert rules.in_window(NOW["at"], NOW["at"]) is None
    assert code(rules.in_window("2026-05-02T11:59:59.000000Z", NOW["at"])) == (
        "judging.dispute_window"
    )


@pytest.fixture
def played(hall: Hall, alice: Member, bob: Member) -> str:
    """Bob's opponent concedes the only duel of a log; the match is 2-0 for Bob at noon."""
    desk = hall.olga
    with at(0):
        tournaments.coin_toss(desk.context(), match_id=hall.match_id, winner="P1")
        tournaments.starter_choose(desk.context(), match_id=hall.match_id, first="P1")
        duel_id = tournaments.duel_start(desk.context(), match_id=hall.match_id, seed=7)
        act(alice.context(), duel_id=duel_id, player=hall.seat, act={"act": "concede"})
        score = [0, 2, 0] if hall.seat == "P1" else [2, 0, 0]
        tournaments.result_enter(desk.context(), match_id=hall.match_id, score=score)
    return duel_id


def dispute(member: Member, duel_id: str, **values: Any) -> str:
    given = {
        "dispute_id": new_id(),
        "duel_id": duel_id,
        "line": 3,
        "reason": "I said nothing",
    }
    return disputes.dispute_raise(member.context(), **{**given, **values}).dispute_id


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises(Refused) as fault:
        call()
    return fault.value.refusal.code


@pytest.mark.django_db
def test_a_dispute_keeps_to_the_window_and_to_the_table(
    hall: Hall, played: str, alice: Member, bob: Member, charlie: Member, jude: Member
) -> None:
    with at(30):
        for member in (charlie, hall.dora, jude):
            with pytest.raises(NotAllowed):
                dispute(member, played)
        assert refused(lambda: dispute(alice, played, line=10_000)) == "duels.no_such_line"
        assert refused(lambda: dispute(alice, played, reason=" ")) == "judging.reason_missing"
        first = dispute(alice, played)
        assert refused(lambda: dispute(alice, played, line=2)) == "judging.dispute_open"
        again = {"dispute_id": first}
        assert refused(lambda: dispute(bob, played, **again)) == "judging.dispute_exists"
        disputes.dispute_withdraw(alice.context(), dispute_id=first)
        assert refused(
            lambda: disputes.dispute_take(jude.context("judge"), dispute_id=first)
        ) == "judging.dispute_state"  # fmt: skip
        with pytest.raises(NotAllowed):
            disputes.dispute_window_set(jude.context(), event_id=hall.event_id, minutes=10)
        assert refused(
            lambda: disputes.dispute_window_set(
                hall.olga.context(), event_id=hall.event_id, minutes=-1
            )
        ) == "judging.dispute_minutes"  # fmt: skip
        disputes.dispute_window_set(hall.olga.context(), event_id=hall.event_id, minutes=29)
        assert refused(lambda: dispute(alice, played)) == "judging.dispute_window"
        disputes.dispute_window_set(hall.olga.context(), event_id=hall.event_id, minutes=31)
        assert dispute(alice, played)
    last = read_stream(f"duel-{played}")[-1]
    assert (last.type, last.data.line) == ("duels.line_disputed", 3)  # type: ignore[attr-defined]
    assert duel_state(played).table.result is not None
    rebuilds_equal("judging.disputes")


@pytest.mark.django_db
def test_a_duel_that_goes_on_is_for_a_call(hall: Hall, alice: Member, bob: Member) -> None:
    tournaments.coin_toss(hall.olga.context(), match_id=hall.match_id, winner="P1")
    tournaments.starter_choose(hall.olga.context(), match_id=hall.match_id, first="P1")
    duel_id = tournaments.duel_start(hall.olga.context(), match_id=hall.match_id, seed=7)
    assert refused(lambda: dispute(alice, duel_id)) == "judging.dispute_too_early"


@pytest.mark.django_db
def test_another_judge_reviews_and_the_desk_sees_what_the_correction_moves(
    hall: Hall, played: str, alice: Member, bob: Member, hedda: Member, jude: Member,
    client_of: ClientOf,
) -> None:  # fmt: skip
    with at(1):
        call_id = raise_call(alice, hall.match_id)
        to_table(jude, call_id)
        services.ruling_make(jude.context("judge"), call_id=call_id, rule_id="YGO-16.1")
        services.call_close(jude.context("judge"), call_id=call_id)
        player = client_of(alice, events=[hall.event_id])
        mine = f"/my/{hall.event_id}/disputes/"
        replay = player.get(f"/duels/{played}/?at=3").content.decode()
        assert f"{mine}?duel={played}&amp;line=3" in replay
        assert f'href="?duel={played}"' in player.get(mine).content.decode()
        form = player.get(f"{mine}?duel={played}&line=3").content.decode()
        assert "Dispute this line" in form
        sent = {"act": "raise", "duel": played, "line": "3", "why": "I said no such thing"}
        assert player.post(mine, {**sent, "nonce": new_id()}).status_code == 302
        row = DisputeRow.objects.get()
        assert row.ruled_by == [jude.person_id]
        assert "I said no such thing" not in (
            client_of(bob, events=[hall.event_id]).get(mine).content.decode()
        )
    page = f"/staff/disputes/{row.pk}/"
    queue = f"/staff/events/{hall.event_id}/disputes/"
    with at(2):
        assert player.get(page).status_code == 403
        assert player.get(queue).status_code == 404
        ruler, other = client_of(jude), client_of(hall.joan)
        take = {"act": "take"}
        told = ruler.post(page, {**take, "nonce": new_id()})
        assert told.status_code == 409
        assert "another judge reviews it" in told.content.decode()
        assert other.post(page, {**take, "nonce": new_id()}).status_code == 302
        wrong = {"act": "rule", "outcome": "result", "note": "Never conceded", "score": ""}
        assert other.post(page, {**wrong, "nonce": new_id()}).status_code == 409
        score = "2-1" if hall.seat == "P1" else "1-2"
        done = {**wrong, "score": score, "reason": "played", "rule_id": "YGO-2.7"}
        assert other.post(page, {**done, "nonce": new_id()}).status_code == 302
        row.refresh_from_db()
        ruling = RulingRow.objects.get(pk=row.ruling_id)
        assert (row.state, ruling.rule_id, ruling.by) == ("waits", "YGO-2.7", hall.joan.person_id)
        waiting = other.get(page).content.decode()
        assert "confirms it" in waiting
        settle = {"act": "correct", "note": "The log was misread"}
        assert other.post(page, {**settle, "nonce": new_id()}).status_code == 403
        desk = client_of(hall.olga)
        seen = desk.get(page).content.decode()
        assert "What the correction moves" in seen
        assert "move" in seen
        assert hall.match.winner != hall.seat
        assert desk.post(page, {**settle, "nonce": new_id()}).status_code == 302
        assert hall.match.winner == hall.seat
        row.refresh_from_db()
        assert (row.state, row.settled_by) == ("corrected", hall.olga.person_id)
        assert "corrected" in player.get(mine).content.decode().lower()
    rebuilds_equal("judging.disputes", "judging.calls", "portal.live")


@pytest.mark.django_db
def test_a_review_may_leave_everything_as_it_is(
    hall: Hall, played: str, alice: Member, hedda: Member, jude: Member
) -> None:
    with at(3):
        first = dispute(alice, played)
        judge = jude.context
        disputes.dispute_take(judge("judge"), dispute_id=first)
        disputes.dispute_give_back(judge("judge"), dispute_id=first)
        disputes.dispute_take(judge("judge"), dispute_id=first)
        ruled = disputes.dispute_rule(
            judge("judge"), dispute_id=first, outcome="stands", rule_id="YGO-2.7", note="As logged"
        )
        assert ruled.state == "ruled"
        call = RulingRow.objects.get(pk=ruled.ruling_id)
        assert (call.final, call.penalty, call.approval) == (False, "", "not_needed")
        second = dispute(alice, played, line=2)
        assert refused(
            lambda: disputes.dispute_take(jude.context("judge"), dispute_id=second)
        ) == "judging.dispute_own_ruling"  # fmt: skip
        disputes.dispute_take(hedda.context("judge"), dispute_id=second)
        disputes.dispute_rule(
            hedda.context("judge"), dispute_id=second, outcome="result", note="Half",
            score=[1, 2, 0] if hall.seat == "P1" else [2, 1, 0],
        )  # fmt: skip
        roles = {hall.event_id: frozenset({Role.HEAD_JUDGE})}
        playing = Actor(person_id=alice.person_id, signed_in=True, event_roles=roles)
        view = reads.dispute(playing, second)
        assert (view.staff, view.may_settle, view.proposed) == (False, False, None)
        left = disputes.dispute_leave(hedda.context("judge"), dispute_id=second, note="Cut is on")
        assert left.state == "left"
        assert hall.match.corrections == 0
    found = reads.disputes(hedda.actor, hall.event_id)
    assert (found.minutes, found.hours) == (72 * 60, 72), "as the pack says"
    states = [one.state for one in found.rows]
    assert sorted(states) == ["left", "ruled"]


@pytest.mark.django_db
def test_a_review_is_appealed_to_the_head_judge_whose_word_is_final(
    hall: Hall, played: str, alice: Member, bob: Member, hedda: Member, jude: Member,
    client_of: ClientOf,
) -> None:  # fmt: skip
    """Bob appeals a review that would cost him a duel; nothing is corrected meanwhile."""
    mine = f"/my/{hall.event_id}/disputes/"
    score = [1, 2, 0] if hall.seat == "P1" else [2, 1, 0]
    found = {"outcome": "result", "note": "Half", "score": score}
    with at(3):
        first = dispute(alice, played)
        about = {"dispute_id": first}
        disputes.dispute_take(jude.context("judge"), **about)
        ruled = disputes.dispute_rule(jude.context("judge"), **about, **found)
        page = client_of(bob, events=[hall.event_id])
        assert "Appeal to the head judge" in page.get(mine).content.decode()
        with pytest.raises(NotAllowed):
            disputes.dispute_appeal(hall.dora.context(), **about, reason="Why not")
        asked = {"act": "appeal", "dispute_id": first, "why": "I did say so"}
        assert page.post(mine, {**asked, "why": " ", "nonce": new_id()}).status_code == 409
        assert page.post(mine, {**asked, "nonce": new_id()}).status_code == 302
        assert "I did say so" not in (
            client_of(alice, events=[hall.event_id]).get(mine).content.decode()
        )
        assert "I did say so" in client_of(hedda).get(f"/staff/disputes/{first}/").content.decode()
        assert refused(
            lambda: disputes.dispute_correct(hall.olga.context(), **about, note="As reviewed")
        ) == "judging.dispute_state"  # fmt: skip
        for judge, code_ in ((jude, "head_judge_only"), (hall.joan, "head_judge_only")):
            take = refused(lambda by=judge: disputes.dispute_take(by.context("judge"), **about))  # type: ignore[misc]
            assert take == f"judging.{code_}"
        disputes.dispute_take(hedda.context("judge"), **about)
        disputes.dispute_give_back(hedda.context("judge"), **about)
        assert DisputeRow.objects.get().state == "appealed"
        disputes.dispute_take(hedda.context("judge"), **about)
        last = disputes.dispute_rule(
            hedda.context("judge"), **about, outcome="stands", note="As logged"
        )
        assert last.state == "ruled"
        assert RulingRow.objects.get(pk=last.ruling_id).final
        before = RulingRow.objects.get(pk=ruled.ruling_id)
        assert (before.outcome, before.approval) == ("overturned", "superseded")
        assert refused(
            lambda: disputes.dispute_appeal(alice.context(), **about, reason="Again")
        ) == "judging.ruling_final"  # fmt: skip
        told = page.get(mine).content.decode()
        assert "that is final" in told
        assert "Appeal to the head judge" not in told
        assert hall.match.corrections == 0
    rebuilds_equal("judging.disputes", "judging.calls", "portal.live")


@pytest.mark.django_db
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_result_that_is_as_the_review_says_already_can_be_confirmed(
    hall: Hall, played: str, alice: Member, bob: Member, hedda: Member, jude: Member,
    client_of: ClientOf, by_hand: bool,
) -> None:  # fmt: skip
    """It was corrected before an appeal that was in vain, or the desk did it itself."""
    score = [1, 2, 0] if hall.seat == "P1" else [2, 1, 0]
    found = {"outcome": "result", "note": "Half", "score": score}
    with at(3):
        about = {"dispute_id": dispute(alice, played)}
        disputes.dispute_take(jude.context("judge"), **about)
        disputes.dispute_rule(jude.context("judge"), **about, **found)
        if by_hand:
            tournaments.result_correct(hall.olga.context(), match_id=hall.match_id, score=score)
        else:
            disputes.dispute_correct(hall.olga.context(), **about, note="As reviewed")
            disputes.dispute_appeal(bob.context(), **about, reason="Not so")
            disputes.dispute_take(hedda.context("judge"), **about)
            disputes.dispute_rule(hedda.context("judge"), **about, **found)
        desk, page = client_of(hall.olga), f"/staff/disputes/{about['dispute_id']}/"
        seen = desk.get(page).content.decode()
        assert 'role="alert"' not in seen
        assert "Correct the result" in seen
        sent = {"act": "correct", "note": "So it is", "nonce": new_id()}
        assert desk.post(page, sent).status_code == 302
        assert DisputeRow.objects.get().state == "corrected"
        assert hall.match.corrections == 1
    rebuilds_equal("judging.disputes")


@pytest.mark.django_db
@pytest.mark.parametrize("since", [False, True])
def test_an_appeal_that_overturns_a_correction_proposes_the_result_before_it(
    hall: Hall, played: str, alice: Member, bob: Member, hedda: Member, jude: Member, since: bool
) -> None:
    """Unless the desk has given the match another result since."""
    was = hall.match.winner
    score = [2, 0, 0] if hall.seat == "P1" else [0, 2, 0]
    with at(3):
        about = {"dispute_id": dispute(alice, played)}
        disputes.dispute_take(jude.context("judge"), **about)
        found = {"outcome": "result", "note": "Hers", "score": score}
        disputes.dispute_rule(jude.context("judge"), **about, **found)
        disputes.dispute_correct(hall.olga.context(), **about, note="As reviewed")
        assert hall.match.winner == hall.seat != was
        disputes.dispute_appeal(bob.context(), **about, reason="Not so")
        if since:
            desk = {"match_id": hall.match_id, "score": [1, 1, 1]}
            tournaments.result_correct(hall.olga.context(), **desk)
        disputes.dispute_take(hedda.context("judge"), **about)
        last = disputes.dispute_rule(
            hedda.context("judge"), **about, outcome="stands", note="As logged"
        )
        assert last.state == ("ruled" if since else "waits")
        assert DisputeRow.objects.get().appeal_outcome == "overturned"
        if not since:
            disputes.dispute_correct(hall.olga.context(), **about, note="Back")
            assert hall.match.winner == was
    rebuilds_equal("judging.disputes")


def test_an_appeal_has_its_window_and_comes_once() -> None:
    ruled = replace(TABLE, state=rules.RULED, outcome="stands", ruling="r", ruled_at=NOW["at"])
    asked: dict[str, Any] = {"reason": "sealed", "final": False, "until": NOW["at"], **NOW}
    assert code(rules.appeal(ruled, by="jude", **asked)) == "judging.dispute_not_yours"
    assert code(rules.appeal(TABLE, by="bob", **asked)) == "judging.dispute_state"
    assert code(rules.appeal(ruled, by="bob", **{**asked, "final": True})) == "judging.ruling_final"
    late = {**asked, "until": "2026-05-02T11:59:59.000000Z"}
    assert code(rules.appeal(ruled, by="bob", **late)) == "judging.appeal_window"
    made = rules.appeal(ruled, by="bob", **asked)
    assert isinstance(made, list)
    again = replace(rules.evolve(ruled, made[0]), state=rules.RULED)
    assert code(rules.appeal(again, by="alice", **asked)) == "judging.ruling_final"
    assert rules.upheld(ruled, outcome="stands", proposed=None) == rules.UPHELD
    assert rules.upheld(ruled, outcome="no_effect", proposed=None) == rules.OVERTURNED
