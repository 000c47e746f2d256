"""The second factor on a phone: set up, kept codes, then a log-in with each kind of code."""

from __future__ import annotations

import pyotp
from playwright.sync_api import Page, expect

from tests.browser.harness import Site, check_page, faults_of
from tests.conftest import PASSWORD, make_member


def _signed_out(page: Page, username: str) -> None:
    """Sign out and in again with the password, up to the second step."""
    page.context.clear_cookies()
    page.goto("/sign-in/")
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()


def test_set_up_and_two_log_ins(site: Site) -> None:
    member = make_member(4, "Olga", account=True)
    page = site.open("/account/second-factor/", member=member)
    check_page(page, "second-factor")
    page.get_by_text("No camera? Type the key").click()
    secret = page.locator("details code").inner_text().replace(" ", "")
    page.get_by_label("Code that the app shows").fill("000000")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Put it in force").click()
    expect(page.locator("[role=alert]").first).to_be_visible()
    check_page(page, "second-factor-refused", status=409)
    faults_of(page)
    app = pyotp.TOTP(secret)
    page.get_by_label("Code that the app shows").fill(app.now())
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Put it in force").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    check_page(page, "recovery-codes")
    kept = page.locator("ol code").all_inner_texts()
    assert len(set(kept)) == 10

    username = str(member.username)
    _signed_out(page, username)
    check_page(page, "second-step")
    page.get_by_label("Code of your app").fill(kept[0])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    page.goto("/account/")
    expect(page.get_by_text("9 recovery codes are left.")).to_be_visible()

    _signed_out(page, username)
    page.get_by_label("Code of your app").fill(kept[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Second step")).to_be_visible()
