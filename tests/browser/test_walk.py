"""One evening, each person in a browser context of their own.

Olga creates an event in the admin and runs it from the desk; two players enrol and hand in
their lists on phones, two at the desk; a result is confirmed by both phones; Jude, whose role
Olga gave on the page of the staff, rules on a call; the standings change.
"""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.harness import Site, check_page, watch
from tests.conftest import PASSWORD, make_member
from tests.helpers import rebuilds_equal
from tests.portal.stage import starter
from tournaments.models import EntrantRow, EventRow, MatchRow, StandingRow

EVENT = "Friday duels"
PHONES = {"Alice": "starter-ember", "Bob": "starter-tide"}
AT_THE_DESK = {"Ida": "starter-tide", "Nora": "starter-ember"}
PAIRINGS_TRIED = 60  # each draft seats Alice with Bob once in three
RULE = "YGO-11.1"
READABLE = 100  # CSS pixels: about a word of twelve letters


def _signed_in(site: Site, name: str, *, device: str = "desk") -> Page:
    """Sign a member of the cast in by the form, as a person does."""
    page = site.open("/sign-in/", device=device)
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def _press(page: Page, button: str, *, says: str) -> None:
    """Press a button and wait for the words that tell it has worked."""
    page.get_by_role("button", name=button).first.click()
    expect(page.get_by_text(says).first).to_be_visible()


def _created(desk: Page) -> str:
    """Create the event by the command button in the admin; returns its id."""
    desk.goto("/admin/tournaments/eventrow/")
    desk.get_by_role("link", name="Create an event").first.click()
    desk.get_by_label("Name").first.fill(EVENT)
    desk.get_by_role("button", name="Create").first.click()
    expect(desk.get_by_text(EVENT).first).to_be_visible()
    made = EventRow.objects.get(name=EVENT)
    assert made.status == "draft"
    return made.pk


def _joined(site: Site, address: str, name: str) -> Page:
    """Open the join link on a new phone and enrol under a name."""
    phone = site.open(address.removeprefix(site.url))
    check_page(phone, "walk-join")
    phone.get_by_label("Your name").fill(name)
    _press(phone, "Enrol", says="You are in.")
    return phone


def _handed_in(phone: Page, deck: str) -> None:
    """Paste an illegal list, read why, paste a legal one, check in."""
    phone.get_by_role("link", name="Hand in your deck").click()
    pasted = phone.get_by_label("Deck list", exact=True)
    pasted.fill("2 Summoned Skull")
    hand_in = phone.get_by_role("button", name="Hand in", exact=True)
    hand_in.click()
    expect(phone.get_by_text("The main deck is too small")).to_be_visible()
    expect(pasted).to_have_value("2 Summoned Skull")
    check_page(phone, "walk-deck-refused", status=409)
    watch(phone)  # that refusal was wanted; from here on the page must be quiet again
    pasted.fill(starter(deck))
    hand_in.click()
    expect(phone.get_by_text("Handed in, version 1")).to_be_visible()
    check_page(phone, "walk-deck")
    phone.get_by_role("link", name="Match", exact=True).click()
    _press(phone, "I am here: check in", says="You are checked in.")


def _enrolled_at_the_desk(desk: Page, event_id: str, name: str, deck: str) -> None:
    """Enrol a player by name at the desk, take the list from paper, check the player in."""
    desk.goto(f"/staff/events/{event_id}/people/")
    desk.get_by_label("Name", exact=True).fill(name)
    desk.get_by_role("button", name="Enrol", exact=True).click()
    expect(desk.get_by_text("Enrolled as number").first).to_be_visible()
    desk.get_by_role("link", name=name, exact=True).click()
    desk.get_by_label("Deck list", exact=True).fill(starter(deck))
    _press(desk, "Hand in", says="The list is handed in.")
    _press(desk, "Check in", says="The player is checked in.")


def _round_published(desk: Page, event_id: str) -> tuple[MatchRow, MatchRow]:
    """Start, pair until the two phones meet, publish; returns their match and the other one."""
    desk.goto(f"/staff/events/{event_id}/")
    _press(desk, "Close the registration", says="Start the event")
    _press(desk, "Start the event", says="Pair the next round")
    _press(desk, "Pair the next round", says="Draft of round 1")
    draft = desk.get_by_role("table", name="Draft").get_by_role("row")
    shared = draft.filter(has_text="Alice").filter(has_text="Bob")
    for _ in range(PAIRINGS_TRIED):
        if shared.count():
            break
        _press(desk, "Pair this round anew", says="Draft of round 1")
    assert shared.count() == 1, "no draft seats Alice with Bob"
    check_page(desk, "walk-draft")
    _press(desk, "Publish the pairings", says="2 tables are open.")
    check_page(desk, "walk-desk")
    table = int(_shared_table(desk))
    rows = MatchRow.objects.filter(event_id=event_id, round=1)
    return rows.get(table=table), rows.exclude(table=table).get()


def _shared_table(desk: Page) -> str:
    """Read from the list of open tables where Alice plays Bob."""
    row = desk.get_by_role("table", name="Open tables").get_by_role("row")
    return row.filter(has_text="Alice").filter(has_text="Bob").locator(".plate").inner_text()


def _ruled(judge: Page, event_id: str, table: int) -> None:
    """Take the one call of the queue, go there, rule without a penalty, close the call."""
    judge.goto(f"/staff/events/{event_id}/calls/")
    check_page(judge, "walk-queue")
    width = judge.locator("a.line .grow").evaluate("one => one.clientWidth")
    assert width > READABLE, "the words of a call are squeezed on a phone"
    judge.get_by_role("button", name=f"Take the call of table {table}").click()
    expect(judge.get_by_role("button", name="START HERE")).to_be_visible()
    check_page(judge, "walk-sheet")
    judge.get_by_role("button", name="START HERE").click()
    expect(judge.get_by_text(re.compile("^started "))).to_be_visible()  # the server has it
    judge.get_by_role("link", name="Cite a rule, give the call back").click()
    judge.get_by_label("Rule", exact=True).fill(RULE)
    judge.get_by_role("button", name="Rule", exact=True).click()
    expect(judge.get_by_text("The ruling is recorded.")).to_be_visible()
    expect(judge.locator(".slip").get_by_text(RULE)).to_be_visible()
    check_page(judge, "walk-ruling")
    judge.get_by_role("button", name="Close the call").click()
    expect(judge.get_by_text("Closed").first).to_be_visible()
    judge.goto(f"/staff/events/{event_id}/rulings/")
    width = judge.locator("main a.line .grow").evaluate("one => one.clientWidth")
    assert width > READABLE, "the words of a ruling are squeezed on a phone"


def _reported(phone: Page, event_id: str, score: str, *, says: str) -> None:
    """Report a result on a phone, own wins first."""
    phone.goto(f"/my/{event_id}/#report")
    phone.get_by_role("radio", name=score, exact=True).check()
    _press(phone, "Send result", says=says)


def _standing(public: Page, event_id: str) -> list[tuple[str, int]]:
    """Read names and points of the standings, first place first."""
    public.goto(f"/events/{event_id}/standings/")
    rows = public.locator("table.t tbody tr").all()
    cells = [(row.locator("td").nth(1).locator("b"), row.locator("td").nth(3)) for row in rows]
    return [(name.inner_text(), int(points.inner_text())) for name, points in cells]


def test_an_evening_of_phones_desk_and_judge(site: Site) -> None:
    olga = make_member(4, "Olga", account=True)
    olga.grant("organiser")
    make_member(5, "Jude", account=True)

    desk = _signed_in(site, "olga")
    event_id = _created(desk)
    public = site.open("/")
    expect(public.get_by_text(EVENT)).to_have_count(0)  # a draft is the staff's alone

    desk.goto(f"/staff/events/{event_id}/roles/?who=Jude")
    _press(desk, "Give", says="The role is given.")
    expect(desk.get_by_role("table", name="Roles in force").get_by_text("Jude")).to_be_visible()
    desk.goto(f"/staff/events/{event_id}/")
    _press(desk, "Open the registration", says="The registration is open.")
    desk.goto(f"/staff/events/{event_id}/join/")
    address = desk.locator("main a[href*='/join/']").last.get_attribute("href") or ""
    phones = {name: _joined(site, address, name) for name in PHONES}
    for name, phone in phones.items():
        _handed_in(phone, PHONES[name])
    for name, deck in AT_THE_DESK.items():
        _enrolled_at_the_desk(desk, event_id, name, deck)
    entrants = EntrantRow.objects.filter(event_id=event_id)
    assert [(one.status, one.by_staff) for one in entrants.order_by("number")] == [
        ("checked_in", False),
        ("checked_in", False),
        ("checked_in", True),
        ("checked_in", True),
    ]
    assert all(one.deck_id for one in entrants)

    match, other = _round_published(desk, event_id)
    assert sorted(_standing(public, event_id)) == sorted((name, 0) for name in _players())
    expect(public.get_by_text("results are still coming in")).to_be_visible()
    for phone in phones.values():
        phone.goto(f"/my/{event_id}/")
        expect(phone.locator("h1.plate")).to_have_text(str(match.table))
    check_page(phones["Alice"], "walk-match")

    _press(phones["Alice"], "Call a judge", says="A judge is called.")
    jude = _signed_in(site, "jude", device="phone")
    _ruled(jude, event_id, match.table)
    for phone in phones.values():
        phone.goto(f"/my/{event_id}/judge/")
        expect(phone.get_by_text(RULE).first).to_be_visible()

    _reported(phones["Alice"], event_id, "2-1", says="It counts when your opponent")
    match.refresh_from_db()
    assert (match.state, match.winner) == ("claimed", "")
    phones["Bob"].goto(f"/my/{event_id}/")
    expect(phones["Bob"].get_by_text("Alice has reported. Report what you played.")).to_be_visible()
    _reported(phones["Bob"], event_id, "1-2", says="The result is in force.")
    check_page(phones["Bob"], "walk-result")

    desk.goto(f"/staff/events/{event_id}/results/")
    desk.get_by_label("Table and result").fill(f"{other.table} 2-0")
    desk.get_by_role("button", name="Enter", exact=True).first.click()
    expect(desk.get_by_text("The result is in.")).to_be_visible()
    check_page(desk, "walk-results")

    names = dict(
        zip(entrants.order_by("number").values_list("pk", flat=True), _players(), strict=True)
    )
    match.refresh_from_db()
    other.refresh_from_db()
    alice = "P1" if names[match.p1] == "Alice" else "P2"
    assert (match.state, match.winner, match.reason) == ("decided", alice, "played")
    assert match.claims["P1"]["score"] == match.claims["P2"]["score"]
    assert sorted((match.p1_wins, match.p2_wins, match.draws)) == [0, 1, 2]
    assert (other.winner, other.decided_by) == ("P1", "staff")
    won = {"Alice", names[other.p1]}
    shown = _standing(public, event_id)
    assert {name for name, _ in shown[:2]} == won
    assert {name for name, _ in shown} == set(_players())
    assert [points for _, points in shown] == [3, 3, 0, 0]
    expect(public.get_by_text("all results are in")).to_be_visible()
    kept = StandingRow.objects.filter(event_id=event_id, round=1).order_by("position")
    assert [(names[one.entrant_id], one.points) for one in kept] == shown
    check_page(public, "walk-standings")
    rebuilds_equal()


def _players() -> list[str]:
    """The four players in the order in which they are enrolled."""
    return [*PHONES, *AT_THE_DESK]
