"""A replay file on its way: a player hands it in on a phone, a judge steps through it and sees the
flags, and the page that is kept replays from a file without asking anybody for anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.harness import Site, check_page, watch
from tests.browser.test_pages import _cast
from tests.duels.replays import made
from tests.portal.stage import set_stage


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


def test_from_the_phone_to_the_judge_and_home(
    site: Site, reference: Path | None, tmp_path: Path
) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    phone = site.open(f"/my/{stage.event_id}/replays/", member=cast["alice"])
    phone.get_by_label("Replay file (.yrpX)").set_input_files(_file(reference, tmp_path))
    phone.get_by_role("radio", name="I began").check()
    phone.get_by_role("button", name="Hand it in").click()
    expect(phone.get_by_text("By the file Alice won the duel.")).to_be_visible()
    check_page(phone, "my-replays-phone")
    phone.get_by_role("link", name="Play through").click()
    check_page(phone, "replay-imported-phone")
    duel = phone.url.split("/duels/")[1].split("/")[0]

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
