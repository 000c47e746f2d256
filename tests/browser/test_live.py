"""Pages that follow what happens, in a real browser: nothing is loaded anew by hand."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from eventstore.ids import new_id
from judging import services as judging
from people.services import role_end
from tests.browser.harness import Site, check_page, watch
from tests.conftest import Member, make_member
from tests.portal.stage import Stage, player, set_stage
from tournaments import services
from tournaments.models import MatchRow

WON = {"P1": [2, 0, 0], "P2": [0, 2, 0]}
OTHER = {"P1": "P2", "P2": "P1"}
SOON = 30_000
"""Milliseconds: the server hears of a commit of another process within a second."""


@pytest.fixture
def cast(site: Site) -> dict[str, Member]:
    """The cast on the database of the site."""
    made = {
        name.lower(): make_member(number, name, account=number > 2)
        for number, name in ((1, "Alice"), (2, "Bob"), (4, "Olga"), (5, "Jude"), (6, "Hedda"))
    }
    made["olga"].grant("organiser")
    return made


def _stage(cast: dict[str, Member], **settings: Any) -> Stage:
    return set_stage(
        cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"], **settings
    )


def _never_reloaded(page: Page) -> None:
    page.evaluate("window.here = true")


def _still_there(page: Page) -> bool:
    return page.evaluate("window.here === true") is True


def _other_table(stage: Stage) -> MatchRow:
    rows = MatchRow.objects.filter(event_id=stage.event_id, round=2, winner="")
    return rows.exclude(pk=stage.match_id).order_by("table")[0]


@pytest.mark.parametrize("device", ["phone", "desk"])
def test_pairings_standings_and_desk_follow_a_result(
    site: Site, cast: dict[str, Member], device: str
) -> None:
    stage = _stage(cast)
    table = _other_table(stage)
    pairings = site.open(f"/events/{stage.event_id}/pairings/", device=device)
    standings = site.open(f"/events/{stage.event_id}/standings/", device=device)
    desk = site.open(f"/staff/events/{stage.event_id}/", member=cast["olga"], device=device)
    for page in (pairings, standings, desk):
        _never_reloaded(page)
    line = pairings.get_by_role("row").filter(
        has=pairings.locator(".plate", has_text=str(table.table))
    )
    loser = standings.locator(f"#place-{table.p2}")
    before = loser.text_content() or ""
    open_tables = desk.get_by_role("table", name="Open tables").get_by_role("row").count()
    expect(line).not_to_contain_text("2")
    services.result_enter(cast["olga"].context(), match_id=table.pk, score=[2, 0, 0])
    expect(line).to_contain_text("2", timeout=SOON)
    expect(desk.get_by_role("table", name="Open tables").get_by_role("row")).to_have_count(
        open_tables - 1, timeout=SOON
    )
    expect(loser).not_to_have_text(before, timeout=SOON)
    for page in (pairings, standings, desk):
        assert _still_there(page)
        check_page(page)


@pytest.mark.parametrize("device", ["phone", "desk"])
def test_the_queue_of_calls_fills_by_itself_and_keeps_the_focus(
    site: Site, cast: dict[str, Member], device: str
) -> None:
    stage = _stage(cast)
    page = site.open(f"/staff/events/{stage.event_id}/calls/", member=cast["jude"], device=device)
    _never_reloaded(page)
    page.get_by_role("link", name="Rulings").focus()
    table = _other_table(stage)
    judging.call_raise(
        player(table.persons[0][0]), call_id=new_id(), match_id=table.pk, category="rules"
    )
    expect(page.get_by_role("button", name=f"Take the call of table {table.table}")).to_be_visible(
        timeout=SOON
    )
    expect(page.get_by_role("link", name="Rulings")).to_be_focused()
    assert _still_there(page)
    check_page(page)


def test_my_match_follows_and_leaves_alone_what_i_have_chosen(
    site: Site, cast: dict[str, Member]
) -> None:
    stage = _stage(cast)
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    _never_reloaded(page)
    judging.call_claim(cast["jude"].context("judge"), call_id=stage.call_id)
    expect(page.get_by_text("Judge: Jude")).to_be_visible(timeout=SOON)
    page.get_by_text("Concede", exact=True).first.click()
    page.get_by_role("radio", name="2-1", exact=True).check(force=True)
    services.result_claim(
        player(cast["bob"].person_id),
        match_id=stage.match_id,
        score=WON[OTHER[stage.seat]],
    )
    expect(page.get_by_text("There is something new on this page.")).to_be_visible(timeout=SOON)
    expect(page.get_by_text("Bob has reported.")).to_have_count(0)
    expect(page.get_by_role("radio", name="2-1", exact=True)).to_be_checked()
    check_page(page, "live-news")
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_text("Bob has reported. Report what you played.")).to_be_visible()
    expect(page.get_by_role("button", name="Concede the match")).to_be_visible()
    expect(page.get_by_text("There is something new on this page.")).to_be_hidden()
    assert _still_there(page)


def test_what_was_said_of_a_report_goes_when_the_other_report_comes(
    site: Site, cast: dict[str, Member]
) -> None:
    stage = _stage(cast)
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    _never_reloaded(page)
    page.get_by_role("radio", name="2-1", exact=True).check(force=True)
    page.get_by_role("button", name="Send result").click()
    said = page.get_by_text("It counts when your opponent reports the same.")
    expect(said).to_be_visible()
    services.result_claim(
        player(cast["bob"].person_id), match_id=stage.match_id, score=WON[OTHER[stage.seat]]
    )
    expect(page.get_by_text("Your opponent reported something else.")).to_be_visible(timeout=SOON)
    expect(said).to_have_count(0)
    assert _still_there(page)


def test_a_new_event_begins_with_the_zone_of_the_device(
    site: Site, cast: dict[str, Member]
) -> None:
    page = site.open("/staff/", member=cast["olga"], device="desk")
    device = page.context.new_cdp_session(page)
    device.send("Emulation.setTimezoneOverride", {"timezoneId": "Europe/Zagreb"})
    page.goto("/staff/events/new/")
    expect(page.get_by_label("Time zone")).to_have_value("Europe/Zagreb")


def _refuse(route: Route) -> None:
    route.abort()


def _hold(route: Route) -> None:
    """A proxy that holds the stream back: nothing ever comes."""


@pytest.mark.parametrize(
    ("stream", "seconds"), [(_refuse, 20), (_hold, 30)], ids=["broken", "held back"]
)
def test_where_no_stream_gets_through_the_page_asks(
    site: Site, cast: dict[str, Member], stream: Any, seconds: int
) -> None:
    stage = _stage(cast)
    page = site.open("/")
    page.context.route("**/live/?*", stream)
    page.goto(f"/events/{stage.event_id}/standings/")
    _never_reloaded(page)
    table = _other_table(stage)
    loser = page.locator(f"#place-{table.p2}")
    before = loser.text_content() or ""
    services.result_enter(cast["olga"].context(), match_id=table.pk, score=[2, 0, 0])
    expect(loser).not_to_have_text(before, timeout=seconds * 1000)
    assert _still_there(page)
    expect(page.locator("#link")).to_be_hidden()


def test_what_moves_before_the_stream_begins_comes_with_it(
    site: Site, cast: dict[str, Member]
) -> None:
    stage = _stage(cast)
    held: list[Route] = []
    page = site.open("/")
    page.context.route("**/live/?*", lambda route: held.append(route), times=1)
    page.goto(f"/events/{stage.event_id}/pairings/")
    _never_reloaded(page)
    page.wait_for_timeout(500)
    assert held, "the stream is asked for, and has not come"
    table = _other_table(stage)
    line = page.get_by_role("row").filter(has=page.locator(".plate", has_text=str(table.table)))
    expect(line).not_to_contain_text("2-0")
    services.result_enter(cast["olga"].context(), match_id=table.pk, score=[2, 0, 0])
    page.wait_for_timeout(1000)
    held[0].continue_()
    expect(line).to_contain_text("2-0", timeout=5000)
    assert _still_there(page)


def test_counters_that_went_back_are_told_as_well(site: Site, cast: dict[str, Member]) -> None:
    stage = _stage(cast)
    page = site.open("/")
    page.context.route(
        f"**/events/{stage.event_id}/pairings/",
        lambda route: route.fulfill(
            response=(answer := route.fetch()),
            body=re.sub(r'data-at="(\d+)', r'data-at="9\1', answer.text()),
        ),
        times=1,
    )
    page.goto(f"/events/{stage.event_id}/pairings/")
    _never_reloaded(page)
    table = _other_table(stage)
    line = page.get_by_role("row").filter(has=page.locator(".plate", has_text=str(table.table)))
    expect(line).not_to_contain_text("2-0")
    page.wait_for_timeout(1000)
    services.result_enter(cast["olga"].context(), match_id=table.pk, score=[2, 0, 0])
    expect(line).to_contain_text("2-0", timeout=5000)
    assert _still_there(page)


def test_a_right_that_is_lost_is_said_and_nothing_more_comes(
    site: Site, cast: dict[str, Member]
) -> None:
    stage = _stage(cast)
    page = site.open(f"/staff/events/{stage.event_id}/calls/", member=cast["jude"])
    _never_reloaded(page)
    page.wait_for_timeout(500)
    role_end(
        cast["olga"].context(),
        person_id=cast["jude"].person_id,
        role="judge",
        event_id=stage.event_id,
    )
    expect(page.get_by_text("You can no longer follow this page.")).to_be_visible(timeout=SOON)
    table = _other_table(stage)
    judging.call_raise(player(table.persons[0][0]), call_id=new_id(), match_id=table.pk)
    page.wait_for_timeout(3000)
    expect(page.get_by_role("button", name=f"Take the call of table {table.table}")).to_have_count(
        0
    )
    assert _still_there(page)


def test_a_page_says_since_when_it_has_no_connection(site: Site, cast: dict[str, Member]) -> None:
    stage = _stage(cast)
    page = site.open(f"/events/{stage.event_id}/pairings/")
    page.wait_for_timeout(500)
    table = _other_table(stage)
    line = page.get_by_role("row").filter(has=page.locator(".plate", has_text=str(table.table)))
    with site.server.away():
        expect(page.get_by_text("No connection since")).to_be_visible(timeout=SOON)
        services.result_enter(cast["olga"].context(), match_id=table.pk, score=[2, 0, 0])
    watch(page)  # the requests that failed were wanted
    expect(page.get_by_text("No connection since")).to_be_hidden(timeout=40_000)
    expect(line).to_contain_text("2", timeout=SOON)


def test_the_time_shown_is_the_servers(site: Site, cast: dict[str, Member]) -> None:
    stage = _stage(cast, devices="not_in_match")
    page = site.open("/", member=cast["alice"])
    page.context.add_init_script("const now = Date.now; Date.now = () => now() + 5 * 3600 * 1000;")
    page.goto(f"/my/{stage.event_id}/")
    expect(page.get_by_text("Raise your hand.")).to_be_visible()
    page.wait_for_timeout(3000)
    here = datetime.now(UTC)
    right = [(here + timedelta(minutes=one)).strftime("%H:%M") for one in (-1, 0, 1)]
    shown = page.locator("[data-zone]")
    expect(shown).to_have_text(re.compile(f"^({'|'.join(right)})$"), timeout=SOON)
    check_page(page, "put-away")


def test_a_live_page_asks_this_server_and_no_other(site: Site, cast: dict[str, Member]) -> None:
    stage = _stage(cast)
    page = site.open("/", member=cast["alice"])
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in (f"/my/{stage.event_id}/", f"/events/{stage.event_id}/pairings/"):
        with page.expect_request("**/live/?*"):
            page.goto(path)
        page.wait_for_timeout(1000)
    assert any("/live/?" in one for one in asked)
    assert not [one for one in asked if not one.startswith(f"{site.url}/")]
