"""The harness sees what it should see; the front page is fit to be looked at."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.harness import DEVICES, Site, check_page, watch
from tests.conftest import make_member

GOOD = (
    "<!doctype html><html lang=en><head><title>Good</title></head>"
    "<body><main><h1>Good</h1>{}</main></body></html>"
)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "image-alt"),
        ("<p style='width: 3000px'>wide</p>", "3000 px wide|px wide in a window"),
        ("<script>console.error('a fault of the page')</script>", "a fault of the page"),
        ("<script>null.nothing()</script>", "console: .*null"),
        ("<p style='color:#aaa;background:#fff'>pale</p>", "color-contrast"),
    ],
)
def test_a_faulty_page_is_found_out(chromium: Browser, body: str, complaint: str) -> None:
    context = chromium.new_context(**DEVICES["desk"])
    try:
        page = context.new_page()
        watch(page)
        page.set_content(GOOD.format(body))
        with pytest.raises(AssertionError, match=complaint):
            check_page(page)
        page = context.new_page()
        watch(page)
        page.set_content(GOOD.format("<p>Nothing wrong here.</p>"))
        check_page(page)
    finally:
        context.close()


@pytest.mark.parametrize("device", ["phone", "desk"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_front_page_in_light_and_dark_on_phone_and_desk(
    site: Site, device: str, scheme: str
) -> None:
    page = site.open("/", device=device, scheme=scheme)
    check_page(page, f"front-{device}-{scheme}")


def test_this_process_and_the_server_share_the_database(site: Site) -> None:
    olga = make_member(4, "Olga", account=True)
    olga.grant("organiser")
    page = site.open("/admin/", member=olga, device="desk")
    assert page.url == f"{site.url}/admin/"
    assert page.get_by_role("heading").count() > 0
