"""The server was away while a round was on: noticed once, offered, given, taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from eventstore import clock as house
from eventstore.commands import Context
from eventstore.domain.absence import Absence
from eventstore.domain.refusal import Refusal, Refused
from people.access import NotAllowed
from people.domain.actor import SYSTEM
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import selectors, services
from tournaments.domain import clock, outage
from tournaments.domain import event as state_of
from tournaments.domain.away import counted_from, overlap_s
from tournaments.domain.event import RUNNING, Round, Tournament
from tournaments.domain.outage import Away
from tournaments.domain.round_clock import left, text_of
from tournaments.models import MatchRow, OutageRow
from tournaments.services.outages import notice_all

ZERO = datetime(2026, 7, 4, 14, 0, tzinfo=UTC)


def at(seconds: float) -> str:
    return text_of(ZERO + timedelta(seconds=seconds))


def after(state: Tournament, made: object) -> Tournament:
    assert isinstance(made, list), made
    for one in made:
        state = state_of.evolve(state, one)
    return state


def playing() -> Tournament:
    state = Tournament("e1", status=RUNNING, rounds=(Round(1, "swiss", (), (), published=True),))
    return after(state, clock.start(state, seconds=2400, now=at(0)))


def away(since: float, until: float, seconds: int | None, **more: Any) -> Away:
    return Away(at(since), at(until), seconds, more.get("copy", False))


def noticed(state: Tournament, told: Away, outage_id: str = "o1", open_tables: int = 4) -> Any:
    return outage.notice(state, told, outage_id=outage_id, open_tables=open_tables)


def given(state: Tournament, outage_id: str = "o1", **values: Any) -> Any:
    usual: dict[str, Any] = {"given_s": 0, "length_s": None, "tables": (), "now": at(2000)}
    return outage.settle(state, outage_id=outage_id, **{**usual, **values})


def test_spans_stop_a_clock_that_began_before_or_within_them() -> None:
    spans = [(at(100), at(640)), (at(1000), at(1100))]
    assert overlap_s(spans, at(0), at(50)) == 0
    assert overlap_s(spans, at(0), at(340)) == 240
    assert overlap_s(spans, at(200), at(5000)) == 440 + 100
    assert counted_from(spans, at(0), at(700)) == at(540)
    assert counted_from(spans, at(700), at(900)) == at(700)
    # since the server is back the clock runs again, whole
    assert overlap_s(spans, at(640), at(1000)) == 0


def test_nine_minutes_for_all_put_the_clock_where_it_stood() -> None:
    state = playing()
    before = left(state.clocks[1], at(600))
    state = after(state, noticed(state, away(600, 1140, 540)))
    assert left(state.clocks[1], at(1140)) == before - 540
    # another process of the server, and the same again
    assert noticed(state, away(600, 1141, 541), "o2") == []
    state = after(state, given(state, given_s=540))
    assert left(state.clocks[1], at(1140)) == before
    again = given(state, given_s=540)
    assert again == Refusal("tournaments.outage_settled", {"minutes": 9})
    state = after(state, outage.reopen(state, outage_id="o1", now=at(1200)))
    assert left(state.clocks[1], at(1140)) == before - 540
    assert state.outages[0].waits
    assert outage.reopen(state, outage_id="o1", now=at(1200)) == Refusal("tournaments.outage_waits")


def test_a_clock_that_went_back_needs_the_length_and_is_put_right_with_it() -> None:
    state = playing()
    before = left(state.clocks[1], at(600))
    wrong = after(state, noticed(state, away(600, -86400, None)))
    assert left(wrong.clocks[1], at(-86400)) > 86400  # no sense, until it is settled
    assert given(wrong, given_s=540) == Refusal(
        "tournaments.outage_length", {"found": None, "allowed": 168}
    )
    settled = after(wrong, given(wrong, given_s=300, length_s=540, now=at(-86400)))
    assert left(settled.clocks[1], at(-86400)) == before - 540 + 300
    # or the machine's clock is set right before anybody decides: then it is known
    right = after(wrong, noticed(wrong, away(-86000, 1140, 0), "o2"))
    (one,) = right.outages
    assert (one.outage_id, one.since, one.until, one.seconds) == ("o1", at(600), at(1140), 540)
    assert left(after(right, given(right, given_s=540)).clocks[1], at(1140)) == before


def test_a_clock_that_was_only_set_takes_no_time_and_gives_the_round_its_own_back() -> None:
    state = playing()
    before = left(state.clocks[1], at(605))
    state = after(state, noticed(state, away(600, 7805, 0)))
    state = after(state, given(state))
    assert abs(left(state.clocks[1], at(7805)) - before) <= 5


def test_what_is_refused_and_what_is_of_no_matter() -> None:
    state = playing()
    assert noticed(state, away(600, 1140, 540), open_tables=0) == []
    assert noticed(replace(state, status="finished"), away(600, 1140, 540)) == []
    state = after(state, noticed(state, away(600, 1140, 540)))
    unknown = given(state, "o9")
    assert isinstance(unknown, Refusal)
    assert unknown.code == "tournaments.outage_unknown"
    for seconds in (-1, 3 * 3600 + 1):
        refused = given(state, given_s=seconds)
        assert isinstance(refused, Refusal)
        assert refused.code == "tournaments.outage_time"
    more = replace(state, rounds=(*state.rounds, Round(2, "swiss", (), (), published=True)))
    assert given(more, given_s=540) == Refusal(
        "tournaments.outage_past", {"found": 1, "allowed": 2}
    )
    # without a clock there is none to move; nothing can be said all the same
    bare = Tournament("e1", status=RUNNING, rounds=state.rounds)
    bare = after(bare, noticed(bare, away(600, 1140, 540)))
    assert given(bare, given_s=540) == Refusal("tournaments.clock_not_started", {"round": 1})
    assert not after(bare, given(bare)).outages[0].waits
    # a clock that was paused stood still by itself
    paused = playing()
    paused = after(paused, clock.pause(paused, now=at(300)))
    paused = after(paused, noticed(paused, away(600, 1140, 540)))
    assert after(paused, given(paused)).clocks[1].left_s == 2100


def silence(since: float, until: float, **more: Any) -> None:
    notice_all(Absence(at(since), at(until), round(until - since), more.get("copy", False)))


@pytest.mark.pg
@pytest.mark.django_db
def test_the_desk_gives_time_by_page_and_takes_it_back(
    make_event: Callable[..., Running],
    client_of: Callable[[Member | None], Client],
    olga: Member,
    charlie: Member,
) -> None:
    event = make_event(6, start=True)
    idle = make_event(4, start=True)  # no round is on there
    with house.clock_set(lambda: ZERO):
        event.pair()
        event.run(services.clock_start, minutes=40)
    one, two, done = event.matches(1)
    services.result_enter(event.staff(), match_id=done.pk, score=[2, 0, 0])
    client = client_of(olga)
    page = f"/staff/events/{event.event_id}/outage/"

    def post(act: str, **values: str) -> Any:
        row = OutageRow.objects.get(event_id=event.event_id)
        return client.post(page, {"act": act, "outage_id": row.pk, **values})

    def clocks() -> tuple[int, int]:
        held = selectors.round_clock(SYSTEM, event.event_id)
        table = selectors.table_clock(MatchRow.objects.get(pk=one.pk))
        assert held is not None
        assert table is not None
        return held.left_s // 60, table.left_s // 60

    with house.clock_set(lambda: ZERO + timedelta(minutes=32)):
        silence(23 * 60, 32 * 60, copy=True)
        silence(23 * 60, 32 * 60 + 2, copy=True)
        assert not OutageRow.objects.filter(event_id=idle.event_id).exists()
        desk = client.get(f"/staff/events/{event.event_id}/").content.decode()
        assert "The server was away from 14:23 to 14:32 (9 minutes)." in desk
        assert "Nothing after 14:23:00 is here" in desk
        slips = client.get(page).content.decode()
        slips = slips[slips.index('id="slips"') :]
        assert {f"?match={row.pk}#entry" in slips for row in (one, two)} == {True}
        assert f"?match={done.pk}#entry" not in slips
        assert client_of(charlie).get(page).status_code == 403
        assert clocks() == (8, 8)
        for typed in ("", "-5", "nine", "9" * 9):  # never taken for nothing
            assert post("give", minutes=typed).status_code == 409
            assert post("some", minutes=typed, tables=f"{one.table}").status_code == 409
        assert post("give", minutes="9").status_code == 302
        assert clocks() == (17, 17)
        assert (
            "The server was away"
            not in client.get(f"/staff/events/{event.event_id}/").content.decode()
        )
        assert "All tables: +9:00" in client.get(page).content.decode()
        assert post("give", minutes="9").status_code == 409
        assert post("reopen").status_code == 302
        assert clocks() == (8, 8)
        # a table alone, by its number; no table of the round is said so
        assert post("some", minutes="9", tables="99").status_code == 409
        assert post("some", minutes="9", tables=str(done.table)).status_code == 409
        assert post("some", minutes="9", tables="").status_code == 409
        assert post("some", minutes="9", tables=f"{one.table}").status_code == 302
        assert clocks() == (8, 17)
        post("reopen")
        assert clocks() == (8, 8)
        client.get(page)  # has said what was done until now
        assert post("some", minutes="0", tables=f"{one.table}").status_code == 302
        told = client.get(page).content.decode()
        assert "Nothing was given for the outage." in told
        assert "The tables you named have more time." not in told
        post("reopen")
        assert post("nothing").status_code == 302
        assert clocks() == (8, 8)
        row = OutageRow.objects.get(event_id=event.event_id)
        with pytest.raises(NotAllowed):
            services.outage_reopen(charlie.context(), event_id=event.event_id, outage_id=row.pk)
    rebuilds_equal("tournaments.hall", "tournaments.board", "portal.live")


@pytest.mark.django_db
def test_nobody_was_late_and_no_offer_ran_out_while_the_server_was_away(
    make_event: Callable[..., Running],
) -> None:
    event = make_event(4, start=True)
    with house.clock_set(lambda: ZERO):
        event.pair()
        event.run(services.clock_start, minutes=40)
    match = event.matches(1)[0]
    with house.clock_set(lambda: ZERO + timedelta(minutes=1)):
        services.player_miss(event.staff(), match_id=match.pk, seat="P1")
    with house.clock_set(lambda: ZERO + timedelta(minutes=11)):
        silence(60, 660)
        view = selectors.tardy_tables(SYSTEM, event.event_id)
        assert view is not None
        assert view.minutes == 1
        with pytest.raises(Refused) as early:
            services.tardiness_confirm(
                event.staff(), match_id=match.pk, seat="P1", kind="game_loss"
            )
        assert early.value.refusal.code == "tournaments.tardy_early"
    with house.clock_set(lambda: ZERO + timedelta(minutes=13)):
        services.tardiness_confirm(event.staff(), match_id=match.pk, seat="P1", kind="game_loss")

    # a seat kept for ten minutes, of which the server was away nine
    door = make_event(2)
    with house.clock_set(lambda: ZERO):
        door.run(services.door_set, changes={"capacity": 2, "offer_minutes": 10})
        kept = door.run(services.entrant_enrol, display_name="Wanda")
        door.run(services.entrant_drop, entrant_id=door.entrants["Alice"])
    with house.clock_set(lambda: ZERO + timedelta(minutes=12)):
        silence(60, 600)
        assert [one.name for one in selectors.waiting_list(SYSTEM, door.event_id)] == ["Wanda"]
        services.offers_settle(Context(SYSTEM, "system"), event_id=door.event_id)
        door.run(services.offer_accept, entrant_id=kept.entrant_id)
        (row,) = OutageRow.objects.filter(event_id=door.event_id)
        assert row.round == 0
    rebuilds_equal("tournaments.door")
