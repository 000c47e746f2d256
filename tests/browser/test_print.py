"""Paper as Chromium prints it, and the wall screen from a projector to a phone."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from eventstore.ids import new_id
from tests.browser.harness import Site, check_page, faults_of
from tests.conftest import Member, make_member
from tournaments import services

LONG = (
    "Krzysztof-Władysław Brzęczyszczykiewicz-Wojciechowski",
    "Nguyễn Hoàng Thị Phương Thảo Minh Khánh Linh",
    "Szentgyörgyi-Hajdúszoboszlói Bálint Maximilián",
    "Božidar-Tomislav Đurđević-Šibenčanin",
)
SIZES = {"a4": (210, 297), "letter": (215.9, 279.4), "roll": (80, 200)}
MM = 72 / 25.4
SHEETS = {
    "a4": ("pack", "seats", "lists", "bracket", "prizes", "report"),
    "letter": ("pack",),
    "roll": ("pack", "seats"),
}
OVERFLOWS = """() =>
  [...document.querySelectorAll('.slip, .slip *, .list th, .list td, .tie, .run')]
  .filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline'
    || one.matches('.slip') && one.scrollHeight > one.clientHeight + 1)
  .map(one => one.outerHTML.slice(0, 120))"""
SPLIT = """() => document.documentElement.scrollWidth - document.documentElement.clientWidth"""


@pytest.fixture
def olga(site: Site) -> Member:
    """The organiser of the site that is served."""
    member = make_member(4, "Olga", account=True)
    member.grant("organiser")
    return member


def _event(olga: Member, players: int) -> str:
    """An event in its second round, some names as long as names get."""
    event_id = new_id()
    services.event_create(
        olga.context(), event_id=event_id, name="Harbour Open of the Adriatic Coast 2026",
        rounds=3, cut=4, decks_required=False,
    )  # fmt: skip
    services.registration_open(olga.context(), event_id=event_id)
    for number in range(players):
        name = LONG[number] if number < len(LONG) else f"Player {number:03}"
        made = services.entrant_enrol(olga.context(), event_id=event_id, display_name=name)
        services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=made.entrant_id)
    services.event_start(olga.context(), event_id=event_id)
    for number in (1, 2):
        services.round_pair(olga.context(), event_id=event_id, seed=number)
        services.round_publish(olga.context(), event_id=event_id, number=number)
        if number == 1:
            from tournaments.models import MatchRow

            for row in MatchRow.objects.filter(event_id=event_id, round=1):
                services.result_enter(olga.context(), match_id=row.pk, score=[2, 1, 0])
    return event_id


def _keep(page: Page, name: str, **how: Any) -> None:
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", **how)


def _boxes(pdf: bytes) -> list[tuple[float, float]]:
    """The sizes of the pages of a PDF, in mm."""
    found = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    return [(float(wide) / MM, float(high) / MM) for wide, high in found]


def test_every_sheet_fits_its_paper_and_no_row_is_split(site: Site, olga: Member) -> None:
    event_id = _event(olga, 30)
    page = site.open("/", member=olga, device="desk")
    for paper, (wide, high) in SIZES.items():
        for sheet in SHEETS[paper]:
            for large in ("0", "1") if sheet == "pack" and paper == "a4" else ("0",):
                page.emulate_media(media="screen")
                address = f"/staff/events/{event_id}/paper/{sheet}/?paper={paper}&large={large}"
                page.goto(address)
                if large == "0" and paper == "a4":
                    check_page(page, f"print-{sheet}-screen")
                page.emulate_media(media="print")
                pdf = page.pdf(prefer_css_page_size=True, print_background=False)
                folder = os.environ.get("SCREENSHOTS")
                if folder:
                    (Path(folder) / f"{sheet}-{paper}-{large}.pdf").write_bytes(pdf)
                page.set_viewport_size({"width": round((wide - 20) * 96 / 25.4), "height": 1000})
                if paper == "roll":
                    page.set_viewport_size({"width": round(72 * 96 / 25.4), "height": 1000})
                faults = page.evaluate(OVERFLOWS)
                assert not faults, f"{sheet} on {paper}: {faults[:4]}"
                assert page.evaluate(SPLIT) <= 0, f"{sheet} is wider than {paper}"
                _keep(page, f"{sheet}-{paper}-{large}", full_page=True)
                sizes = _boxes(pdf)
                assert sizes
                for found in sizes:
                    assert abs(found[0] - wide) < 1, f"{sheet} on {paper}: {found}"
                    assert abs(found[1] - high) < 1 or (paper == "roll" and found[1] < high)
                page.set_viewport_size({"width": 1280, "height": 800})
    pages = len(_boxes(_pdf(page, event_id, "slips", "a4", per_page=4)))
    assert pages == 4, "15 slips, four a page: no blank page between"
    assert len(_boxes(_pdf(page, event_id, "slips", "roll"))) == 15, "one slip at a time"


def _pdf(page: Page, event_id: str, sheet: str, paper: str, **asked: object) -> bytes:
    query = "".join(f"&{name}={value}" for name, value in asked.items())
    page.goto(f"/staff/events/{event_id}/paper/{sheet}/?paper={paper}{query}")
    page.emulate_media(media="print")
    return io.BytesIO(page.pdf(prefer_css_page_size=True)).getvalue()


def test_the_wall_is_read_from_afar_and_outlives_its_server(site: Site, olga: Member) -> None:
    event_id = _event(olga, 60)
    services.clock_start(olga.context(), event_id=event_id, minutes=40)
    context = site.browser.new_context(
        base_url=site.url, viewport={"width": 1920, "height": 1080}, reduced_motion="reduce"
    )
    site.contexts.append(context)
    page = context.new_page()
    address = f"/events/{event_id}/wall/"
    page.goto(address)
    slide = page.locator("[data-slide]:visible")
    expect(slide).to_have_count(1)
    first = slide.get_attribute("aria-label")
    desk = site.open(f"/staff/events/{event_id}/messages/", member=olga, device="desk")
    desk.get_by_label("Message", exact=True).fill("Round 3 after lunch, at two")
    desk.get_by_role("button", name="Show it").click()
    check_page(desk, "messages-desk")
    expect(page.get_by_text("Round 3 after lunch")).to_be_visible()
    expect(slide).to_have_count(1)
    _keep(page, "wall-1920")
    sizes = page.evaluate(
        "[...document.querySelectorAll('[data-slide]:not([hidden]) .wall-name')]"
        ".map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 24, "names are read at a distance"
    high = page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
    assert high[0] <= high[1], "a page of the wall is one screen"
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Freeze")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    assert slide.get_attribute("aria-label") != first
    with site.server.away():
        expect(page.locator("#link")).to_contain_text("Last known", timeout=20_000)
        expect(slide).to_have_count(1)
        clock = page.locator(".wall-clock b")
        expect(clock).not_to_have_text(str(clock.text_content()), timeout=20_000)  # it goes on
        _keep(page, "wall-1920-away")
    phone = site.open(address)
    check_page(phone, "wall-phone")


def test_a_round_on_paper_is_typed_in_with_the_keyboard_alone(site: Site, olga: Member) -> None:
    event_id = _event(olga, 12)
    page = site.open(f"/staff/events/{event_id}/paper/entry/", member=olga, device="desk")
    for text in ("2-0", "1-2", "2-1 d2", "9-9", "0-2", "2-0"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    expect(page.get_by_text("5 results are in.")).to_be_visible()
    field = page.get_by_label("Result of table 4")
    expect(field).to_have_value("9-9")
    expect(field).to_be_focused()
    check_page(page, "entry-fault", status=409)
    faults_of(page)
    page.keyboard.press("Control+a")
    page.keyboard.type("2-1")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 result is in.")).to_be_visible()
    page.goto(f"/staff/events/{event_id}/paper/entry/?paired=paper")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Player B of table 1")).to_be_focused()
    page.keyboard.type("nobody")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Player B of table 2")).to_be_focused()
    page.get_by_label("Why it was paired on paper").fill("The power failed")
    page.get_by_role("button", name="Make this round").click()
    expect(page.get_by_label("Player B of table 1")).to_be_focused()
    check_page(page, "entry-round-fault", status=409)
