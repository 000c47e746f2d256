"""The table sheet on a phone in a hall: taps counted, no player has a device, the server goes
away in the middle."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Page, expect

from eventstore.models import Event
from judging.models import CallRow, RulingRow
from tests.browser import harness
from tests.browser.test_hall import place, site_in_the_hall  # noqa: F401
from tests.conftest import make_member
from tests.helpers import rebuilds_equal
from tests.judging.hall import open_hall
from tests.sizes import SIZES, SOAK

QUEUED = re.compile(r"queued \d\d:\d\d")
BACK = 90_000
AWAY_TOO_S = SIZES.seconds_away if SOAK else 1
"""Seconds without a server while an answer is done; the penalty after it has the whole minute."""

SENDING_S = 10
"""More than a form may be on its way before the page gives it up and says its age anew."""


class Thumb:
    """Counts every tap."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps = page, 0

    def tap(self, role: str, name: str | re.Pattern[str]) -> None:
        self.page.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]
        self.taps += 1


def number(page: Page, table: int) -> None:
    """Type a table number on the pad of the page; these taps are not counted."""
    for digit in str(table):
        page.get_by_role("button", name=digit, exact=True).click()
    expect(page.locator("[data-echo]")).to_contain_text("–")


def test_an_answer_in_three_taps_and_a_warning_in_six_without_a_server_midway(
    site_in_the_hall: harness.Site,  # noqa: F811
) -> None:
    site = site_in_the_hall
    alice, bob = (make_member(n, name, account=False) for n, name in ((1, "Alice"), (2, "Bob")))
    olga, jude, hedda = (
        make_member(n, name, account=True) for n, name in ((4, "Olga"), (5, "Jude"), (6, "Hedda"))
    )
    olga.grant("organiser")
    hall = open_hall(olga, alice, bob, jude, hedda)
    pad = f"/staff/events/{hall.event_id}/tables/"
    page = site.open(pad, member=jude)
    harness.check_page(page, "sheet-find")
    thumb = Thumb(page)

    assert page.evaluate("isSecureContext") is False, "plain http, not this machine's own address"
    number(page, hall.match.table)
    thumb.tap("button", "Open")
    begun = time.monotonic()
    thumb.tap("button", re.compile("START HERE"))
    expect(page.get_by_role("button", name=re.compile("DONE"))).to_be_visible()
    expect(page.locator("[data-watch]")).not_to_have_text(re.compile(r"0:0[01]"), timeout=20_000)
    harness.check_page(page, "sheet-run")
    with site.server.away():
        thumb.tap("button", re.compile("DONE"))
        answered = time.monotonic() - begun
        expect(page.get_by_text(QUEUED)).to_have_count(1)
        expect(page.get_by_text("Written down", exact=True)).to_be_visible()
        page.wait_for_timeout(AWAY_TOO_S * 1000)
        assert CallRow.objects.get().state == "at_table"
    assert thumb.taps == 3
    expect(page.get_by_text(QUEUED)).to_have_count(0, timeout=BACK)
    harness.faults_of(page)  # the requests that failed were wanted
    call = CallRow.objects.get()
    assert (call.state, call.extension_s) == ("closed", 0)
    assert call.took_s <= answered + SENDING_S, "the time ends at the tap, not at the wire"
    page.goto(page.url.partition("#")[0])
    page.get_by_role("button", name=re.compile("Undo")).wait_for()
    harness.check_page(page, "sheet-done")

    page.goto(pad)
    thumb, before = Thumb(page), Event.objects.count()
    number(page, hall.match.table)
    thumb.tap("button", "Open")
    expect(page.get_by_role("button", name=re.compile("START HERE"))).to_be_visible()
    with site.server.away():
        thumb.tap("button", re.compile("START HERE"))
        expect(page.get_by_text(QUEUED)).to_have_count(1)
        expect(page.get_by_role("button", name=re.compile("DONE"))).to_be_visible()
        page.wait_for_timeout(SIZES.seconds_away * 1000)
        expect(page.locator("[data-watch]")).not_to_contain_text("0:00")
        thumb.tap("link", "Penalty")
        page.locator("#penalty .seg label", has_text="Alice").click()
        page.locator(".pick", has_text="An effect was missed").click()
        thumb.taps += 2
        expect(page.locator("[data-base-word]")).to_have_text("Warning")
        expect(page.locator("[data-slip-in] b", has_text="Alice").first).to_be_visible()
        thumb.tap("button", re.compile("^Warning"))
        expect(page.get_by_text(QUEUED)).to_have_count(2)
        expect(page.get_by_text("Written down", exact=True)).to_be_visible()
        assert Event.objects.count() == before
        assert "Play goes on" not in page.locator("[role=status]").all_inner_texts()
        page.wait_for_timeout(6000)  # each step waits long enough to say when it was tapped
    assert thumb.taps == 6
    expect(page.get_by_text(QUEUED)).to_have_count(0, timeout=BACK)
    harness.faults_of(page)  # the requests that failed were wanted
    expect(page.get_by_text("Last acts here")).to_be_visible()
    page.goto(page.url.partition("#")[0])
    ruling = RulingRow.objects.get(penalty="warning")
    assert (ruling.target_entrant, ruling.in_force) == (hall.ea, True)
    call = CallRow.objects.get(pk=ruling.call_id)
    assert call.state == "closed"
    assert call.took_s >= SIZES.seconds_away, "the time counts from the tap, not from the wire"
    came = list(Event.objects.order_by("position")[before:].values_list("type", flat=True))
    assert came.count("judging.call_raised") == 1
    assert came.count("judging.ruling_made") == 1
    assert came.count("judging.moment_claimed") == 2
    rebuilds_equal("judging.calls", "portal.live")

    page.goto(f"{pad}{hall.match_id}/#penalty")
    page.locator("#penalty .seg label", has_text="Bob").click()
    page.get_by_label("Three letters").fill("tol")
    expect(page.locator(".pick:visible", has_text="PE-MINOR")).to_have_count(0)
    page.locator(".pick:visible", has_text="DC-MAJOR").first.click()
    expect(page.get_by_text("Not in force until HJ")).to_be_visible()
    expect(page.get_by_text("of this kind before")).to_be_visible()
    harness.check_page(page, "sheet-penalty")
    page.goto(f"{pad}{hall.match_id}/#lp")
    page.get_by_label("pad of A").fill("8000 6500 3200")
    page.get_by_label("pad of B").fill("8000 6500 4000")
    expect(page.get_by_text("The pads part in line 3: 3200 and 4000.")).to_be_visible()
    harness.check_page(page, "sheet-lp")
