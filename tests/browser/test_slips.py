"""Slips at the desk as they are typed: names while typing, the field always free, nothing lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.harness import Site, check_page
from tests.conftest import make_member
from tests.portal.stage import set_stage
from tournaments import services
from tournaments.models import MatchRow

pytestmark = pytest.mark.browser


def test_slips_are_typed_one_after_the_other(site: Site) -> None:
    cast = {
        name: make_member(number, name.capitalize(), account=number > 2)
        for number, name in enumerate(("alice", "bob", "charlie", "olga", "jude", "hedda"), 1)
    }
    olga, jude = cast["olga"], cast["jude"]
    olga.grant("organiser")
    stage = set_stage(olga, cast["alice"], cast["bob"], jude, cast["hedda"])
    services.clock_start(olga.context(), event_id=stage.event_id, minutes=40)
    rows = {row.table: row for row in MatchRow.objects.filter(event_id=stage.event_id, round=2)}
    open_tables = [table for table, row in rows.items() if not row.winner]
    first, second = open_tables[:2]
    page = site.open(f"/staff/events/{stage.event_id}/results/", member=olga, device="desk")
    field, reads = page.locator("#line"), page.locator("#reads")
    expect(field).to_be_focused()
    field.press_sequentially(f"{first} 2-1 d2")
    expect(reads).to_contain_text("drops")
    expect(reads.locator("b").first).not_to_be_empty()
    field.press("Enter")
    # the next line is typed at once, whatever the server does with the first
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    field.press_sequentially(f"{second} 9-9")
    expect(page.locator("#entries li").first).to_contain_text("2-1")
    expect(field).to_have_value(f"{second} 9-9")
    field.press("Enter")
    # refused in place: the line is in the field again, chosen, and says why
    expect(page.locator("#slip-told [role=alert]").first).to_contain_text("cannot end 9-9")
    expect(page.get_by_text("cannot end 9-9")).to_have_count(1)
    expect(field).to_have_value(f"{second} 9-9")
    expect(field).to_be_focused()
    field.press_sequentially(f"{second} 2-0")
    field.press("Enter")
    expect(page.locator("#entries li").first).to_contain_text("2-0")
    expect(page.locator("#counts")).to_contain_text(f"{len(rows) - len(open_tables) + 2} in")
    # another result of the first table is kept beside it
    field.press_sequentially(f"{first} 0-2")
    expect(reads).to_contain_text("has 2-1 already")
    field.press("Enter")
    conflict = page.get_by_role("region", name="Entered twice, and not the same")
    expect(conflict).to_contain_text("Olga")
    page.reload()
    check_page(page, "results-conflict-desk")
    page.get_by_role("button", name="Keep 2-1").click()
    expect(page.get_by_text("It is settled.")).to_be_visible()
    page.get_by_role("button", name=f"Undo the entry of table {second}").click()
    expect(page.get_by_text("The entry is taken back")).to_be_visible()
    assert MatchRow.objects.get(pk=rows[second].pk).winner == ""
    # the floor and the end of a match, on a judge's phone
    services.clock_adjust(olga.context(), event_id=stage.event_id, minutes=-46)
    phone = site.open(f"/staff/events/{stage.event_id}/floor/", member=jude)
    check_page(phone, "floor-phone")
    phone.get_by_role("button", name=f"Take table {second}").click()
    expect(phone.get_by_text("The table is yours.")).to_be_visible()
    phone.goto(f"/staff/matches/{rows[second].pk}/end/")
    check_page(phone, "end-start-phone")
    phone.get_by_role("button", name="Time is called").click()
    phone.get_by_role("button", name="1-0", exact=True).click()
    phone.get_by_role("button", name="In a duel").click()
    check_page(phone, "end-question-phone")
    phone.get_by_role("button", name="Stopped, nobody has won").or_(
        phone.get_by_role("button", name="The turn is over, nobody has won")
    ).click()
    for turn in range(1, 6):
        expect(phone.get_by_role("heading", name=f"Extra turn {turn} of 5")).to_be_visible()
        phone.get_by_role("button", name="The turn is over, nobody has won").click()
    phone.locator("#lp1").fill("1200")
    phone.locator("#lp2").fill("3000")
    check_page(phone, "end-points-phone")
    phone.get_by_role("button", name="Compare").click()
    expect(phone.get_by_text("equal duels won")).to_be_visible()
    check_page(phone, "end-result-phone")
    phone.get_by_role("button", name="Enter this result").click()
    expect(phone.get_by_role("button", name="Enter this result")).to_have_count(0)
    expect(phone.locator("[data-end] .note")).to_contain_text("drawn")
    assert MatchRow.objects.get(pk=rows[second].pk).winner == "draw"
    # the many pages of the desk are one row on a phone, with the present one in sight at once
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/staff/events/{stage.event_id}/webhooks/")
    row, here = (page.locator(one).bounding_box() for one in (".tabs", ".tabs [aria-current]"))
    assert row is not None
    assert here is not None
    assert row["height"] < 80
    assert here["x"] >= row["x"] - 1
    assert here["x"] + here["width"] <= row["x"] + row["width"] + 1
    check_page(page, "tabs-phone")
