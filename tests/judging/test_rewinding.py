"""The rewind planner: four questions, lots, the sheet that is signed, and the way back."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.domain import rewind
from duels.domain.events import LotDrawn, Rewound, seat
from duels.domain.instruments.repair import plan
from duels.domain.lots import draw_lot
from duels.rules.yugioh import bot
from duels.rules.yugioh.duel import evolve, fold
from duels.rules.yugioh.instruments.walk import walk
from duels.rules.yugioh.rewinding import decide_rewind
from duels.selectors import duel_state
from duels.services import act, statement_make
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import new_id
from eventstore.store import read_stream
from judging import rewinding, services
from judging.domain.rewinding import QUESTIONS, answer_of, forbidden, newest_rewind, read_checklist
from judging.models import RulingRow
from judging.sheet import sheet_undo
from people.access import NotAllowed
from people.domain.actor import Actor
from people.domain.roles import Role
from tests.conftest import Member
from tests.duels.made import opening
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, raise_call, to_table
from tests.judging.material import house
from tests.judging.test_rewind import Duel, duel  # noqa: F401
from tests.sizes import SIZES
from tournaments import services as tournaments

ClientOf = Callable[..., Client]
YES = dict.fromkeys(QUESTIONS, True)


def test_the_gravest_no_decides() -> None:
    assert answer_of(YES) == "simple"
    assert answer_of({**YES, "nothing_decided": False}) == "possible"
    both = {**YES, "nothing_decided": False, "nothing_learned": False}
    assert answer_of(both) == "information_leaked"
    assert answer_of({**both, "no_chance": False}) == "not_restorable"
    assert answer_of({**YES, "told_apart": False}) == "not_restorable"


@pytest.mark.parametrize(
    "given", [{}, {**YES, "told_apart": None}, {**YES, "told_apart": "yes"}, {**YES, "more": True}]
)
def test_four_questions_have_four_answers(given: dict[str, Any]) -> None:
    refused = read_checklist(given)
    assert isinstance(refused, Refusal)
    assert refused.code == "judging.checklist_incomplete"


def test_a_pack_may_forbid_what_leaves_somebody_wiser() -> None:
    pack = house()
    assert forbidden("not_restorable", pack) is None
    pack = replace(pack, rewind=replace(pack.rewind, info_gain="forbid"))
    assert forbidden("possible", pack) is None
    refused = forbidden("information_leaked", pack)
    assert refused is not None
    assert refused.params["pack"] == pack.ref


@settings(max_examples=SIZES.examples_slow)
@given(st.integers(0, 10**9), st.data())
def test_acts_rewinds_and_undone_rewinds_leave_the_effective_prefix(
    seed: int, data: st.DataObject
) -> None:
    """Whatever is played, taken back by a plan with its lots, and brought back: the table is that
    of the lines in force, and no line is ever gone or changed."""
    log: list[DomainEvent] = list(opening(seed, mode="recorded"))
    table, rng = fold(log), random.Random(seed)
    held: list[tuple[int, Any]] = []
    for step in data.draw(st.lists(st.sampled_from(["play", "back", "undo"]), max_size=7)):
        before = list(log)
        if step == "play":
            table, more = bot.play(table, rng, most=12)
            log += more
        elif step == "back":
            to = data.draw(st.integers(1, len(log) - 1))
            made = plan(walk(log), to)
            assert not isinstance(made, Refusal)
            alike = {one.card.owner: one.random_of for one in made.returns if one.random_of}
            for owner, of in alike.items():
                lot = draw_lot(seat(owner), of, 1, seed=str(seed), by="j")
                assert isinstance(lot, LotDrawn)
                log.append(lot)
                table = evolve(table, lot)
            was = table.table
            event = decide_rewind(table, to, authorised_by="j")
            assert isinstance(event, Rewound)
            log.append(event)
            table = evolve(table, event)
            held.append((len(log), was))
            assert [one.seq for one in made.events] == [
                seq for seq in reversed(event.reversed) if seq <= len(before)
            ]
            assert table.table == fold(log[:to]).table
        else:
            newest = newest_rewind([line for line, _ in held], rewind.struck(log))
            if newest is None:
                continue
            event = decide_rewind(table, newest - 1, authorised_by="j")
            assert isinstance(event, Rewound)
            log.append(event)
            table = evolve(table, event)
            assert table.table == next(was for line, was in held if line == newest)
            held = [one for one in held if one[0] != newest]
        assert log[: len(before)] == before, "nothing is deleted"
        in_force = [log[seq - 1] for seq in rewind.effective(log)]
        assert table.table == fold(in_force).table


def sign(judge: Member, call_id: str, **values: Any) -> services.Ruled:
    given: dict[str, Any] = {"remedy": "rewind", "note": "The chance to answer was skipped."}
    return services.ruling_make(judge.context("judge"), call_id=call_id, **given | values)


@pytest.mark.django_db
def test_a_rewind_is_signed_read_and_undone_on_the_page(
    hall: Hall,
    duel: Duel,  # noqa: F811
    alice: Member,
    charlie: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
) -> None:
    call_id = raise_call(alice, hall.match_id, category="skipped_answer")
    to_table(hedda, call_id)
    page, before = f"/staff/calls/{call_id}/rewind/", read_stream(f"duel-{duel.duel_id}")
    head = len(before)
    seen = client_of(jude).get(page, {"line": str(head)}).content.decode()
    assert f"Back to before line {head}" in seen
    assert "Only the head judge signs a rewind" in seen
    assert client_of(alice).get(page).status_code == 403
    assert client_of(charlie).get(page).status_code == 404
    chief = client_of(hedda)
    sent = {"act": "sign", "duel_id": duel.duel_id, "line": str(head), "rule_id": "YGO-17.9"}
    refused = chief.post(page, {**sent, "nonce": new_id(), "note": " "})
    assert refused.status_code == 409
    assert "Say why" in refused.content.decode()
    done = chief.post(page, {**sent, "nonce": new_id(), "note": "skipped"}, follow=True)
    told = done.content.decode()
    assert f"Play went back to line {head - 1}" in told
    assert "Undo this rewind" in told
    (sheet,) = rewinding.sheets(hedda.actor, call_id)
    assert (sheet.to, sheet.events, sheet.undoable) == (head - 1, 1, True)
    ruling = {"act": "undo", "ruling_id": sheet.ruling_id, "reason": "The wrong line"}
    assert client_of(jude).post(page, {**ruling, "nonce": new_id()}).status_code == 403
    undone = chief.post(page, {**ruling, "nonce": new_id()}, follow=True).content.decode()
    assert "Undone by Hedda" in undone
    raw = read_stream(f"duel-{duel.duel_id}")
    assert raw[:head] == before
    assert [one.type for one in raw[head:]] == ["duels.rewound", "duels.rewound"]
    assert rewind.effective([one.data for one in raw]) == list(range(1, head + 1))
    for values, code in (
        ({}, "judging.rewind_undone"),
        ({"ruling_id": new_id()}, "judging.no_rewind"),
        ({"reason": " "}, "judging.reason_missing"),
    ):
        with pytest.raises(Refused) as fault:
            given = {"ruling_id": sheet.ruling_id, "reason": "Again", **values}
            rewinding.rewind_undo(hedda.context("judge"), call_id=call_id, **given)
        assert fault.value.refusal.code == code


@pytest.mark.django_db
def test_rewinds_are_undone_newest_first_and_never_past_the_score(
    hall: Hall,
    duel: Duel,  # noqa: F811
    alice: Member,
    hedda: Member,
) -> None:
    def undo(ruling_id: str) -> int:
        return rewinding.rewind_undo(
            hedda.context("judge"), call_id=call_id, ruling_id=ruling_id, reason="wrong"
        )

    ids = []
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda, call_id)
    ids.append(sign(hedda, call_id, rewind_to=len(read_stream(f"duel-{duel.duel_id}")) - 1))
    services.call_close(hedda.context("judge"), call_id=call_id)
    act(
        duel.player.context(), duel_id=duel.duel_id, player="P1",
        act={"act": "enter_phase", "phase": "main1"},
    )  # fmt: skip
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda, call_id)
    ids.append(sign(hedda, call_id, rewind_to=len(read_stream(f"duel-{duel.duel_id}")) - 1))
    with pytest.raises(Refused) as fault:
        undo(ids[0].ruling_id)
    assert fault.value.refusal.code == "judging.rewind_not_newest"
    before = duel_state(duel.duel_id).table
    undo(ids[1].ruling_id)
    assert duel_state(duel.duel_id).table != before
    undo(ids[0].ruling_id)
    assert [one.undone_by_name for one in rewinding.sheets(hedda.actor, call_id)] == ["Hedda"] * 2
    assert rebuilds_equal("judging.calls") == 1


@pytest.mark.django_db
def test_cards_nobody_can_tell_apart_go_back_by_lot(
    hall: Hall, alice: Member, bob: Member, hedda: Member
) -> None:
    desk, match_id = hall.olga, hall.match_id
    tournaments.coin_toss(desk.context(), match_id=match_id, winner="P1")
    tournaments.starter_choose(desk.context(), match_id=match_id, first="P1")
    duel_id = tournaments.duel_start(desk.context(), match_id=match_id, seed=7, mode="recorded")
    player = alice if hall.seat == "P1" else bob
    act(player.context(), duel_id=duel_id, player="P1", act={"act": "draw"})
    to = len(read_stream(f"duel-{duel_id}")) - 1
    statement_make(
        player.context(), duel_id=duel_id, player="P1", statement={"statement": "hand_shuffled"}
    )
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda, call_id)
    sign(hedda, call_id, duel_id=duel_id, rewind_to=to)
    (sheet,) = rewinding.sheets(hedda.actor, call_id)
    (lot,) = sheet.lots
    assert (lot["player"], lot["of"], lot["back_to"]) == ("P1", 6, "P1.deck.1")
    raw = read_stream(f"duel-{duel_id}")
    drawn = raw[lot["line"] - 1].data
    assert isinstance(drawn, LotDrawn)
    assert (drawn.ruling, list(drawn.drawn)) == (sheet.ruling_id, [lot["place"]])
    assert raw[-1].type == "duels.rewound"


@pytest.mark.django_db
def test_without_a_full_log_four_answers_stand_with_the_ruling(
    hall: Hall, alice: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda, call_id)
    page = f"/staff/calls/{call_id}/rewind/"
    four = dict.fromkeys(QUESTIONS, "yes") | {"nothing_decided": "no"}
    chief = client_of(hedda)
    assert "Four questions" in chief.get(page).content.decode()
    asked = chief.get(page, four).content.decode()
    assert "Possible: for the head judge" in asked
    assert "Sign the rewind" in asked
    sent = {"act": "sign", "rule_id": "YGO-17.9", "note": "One act ago", **four}
    missing = {key: value for key, value in sent.items() if key != "no_chance"}
    assert chief.post(page, {**missing, "nonce": new_id()}).status_code == 409
    assert chief.post(page, {**sent, "nonce": new_id()}).status_code == 302
    assert "Play went back, by the four questions" in chief.get(page).content.decode()
    kept = chief.get(f"/api/v1/calls/{call_id}/rewinds").json()["results"]
    assert [(one["answer"], one["to"]) for one in kept] == [("possible", None)]
    assert kept[0]["checklist"] == {**YES, "nothing_decided": False}
    with pytest.raises(Refused) as fault:
        rewinding.rewind_undo(
            hedda.context("judge"), call_id=call_id, ruling_id=kept[0]["ruling_id"], reason="x"
        )
    assert fault.value.refusal.code == "judging.no_rewind"


@pytest.mark.django_db
def test_who_plays_at_the_table_plans_nothing_there(hall: Hall, alice: Member) -> None:
    call_id = raise_call(alice, hall.match_id)
    roles = {hall.event_id: frozenset({Role.HEAD_JUDGE})}
    playing = Actor(person_id=alice.person_id, signed_in=True, event_roles=roles)
    with pytest.raises(NotAllowed):
        rewinding.planner(playing, call_id)
    with pytest.raises(NotAllowed):
        rewinding.planner(replace(playing, person_id=new_id(), event_roles={}), call_id)
    with pytest.raises(NotAllowed):
        rewinding.planner(playing, "no-id")


@pytest.mark.django_db
def test_an_appeal_is_decided_by_a_rewind_and_not_undone_by_the_way(
    hall: Hall,
    duel: Duel,  # noqa: F811
    alice: Member,
    jude: Member,
    hedda: Member,
    client_of: ClientOf,
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    services.ruling_make(jude.context("judge"), call_id=call_id, rule_id="YGO-17.9")
    services.call_appeal(alice.context(), call_id=call_id, reason="It was illegal")
    services.call_claim(hedda.context("judge"), call_id=call_id)
    page = f"/staff/calls/{call_id}/rewind/"
    head = len(read_stream(f"duel-{duel.duel_id}"))
    chief = client_of(hedda)
    assert "Decision on the appeal" in chief.get(page).content.decode()
    nonce = new_id()
    sent = {"act": "sign", "duel_id": duel.duel_id, "line": str(head - 1), "note": "Two acts ago"}
    assert chief.post(page, {**sent, "outcome": "overturned", "nonce": nonce}).status_code == 302
    first, second = RulingRow.objects.order_by("at", "ruling_id")
    outcomes = {(one.remedy, one.outcome, one.final) for one in (first, second)}
    assert outcomes == {("play_on", "overturned", True), ("rewind", "", True)}
    (sheet,) = rewinding.sheets(hedda.actor, call_id)
    assert (sheet.to, sheet.events) == (head - 2, 2)
    with pytest.raises(Refused, match="undo_rewound"):
        sheet_undo(hedda.context("judge"), match_id=hall.match_id, command_id=nonce)
