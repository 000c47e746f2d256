"""On a phone: a player disputes a line, another judge reviews it, the desk sees what a correction
moves; the head judge takes a duel back and keeps the packet of a disqualification."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from duels.services import act
from judging import disputes, packets, services
from tests.browser.harness import Site, check_page
from tests.conftest import Member, make_member
from tests.judging.hall import Hall, open_hall, raise_call, to_table
from tournaments import services as tournaments
from tournaments.models import MatchRow

CAST = ("Olga", "Alice", "Bob", "Jude", "Hedda")


def _hall() -> tuple[Hall, dict[str, Member]]:
    cast = {
        name: make_member(place, name, account=place > 3)
        for place, name in zip((4, 1, 2, 5, 6), CAST, strict=True)
    }
    cast["Olga"].grant("organiser")
    return open_hall(*(cast[name] for name in CAST)), cast


def _duel(hall: Hall) -> str:
    desk, match_id = hall.olga, hall.match_id
    tournaments.coin_toss(desk.context(), match_id=match_id, winner="P1")
    tournaments.starter_choose(desk.context(), match_id=match_id, first="P1")
    return tournaments.duel_start(desk.context(), match_id=match_id, seed=7)


def _checked(page: Page, label: str) -> None:
    faults: list[str] = []
    try:
        check_page(page, label)
    except AssertionError as fault:
        faults.append(str(fault))
    assert not faults, "\n".join(faults)


def test_what_comes_after_a_mistake(site: Site) -> None:
    hall, cast = _hall()
    duel_id = _duel(hall)
    one = cast["Alice"] if hall.seat == "P1" else cast["Bob"]
    act(one.context(), duel_id=duel_id, player="P1", act={"act": "draw"})
    call_id = raise_call(cast["Alice"], hall.match_id)
    to_table(cast["Hedda"], call_id)

    head = site.open(f"/staff/calls/{call_id}/rewind/", member=cast["Hedda"], device="phone")
    head.get_by_label("Why, for judges (sealed)").fill("Drawn before the coin")
    head.get_by_role("button", name="Sign: the game goes back").click()
    expect(head.get_by_text("Play went back to line")).to_be_visible()
    head.get_by_text("Undo this rewind").click()
    head.get_by_label("Why", exact=True).fill("The wrong line")
    head.get_by_role("button", name="Undo the rewind").click()
    expect(head.get_by_text("Undone by Hedda")).to_be_visible()
    _checked(head, "rewind-undone-phone-dark")

    services.call_close(cast["Hedda"].context("judge"), call_id=call_id)
    act(cast["Alice"].context(), duel_id=duel_id, player=hall.seat, act={"act": "concede"})
    lost = [0, 2, 0] if hall.seat == "P1" else [2, 0, 0]
    tournaments.result_enter(hall.olga.context(), match_id=hall.match_id, score=lost)
    player = site.open(f"/duels/{duel_id}/?at=3", member=cast["Alice"], device="phone")
    player.get_by_role("link", name="Dispute this line").click()
    player.get_by_label("What is wrong with it?").fill("I said no such thing")
    player.get_by_role("button", name="Dispute this line").click()
    expect(player.get_by_text("Another judge looks at it")).to_be_visible()
    _checked(player, "dispute-mine-phone-light")

    judge = site.open(f"/staff/events/{hall.event_id}/disputes/", member=cast["Jude"])
    judge.get_by_role("link", name="Line 3").click()
    judge.get_by_role("button", name="Take the review").click()
    expect(judge.get_by_role("heading", name="End the review")).to_be_visible()
    _checked(judge, "dispute-review-phone-dark")
    path = judge.url.partition("?")[0]
    disputes.dispute_rule(
        cast["Jude"].context("judge"), dispute_id=path.rstrip("/").rpartition("/")[2],
        outcome="result", note="Never said", score=[*lost[1::-1], 0],
    )  # fmt: skip
    desk = site.open(path, member=hall.olga, device="desk")
    expect(desk.get_by_role("heading", name="What the correction moves")).to_be_visible()
    _checked(desk, "dispute-settle-desk-dark")
    desk.get_by_label("Why").fill("The log was misread")
    desk.get_by_role("button", name="Correct the result").click()
    expect(desk.get_by_text("Result corrected")).to_be_visible()

    out = MatchRow.objects.get(pk=hall.other_match)
    about: dict[str, Any] = {"event_id": hall.event_id, "entrant_id": out.p1}
    chief = cast["Hedda"].context
    tournaments.penalty_apply(chief(), kind="disqualification", match_id=out.pk, **about)
    packets.packet_person_add(chief(), display_name="Nora Night", **about)
    page = f"/staff/events/{hall.event_id}/packets/"
    head.goto(page)
    head.get_by_role("main").get_by_role("link").filter(has_text="parts missing").click()
    head.get_by_text("Add a reference").click()
    head.get_by_label("Kind").select_option("none")
    head.locator("form", has=head.get_by_label("Kind")).get_by_role("button").click()
    expect(head.get_by_text("The reference is kept.")).to_be_visible()
    _checked(head, "packet-phone-dark")
    head.get_by_role("link", name="As one document").click()
    _checked(head, "packet-document-phone")
