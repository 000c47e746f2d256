"""A feature match on paper, written down by taps alone: on a phone, then at the desk; nothing is
typed but a part of the name of a card."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, TimeoutError, expect

from duels import selectors as duels
from duels import services as duel_services
from tests.browser.harness import Site, check_page
from tests.browser.test_pages import _cast
from tests.portal.stage import Stage, player, set_stage
from tournaments import services


def _between_duels(cast: dict[str, Any], stage: Stage) -> None:
    """Alice has given up the duel that the stage began; the next one is to be recorded."""
    alice = stage.persons["Alice"]
    duel_services.duel_concede(player(alice), duel_id=stage.duel_id, player=stage.seat)
    services.duel_result_take(player(alice), match_id=stage.match_id)


def _do(page: Page, *taps: tuple[str, str]) -> None:
    """Carry acts out by one tap each: in this group, the button that says this."""
    for group, name in taps:
        before = page.locator("#last").text_content() or ""
        there = page.locator(f"[data-group={group}] button[name=trail]")
        there.filter(has_text=name).first.click()
        expect(page.locator("#last")).not_to_have_text(before)


def _show(page: Page, group: str, text: str, card: str, act: str) -> None:
    """Play a card from the hand: tap it, find its name, tap that, tap the act."""
    page.locator(f"[data-group={group}]").get_by_role("link").first.click()
    page.get_by_label("Name of the card").fill(text)
    found = page.locator("#found").get_by_role("button", name=card, exact=True)
    try:
        found.wait_for(timeout=5000)
    except TimeoutError:  # typed before the script listened: then it is the button that finds
        page.get_by_role("button", name="Find").click()
    found.click()
    page.get_by_role("button", name=act).click()
    expect(page.locator("#last")).to_contain_text(card)


def _press(page: Page, key: str) -> None:
    """Press a key once the page hears it: what needs the script shows then."""
    expect(page.locator("[data-do=copy]")).to_be_visible()
    page.keyboard.press(key)


def test_a_feature_match_by_taps(site: Site) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    cast["jude"].grant("recorder", stage.event_id)
    _between_duels(cast, stage)
    phone = site.open(f"/staff/events/{stage.event_id}/record/", member=cast["jude"])
    check_page(phone, "features-phone")
    phone.get_by_role("button", name="Bob begins: record").click()
    duel_id = phone.url.split("/duels/")[1].split("/")[0]
    on = (("draw", "Draw a card"), ("phase", "Standby Phase"), ("phase", "Main Phase 1"))
    _do(phone, *on)
    check_page(phone, "record-phone")
    phone.get_by_role("link", name="Ask for the zone").click()
    phone.locator("[data-group=set]").get_by_role("link").first.click()
    phone.get_by_role("link", name="as a Spell or Trap").click()
    check_page(phone, "record-zone-phone")
    phone.get_by_role("button", name="Zone 3").click()
    expect(phone.get_by_role("link", name="Ask for the zone")).to_have_attribute(
        "aria-current", "true"
    )
    phone.get_by_role("link", name="First free zone").click()
    _show(phone, "normal_summon", "gemini e", "Gemini Elf", "Normal Summon: Gemini Elf")
    # what the rules do not allow is on offer apart, with its rule, and written down beside it
    phone.get_by_role("link", name="Something else happened").click()
    check_page(phone, "record-beyond-phone")
    phone.get_by_label("Acts that are not open").get_by_role("button").first.click()
    expect(phone.locator("#last")).not_to_contain_text("Gemini Elf")
    phone.get_by_role("button", name="Take the last line back").click()
    expect(phone.locator("#last")).to_contain_text("back")
    _do(phone, ("phase", "End the turn"))
    expect(phone.get_by_label("Whose acts").locator("[aria-current]")).to_contain_text("Alice")
    _do(phone, *on)
    _show(phone, "normal_summon", "uraby", "Uraby", "Normal Summon: Uraby")
    _do(phone, ("phase", "Battle Phase"))

    # somebody without a part in it looks on, while the desk goes on with the record
    looks_on = site.open(f"/duels/{duel_id}/", device="desk")
    check_page(looks_on, "watch-desk")
    desk = site.open(f"/duels/{duel_id}/record/", member=cast["jude"], device="desk")
    check_page(desk, "record-desk")
    _do(desk, ("attack", "Uraby"), ("pass", "Nobody answers"))
    desk.locator("[data-group=concede] summary").click()
    _do(desk, ("concede", "Give the duel up"))
    table = duels.duel_state(duel_id).table
    assert (table.side("P2").life_points, table.result.winner) == (7600, "P1")
    desk.goto(f"{site.url}/staff/events/{stage.event_id}/record/")
    desk.get_by_role("button", name="take its result").click()
    expect(desk.get_by_text("The result of the duel is taken from its log.")).to_be_visible()

    expect(looks_on.get_by_text("Bob has won the duel")).to_be_visible()
    _press(looks_on, "[")
    expect(looks_on.locator(".moves [aria-current]")).to_contain_text("7600")
    here = looks_on.url
    _press(looks_on, "Shift+ArrowLeft")
    looks_on.wait_for_url(lambda url: url != here)
    _press(looks_on, "?")
    expect(looks_on.get_by_text("next draw, draw before")).to_be_visible()
    looks_on.get_by_role("button", name="Switch single keys off").click()
    here = looks_on.url
    _press(looks_on, "]")
    _press(looks_on, "ArrowRight")
    looks_on.wait_for_url(lambda url: url != here)
    expect(looks_on.locator(".moves [aria-current]")).not_to_contain_text("7600")
    check_page(looks_on, "board-desk")
