"""The clocks of open calls stand while the server is away."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from eventstore.clock import as_text
from eventstore.commands import Context
from eventstore.domain.refusal import Refused
from judging import floor, selectors, services
from judging import selectors_sheet as sheets
from people.domain.actor import SYSTEM
from tests.conftest import Member
from tests.judging.hall import NOON, Hall, at, raise_call, to_table
from tournaments import services as tournaments
from tournaments.selectors import spans_of

pytestmark = pytest.mark.django_db


def away(hall: Hall, since: float, until: float) -> None:
    """Let the server have been away for these minutes after noon."""
    tournaments.outage_notice(
        Context(SYSTEM, "system"),
        event_id=hall.event_id,
        since=as_text(NOON + timedelta(minutes=since)),
        until=as_text(NOON + timedelta(minutes=until)),
        seconds=round((until - since) * 60),
        copy=False,
    )


def test_a_call_that_waited_through_an_outage_has_waited_as_long_as_the_server_was_there(
    hall: Hall, alice: Member, jude: Member, client_of: object
) -> None:
    with at(0):
        tournaments.clock_start(hall.olga.context(), event_id=hall.event_id, minutes=40)
    with at(1):
        call_id = raise_call(alice, hall.match_id)
    with at(12):
        away(hall, 2, 11)
        (line,) = selectors.queue(jude.actor, hall.event_id)
        assert (line.call_id, line.waited_s) == (call_id, 120)
        seen = sheets.waiting(hall.olga.actor, hall.event_id)
        assert (seen.number, seen.oldest) == (1, 2)
        client = client_of(jude)  # type: ignore[operator]
        assert isinstance(client, Client)
        page = client.get(f"/staff/calls/{call_id}/").content.decode()
        assert "2 minutes" in page
        assert "11 minutes" not in page


def test_a_table_with_a_result_and_an_open_call_is_not_done(hall: Hall, alice: Member) -> None:
    with at(0):
        for match_id in (hall.match_id, hall.other_match):
            tournaments.result_enter(hall.olga.context(), match_id=match_id, score=[2, 0, 0])
        away(hall, -20, -10)
        assert spans_of(hall.event_id) == ()  # every table was done
        raise_call(alice, hall.match_id)
        away(hall, 2, 11)
        assert len(spans_of(hall.event_id)) == 1


def test_a_call_at_the_table_gives_what_it_took_without_the_outage(
    hall: Hall, alice: Member, bob: Member, jude: Member
) -> None:
    with at(0):
        tournaments.clock_start(hall.olga.context(), event_id=hall.event_id, minutes=40)
        call_id = raise_call(alice, hall.match_id)
        to_table(jude, call_id, time_left_s=2400)
    with at(13):
        away(hall, 2, 11)
        # thirteen minutes by the wall, four by the clock of the call: nobody forgot it
        assert not selectors.is_left_open(jude.actor, call_id)
        assert sheets.forgotten_calls(jude.actor, hall.event_id) == ()
        view = floor.floor_of(jude.actor, hall.event_id)
        assert [one.forgotten for one in view.tables if one.call_id] == [False]
        shown = sheets.sheet(jude.actor, hall.match_id).watch
        assert shown is not None
        assert shown.gone == 240
        services.ruling_make(jude.context("judge"), call_id=call_id, rule_id="YGO-16.1")
        assert selectors.extension_preview(jude.actor, call_id).took_s == 240
        services.call_close(jude.context("judge"), call_id=call_id)
        closed = selectors.call_detail(jude.actor, call_id)
        assert (closed.took_s, closed.extension_s) == (240, 240)
        assert hall.match.extension_s == 240


def test_a_call_that_was_left_open_beside_an_outage_states_a_length_within_it(
    hall: Hall, alice: Member, jude: Member
) -> None:
    with at(0):
        call_id = raise_call(alice, hall.match_id)
        to_table(jude, call_id)
        services.ruling_make(jude.context("judge"), call_id=call_id, rule_id="YGO-16.1")
    with at(25):
        away(hall, 2, 11)
        assert selectors.is_left_open(jude.actor, call_id)
        ((_, minutes),) = sheets.forgotten_calls(jude.actor, hall.event_id)
        assert minutes == 16
        with pytest.raises(Refused) as missing:
            services.call_close(jude.context("judge"), call_id=call_id)
        assert missing.value.refusal.params["open_s"] == 16 * 60
        with pytest.raises(Refused) as longer:
            services.call_close(jude.context("judge"), call_id=call_id, real_s=17 * 60)
        assert longer.value.refusal.params["allowed"] == 16 * 60
        # a length that is stated is taken as it is, also where it reaches into the outage
        services.call_close(jude.context("judge"), call_id=call_id, real_s=300)
        assert selectors.call_detail(jude.actor, call_id).took_s == 300
