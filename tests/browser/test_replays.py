"""A replay file on its way: a player hands it in on a phone, a judge steps through it and sees the
flags, and the page that is kept replays from a file without asking anybody for anything. A player
flags a line of it, disputes it, and another judge rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from judging import services as judging
from tests.browser.harness import Site, check_page, watch
from tests.browser.test_pages import _cast
from tests.duels.replays import made
from tests.portal.stage import player, set_stage


def _file(shared: Path | None, folder: Path) -> Path:
    """A real replay where the reference folder is, one made by hand otherwise."""
    if shared is not None:
        return shared / "data" / "replays" / "040.yrpX"
    path = folder / "made.yrpX"
    path.write_bytes(made.replay([*made.opening(), made.damage(1, 800), made.win(0, 1)]))
    return path


@pytest.fixture
def reference(request: pytest.FixtureRequest) -> Path | None:
    """The reference folder, None where it is not."""
    try:
        found: Path = request.getfixturevalue("shared")
    except pytest.skip.Exception:
        return None
    return found


def _hand_in(phone: Page, file: Path) -> str:
    """Hand a file in on the page of the own files, and open what became of it."""
    phone.get_by_label("Replay file (.yrpX)").set_input_files(file)
    phone.get_by_role("radio", name="I began").check()
    phone.get_by_role("button", name="Hand it in").click()
    expect(phone.get_by_text("By the file Alice won the duel.")).to_be_visible()
    check_page(phone, "my-replays-phone")
    phone.get_by_role("link", name="Play through").click()
    phone.wait_for_url("**/duels/**")
    return phone.url.split("/duels/")[1].split("/")[0]


def test_from_the_phone_to_the_judge_and_home(
    site: Site, reference: Path | None, tmp_path: Path
) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    phone = site.open(f"/my/{stage.event_id}/replays/", member=cast["alice"])
    duel = _hand_in(phone, _file(reference, tmp_path))
    check_page(phone, "replay-imported-phone")

    desk = site.open(f"/duels/{duel}/?as=judge&at=60", member=cast["jude"], device="desk")
    check_page(desk, "replay-imported-desk")
    desk.keyboard.press("ArrowRight")
    expect(desk).to_have_url(f"{site.url}/duels/{duel}/?at=61&as=judge")
    expect(desk.get_by_role("heading", name="Audit of the replay file")).to_be_visible()
    desk.get_by_label("Seen by").get_by_role("link").first.click()
    expect(desk.get_by_role("heading", name="Audit of the replay file")).to_have_count(0)
    judge_file = desk.request.get(f"{site.url}/duels/{duel}/original/")
    assert judge_file.body() == _file(reference, tmp_path).read_bytes()

    kept = tmp_path / "kept.html"
    kept.write_bytes(desk.request.get(f"{site.url}/duels/{duel}/offline/?as=judge").body())
    home = site.open("/", device="phone").context.new_page()
    watch(home)
    asked: list[str] = []
    home.on("request", lambda request: asked.append(request.url))
    home.goto(f"{kept.as_uri()}#1")
    expect(home.locator("#here")).to_contain_text("1 ")
    home.keyboard.press("ArrowRight")
    expect(home.locator("#here")).to_contain_text("2 ")
    home.get_by_role("button", name="End").click()
    expect(home.locator("#log [aria-current]")).to_be_visible()
    check_page(home, "replay-offline-phone")
    assert [url for url in asked if not url.startswith("file://")] == []


def test_from_a_flag_to_a_dispute_to_a_ruling(site: Site, tmp_path: Path) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    judging.call_withdraw(player(cast["alice"].person_id), call_id=stage.call_id)
    phone = site.open(f"/my/{stage.event_id}/replays/", member=cast["alice"])
    duel = _hand_in(phone, _file(None, tmp_path))
    phone.goto(f"/duels/{duel}/?at=8")
    phone.keyboard.press("ArrowRight")
    expect(phone).to_have_url(f"{site.url}/duels/{duel}/?at=9&as=public")
    phone.get_by_label("Seen by").get_by_role("link").last.click()
    phone.get_by_text("Flag this line").click()
    phone.get_by_label("What is wrong here?").fill("The damage was halved, 400 and not 800")
    phone.get_by_role("button", name="Flag line 9").click()
    expect(phone.get_by_text("It is noted.")).to_be_visible()
    check_page(phone, "flagged-phone")
    other = site.open(f"/duels/{duel}/?at=9", member=cast["bob"])
    expect(other.get_by_text("damage was halved")).to_have_count(0)

    phone.get_by_role("link", name="Open a dispute").click()
    expect(phone.get_by_label("What is wrong with it?")).to_have_value(
        "The damage was halved, 400 and not 800"
    )
    check_page(phone, "dispute-raise-phone")
    phone.get_by_role("button", name="Dispute this line").click()
    check_page(phone, "disputes-own-phone")

    desk = site.open(
        f"/staff/events/{stage.event_id}/disputes/", member=cast["jude"], device="desk"
    )
    desk.get_by_role("link", name="Line 9").click()
    # the one who began sits first in the file, whoever is named first in the match
    expect(desk.get_by_role("link", name="9 Bob: −800")).to_be_visible()
    desk.get_by_role("button", name="Take the review").click()
    desk.get_by_role("link", name="Replay", exact=True).click()
    expect(desk).to_have_url(f"{site.url}/duels/{duel}/?as=judge&at=9")
    expect(desk.get_by_text("Flagged by a player")).to_be_visible()
    check_page(desk, "dispute-board-desk")
    desk.go_back()
    desk.get_by_role("radio").first.check()
    desk.get_by_label("Why, for judges (sealed)").fill("Nothing on the table halves it")
    desk.get_by_role("button", name="Rule", exact=True).click()
    expect(desk.get_by_text("The review is recorded as a ruling.")).to_be_visible()
    check_page(desk, "dispute-ruled-desk")
    small = site.open(desk.url.removeprefix(site.url), member=cast["hedda"])
    check_page(small, "dispute-ruled-phone")
    phone.reload()
    expect(phone.get_by_text("The line stands", exact=False)).to_be_visible()
    check_page(phone, "disputes-own-ruled-phone")
