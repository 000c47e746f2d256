"""My deck on the phone: three explained errors, each with its button; files, paper, versions."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from cards.models import Banlist
from cards.selectors import _catalogue
from cards.services import banlist_import
from decks.domain.draft import Edit
from decks.domain.read import read_deck
from decks.domain.text_list import write_text
from eventstore.commands import Context
from eventstore.ids import new_id
from people.domain.actor import SYSTEM
from tests.conftest import Member
from tests.portal.stage import starter
from tournaments import services

pytestmark = pytest.mark.django_db


@pytest.fixture
def event_id(olga: Member, alice: Member) -> str:
    """An event with a list of limits that forbids a card of the starter deck, Alice in it."""
    call_command("load_shipped", verbosity=0)
    text = starter().split()
    forbidden = next(one for one in text if one.isdigit())
    banlist_import(
        Context(SYSTEM, "system"),
        source="house",
        content=f"!2026.06 house\n{forbidden} 0\n".encode(),
    )
    made = new_id()
    services.event_create(
        olga.context(),
        event_id=made,
        name="Pond Open",
        preset="advanced",
        banlist_id=Banlist.objects.get(title="2026.06 house").pk,
    )
    services.registration_open(olga.context(), event_id=made)
    services.entrant_enrol(olga.context(), event_id=made, person_id=alice.person_id)
    return made


def _buttons(body: str) -> dict[str, str]:
    found = re.findall(r'<button class="btn" name="edit" value="([^"]+)">([^<]+)</button>', body)
    return {html.unescape(words): value for value, words in found}


def _content(body: str) -> str:
    return html.unescape(re.search(r'<textarea id="content"[^>]*>(.*?)</textarea>', body, re.S)[1])  # type: ignore[index]


def test_three_errors_are_explained_and_their_buttons_put_them_right(
    event_id: str, alice: Member, client_of: Callable[..., Client]
) -> None:
    client = client_of(alice)
    catalogue = _catalogue()
    deck = read_deck(starter(), catalogue).deck
    forbidden = deck.main[0]
    fourth = next(key for key in dict.fromkeys(deck.main) if key != forbidden)
    rest = [key for key in deck.main if key not in (forbidden, fourth)]
    names = [catalogue.name(key) or key for key in rest[:36]]
    lines = [f"1 {forbidden}", f"3 {fourth}", *(f"1 {name}" for name in names)]
    content = "\n".join(["Main Deck:", *lines, "1 Sumoned Skul", "Side Deck:", f"1 {fourth}"])
    address = f"/my/{event_id}/deck/"

    def post(**values: str) -> str:
        answer = client.post(address, {"content": content, "nonce": new_id(), **values})
        assert answer.status_code == (409 if values.get("act") == "submit" else 200)
        return answer.content.decode()

    body = post(act="submit", deck_id=new_id())
    for title in ("A Forbidden card", "Too many copies of one card", "A line that names no card"):
        assert title in body
    assert body.count('<li class="fault">') == 3
    content = _content(body)
    body = post(edit=_buttons(body)["Take one out of the side deck"])
    content = _content(body)
    assert "Too many copies" not in body
    body = post(edit=_buttons(body)["Take it out of the main deck"])
    content = _content(body)
    assert "A Forbidden card" not in body
    use = next(words for words in _buttons(body) if words.startswith("Use"))
    body = post(edit=_buttons(body)[use])
    content = _content(body)
    assert "A line that names no card" not in body
    assert "This list is legal" in body
    body = post(act="look", find=catalogue.name(rest[40]) or "")
    tapped = Edit("add", rest[40], to="main").as_text()
    assert f'value="{tapped}"' in body
    content = _content(post(edit=tapped))
    assert len(read_deck(content, catalogue).deck.main) == 41
    done = client.post(
        address, {"content": content, "act": "submit", "deck_id": new_id(), "nonce": new_id()}
    )
    assert done.status_code == 302
    body = client.get(address).content.decode()
    assert "Handed in, version 1" in body
    assert write_text(read_deck(content, catalogue).deck, catalogue) == write_text(
        read_deck(_content(body), catalogue).deck, catalogue
    )


def test_files_and_paper_hold_the_list_in_force(
    event_id: str, alice: Member, client_of: Callable[..., Client]
) -> None:
    client = client_of(alice)
    assert client.get(f"/my/{event_id}/deck/paper/").status_code == 404
    catalogue = _catalogue()
    deck = read_deck(starter(), catalogue).deck
    content = "\n".join(dict.fromkeys(deck.main[1:]))
    content = "\n".join(
        f"{min(3, deck.main.count(key))} {key}"
        for key in dict.fromkeys(content.split())
        if key != deck.main[0]
    )
    made = services.deck_submit(
        alice.context(), event_id=event_id, entrant_id=_entrant(event_id), content=content
    )
    assert made.number == 1
    held = read_deck(content, catalogue).deck
    for kind in ("ydk", "ydke", "omega", "csv", "text", "plain"):
        answer = client.get(f"/my/{event_id}/deck/files/{kind}/")
        assert answer.status_code == 200, kind
        assert f"deck-v1-{kind}" in answer["Content-Disposition"]
        assert sorted(read_deck(answer.content, catalogue).deck.main) == sorted(held.main), kind
    assert client.get(f"/my/{event_id}/deck/files/exe/").status_code == 404
    body = client.get(f"/my/{event_id}/deck/paper/").content.decode()
    assert "<svg" in body
    for key in set(held.main):
        assert html.escape(catalogue.name(key) or "", quote=True) in body


def test_a_stranger_gets_neither_file_nor_paper(
    event_id: str, charlie: Member, client_of: Callable[..., Client]
) -> None:
    for path in ("deck/", "deck/paper/", "deck/files/ydk/"):
        assert client_of(charlie).get(f"/my/{event_id}/{path}").status_code == 404


def test_live_counters_answer_with_the_part_alone(
    event_id: str, alice: Member, client_of: Callable[..., Client]
) -> None:
    answer = client_of(alice).post(
        f"/my/{event_id}/deck/",
        {"content": starter(), "act": "look"},
        headers={"HX-Request": "true"},
    )
    body = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in body
    assert "40\u201360" in body


def _entrant(event_id: str) -> str:
    from tournaments.models import EntrantRow

    return str(EntrantRow.objects.get(event_id=event_id).pk)
