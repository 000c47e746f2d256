"""The clock of a round: started, paused, resumed, put right, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from eventstore import clock as house
from eventstore.domain.refusal import Refusal, Refused
from judging import selectors as judging_reads
from judging import services as judging
from people.access import NotAllowed
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.portal.stage import Stage, set_stage
from tournaments import selectors, services
from tournaments.domain import clock
from tournaments.domain import event as state_of
from tournaments.domain.event import RUNNING, Round, Tournament
from tournaments.domain.round_clock import left, text_of

ZERO = datetime(2026, 7, 4, 9, 0, tzinfo=UTC)
ClientOf = Callable[[Member | None], Client]


def at(seconds: float) -> str:
    return text_of(ZERO + timedelta(seconds=seconds))


def running() -> Tournament:
    return Tournament("e1", status=RUNNING, rounds=(Round(1, "swiss", (), (), published=True),))


def after(state: Tournament, made: object) -> Tournament:
    assert isinstance(made, list), made
    for one in made:
        state = state_of.evolve(state, one)
    return state


def test_a_pause_costs_no_time() -> None:
    state = after(running(), clock.start(running(), seconds=2400, now=at(0)))
    assert left(state.clocks[1], at(60)) == 2340
    state = after(state, clock.pause(state, now=at(60)))
    assert left(state.clocks[1], at(900)) == 2340
    state = after(state, clock.resume(state, now=at(900)))
    assert left(state.clocks[1], at(900)) == 2340
    assert left(state.clocks[1], at(900 + 2341)) == -1
    state = after(state, clock.adjust(state, by_s=300, now=at(900)))
    assert left(state.clocks[1], at(900)) == 2640
    state = after(state, clock.pause(state, now=at(900)))
    state = after(state, clock.adjust(state, by_s=-600, now=at(901)))
    assert left(state.clocks[1], at(2000)) == 2040


def test_seconds_are_rounded_up_while_time_is_left() -> None:
    state = after(running(), clock.start(running(), seconds=60, now=at(0)))
    assert [left(state.clocks[1], at(one)) for one in (0.1, 59.5, 60, 60.5, 61)] == [
        60, 1, 0, 0, -1,
    ]  # fmt: skip


def refused(made: object) -> str:
    assert isinstance(made, Refusal), made
    return made.code


def test_what_cannot_be_done_is_refused() -> None:
    none = Tournament("e1", status=RUNNING)
    assert refused(clock.start(none, seconds=2400, now=at(0))) == "tournaments.clock_no_round"
    assert refused(clock.pause(running(), now=at(0))) == "tournaments.clock_not_started"
    assert refused(clock.adjust(running(), by_s=60, now=at(0))) == "tournaments.clock_not_started"
    for seconds in (0, 59, 6 * 3600 + 1, -5):
        assert refused(clock.start(running(), seconds=seconds, now=at(0))) == (
            "tournaments.clock_length"
        )
    state = after(running(), clock.start(running(), seconds=2400, now=at(0)))
    assert refused(clock.start(state, seconds=2400, now=at(0))) == "tournaments.clock_started"
    assert refused(clock.resume(state, now=at(1))) == "tournaments.clock_running"
    assert refused(clock.adjust(state, by_s=0, now=at(1))) == "tournaments.clock_change"
    paused = after(state, clock.pause(state, now=at(1)))
    assert refused(clock.pause(paused, now=at(2))) == "tournaments.clock_paused"
    over = Tournament("e1", status="finished", rounds=running().rounds)
    assert refused(clock.start(over, seconds=2400, now=at(0))) == "tournaments.wrong_state"


acts = st.lists(
    st.tuples(
        st.sampled_from(["pause", "resume", "more"]), st.integers(0, 500), st.integers(-600, 600)
    ),
    max_size=12,
)


@given(acts=acts)
def test_time_left_is_what_was_given_less_what_has_run(
    acts: list[tuple[str, int, int]],
) -> None:
    """An independent count: every second in which the clock ran takes one away."""
    state = after(running(), clock.start(running(), seconds=3000, now=at(0)))
    now, runs, expected = 0, True, 3000
    for name, wait, change in acts:
        now += wait
        expected -= wait if runs else 0
        if name == "pause":
            made = clock.pause(state, now=at(now))
            assert isinstance(made, list) == runs
            runs = False
        elif name == "resume":
            made = clock.resume(state, now=at(now))
            assert isinstance(made, list) == (not runs)
            runs = True
        else:
            made = clock.adjust(state, by_s=change, now=at(now))
            expected += change if isinstance(made, list) else 0
        state = after(state, made) if isinstance(made, list) else state
        assert left(state.clocks[1], at(now)) == expected


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """Round 2 is on and Alice has called a judge."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


@pytest.fixture
def later() -> Iterator[Callable[[float], None]]:
    """Set the house's clock forward by seconds from now."""
    held = [house.now()]
    begun = held[0]

    def move(seconds: float) -> None:
        held[0] = begun + timedelta(seconds=seconds)

    with house.clock_set(lambda: held[0]):
        yield move


@pytest.mark.django_db
def test_the_desk_runs_the_clock_and_everybody_reads_it(
    stage: Stage, client_of: ClientOf, olga: Member, alice: Member
) -> None:
    desk, page = client_of(olga), f"/staff/events/{stage.event_id}/"
    assert "Start the clock" in desk.get(page).content.decode()
    assert desk.post(page, {"act": "clock_start", "minutes": "0"}).status_code == 409
    assert desk.post(page, {"act": "clock_start", "minutes": "40"}).status_code == 302
    for member, path in (
        (None, f"/events/{stage.event_id}/"),
        (None, f"/events/{stage.event_id}/pairings/"),
        (alice, f"/my/{stage.event_id}/"),
        (olga, page),
    ):
        body = client_of(member).get(path).content.decode()
        assert 'data-seconds-left="2' in body, path
    assert desk.post(page, {"act": "clock_pause"}).status_code == 302
    body = client_of(None).get(f"/events/{stage.event_id}/").content.decode()
    assert "paused" in body
    assert "data-seconds-left" not in body
    assert desk.post(page, {"act": "clock_more", "minutes": "5"}).status_code == 302
    assert desk.post(page, {"act": "clock_resume"}).status_code == 302
    held = selectors.round_clock(olga.actor, stage.event_id)
    assert held is not None
    assert 2690 <= held.left_s <= 2700
    rebuilds_equal("tournaments.board")


@pytest.mark.django_db
def test_the_clock_belongs_to_the_desk_and_the_head_judge(
    stage: Stage, alice: Member, charlie: Member, jude: Member, hedda: Member
) -> None:
    for member in (alice, charlie, jude):
        with pytest.raises(NotAllowed):
            services.clock_start(member.context(), event_id=stage.event_id, minutes=40)
    services.clock_start(hedda.context(), event_id=stage.event_id, minutes=40)
    with pytest.raises(Refused) as twice:
        services.clock_start(hedda.context(), event_id=stage.event_id, minutes=50)
    assert twice.value.refusal.code == "tournaments.clock_started"


@pytest.mark.django_db
def test_a_call_takes_the_table_clock_by_itself(
    stage: Stage,
    olga: Member,
    jude: Member,
    alice: Member,
    client_of: ClientOf,
    later: Callable[[float], None],
) -> None:
    """3:00 left and 7:00 spent gives 3:00; the second call counts on from there."""
    services.clock_start(olga.context(), event_id=stage.event_id, minutes=40)
    later(37 * 60)
    judging.call_claim(jude.context(), call_id=stage.call_id)
    assert judging_reads.table_clock(jude.actor, stage.call_id) == 180
    judging.call_arrive(jude.context(), call_id=stage.call_id)
    later(44 * 60)
    judging.ruling_make(jude.context(), call_id=stage.call_id, rule_id="YGO-11.1")
    closed = judging.call_close(jude.context(), call_id=stage.call_id)
    assert closed.extension_s == 180
    assert judging_reads.table_clock(jude.actor, stage.call_id) == 180 - 7 * 60 + 180
    panel = client_of(alice).get(f"/my/{stage.event_id}/judge/panel/").content.decode()
    assert "Your table plays 3 minutes longer" in panel
