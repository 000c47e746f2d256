"""The pages as an app on a phone (localhost is a secure address): it can be installed, shows the
last pairing and the own list without a server and says how old they are, and keeps nothing of a
person who has left the phone."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from portal.models import PushDelivery, PushSubscription
from portal.notices.words import Notice
from portal.push import delivery
from tests.browser.harness import Site, check_page, faults_of
from tests.browser.test_pages import _cast
from tests.portal.stage import set_stage

KEPT = """
async () => {
  const found = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) {
      found[new URL(url).pathname] = await (await cache.match(url)).text();
    }
  }
  return found;
}
"""
CONTROLLED = "() => navigator.serviceWorker.controller !== null"


def _own(page: Page) -> dict[str, str]:
    """Every page that the phone keeps beside the shell, with its text."""
    kept: dict[str, str] = page.evaluate(KEPT)
    assert {"/offline/", "/static/portal/app.css", "/static/portal/live.js"} <= set(kept)
    return {path: text for path, text in kept.items() if not re.match("/static/|/offline/", path)}


def test_installed_without_a_server_and_with_another_person(site: Site) -> None:
    cast = _cast()
    stage = set_stage(cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"])
    mine, deck = f"/my/{stage.event_id}/", f"/my/{stage.event_id}/deck/"
    page = site.open("/", member=cast["alice"], workers="allow")
    page.wait_for_function(CONTROLLED)
    asked = page.context.new_cdp_session(page)
    wrong = asked.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [one["errorId"] for one in wrong] in ([], ["in-incognito"])  # as every test context is
    described = asked.send("Page.getAppManifest")
    assert (described["errors"], described["url"]) == ([], f"{site.url}/manifest.webmanifest")
    for path in (deck, f"/my/{stage.event_id}/standing/", "/account/", mine):
        page.goto(path)
    table = page.locator("h1.plate").inner_text()
    page.wait_for_function(f"async () => Boolean(await caches.match('{mine}'))")
    assert set(_own(page)) == {deck, mine, "/my/"}
    check_page(page)

    # what came with a confirmation, without its frame, takes its place in the page that is kept
    page.get_by_text("Note Life Points of my pad").click()
    page.get_by_label("Life Points now").fill("6400")
    page.get_by_role("button", name="Note them").click()
    expect(page.get_by_text("Your line is noted in the log of the duel.")).to_be_visible()
    page.wait_for_function(
        f"async () => (await (await caches.match('{mine}')).text()).includes('Your line is noted')"
    )
    kept = _own(page)
    assert set(kept) == {deck, mine, "/my/"}
    parts = ("<main", 'id="kept" hidden', 'class="top"')
    for path in (mine, "/my/"):
        assert [kept[path].count(part) for part in parts] == [1, 1, 1]
    check_page(page)

    with site.server.away():
        page.goto("/my/")
        expect(page.locator("h1.plate")).to_have_text(table)
        expect(page.get_by_text("This page was kept at")).to_be_visible()
        expect(page.locator("[data-seconds-left]")).to_have_count(0)
        faults_of(page)  # what the live stream says of the connection
        check_page(page, "kept-phone")
        page.get_by_role("button", name="Call a judge").click()
        expect(page.get_by_text(re.compile(r"queued \d\d:\d\d"))).to_be_visible()
        page.goto(deck)
        expect(page.get_by_text("This page was kept at")).to_be_visible()
        page.goto(f"/my/{stage.event_id}/standing/")
        expect(page.get_by_role("heading", name="No connection")).to_be_visible()
        faults_of(page)
        check_page(page, "offline-phone")
        page.get_by_role("link", name="My match, as it was kept").click()
        expect(page.locator("h1.plate")).to_have_text(table)
    expect(page.get_by_text("This page was kept at")).to_be_hidden(timeout=60_000)

    # another person takes the phone
    page.context.add_cookies([site.session(cast["bob"])])
    page.goto("/")
    assert _own(page) == {}
    page.goto(mine)
    page.wait_for_function(f"async () => Boolean(await caches.match('{mine}'))")
    with site.server.away():
        page.get_by_label("Settings").click()
        page.get_by_role("button", name="Leave this phone").click()
        expect(page.get_by_role("heading", name="No connection")).to_be_visible()
        assert _own(page) == {}
        page.goto("/my/")
        expect(page.get_by_role("heading", name="No connection")).to_be_visible()


OPENED = """
async () => {
  const opened = [], tasks = [];
  clients.openWindow = async (url) => { opened.push(url); };
  const all = await registration.getNotifications();
  for (const notification of all) {
    const tap = new NotificationEvent("notificationclick", { notification });
    tap.waitUntil = (task) => { tasks.push(task); };
    dispatchEvent(tap);
  }
  await Promise.allSettled(tasks);
  return all.length ? opened : null;
}
"""
SHOWN = """
async () => {
  const { active } = await navigator.serviceWorker.ready;
  const all = await (await navigator.serviceWorker.ready).getNotifications();
  return active && all.map(({ title, body, tag }) => [title, body, tag]);
}
"""


def test_a_message_is_shown_and_a_tap_opens_its_page_and_no_other_site(site: Site) -> None:
    """The push service is not there: the browser's own tools hand the worker what would come."""
    page = site.open("/my/messages/", member=_cast()["olga"], workers="allow")
    page.wait_for_function(CONTROLLED)
    check_page(page, "messages-phone")
    page.get_by_role("button", name="Tell this device").click()
    expect(page.get_by_text("This browser does not let us")).to_be_visible()
    faults_of(page)  # what the browser says of it
    check_page(page)

    page.context.grant_permissions(["notifications"], origin=site.url)
    held = PushDelivery(topic="round:x", subscription=PushSubscription(language="en"))
    asked, found = page.context.new_cdp_session(page), []
    asked.on(
        "ServiceWorker.workerRegistrationUpdated", lambda said: found.extend(said["registrations"])
    )
    asked.send("ServiceWorker.enable")
    for _ in range(600):
        if found:
            break
        page.wait_for_timeout(50)
    registration = found[0]["registrationId"]
    page.goto("/developers/")
    worker = page.context.service_workers[0]

    def tapped(title: str, path: str) -> tuple[list[list[str]], list[str]]:
        """Hand a message over and tap it: what is shown then, and what is opened. A look at what
        is shown makes the browser forget what it has not put up yet: then once more."""
        held.topic = title[:7]
        data = delivery.payload_of(Notice(title, "Against Bob", path), held).decode()
        message = {"origin": site.url, "registrationId": registration, "data": data}
        for _ in range(20):
            asked.send("ServiceWorker.deliverPushMessage", message)
            for _ in range(20):
                page.wait_for_timeout(100)
                shown = page.evaluate(SHOWN)
                opened = worker.evaluate(OPENED) if shown else None
                if opened is not None:
                    return shown, opened
        raise AssertionError(f"{title} is never shown")

    shown, opened = tapped("Round 1: table 7", "/developers/")
    assert (shown, opened) == ([["Round 1: table 7", "Against Bob", "Round 1"]], []), (
        "the open page is brought to the front instead"
    )
    assert tapped("Round 2: table 9", "/decks/limits/")[1] == [f"{site.url}/decks/limits/"]
    assert tapped("Elsewhere", "https://elsewhere.example/")[1] == []
    page.wait_for_function(f"async () => (await ({SHOWN})()).length === 0")
