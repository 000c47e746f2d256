"""Every page in a real browser: axe, console, width, light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.harness import Site, check_page
from tests.conftest import Member, make_member
from tests.portal.stage import Stage, outage_of, set_stage
from tests.sizes import SOAK

PUBLIC = (
    "/",
    "/style/",
    "/sign-in/",
    "/decks/check/",
    "/decks/limits/",
    "/developers/",
    "/events/{event}/",
    "/events/{event}/pairings/",
    "/events/{event}/pairings/?by=name",
    "/events/{event}/standings/?why={alice}",
    "/events/{event}/limits/",
    "/events/{event}/bracket/",
    "/events/{event}/log/",
    "/events/{event}/wall/",
    "/duels/{duel}/?at=30",
)
PLAYER = (
    "/my/{event}/",
    "/my/{event}/replays/",
    "/duels/{duel}/record/?more=1",
    "/my/{event}/deck/",
    "/my/{event}/standing/",
    "/my/{event}/code/",
    "/my/{event}/seat/",
    "/my/{event}/judge/",
    "/my/{event}/pad/",
    "/my/{event}/statements/",
    "/my/{event}/disputes/?duel={duel}&line=20",
    "/my/messages/",
)
DESK = (
    "/staff/",
    "/staff/events/new/",
    "/my/access/",
    "/account/",
    "/account/second-factor/",
    "/staff/events/{event}/",
    "/staff/events/{event}/results/?match={match}",
    "/staff/events/{event}/results/?state=open&q=1",
    "/staff/suspended/",
    "/staff/backups/",
    "/staff/events/{event}/door/?q=%231",
    "/staff/events/{event}/door/?q=new%20name",
    "/staff/events/{event}/door/policy/",
    "/staff/events/{event}/door/waiting/",
    "/staff/events/{event}/door/cash-up/",
    "/staff/events/{event}/people/?who=a",
    "/staff/events/{event}/people/{alice}/",
    "/staff/events/{event}/lists/",
    "/staff/events/{event}/lists/{alice}/",
    "/staff/events/{event}/roles/?who=jude",
    "/staff/events/{event}/join/",
    "/staff/events/{event}/paper/",
    "/staff/events/{event}/paper/pack/",
    "/staff/events/{event}/paper/entry/",
    "/staff/events/{event}/paper/entry/?paired=paper",
    "/staff/events/{event}/messages/",
    "/staff/events/{event}/settings/",
    "/staff/pod/",
    "/staff/events/{event}/policy/",
    "/staff/events/{event}/bracket-sheet/",
    "/staff/events/{event}/undo/",
    "/staff/events/{event}/undo/?act=round&number=2",
    "/staff/events/{event}/tardy/",
    "/staff/events/{event}/outage/",
    "/staff/events/{event}/webhooks/",
    "/staff/events/{event}/jobs/",
    "/jobs/",
    "/staff/server/",
    "/staff/events/{event}/pack/",
    "/staff/events/{event}/pack/edit/",
    "/staff/events/{event}/record/",
)
JUDGE = (
    "/staff/events/{event}/floor/",
    "/staff/matches/{match}/end/",
    "/staff/events/{event}/calls/",
    "/staff/events/{event}/rulings/",
    "/staff/calls/{call}/",
    "/staff/calls/{call}/rewind/?line=20",
    "/staff/calls/{call}/case/?at=30",
    "/staff/events/{event}/disputes/",
    "/staff/events/{event}/calls/new/",
    "/staff/events/{event}/precedents/?q=warning",
    "/staff/events/{event}/records/{alice}/",
    "/staff/events/{event}/audit/",
    "/staff/events/{event}/codes/?from=1&to=3",
    "/staff/events/{event}/tables/",
    "/staff/events/{event}/tables/{match}/",
    "/staff/events/{event}/tables/{match}/#penalty",
    "/staff/events/{event}/lists/{alice}/repair/",
    "/staff/events/{event}/checks/",
    "/duels/{duel}/?as=judge",
    "/duels/{duel}/notes/?as=judge",
    "/duels/{duel}/judge/?at=30",
)
LOOKS = [("phone", "light"), ("desk", "dark")]
LANGUAGES = ["hu"]
if SOAK:  # the sample has every size, theme and the language of the longest words once
    LOOKS += [("phone", "dark"), ("desk", "light")]
    LANGUAGES += ["hr", "vi", "pl"]
SEEN = [("nobody", PUBLIC), ("alice", PLAYER), ("olga", DESK), ("hedda", JUDGE)]


def _cast() -> dict[str, Member]:
    cast = {
        "alice": make_member(1, "Alice", account=False),
        "bob": make_member(2, "Bob", account=False),
        "olga": make_member(4, "Olga", account=True),
        "jude": make_member(5, "Jude", account=True),
        "hedda": make_member(6, "Hedda", account=True),
    }
    cast["olga"].grant("organiser")
    return cast


def _filled(stage: Stage, path: str) -> str:
    return path.format(
        event=stage.event_id,
        duel=stage.duel_id,
        call=stage.call_id,
        match=stage.match_id,
        alice=stage.entrants["Alice"],
    )


@pytest.mark.parametrize(("device", "scheme"), LOOKS)
def test_every_page_is_fit_for_everybody(site: Site, device: str, scheme: str) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    outage_of(stage.event_id)
    faults: list[str] = []
    for name, paths in SEEN:
        page = site.open("/", member=cast.get(name), device=device, scheme=scheme)
        if scheme == "light":
            # judges start dark; light must hold there as well
            _theme(page, "Light")
        for path in paths:
            answer = page.goto(_filled(stage, path), wait_until="networkidle")
            # another place of the page that is open asks for nothing
            if answer is not None and answer.status != 200:
                faults.append(f"{name} {path}: {answer.status}")
                continue
            label = path.split("?")[0].strip("/").replace("/", "-").translate(_PLAIN) or "home"
            try:
                check_page(page, f"{label}-{device}-{scheme}")
            except AssertionError as fault:
                faults.append(str(fault))
    assert not faults, "\n".join(faults)


_PLAIN = str.maketrans("", "", "{}")


def _theme(page: Page, word: str) -> None:
    page.get_by_label("Settings").click()
    page.get_by_role("button", name=word, exact=True).click()
    expect(page.get_by_text("The look is changed.")).to_be_visible()


def test_long_labels_do_not_widen_a_phone(site: Site) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    for language in LANGUAGES:
        for name, paths in SEEN:
            page = site.open("/", member=cast.get(name), language=language)
            for path in paths:
                page.goto(_filled(stage, path))
                width, window = page.evaluate(
                    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
                )
                assert width <= window, f"{language} {path}: {width} px"
        site.close()


def test_the_replay_steps_by_keys_and_by_links(site: Site) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    page = site.open(f"/duels/{stage.duel_id}/?at=10", device="desk")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(f"{site.url}/duels/{stage.duel_id}/?at=11&as=public")
    page.keyboard.press("Home")
    expect(page).to_have_url(f"{site.url}/duels/{stage.duel_id}/?at=1&as=public")
    page.get_by_role("link", name="Next line").click()
    expect(page.get_by_role("region", name="Table after line 2")).to_be_visible()


def test_pages_work_without_script(site: Site) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    phone = site.open("/", member=cast["alice"])
    context = site.browser.new_context(base_url=site.url, java_script_enabled=False)
    site.contexts.append(context)
    context.add_cookies(phone.context.cookies())  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"/my/{stage.event_id}/")
    page.get_by_role("link", name="My calls and rulings").click()
    expect(page.get_by_text("Waiting for a judge")).to_be_visible()
    page.goto(f"/my/{stage.event_id}/")
    page.get_by_role("radio", name="2-0", exact=True).check()
    page.get_by_role("button", name="Send result").click()
    expect(page.get_by_text("Your report is in.")).to_be_visible()
