"""What a phone sends while the server is away: queued, said so, and then there exactly once."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from eventstore.models import Event
from tests.browser.harness import Site, check_page, watch
from tests.conftest import Member, make_member
from tests.helpers import rebuilds_equal
from tests.portal.stage import Stage, set_stage
from tests.sizes import SIZES
from tournaments import services

BACK = 60_000
"""Milliseconds: the pauses between two tries grow to half a minute."""
QUEUED = re.compile(r"queued \d\d:\d\d")


@pytest.fixture
def cast(site: Site) -> dict[str, Member]:
    """The cast on the database of the site."""
    made = {
        name.lower(): make_member(number, name, account=number > 2)
        for number, name in ((1, "Alice"), (2, "Bob"), (4, "Olga"), (5, "Jude"), (6, "Hedda"))
    }
    made["olga"].grant("organiser")
    return made


@pytest.fixture
def stage(site: Site, cast: dict[str, Member]) -> Stage:
    """The event in progress, the call of Alice taken back."""
    from judging import services as judging
    from tests.portal.stage import player

    made = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    judging.call_withdraw(player(cast["alice"].person_id), call_id=made.call_id)
    return made


def _types(after: int) -> list[str]:
    """The types of the events that came after a position, in order."""
    rows = Event.objects.filter(position__gt=after).order_by("position")
    return list(rows.values_list("type", flat=True))


def _head() -> int:
    return Event.objects.count()


def _note_lp(page: Page, value: int) -> None:
    if not page.get_by_label("Life Points now").is_visible():
        page.get_by_text("Note Life Points of my pad").click()
    page.get_by_label("Life Points now").fill(str(value))
    page.get_by_role("button", name="Note them").click()


def test_call_life_points_and_result_wait_in_the_page_and_arrive_once_in_order(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    before = _head()
    with site.server.away():
        page.get_by_role("button", name="Call a judge").click()
        expect(page.get_by_text(QUEUED)).to_have_count(1)
        page.get_by_role("button", name="Call a judge").click()  # a second tap
        _note_lp(page, 7000)
        _note_lp(page, 6500)
        page.get_by_role("radio", name="2-1", exact=True).check(force=True)
        page.get_by_role("button", name="Send result").click()
        expect(page.get_by_text(QUEUED)).to_have_count(4)
        waiting = page.locator("#outbox li b")
        table = page.locator("h1.plate").inner_text()
        assert waiting.all_inner_texts() == [
            f"Call of a judge to table {table}",
            "Life Points: 7000",
            "Life Points: 6500",
            f"Result of table {table}: 2-1",
        ]
        assert "done" not in page.locator("body").inner_text().lower()
        watch(page)  # the requests that failed were wanted
        check_page(page, "outbox")
        page.wait_for_timeout(SIZES.seconds_away * 1000)
        expect(page.get_by_text(QUEUED)).to_have_count(4)
        assert _head() == before
    expect(page.get_by_text(QUEUED)).to_have_count(0, timeout=BACK)
    expect(page.get_by_text("You reported 2-1")).to_be_visible(timeout=BACK)
    assert _types(before) == [
        "judging.call_raised",
        "duels.lp_declared",
        "duels.lp_declared",
        "tournaments.result_claimed",
    ]
    lines = Event.objects.filter(type="duels.lp_declared").order_by("position")
    told = [re.search(rb'"pad_seq":(\d+).*?"value":(\d+)', bytes(one.body)) for one in lines]
    assert [found and found.groups() for found in told] == [(b"1", b"7000"), (b"2", b"6500")]
    rebuilds_equal("tournaments.board", "portal.live")


def test_lines_of_the_pad_wait_in_order_and_the_other_phone_follows(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    """What is lost and gained without a server goes out in order, once, and counts on."""
    page = site.open(f"/my/{stage.event_id}/pad/", member=cast["alice"])
    other = site.open(f"/my/{stage.event_id}/pad/", member=cast["bob"])
    before = _head()
    with site.server.away():
        for how, amount in (("lose", 800), ("gain", 200)):
            page.get_by_role("radio", name=how, exact=True).check(force=True)
            page.get_by_label("How many", exact=True).fill(str(amount))
            page.get_by_role("button", name="Note it").click()
        expect(page.get_by_text(QUEUED)).to_have_count(2)
        watch(page)  # the requests that failed were wanted
        watch(other)
        assert _head() == before
    expect(page.get_by_text(QUEUED)).to_have_count(0, timeout=BACK)
    expect(page.locator("td b.clock").first).to_have_text("7400", timeout=BACK)
    assert _types(before) == ["duels.lp_declared"] * 2
    lines = Event.objects.filter(position__gt=before).order_by("position")
    told = [re.search(rb'"pad_seq":(\d+).*?"value":(\d+)', bytes(one.body)) for one in lines]
    assert [found and found.groups() for found in told] == [(b"1", b"7200"), (b"2", b"7400")]
    expect(other.get_by_role("row").nth(2)).to_contain_text("7400", timeout=BACK)


def test_what_waits_survives_that_the_page_is_loaded_anew(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    before = _head()
    with site.server.away():
        page.get_by_role("button", name="Call a judge").click()
        expect(page.get_by_text(QUEUED)).to_be_visible()
        page.goto("about:blank")
    page.goto(f"{site.url}/my/{stage.event_id}/standing/")
    expect(page.get_by_text(QUEUED)).to_have_count(0, timeout=BACK)
    page.goto(f"{site.url}/my/{stage.event_id}/judge/")
    expect(page.get_by_text("Waiting for a judge")).to_be_visible()
    assert _types(before) == ["judging.call_raised"]


def test_an_answer_that_is_lost_is_asked_for_again_and_nothing_happens_twice(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    lost: list[int] = []

    def lose(route: Route) -> None:
        """The server does it; its answer does not come back."""
        if route.request.method == "POST" and len(lost) < 2:
            lost.append(route.fetch(max_redirects=0).status)
            route.abort()
        else:
            route.continue_()

    before = _head()
    page.route("**/judge/", lose)
    page.get_by_role("button", name="Call a judge").click()
    expect(page.get_by_text(re.compile(r"Arrived \d\d:\d\d$"))).to_be_visible(timeout=BACK)
    assert lost == [204, 204]
    assert _types(before) == ["judging.call_raised"]


def test_a_double_tap_is_one_call_and_an_answer_comes_as_ever(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    before = _head()
    page.get_by_role("button", name="Call a judge").dblclick()
    expect(page.get_by_text("A judge is called.")).to_be_visible()
    expect(page.locator("#outbox")).to_be_hidden()
    assert _types(before) == ["judging.call_raised"]


def test_what_is_refused_later_says_why_and_what_to_do(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    with site.server.away():
        page.get_by_role("radio", name="2-0", exact=True).check(force=True)
        page.get_by_role("button", name="Send result").click()
        expect(page.get_by_text(QUEUED)).to_be_visible()
        services.event_cancel(cast["olga"].context(), event_id=stage.event_id, note="Flood")
        before = _head()
    waiting = page.get_by_role("region", name="Waiting to be sent")
    expect(waiting.get_by_text(re.compile(r"refused, written \d\d:\d\d"))).to_be_visible(
        timeout=BACK
    )
    expect(waiting.locator("li p")).not_to_be_empty()
    expect(waiting.get_by_role("button", name="Send again")).to_be_visible()
    expect(waiting.get_by_role("link", name="Open the page")).to_be_visible()
    watch(page)
    check_page(page, "outbox-refused")
    waiting.get_by_role("button", name="Take out").click()
    expect(waiting).to_be_hidden()
    assert _head() == before


def test_a_refusal_at_once_stands_beside_the_form(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    page.get_by_text("Note Life Points of my pad").click()
    page.evaluate("document.querySelector('#lp').removeAttribute('max')")
    page.get_by_label("Life Points now").fill("2000000")
    page.get_by_role("button", name="Note them").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#outbox")).to_be_hidden()
    expect(page.locator("h1.plate")).to_be_visible()


def test_another_person_on_the_same_phone_neither_sees_nor_sends_it(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"])
    before = _head()
    with site.server.away():
        page.get_by_role("button", name="Call a judge").click()
        expect(page.get_by_text(QUEUED)).to_be_visible()
        page.goto("about:blank")
    page.context.clear_cookies()
    page.context.add_cookies([site.session(cast["bob"])])
    page.goto(f"{site.url}/my/{stage.event_id}/")
    expect(page.get_by_text("Bob").first).to_be_visible()
    page.wait_for_timeout(3000)
    expect(page.locator("#outbox")).to_be_hidden()
    assert _types(before) == []
    page.context.clear_cookies()
    page.context.add_cookies([site.session(cast["alice"])])
    page.goto(f"{site.url}/my/{stage.event_id}/standing/")
    for _ in range(BACK // 100):
        if _types(before):
            break
        page.wait_for_timeout(100)
    expect(page.get_by_text(QUEUED)).to_have_count(0, timeout=BACK)
    assert _types(before) == ["judging.call_raised"]


def test_ids_are_made_without_what_a_plain_address_lacks(
    site: Site, stage: Stage, cast: dict[str, Member]
) -> None:
    page = site.open("/", member=cast["alice"])
    page.context.add_init_script(
        "delete Crypto.prototype.randomUUID; delete window.isSecureContext"
    )
    page.goto(f"/my/{stage.event_id}/")
    made = page.evaluate(
        "import('/static/portal/live.js').then((one) => [...Array(500)].map(one.freshId))"
    )
    assert len(set(made)) == 500
    form = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
    assert all(form.fullmatch(one) for one in made)
