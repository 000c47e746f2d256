"""Enrol, report, call a judge and rule with the keyboard alone, and always see where one is."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from people import joinlinks
from people.joinlinks import JoinLink
from tests.browser.harness import Site
from tests.conftest import Member, make_member
from tests.portal.stage import set_stage
from tournaments import services
from tournaments.models import EntrantRow, MatchRow

STEPS = 80
HERE = """() => {
  const one = document.activeElement;
  const box = one.getBoundingClientRect();
  const held = one.closest("label") ?? one;
  const parts = [one, held, ...held.children];
  const shown = parts.map((part) => getComputedStyle(part));
  return {
    name: (one.ariaLabel || one.labels?.[0]?.innerText || one.innerText || "").trim(),
    tag: one.tagName,
    ring: shown.some((s) => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0)
      || shown.some((s) => s.boxShadow !== "none"),
    box: [box.width, box.height],
  };
}"""


def reach(page: Page, name: str, *, tag: str = "") -> None:
    """Press Tab until the focus is on what is called `name`; each stop must be seen."""
    for _ in range(STEPS):
        page.keyboard.press("Tab")
        at = page.evaluate(HERE)
        if at["tag"] == "BODY":
            continue
        assert at["ring"], f"{page.url}: no ring around {at['tag']} {at['name']!r}"
        if at["name"].startswith(name) and tag in ("", at["tag"]):
            return
    raise AssertionError(f"{page.url}: Tab does not come to {name!r}")


def press(page: Page, name: str, *, says: str) -> None:
    """Go to a button by Tab and press Enter; then the page says what has changed."""
    reach(page, name, tag="BUTTON")
    page.keyboard.press("Enter")
    expect(page.get_by_text(says).first).to_be_visible()


def test_enrol_with_the_keyboard(site: Site) -> None:
    olga = make_member(4, "Olga", account=True)
    olga.grant("organiser")
    event_id = "0190a0b0-0000-7000-8000-0000000000e1"
    services.event_create(olga.context(), event_id=event_id, name="Quiet cup")
    services.registration_open(olga.context(), event_id=event_id)
    page = site.open(f"/join/{joinlinks.make(JoinLink(event_id, None))}/", device="desk")
    page.keyboard.press("Tab")
    assert page.evaluate(HERE)["name"] == "Skip to content"
    page.keyboard.press("Enter")
    reach(page, "Your name", tag="INPUT")
    page.keyboard.type("Quillby")
    page.keyboard.press("Enter")
    expect(page.get_by_text("You are in.")).to_be_visible()
    assert EntrantRow.objects.filter(event_id=event_id).count() == 1


def test_report_call_and_rule_with_the_keyboard(site: Site) -> None:
    cast = _cast()
    stage = set_stage(
        cast["olga"], cast["alice"], cast["bob"], cast["jude"], cast["hedda"]
    )  # fmt: skip
    page = site.open(f"/my/{stage.event_id}/", member=cast["alice"], device="desk")
    reach(page, "2-0", tag="INPUT")
    page.keyboard.press("ArrowRight")  # the next radio button: 2-1
    page.keyboard.press("Enter")
    expect(page.get_by_text("It counts when your opponent reports the same.")).to_be_visible()
    row = MatchRow.objects.get(pk=stage.match_id)
    claim = row.claims[stage.seat]["score"]
    assert claim[0 if stage.seat == "P1" else 1] == 2
    assert sum(claim) == 3

    page.goto(f"/my/{stage.event_id}/")
    press(page, "Call a judge", says="your call was joined to it")

    judge = site.open(f"/staff/calls/{stage.call_id}/", member=cast["jude"], device="desk")
    press(judge, "Take", says="I am at the table")
    press(judge, "I am at the table", says="Infraction")
    reach(judge, "Rule", tag="INPUT")
    judge.keyboard.type("YGO-11.1")
    judge.keyboard.press("Enter")
    expect(judge.get_by_text("The ruling is recorded.")).to_be_visible()


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
