"""Eight names to a printed bracket in under a minute: what a hand does is counted."""

from __future__ import annotations

import time

from playwright.sync_api import expect

from tests.browser.harness import Site, check_page
from tests.conftest import make_member
from tournaments.models import EventRow, MatchRow

NAMES = "Ana\nBea\nCid\nDan\nEva\nFin\nGil\nHeo"
MOST_STEPS = 4
MOST_SECONDS = 60
TYPING_SECONDS = 25
"""Eight names of a first name each, at a slow hand's two signs a second."""


def test_eight_names_to_a_printed_bracket(site: Site) -> None:
    olga = make_member(4, "Olga", account=True)
    olga.grant("organiser")
    page = site.open("/staff/", member=olga, device="desk")
    steps = 0
    began = time.monotonic()

    page.get_by_role("link", name="Bracket from names").click()
    steps += 1
    expect(page.get_by_label("Names")).to_be_focused()
    page.keyboard.insert_text(NAMES)
    steps += 1
    page.get_by_role("button", name="Publish the bracket").click()
    steps += 1
    expect(page.get_by_role("heading", name="Bracket")).to_be_visible()
    for name in NAMES.split("\n"):
        expect(page.locator(".bracket .tie").get_by_text(name)).to_be_visible()
    page.evaluate("() => { window.printed = 0; window.print = () => { window.printed += 1; }; }")
    page.get_by_role("button", name="Print").click()
    steps += 1
    assert page.evaluate("window.printed") == 1

    seconds = time.monotonic() - began + TYPING_SECONDS
    assert steps <= MOST_STEPS
    assert seconds < MOST_SECONDS, f"{seconds:.0f} s"
    event = EventRow.objects.get()
    assert (event.status, event.stage, event.round) == ("cut", "cut", 1)
    assert MatchRow.objects.filter(event_id=event.pk, state="waiting").count() == 4

    check_page(page, "pod-sheet")
    page.emulate_media(media="print")
    expect(page.locator(".bracket .tie").get_by_text("Ana")).to_be_visible()
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    expect(page.get_by_role("heading", name="Final", exact=True)).to_be_visible()
