"""A deck on a phone: three errors explained and put right by their buttons, handed in, locked."""

from __future__ import annotations

from playwright.sync_api import expect

from cards.models import Banlist
from cards.selectors import _catalogue
from cards.services import banlist_import
from decks.domain.read import read_deck
from eventstore.commands import Context
from eventstore.ids import new_id
from judging import services as judging
from people.domain.actor import SYSTEM
from tests.browser.harness import Site, check_page, watch
from tests.conftest import make_member
from tests.portal.stage import set_stage, starter
from tournaments import services
from tournaments.models import EntrantRow, MatchRow


def test_a_list_of_41_cards_with_three_faults_is_put_right_and_locked(site: Site) -> None:
    olga, alice = make_member(4, "Olga", account=True), make_member(1, "Alice", account=False)
    olga.grant("organiser")
    catalogue = _catalogue()
    deck = read_deck(starter(), catalogue).deck
    forbidden, fourth, *others = dict.fromkeys(deck.main)
    banlist_import(
        Context(SYSTEM, "system"),
        source="house",
        content=f"!2026.06 house\n{forbidden} 0\n".encode(),
    )
    event_id = new_id()
    services.event_create(
        olga.context(),
        event_id=event_id,
        name="Pond Open",
        preset="advanced",
        banlist_id=Banlist.objects.get(title="2026.06 house").pk,
    )
    services.registration_open(olga.context(), event_id=event_id)
    services.entrant_enrol(olga.context(), event_id=event_id, person_id=alice.person_id)
    rest = [key for key in deck.main if key in others][:36]
    lines = ["Main Deck:", f"1 {forbidden}", f"3 {fourth}", *(f"1 {key}" for key in rest)]
    pasted = "\n".join([*lines, "1 Sumoned Skul", "Side Deck:", f"1 {fourth}"])

    phone = site.open(f"/my/{event_id}/deck/", member=alice)
    box = phone.get_by_label("Deck list", exact=True)
    box.fill(pasted)
    expect(phone.locator("#draft .stat b").first).to_have_text("40")  # by itself, while typing
    hand_in = phone.get_by_role("button", name="Hand in", exact=True)
    hand_in.click()
    faults = phone.locator(".fault")
    expect(faults).to_have_count(3)
    for title in ("A line that names no card", "A Forbidden card", "Too many copies of one card"):
        expect(faults.filter(has_text=title)).to_have_count(1)
    expect(faults.filter(has_text="Forbidden")).to_contain_text(catalogue.name(forbidden) or "")
    check_page(phone, "deck-three-errors", status=409)
    watch(phone)  # that refusal was wanted
    phone.get_by_role("button", name="Take one out of the side deck").click()
    expect(faults).to_have_count(2)
    phone.get_by_role("button", name="Take it out of the main deck").click()
    expect(faults.filter(has_text="Forbidden")).to_have_count(0)
    faults.get_by_role("button", name="Use").first.click()
    expect(phone.get_by_text("This list is legal")).to_be_visible()
    missing = catalogue.name(others[-1]) or ""
    phone.get_by_label("Find a card and tap it in").fill(missing)
    phone.get_by_role("button", name=f"Add {missing}", exact=True).click()
    expect(phone.locator("#draft .stat b").first).to_have_text("41")
    check_page(phone, "deck-legal")
    hand_in.click()
    expect(phone.get_by_text("Handed in, version 1")).to_be_visible()
    check_page(phone, "deck-handed-in")
    services.decks_lock_all(olga.context(), event_id=event_id)
    phone.reload()
    expect(phone.get_by_text("Locked", exact=True)).to_be_visible()
    expect(phone.get_by_label("Deck list", exact=True)).to_have_count(0)
    check_page(phone, "deck-locked")
    phone.get_by_role("link", name="Printable list").click()
    expect(phone.locator(".qr svg")).to_be_visible()
    check_page(phone, "deck-paper")
    assert EntrantRow.objects.get(event_id=event_id).deck_id


def test_a_judge_walks_through_a_deck_check(site: Site) -> None:
    olga, jude = make_member(4, "Olga", account=True), make_member(5, "Jude", account=True)
    alice, bob = make_member(1, "Alice", account=False), make_member(2, "Bob", account=False)
    hedda = make_member(6, "Hedda", account=True)
    olga.grant("organiser")
    stage = set_stage(olga, alice, bob, jude, hedda)
    judging.call_withdraw(alice.context(), call_id=stage.call_id)
    table = MatchRow.objects.get(pk=stage.match_id).table

    phone = site.open(f"/staff/events/{stage.event_id}/checks/", member=jude)
    phone.get_by_label("Drawn at random").fill("0")
    phone.get_by_label("Named tables").fill(str(table))
    phone.get_by_role("button", name="Pick", exact=True).click()
    expect(phone.get_by_text("1 table is picked.")).to_be_visible()
    check_page(phone, "check-picked")
    phone.get_by_role("button", name=f"Begin the check of table {table}").click()
    expect(phone.get_by_text("The check has begun")).to_be_visible()
    check_page(phone, "check-list")
    first = phone.locator("form", has=phone.locator("input[value='main']")).first
    first.locator("input[type='checkbox']").first.check()
    first.locator("input[type='number']").nth(1).fill("0")
    first.get_by_role("button", name="Main deck is counted").click()
    expect(phone.get_by_text("The count is noted.")).to_be_visible()
    check_page(phone, "check-found")
    phone.get_by_role("link", name="Rule on DE-MAJOR").click()
    expect(phone.get_by_label("Infraction", exact=True)).to_have_value("DE-MAJOR")
    phone.get_by_role("button", name="Rule", exact=True).click()
    expect(phone.get_by_text("The ruling is recorded.")).to_be_visible()
    expect(phone.get_by_role("button", name="Close the call")).to_be_visible()
