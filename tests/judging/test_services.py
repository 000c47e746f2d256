"""Calls and rulings on the database: from the tap to the standing result."""

from __future__ import annotations

from typing import Any

import pytest

from duels import services as duels
from eventstore.commands import CommandReused
from eventstore.domain.canonical import NotCanonical
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from eventstore.store import head_position, read_stream
from judging import selectors, services, sheet
from judging.models import CallRow, RulingRow
from people.access import NotAllowed
from people.models import PersonKey
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, at, raise_call, to_table
from tournaments import services as tournaments
from tournaments.models import LossRow

pytestmark = [pytest.mark.django_db]
ROOM = "judging.calls"


def refused(call: Any) -> Any:
    before = head_position()
    with pytest.raises(Refused) as fault:
        call()
    assert head_position() == before, "a refused command leaves nothing behind"
    return fault.value.refusal


def test_a_call_that_needs_no_more_than_an_answer(
    hall: Hall, alice: Member, bob: Member, jude: Member
) -> None:
    """S1 without the ledger: called, answered, closed; the extension is the call's length."""
    with at(4):
        call_id = raise_call(bob, hall.match_id, category="lp")
    with at(4 + 10 / 60):
        to_table(jude, call_id, time_left_s=31 * 60 + 4 * 60 + 30)
        ruled = services.ruling_make(
            jude.context("judge"),
            call_id=call_id,
            remedy="resolve_now",
            note="Both agree on 3200 now.",
            facts_agreed="Attack of 2200 against 1400.",
        )
    assert (ruled.state, ruled.penalty, ruled.in_force) == ("ruled", None, False)
    with at(8 + 40 / 60):
        services.ruling_accept(alice.context(), call_id=call_id)
        closed = services.ruling_accept(bob.context(), call_id=call_id)
    assert (closed.state, closed.extension_s) == ("closed", 270)
    assert selectors.extensions(jude.actor, hall.event_id) == {hall.match_id: 270}
    assert hall.match.state == "waiting"
    assert rebuilds_equal(ROOM) == 1


def test_a_pending_game_loss_changes_nothing_until_the_head_judge_approves(
    hall: Hall, alice: Member, jude: Member, hedda: Member
) -> None:
    """S2 (b): beyond repair, base game loss, approval asked, no extension once it is given."""
    with at(0):
        call_id = raise_call(alice, hall.match_id)
        to_table(jude, call_id)
        ruled = services.ruling_make(
            jude.context("judge"),
            call_id=call_id,
            infraction="DC-MAJOR",
            infraction_kind="not_told_apart",
            target_entrant=hall.ea,
            remedy="loss",
        )
    assert (ruled.approval, ruled.in_force) == ("pending", False)
    assert hall.wins(hall.eb) == 0
    with at(5):
        closed = services.call_close(jude.context("judge"), call_id=call_id)
    assert closed.extension_s == 300
    assert [one.pending for one in selectors.queue(hedda.actor, hall.event_id)] == [1]
    assert len(selectors.pending(hedda.actor, hall.event_id)) == 1
    with pytest.raises(NotAllowed):
        services.penalty_approve(jude.context("judge"), call_id=call_id, ruling_id=ruled.ruling_id)
    rebuilds_equal(ROOM)
    approved = services.penalty_approve(
        hedda.context("judge"), call_id=call_id, ruling_id=ruled.ruling_id
    )
    assert (approved.approval, approved.in_force) == ("approved", True)
    assert hall.wins(hall.eb) == 1
    row = CallRow.objects.get(pk=call_id)
    assert (row.computed_s, row.extension_s, row.pending) == (300, 0, 0)
    assert selectors.queue(hedda.actor, hall.event_id) == []
    rebuilds_equal()


def test_a_declined_penalty_never_comes_into_force(
    hall: Hall, alice: Member, jude: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    ruled = services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="DC-MAJOR",
        target_entrant=hall.ea,
        remedy="loss",
    )
    declined = services.penalty_decline(
        hedda.context("judge"), call_id=call_id, ruling_id=ruled.ruling_id, reason="Repairable."
    )
    assert (declined.approval, declined.in_force) == ("declined", False)
    services.call_close(jude.context("judge"), call_id=call_id)
    assert hall.wins(hall.eb) == 0
    assert not RulingRow.objects.get(pk=ruled.ruling_id).in_force
    rebuilds_equal(ROOM)


def test_lateness_needs_no_approval_and_counts_when_the_call_closes(
    hall: Hall, alice: Member, jude: Member
) -> None:
    call_id = raise_call(alice, hall.match_id, kind="missing_opponent")
    to_table(jude, call_id)
    ruled = services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="T-MAJOR",
        target_entrant=hall.eb,
        remedy="loss",
    )
    assert (ruled.approval, ruled.in_force, hall.wins(hall.ea)) == ("not_needed", False, 0)
    services.call_close(jude.context("judge"), call_id=call_id)
    assert hall.wins(hall.ea) == 1
    rebuilds_equal(ROOM)


def test_an_appeal_upheld_and_an_appeal_overturned(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    """S3 without the planner: the head judge hears it, the clock runs through it."""
    with at(0):
        call_id = raise_call(alice, hall.match_id)
        to_table(jude, call_id, time_left_s=180)
        first = services.ruling_make(jude.context("judge"), call_id=call_id)
        services.call_appeal(alice.context(), call_id=call_id, reason="It was illegal.")
    assert refused(
        lambda: services.call_claim(hall.joan.context("judge"), call_id=call_id)
    ).code == ("judging.head_judge_only")
    with at(6 + 20 / 60):
        services.call_claim(hedda.context("judge"), call_id=call_id)
        upheld = services.appeal_rule(
            hedda.context("judge"), call_id=call_id, outcome="upheld", note="Nine acts ago."
        )
        closed = services.call_close(jude.context("judge"), call_id=call_id)
    assert (upheld.ruling_id, upheld.state) == (first.ruling_id, "hj_ruled")
    assert (closed.state, closed.extension_s) == ("closed", 180)
    assert RulingRow.objects.get(pk=first.ruling_id).outcome == "upheld"

    call_id = raise_call(bob, hall.match_id)
    to_table(jude, call_id)
    services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="DC-MAJOR",
        target_entrant=hall.eb,
        remedy="loss",
    )
    services.call_appeal(bob.context(), call_id=call_id)
    services.call_claim(hedda.context("judge"), call_id=call_id)
    turned = services.appeal_rule(
        hedda.context("judge"),
        call_id=call_id,
        outcome="overturned",
        infraction="DC-MINOR",
        target_entrant=hall.eb,
        remedy="resolve_now",
        cites=[first.ruling_id],
    )
    assert (turned.penalty, turned.in_force) == ("warning", True)
    states = RulingRow.objects.filter(call_id=call_id).order_by("at", "ruling_id")
    assert [(one.approval, one.in_force) for one in states] == [
        ("superseded", False),
        ("not_needed", True),
    ]
    assert hall.wins(hall.ea) == 0
    rebuilds_equal(ROOM)


def test_a_head_judges_disqualification_ends_the_match_and_the_event_for_the_entrant(
    hall: Hall, alice: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id, kind="conduct", category="conduct")
    to_table(hedda, call_id)
    ruled = services.ruling_make(
        hedda.context("judge"),
        call_id=call_id,
        infraction="UC-CHEATING",
        infraction_kind="lying_to_staff",
        target_entrant=hall.eb,
        remedy="loss",
    )
    assert (ruled.approval, ruled.in_force) == ("approved", True)
    assert (hall.match.state, hall.match.reason) == ("decided", "disqualification")
    rebuilds_equal()


def test_a_penalty_the_match_cannot_take_leaves_nothing_behind(
    hall: Hall, alice: Member, jude: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    ruled = services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="DC-MAJOR",
        target_entrant=hall.ea,
        remedy="loss",
    )
    tournaments.result_enter(hall.olga.context(), match_id=hall.match_id, score=[2, 0, 0])
    refusal = refused(
        lambda: services.penalty_approve(
            hedda.context("judge"), call_id=call_id, ruling_id=ruled.ruling_id
        )
    )
    assert refusal.code == "tournaments.match_decided"
    assert RulingRow.objects.get().approval == "pending"


def test_a_loss_given_after_the_match_waits_for_the_next_one(
    hall: Hall, alice: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    tournaments.result_enter(hall.olga.context(), match_id=hall.match_id, score=[2, 0, 0])
    to_table(hedda, call_id)
    loss: dict[str, Any] = {
        "call_id": call_id,
        "infraction": "DC-MAJOR",
        "target_entrant": hall.ea,
        "remedy": "loss",
    }
    refusal = refused(
        lambda: services.ruling_make(hedda.context("judge"), target="next_game", **loss)
    )
    assert refusal.code == "judging.target_out_of_reach"
    assert refusal.params["allowed"] == ["next_match_first_game"]
    services.ruling_make(hedda.context("judge"), **loss)
    assert RulingRow.objects.get().target == "next_match_first_game"
    waits = LossRow.objects.get()
    assert (waits.entrant_id, waits.kind, waits.state) == (hall.ea, "game_loss", "pending")


def test_a_second_tap_joins_the_open_call(hall: Hall, alice: Member, bob: Member) -> None:
    first = raise_call(alice, hall.match_id)
    second = new_id()
    made = services.call_raise(
        bob.context(), call_id=second, match_id=hall.match_id, kind="ruling", category="lp"
    )
    assert (made.call_id, made.merged) == (first, True)
    row = CallRow.objects.get(pk=second)
    assert (row.state, row.merged_into, row.open) == ("merged", first, False)
    assert CallRow.objects.filter(match_id=hall.match_id, open=True).count() == 1
    assert len(read_stream(f"call-{first}")) == 2
    rebuilds_equal(ROOM)


def test_nothing_goes_on_at_a_table_of_a_cancelled_event(
    hall: Hall, alice: Member, bob: Member, jude: Member
) -> None:
    """A call that was open is closed still; none is raised, nobody acts or writes in a duel, and
    reported results are not taken."""
    desk, of = hall.olga, {"match_id": hall.match_id}
    tournaments.coin_toss(desk.context(), **of, winner="P1")
    tournaments.starter_choose(desk.context(), **of, first="P1")
    duel_id = tournaments.duel_start(desk.context(), **of, seed=7)
    tournaments.result_claim(hall.dora.context(), match_id=hall.other_match, score=[2, 0, 0])
    call_id = raise_call(alice, hall.match_id)
    tournaments.event_cancel(desk.context(), event_id=hall.event_id, note="The hall is flooded.")
    who = {"duel_id": duel_id, "player": hall.seat}
    said = {"statement": "hand_shuffled"}
    for run in (
        lambda: raise_call(bob, hall.match_id),
        lambda: raise_call(jude, hall.other_match),
        lambda: sheet.sheet_start(
            jude.context("judge"), match_id=hall.other_match, call_id=new_id()
        ),
        lambda: duels.act(alice.context(), **who, act={"act": "draw"}),
        lambda: duels.duel_concede(alice.context(), **who),
        lambda: duels.statement_make(alice.context(), **who, statement=said),
        lambda: tournaments.results_accept(desk.context(), event_id=hall.event_id),
    ):
        assert refused(run).code == "tournaments.wrong_state"
    to_table(jude, call_id)
    services.ruling_make(jude.context("judge"), call_id=call_id, note="Go home.")
    services.call_close(jude.context("judge"), call_id=call_id)
    assert CallRow.objects.get(pk=call_id).open is False


def test_of_two_judges_the_second_sees_the_name_of_the_first(
    hall: Hall, alice: Member, jude: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    services.call_claim(jude.context("judge"), call_id=call_id)
    refusal = refused(lambda: services.call_claim(hall.joan.context("judge"), call_id=call_id))
    assert refusal.code == "judging.already_claimed"
    assert refusal.params == {"by": jude.person_id, "name": "Jude"}


def test_a_judge_who_plays_at_the_table_is_a_player_there(hall: Hall, alice: Member) -> None:
    alice.grant("head_judge", hall.event_id)
    judge = Member(alice.person_id, alice.name, "alice")
    call_id = raise_call(alice, hall.match_id)
    refusal = refused(lambda: services.call_claim(judge.context("judge"), call_id=call_id))
    assert refusal.code == "judging.own_match"
    detail = selectors.call_detail(judge.actor, call_id)
    assert (detail.staff, detail.steps) == (False, ())


def test_the_same_command_twice_has_one_effect(hall: Hall, alice: Member, jude: Member) -> None:
    call_id, command_id = new_id(), new_id()
    for _ in range(2):
        made = services.call_raise(
            alice.context(command_id=command_id), call_id=call_id, match_id=hall.match_id
        )
        assert (made.call_id, made.merged) == (call_id, False)
    assert len(read_stream(f"call-{call_id}")) == 1
    to_table(jude, call_id)
    command_id = new_id()
    rulings = {
        services.ruling_make(
            jude.context("judge", command_id=command_id), call_id=call_id
        ).ruling_id
        for _ in range(2)
    }
    assert len(rulings) == 1
    with pytest.raises(CommandReused):
        services.ruling_make(
            jude.context("judge", command_id=command_id), call_id=call_id, note="other"
        )


def test_notes_are_sealed_in_the_log_and_gone_with_the_key(
    hall: Hall, alice: Member, jude: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    services.ruling_make(jude.context("judge"), call_id=call_id, note="Ánh said so.")
    assert not any("said so" in str(one.data) for one in read_stream(f"call-{call_id}"))
    assert selectors.call_detail(jude.actor, call_id).rulings[0].note == "Ánh said so."
    PersonKey.objects.filter(person_id=jude.person_id).delete()
    assert selectors.call_detail(jude.actor, call_id).rulings[0].note is None


def test_the_repeat_aid_counts_the_same_kind_in_this_event_only(
    hall: Hall, alice: Member, jude: Member
) -> None:
    def told(kind: str) -> selectors.Repeat:
        return selectors.repeat(
            jude.actor,
            hall.event_id,
            entrant_id=hall.ea,
            infraction="DC-MINOR",
            infraction_kind=kind,
        )

    assert told("told_apart") == selectors.Repeat(0, None)
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="DC-MINOR",
        infraction_kind="told_apart",
        target_entrant=hall.ea,
        remedy="resolve_now",
    )
    services.call_close(jude.context("judge"), call_id=call_id)
    assert told("told_apart") == selectors.Repeat(1, "game_loss")
    assert told("knocked_over") == selectors.Repeat(0, None)


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"call_id": "no-id"}, "judging.call_id"),
        ({"kind": "tea"}, "judging.unknown_call_kind"),
        ({"category": "tea"}, "judging.unknown_category"),
    ],
)
def test_a_bad_call_is_refused_with_its_code(
    hall: Hall, alice: Member, values: dict[str, str], code: str
) -> None:
    given = {"call_id": new_id(), "match_id": hall.match_id} | values
    assert refused(lambda: services.call_raise(alice.context(), **given)).code == code


def test_an_event_whose_pack_is_not_shipped_says_so(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    from tests.judging.hall import open_hall

    strange = open_hall(olga, alice, bob, jude, hedda, pack="no-such-pack")
    call = {"call_id": new_id(), "match_id": strange.match_id}
    assert refused(lambda: services.call_raise(alice.context(), **call)).code == (
        "judging.unknown_pack"
    )


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"rule_id": "YGO-99.99"}, "judging.unknown_rule"),
        ({"duel_id": "elsewhere"}, "judging.duel_not_of_match"),
        ({"cites": ["\x00"]}, "judging.unknown_cite"),
        ({"remedy": "undo"}, "judging.unknown_remedy"),
        ({"ruling_id": "no-id"}, "judging.ruling_exists"),
        ({"note": "x" * 4001}, "judging.text_too_long"),
        ({"infraction": "DC-MINOR", "remedy": "resolve_now"}, "judging.unknown_entrant"),
    ],
)
def test_a_bad_ruling_is_refused_with_its_code(
    hall: Hall, alice: Member, jude: Member, values: dict[str, Any], code: str
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    assert (
        refused(lambda: services.ruling_make(jude.context("judge"), call_id=call_id, **values)).code
        == code
    )


def test_text_that_cannot_be_kept_is_refused_whole(hall: Hall, alice: Member, jude: Member) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    refusal = refused(
        lambda: services.ruling_make(jude.context("judge"), call_id=call_id, note="a\x00b")
    )
    assert refusal.code == "judging.text_signs"
    before = head_position()
    with pytest.raises(NotCanonical):
        services.ruling_make(jude.context("judge"), call_id=call_id, note="\ud800")
    assert head_position() == before


@pytest.mark.parametrize("call_id", ["", "x", "\x00", "0" * 36])
def test_an_id_that_names_no_call_is_answered_as_hidden(
    hall: Hall, jude: Member, call_id: str
) -> None:
    with pytest.raises(NotAllowed) as fault:
        services.call_claim(jude.context("judge"), call_id=call_id)
    assert fault.value.hidden
    with pytest.raises(NotAllowed) as fault:
        selectors.call_detail(jude.actor, call_id)
    assert fault.value.hidden


def test_time_left_has_its_limits(hall: Hall, alice: Member, jude: Member) -> None:
    call_id = raise_call(alice, hall.match_id)
    services.call_claim(jude.context("judge"), call_id=call_id)
    for seconds in (-1, 6 * 3600 + 1):
        refusal = refused(
            lambda seconds=seconds: services.call_arrive(
                jude.context("judge"), call_id=call_id, time_left_s=seconds
            )
        )
        assert refusal.code == "judging.time_left_range"


def test_give_back_escalate_and_withdraw(
    hall: Hall, alice: Member, bob: Member, jude: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    services.call_claim(jude.context("judge"), call_id=call_id)
    assert services.call_give_back(jude.context("judge"), call_id=call_id).state == "raised"
    made = services.call_escalate(jude.context("judge"), call_id=call_id, note="Above me.")
    assert made.state == "escalated"
    steps = selectors.call_detail(hedda.actor, call_id).steps
    assert [one.text for one in steps if one.what == "call_escalated"] == ["Above me."]
    refusal = refused(lambda: services.call_withdraw(bob.context(), call_id=call_id))
    assert refusal.code == "judging.not_your_call"
    assert services.call_withdraw(alice.context(), call_id=call_id).state == "withdrawn"
    rebuilds_equal(ROOM)
