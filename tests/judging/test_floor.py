"""The floor: tables by their own ends, judges of tables, calls left open, the estimate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from eventstore.domain.refusal import Refusal, Refused
from eventstore.store import read_stream
from judging import floor, selectors, services
from judging.events import CallClosed, LengthStated
from people.access import NotAllowed
from tests.conftest import Member
from tests.helpers import queries, rebuilds_equal
from tests.judging.hall import Hall, at, open_hall, raise_call, to_table
from tournaments import selectors as tournaments
from tournaments import services as play
from tournaments.models import MatchRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]


@pytest.fixture
def hall(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Hall:
    """Round 1 is out, its clock of 40 minutes started at noon."""
    made = open_hall(olga, alice, bob, jude, hedda)
    with at(0):
        play.clock_start(olga.context(), event_id=made.event_id, minutes=40)
    return made


def refused(run: Callable[[], Any]) -> Refusal:
    with pytest.raises(Refused) as caught:
        run()
    return caught.value.refusal


def call_at(hall: Hall, alice: Member, jude: Member, begun: float) -> str:
    """A call of Alice that Jude takes, answers, and does not close."""
    with at(begun):
        call_id = raise_call(alice, hall.match_id)
        to_table(jude, call_id)
        services.ruling_make(jude.context("judge"), call_id=call_id, rule_id="YGO-11.1")
    return call_id


def test_a_closed_call_moves_the_end_of_its_table_everywhere(
    hall: Hall, olga: Member, alice: Member, jude: Member
) -> None:
    call_id = call_at(hall, alice, jude, 10)
    with at(14):
        closed = services.call_close(jude.context("judge"), call_id=call_id)
        assert closed.extension_s == 240
        view = floor.floor_of(jude.actor, hall.event_id)
        assert [one.line.extension_s for one in view.tables] == [0, 240]
        assert [one.time.left_s for one in view.tables if one.time] == [26 * 60, 30 * 60]
        mine = tournaments.table_clock(hall.match)
        assert mine is not None
        assert mine.left_s == 30 * 60
        public = tournaments.pairings(alice.actor, hall.event_id, 1)
        assert {one.match_id: one.extension_s for one in public.tables}[hall.match_id] == 240
    rebuilds_equal("tournaments.board", "judging.calls", "judging.floor")


def test_a_penalty_approved_later_takes_the_extension_back(
    hall: Hall, alice: Member, jude: Member, hedda: Member
) -> None:
    with at(10):
        call_id = raise_call(alice, hall.match_id)
        to_table(jude, call_id)
        made = services.ruling_make(
            jude.context("judge"),
            call_id=call_id,
            infraction="DC-MAJOR",
            infraction_kind="not_told_apart",
            target_entrant=hall.eb,
            remedy="loss",
        )
    with at(14):
        services.call_close(jude.context("judge"), call_id=call_id)
    assert hall.match.extension_s == 240
    with at(15):
        services.penalty_approve(hedda.context("judge"), call_id=call_id, ruling_id=made.ruling_id)
    assert hall.match.extension_s == 0


def test_a_call_left_open_gives_nothing_before_its_real_length_is_stated(
    hall: Hall, alice: Member, bob: Member, jude: Member
) -> None:
    call_id = call_at(hall, alice, jude, 20)
    close = services.call_close
    with at(25):
        assert not selectors.is_left_open(jude.actor, call_id)
    with at(34):
        assert selectors.is_left_open(jude.actor, call_id)
        (item,) = selectors.queue(jude.actor, hall.event_id)
        assert item.forgotten
        why = refused(lambda: close(jude.context("judge"), call_id=call_id))
        assert why == Refusal("judging.real_length_missing", {"open_s": 840, "limit_s": 600})
        by_hand = refused(
            lambda: close(jude.context("judge"), call_id=call_id, extension_s=60, reason="A guess")
        )
        assert by_hand.code == "judging.real_length_missing"
        for wrong in (-1, 841):
            beyond = refused(
                lambda wrong=wrong: close(jude.context("judge"), call_id=call_id, real_s=wrong)
            )
            assert beyond.code == "judging.real_length_range"
        for player in (alice, bob):
            services.ruling_accept(player.context(), call_id=call_id)
        (item,) = selectors.queue(jude.actor, hall.event_id)
        assert item.state == "ruled", "players cannot state its length, so it stays open"
        closed = close(jude.context("judge"), call_id=call_id, real_s=120)
        assert closed.extension_s == 120
    data = [one.data for one in read_stream(f"call-{call_id}")]
    stated = next(one for one in data if isinstance(one, LengthStated))
    assert (stated.open_s, stated.real_s) == (840, 120)
    ended = next(one for one in data if isinstance(one, CallClosed))
    assert (ended.took_s, ended.computed_s) == (120, 120)
    assert hall.match.extension_s == 120


def test_an_open_call_holds_the_end_of_its_table(
    hall: Hall, olga: Member, alice: Member, jude: Member
) -> None:
    call_id = call_at(hall, alice, jude, 26)
    with at(40):
        why = refused(lambda: play.end_start(jude.context("judge"), match_id=hall.match_id))
        assert why.code == "tournaments.table_held"
        assert why.params["forgotten"] is True
        view = floor.floor_of(olga.actor, hall.event_id)
        held = next(one for one in view.tables if one.line.match_id == hall.match_id)
        assert (held.state, held.forgotten, held.call_id) == ("call", True, call_id)
        free = next(one for one in view.tables if one.line.match_id != hall.match_id)
        assert free.state == "due"
    with at(47):
        late = play.slip_enter(
            olga.context("scorekeeper"),
            event_id=hall.event_id,
            number=1,
            line=f"{hall.match.table} 2-0",
        )
        assert not late.late, "while a judge is there nobody is late"


def test_judges_take_tables_and_give_them_back(
    hall: Hall, olga: Member, alice: Member, jude: Member, hedda: Member, charlie: Member
) -> None:
    take = floor.table_assign
    assert take(jude.context("judge"), match_id=hall.match_id) == jude.person_id
    assert take(jude.context("judge"), match_id=hall.match_id) == jude.person_id
    taken = refused(lambda: take(hall.joan.context("judge"), match_id=hall.match_id))
    assert (taken.code, taken.params["name"]) == ("judging.table_taken", "Jude")
    foreign = refused(
        lambda: take(hall.joan.context("judge"), match_id=hall.other_match, judge=jude.person_id)
    )
    assert foreign.code == "judging.table_not_yours"
    view = floor.floor_of(hedda.actor, hall.event_id)
    assert {one.line.match_id: one.judge_name for one in view.tables} == {
        hall.match_id: "Jude",
        hall.other_match: "",
    }
    take(hedda.context("judge"), match_id=hall.match_id, judge=hall.joan.person_id)
    take(hall.joan.context("judge"), match_id=hall.match_id, judge="")
    view = floor.floor_of(hedda.actor, hall.event_id)
    assert not any(one.judge for one in view.tables)
    stranger = refused(
        lambda: take(olga.context(), match_id=hall.match_id, judge=charlie.person_id)
    )
    assert stranger.code == "judging.not_a_judge"
    for who in (charlie, alice):
        with pytest.raises(NotAllowed):
            take(who.context("judge"), match_id=hall.match_id)
        with pytest.raises(NotAllowed):
            floor.floor_of(who.actor, hall.event_id)
    play.result_enter(olga.context(), match_id=hall.match_id, score=[2, 0, 0])
    over = refused(lambda: take(jude.context("judge"), match_id=hall.match_id))
    assert over.code == "judging.table_over"
    rebuilds_equal("judging.floor")


def test_the_estimate_uses_the_slips_of_this_event(hall: Hall, olga: Member) -> None:
    with at(30):
        first = floor.floor_of(olga.actor, hall.event_id).estimate
        assert first is not None
        assert (first.samples, first.usual_s) == (0, 240)
        assert first.at == "2026-05-02T12:44:00.000000Z"
        play.clock_pause(olga.context(), event_id=hall.event_id)
        assert floor.floor_of(olga.actor, hall.event_id).estimate is None
        play.clock_resume(olga.context(), event_id=hall.event_id)
    with at(41):
        for row in MatchRow.objects.all():
            play.result_enter(olga.context(), match_id=row.pk, score=[2, 0, 0])
        view = floor.floor_of(olga.actor, hall.event_id)
        assert (view.tables, view.estimate) == ((), None)


def test_the_floor_costs_the_same_whatever_its_size(
    hall: Hall, jude: Member, olga: Member, client_of: ClientOf
) -> None:
    with at(41):
        with queries(at_most=14):
            floor.floor_of(jude.actor, hall.event_id)
        page = client_of(jude).get(f"/staff/events/{hall.event_id}/floor/")
        body = page.content.decode()
        assert "Chase list" in body
        assert "Dora" in body
        answer = client_of(jude).get(f"/api/v1/events/{hall.event_id}/floor").json()
        assert [one["state"] for one in answer["tables"]] == ["due", "due"]


def test_the_end_of_a_match_is_a_page_and_a_part_of_another(
    hall: Hall, jude: Member, client_of: ClientOf
) -> None:
    client = client_of(jude)
    path = f"/staff/matches/{hall.match_id}/end/"
    with at(39):
        assert "not over yet" in client.get(path).content.decode()
    with at(41):
        part = client.get(path, headers={"HX-Request": "true"}).content.decode()
        assert part.lstrip().startswith("<section")
        assert "<html" not in part
        for act in (
            {"act": "start"},
            {"act": "answer", "question": "score", "answer": "1-0-0"},
            {"act": "answer", "question": "moment", "answer": "in_duel"},
            {"act": "answer", "question": "stop", "answer": "P1"},
        ):
            assert client.post(path, act).status_code == 302, act
        body = client.get(path).content.decode()
        assert "eom.turns_2010@1" in body
        assert "Enter this result" in body
        wrong = client.post(path, {"act": "answer", "question": "stop", "answer": "P1"})
        assert wrong.status_code == 409
        assert client.post(path, {"act": "confirm"}).status_code == 302
    row = hall.match
    assert (row.winner, row.p1_wins, row.reason) == ("P1", 2, "time")


def test_a_table_without_slip_is_settled_on_the_floor(
    hall: Hall, olga: Member, client_of: ClientOf
) -> None:
    path = f"/staff/events/{hall.event_id}/floor/"
    with at(46):
        done = client_of(olga).post(
            path, {"act": "no_slip", "match_id": hall.match_id, "note": "Nobody there"}
        )
        assert done.status_code == 302
    assert hall.match.winner == "double_loss"
