"""The whole harness once on the plain http address of a network that leads nowhere else."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from eventstore.models import Event
from judging import services as judging
from people import joinlinks
from people.joinlinks import JoinLink
from tests.browser import harness
from tests.browser.hall import NET, SERVER, Hall, NoHall, hall
from tests.conftest import make_member
from tests.helpers import rebuilds_equal
from tests.portal.stage import player, set_stage
from tests.sizes import SIZES
from tools import services

QUEUED = re.compile(r"queued \d\d:\d\d")
BACK = 90_000


@pytest.fixture
def place() -> Iterator[Hall]:
    """The hall. Where none can be built the test is skipped; in CI, as root, it fails."""
    with contextlib.ExitStack() as stack:
        try:
            made = stack.enter_context(hall())
        except NoHall as fault:
            if os.environ.get("CI") == "true" and os.geteuid() == 0:
                pytest.fail(f"CI needs network namespaces: {fault}")
            pytest.skip(f"NO HALL WITHOUT INTERNET WAS TRIED: {fault}")
        yield made


@pytest.fixture
def site_in_the_hall(
    place: Hall,
    chromium: Browser,
    template_database: Path,
    tmp_path: Path,
    django_db_blocker: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[harness.Site]:
    """The product served in one namespace, a Chromium in the other."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    database = tmp_path / "site.sqlite3"
    harness.copy_database(template_database, database)
    server = harness.Server(database, SERVER, place.inside(place.server))
    phone = chromium.browser_type.launch(
        executable_path=place.chromium(tmp_path, str(services.chromium())), args=harness.FLAGS
    )
    with django_db_blocker.unblock(), harness.using_file(database):
        made = harness.Site(server, database, phone)
        try:
            server.start()
            yield made
        finally:
            made.close()
            phone.close()
            server.stop()


def test_join_call_and_report_in_a_hall_without_internet(
    site_in_the_hall: harness.Site, place: Hall
) -> None:
    site = site_in_the_hall
    for name in (place.server, place.phone):
        assert place.routes(name) == [NET]
    away = [*place.inside(place.phone), sys.executable, "-c", harness.ASK, "http://192.0.2.1/"]
    assert subprocess.run(away, capture_output=True).returncode, "something else can be reached"

    alice, bob = (make_member(n, name, account=False) for n, name in ((1, "Alice"), (2, "Bob")))
    olga, jude, hedda = (
        make_member(n, name, account=True) for n, name in ((4, "Olga"), (5, "Jude"), (6, "Hedda"))
    )
    olga.grant("organiser")
    stage = set_stage(olga, alice, bob, jude, hedda)
    judging.call_withdraw(player(alice.person_id), call_id=stage.call_id)

    page = site.open(f"/join/{joinlinks.make(JoinLink(stage.event_id, alice.person_id))}/")
    lacks = "[isSecureContext, typeof crypto.randomUUID, 'serviceWorker' in navigator]"
    assert page.evaluate(lacks) == [False, "undefined", False]
    page.get_by_role("button", name="This is me").click()
    expect(page.get_by_text("You are in.")).to_be_visible()
    harness.check_page(page, "hall-match")

    before = Event.objects.count()
    page.get_by_role("button", name="Call a judge").click()
    expect(page.get_by_text("A judge is called.")).to_be_visible()
    page.goto(f"/my/{stage.event_id}/")
    expect(page.get_by_text("Waiting for a judge")).to_be_visible()
    open_call = Event.objects.order_by("-position")[0].stream.removeprefix("call-")
    judging.call_claim(jude.context("judge"), call_id=open_call)
    expect(page.get_by_text("Judge: Jude")).to_be_visible(timeout=20_000)  # the stream is through
    judging.call_withdraw(player(alice.person_id), call_id=open_call)
    expect(page.get_by_text("Judge: Jude")).to_have_count(0, timeout=20_000)

    with site.server.away():
        page.get_by_role("button", name="Call a judge").click()
        page.get_by_role("radio", name="2-0", exact=True).check(force=True)
        page.get_by_role("button", name="Send result").click()
        expect(page.get_by_text(QUEUED)).to_have_count(2)
        page.wait_for_timeout(SIZES.seconds_away * 1000)
        expect(page.get_by_text(QUEUED)).to_have_count(2)
    expect(page.get_by_text(QUEUED)).to_have_count(0, timeout=BACK)
    expect(page.get_by_text("You reported 2-0")).to_be_visible(timeout=BACK)
    page.wait_for_timeout(2000)
    came = Event.objects.order_by("position")[before:].values_list("type", flat=True)
    assert list(came) == [
        "judging.call_raised",
        "judging.call_claimed",
        "judging.call_withdrawn",
        "judging.call_raised",
        "tournaments.result_claimed",
    ]
    rebuilds_equal("tournaments.board", "portal.live")
