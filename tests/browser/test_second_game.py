"""Sixteen players of the game of creatures, mana and shields: a list by page, a duel by taps on a
phone, a ruling by a rule of that game, the standings."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from cards import shipped
from duels import services as duels
from eventstore.ids import new_id
from tests.browser.harness import Site, check_page
from tests.browser.test_pages import _cast
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.portal.stage import player
from tournaments import services
from tournaments.models import EntrantRow, MatchRow

GAME, PRESET = "duel-masters", "classic-dm"
RULE = "DM-9.1"
PLAYERS = 16


def _enrolled(cast: dict[str, Any]) -> tuple[str, str]:
    """An event with one duel a match; everybody but Alice has a list. Return it and her entrant."""
    olga, event_id, alice = cast["olga"], new_id(), ""
    lists = list(shipped.decks(GAME).values())
    services.event_create(
        olga.context(), event_id=event_id, name="Shields", preset=PRESET, match_rules="dm-bo1",
        rounds=4,
    )  # fmt: skip
    services.registration_open(olga.context(), event_id=event_id)
    cast["jude"].grant("judge", event_id)
    for number in range(PLAYERS):
        known = {0: cast["alice"], 1: cast["bob"]}.get(number)
        given = {"person_id": known.person_id} if known else {"display_name": f"Player {number}"}
        made = services.entrant_enrol(olga.context(), event_id=event_id, **given)
        if number == 0:
            alice = made.entrant_id
            continue
        content = lists[number % len(lists)]
        services.deck_submit(
            olga.context(), event_id=event_id, entrant_id=made.entrant_id, content=content
        )
        services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=made.entrant_id)
    return event_id, alice


def _list_handed_in(phone: Page) -> None:
    deck = next(iter(shipped.decks(GAME).values()))
    pasted = phone.get_by_label("Deck list", exact=True)
    pasted.fill(deck)
    phone.get_by_role("button", name="Hand in", exact=True).click()
    expect(phone.get_by_text("Handed in, version 1")).to_be_visible()
    check_page(phone, "dm-deck-phone")


def _tap(page: Page, group: str, name: str) -> None:
    before = page.locator("#last").text_content() or ""
    page.locator(f"[data-group={group}] button").filter(has_text=name).first.click()
    expect(page.locator("#last")).not_to_have_text(before)


def _ruled(judge: Page, event_id: str, table: int) -> None:
    judge.goto(f"/staff/events/{event_id}/calls/")
    judge.get_by_role("button", name=f"Take the call of table {table}").click()
    judge.get_by_role("button", name="START HERE").click()
    expect(judge.get_by_text(re.compile("^started "))).to_be_visible()  # the server has it
    judge.get_by_role("link", name="Cite a rule, give the call back").click()
    judge.get_by_label("Rule", exact=True).fill(RULE)
    judge.get_by_role("button", name="Rule", exact=True).click()
    expect(judge.locator(".slip").get_by_text(RULE)).to_be_visible()
    check_page(judge, "dm-ruling-phone")


def test_an_event_of_creatures_from_list_to_standings(site: Site) -> None:
    cast = _cast()
    event_id, entrant = _enrolled(cast)
    phone = site.open(f"/my/{event_id}/deck/", member=cast["alice"])
    _list_handed_in(phone)
    olga = cast["olga"]
    services.entrant_check_in(olga.context(), event_id=event_id, entrant_id=entrant)
    services.event_start(olga.context(), event_id=event_id)
    services.round_pair(olga.context(), event_id=event_id, seed=5)
    services.round_publish(olga.context(), event_id=event_id, number=1)
    rows = list(MatchRow.objects.filter(event_id=event_id, round=1))
    match = next(one for one in rows if entrant in (one.p1, one.p2))
    other = next(person for side in match.persons for person in side
                 if person != cast["alice"].person_id)  # fmt: skip

    # the lot says who starts, and the duel has a log
    phone.goto(f"/my/{event_id}/")
    phone.get_by_role("button", name="Toss a coin here").click()
    phone.get_by_role("button", name="Keep a log of this duel").click()
    expect(phone.get_by_text("Duel 1 is being played")).to_be_visible()
    match.refresh_from_db()
    seats = {"P1": match.persons[0][0], "P2": match.persons[1][0]}
    mine = next(seat for seat, person in seats.items() if person == cast["alice"].person_id)
    duel_id = phone.locator("a[href*='/duels/']").first.get_attribute("href").split("/")[2]  # type: ignore[union-attr]
    starter = Member(seats[match.starter], "starts")
    plays = phone if match.starter == mine else site.open(f"/my/{event_id}/", member=starter)
    plays.goto(f"/duels/{duel_id}/record/")
    _tap(plays, "untap", "Untap")
    check_page(plays, "dm-record-phone")
    _tap(plays, "charge", "")
    _tap(plays, "phase", "End the turn")

    phone.goto(f"/my/{event_id}/")
    phone.get_by_role("button", name="Call a judge").first.click()
    expect(phone.get_by_text("A judge is called.").first).to_be_visible()
    _ruled(site.open("/", member=cast["jude"]), event_id, match.table)

    loser = "P2" if mine == "P1" else "P1"
    duels.duel_concede(player(other), duel_id=duel_id, player=loser)
    looks = site.open(f"/duels/{duel_id}/", device="desk")
    expect(looks.get_by_text("Alice has won the duel")).to_be_visible()
    check_page(looks, "dm-board-desk")
    phone.goto(f"/my/{event_id}/")
    phone.get_by_role("button", name="The duel is over").click()
    expect(phone.get_by_role("button", name="The duel is over")).to_have_count(0)
    phone.wait_for_load_state("networkidle")
    match.refresh_from_db()
    assert match.winner == mine
    for row in rows:
        if row.pk != match.pk:
            services.result_enter(olga.context(), match_id=row.pk, score=[1, 0, 0])
    public = site.open(f"/events/{event_id}/standings/")
    expect(public.get_by_role("row").filter(has_text="Alice")).to_contain_text("3")
    check_page(public, "dm-standings-phone")
    desk = site.open(f"/staff/events/{event_id}/", member=olga, device="desk")
    expect(desk.get_by_role("button", name="Pair the next round")).to_be_visible()
    assert EntrantRow.objects.filter(event_id=event_id, status="checked_in").count() == PLAYERS
    assert rebuilds_equal("duels.duels") == 1
