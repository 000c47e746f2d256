"""A deck on a phone: three errors explained and put right by their buttons, a list that costs too
much, a newer list of limits told, handed in, locked."""

from __future__ import annotations

from playwright.sync_api import expect

from cards.models import Banlist
from cards.selectors import _catalogue
from cards.services import banlist_import
from decks import selectors as decks
from decks.domain.read import read_deck
from decks.preset_services import preset_publish
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
    points = f"!2020.06 house\n$pond 3\n{forbidden} 0\n{others[-1]} $pond 4\n"
    newer = f"!2020.09 house\n$pond 3\n{forbidden} 0\n{fourth} 1\n"
    banlist_import(Context(SYSTEM, "system"), source="house", content=(points + newer).encode())
    preset = 'id = "pond"\ntitle = "Pond rules"\n[main]\nleast = 40\nmost = 60\n'
    preset_publish(olga.context(), content=preset)
    event_id = new_id()
    services.event_create(
        olga.context(),
        event_id=event_id,
        name="Pond Open",
        preset="pond@1",
        banlist_id=Banlist.objects.get(title="2020.06 house").pk,
    )
    services.registration_open(olga.context(), event_id=event_id)
    services.entrant_enrol(olga.context(), event_id=event_id, person_id=alice.person_id)
    rest = [key for key in deck.main if key in others][:36]
    lines = ["Main Deck:", f"1 {forbidden}", f"3 {fourth}", *(f"1 {key}" for key in rest)]
    pasted = "\n".join([*lines, "1 Sumoned Skul", "Side Deck:", f"1 {fourth}"])

    phone = site.open(f"/my/{event_id}/deck/", member=alice)
    expect(phone.get_by_text("Pond rules @1")).to_be_visible()
    expect(phone.get_by_text("This event still names 2020.06 house")).to_be_visible()
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
    expect(phone.locator("#draft .stat").last).to_contain_text("at most 3")
    expect(faults).to_contain_text("It costs 4 points, at most 3 are allowed.")
    check_page(phone, "deck-points")
    phone.get_by_role("button", name=f"Take one \u201c{missing}\u201d out").click()
    expect(phone.get_by_text("This list is legal")).to_be_visible()
    expect(phone.get_by_text("1 card of your list changes with 2020.09 house")).to_be_visible()
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
    """Draw tables, begin, take the decks, split the count with a deck checker, a finding in the
    sleeves, the ruling, both decks back."""
    olga, jude = make_member(4, "Olga", account=True), make_member(5, "Jude", account=True)
    alice, bob = make_member(1, "Alice", account=False), make_member(2, "Bob", account=False)
    hedda, dana = make_member(6, "Hedda", account=True), make_member(8, "Dana", account=True)
    olga.grant("organiser")
    stage = set_stage(olga, alice, bob, jude, hedda)
    dana.grant("deck_checker", stage.event_id)
    judging.call_withdraw(alice.context(), call_id=stage.call_id)
    row = MatchRow.objects.get(pk=stage.match_id)
    deck = decks.deck_in_force(hedda.actor, EntrantRow.objects.get(pk=row.p1).deck_id).deck.main

    phone = site.open(f"/staff/events/{stage.event_id}/checks/", member=jude)
    phone.get_by_label("Drawn at random").fill("20")
    phone.get_by_role("button", name="Pick", exact=True).click()
    expect(phone.get_by_text("tables are picked.")).to_be_visible()
    check_page(phone, "check-picked")
    phone.get_by_role("button", name=f"Begin the check of table {row.table}").click()
    expect(phone.get_by_text("The check has begun")).to_be_visible()
    phone.get_by_role("button", name="Both decks are in my hands").click()
    expect(phone.get_by_text("deck with staff")).to_have_count(2)
    check_page(phone, "check-list")

    other = site.open(phone.url, member=dana)
    second = other.locator("#P2 form", has=other.locator("input[value='main']"))
    second.get_by_role("button", name="Main deck is counted").click()
    expect(other.get_by_text("The count is noted.")).to_be_visible()

    phone.reload()
    first = phone.locator("#P1 form", has=phone.locator("input[value='main']"))
    first.locator("input[type='checkbox']").first.check()
    first.locator("input[type='number']").nth(1).fill("0")
    first.get_by_role("button", name="Main deck is counted").click()
    expect(phone.get_by_text("The count is noted.")).to_be_visible()
    expect(phone.locator("#P2").get_by_text("Nothing found in what was counted.")).to_be_visible()
    expect(phone.get_by_role("link", name="Rule on DE-MAJOR")).to_be_visible()

    one = phone.locator("#P1")
    one.get_by_text("Sleeves", exact=True).click()
    for place in ("3", "17"):
        one.get_by_label(place, exact=True).check()
    one.get_by_role("button", name="Note the sleeves").click()
    expect(phone.get_by_text("The sleeves are noted.")).to_be_visible()
    for place in ("3", "17"):
        one.get_by_label(f"Place {place}", exact=True).select_option(deck[0])
    one.get_by_text("Cards that would matter together").click()
    one.locator(f"input[name='group'][value='{deck[0]}']").check()
    one.get_by_label("yes, a group that matters").check()
    one.get_by_role("button", name="Note the sleeves").click()
    expect(phone.get_by_text("By chance alone")).to_be_visible()
    check_page(phone, "check-sleeves")
    phone.get_by_role("link", name="Rule on MC-STRICT").click()
    expect(phone.get_by_label("Infraction", exact=True)).to_have_value("MC-STRICT")
    phone.get_by_role("button", name="Rule", exact=True).click()
    expect(phone.get_by_text("The ruling is recorded.")).to_be_visible()
    expect(phone.get_by_role("button", name="Close the call")).to_be_visible()

    phone.goto(other.url)
    phone.locator("#P1").get_by_role("button", name="confirms").click()
    expect(phone.get_by_text("The deck is back.")).to_be_visible()
    phone.locator("#P2").get_by_role("button", name="Returned: I confirm").click()
    expect(phone.get_by_text("confirmed by Jude")).to_be_visible()
    expect(phone.get_by_text("deck returned")).to_have_count(2)
    check_page(phone, "check-returned")
