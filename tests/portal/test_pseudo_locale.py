"""Every visible word of player and judge pages comes from a catalogue.

A pseudo-locale puts each text of the sources between brackets; it stands in place of Esperanto,
a language of the framework that we do not speak, so that a text of the framework shows as well.
What remains outside the brackets must be data: names, cards, ids, numbers.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import translation
from django.utils.translation import trans_real

from cards.models import Banlist, Card
from duels.rules import texts
from judging import services as judging
from judging.packs import newest
from people.models import Person
from tests.conftest import Member
from tests.portal.stage import Stage, set_stage
from tools import messages
from tournaments.models import EventRow

PSEUDO = "eo"
OPEN, CLOSE = messages.PSEUDO
BAD = "3 Nothing Such\n41 Summoned Skull\n4 Dark Hole"
SHOWN = ("aria-label", "placeholder", "title", "alt", "data-confirm")
SILENT = {"script", "style", "template", "code", "kbd", "textarea"}
ALICE = (
    "/my/{event}/",
    "/my/{event}/deck/",
    "/my/{event}/standing/",
    "/my/{event}/judge/",
    "/my/{event}/judge/panel/",
    "/events/{event}/",
    "/events/{event}/pairings/",
    "/events/{event}/pairings/?by=name&q=al",
    "/events/{event}/standings/?why={alice}&round=1",
    "/events/{event}/bracket/",
    "/events/{event}/log/",
    "/decks/check/",
    "/decks/limits/",
    "/events/{event}/limits/",
    "/duels/{duel}/?at=30&as={seat}",
)
HEDDA = (
    "/staff/",
    "/staff/events/{event}/calls/",
    "/staff/events/{event}/rulings/",
    "/staff/calls/{call}/",
    "/duels/{duel}/?as=judge",
    "/no-such-page/",
)
pytestmark = pytest.mark.django_db


class _Visible(HTMLParser):
    """Collects what a reader sees or hears; an element with its own `lang` or that says
    translate="no" holds words of another language or names, and is passed by."""

    VOID = {"input", "br", "img", "meta", "link", "hr", "use", "rect", "line", "circle", "path"}

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._stack: list[tuple[str, bool]] = []

    def _off(self) -> bool:
        return bool(self._stack) and self._stack[-1][1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        foreign = tag != "html" and ("lang" in given or given.get("translate") == "no")
        off = self._off() or tag in SILENT or foreign
        if not off:
            self.found += [given[name] or "" for name in SHOWN if name in given]
            if tag == "input" and given.get("type") in ("submit", "button"):
                self.found.append(given.get("value") or "")
        if tag not in self.VOID:
            self._stack.append((tag, off))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.handle_starttag(tag, attrs)
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._stack:
            name, _ = self._stack.pop()
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if not self._off():
            self.found.append(data)


def outside(text: str) -> str:
    """Return what of a text stands outside the brackets of the pseudo-locale."""
    depth, kept = 0, []
    for sign in text:
        if sign == OPEN:
            depth += 1
        elif sign == CLOSE:
            depth -= 1
        elif depth == 0:
            kept.append(sign)
    return "".join(kept)


def visible(body: str) -> list[str]:
    """Return the visible texts of a page, brackets kept."""
    reader = _Visible()
    reader.feed(body)
    # a bracket may open in one element and close in another: look at the page as one text
    return [one for one in "\x1f".join(reader.found).split("\x1f") if one.strip()]


def bare_words(body: str, data: re.Pattern[str]) -> list[str]:
    """Return the words of a page that stand in no brackets and are not data."""
    reader = _Visible()
    reader.feed(body)
    rest = data.sub(" ", outside("\n".join(reader.found)))
    return re.findall(r"[^\W\d_]{2,}", rest)


@pytest.fixture
def pseudo(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The pseudo-locale in force: catalogue and rule texts between brackets."""
    folder = tmp_path / PSEUDO / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "django.mo").write_bytes(messages.mo_bytes(messages.pseudo_entries()))
    rules = tmp_path / "rules" / "yugioh"
    rules.mkdir(parents=True)
    english = (texts.FOLDER / "yugioh" / "rules.toml").read_text("utf-8")
    (rules / "rules.toml").write_text(english, "utf-8")
    bracketed = [
        f'["{rule}"]\ntitle = "{OPEN}title{CLOSE}"\nrefusal = "{OPEN}refusal{CLOSE}"\n'
        for rule in tomllib.loads(english)
    ]
    (rules / f"rules.{PSEUDO}.toml").write_text("\n".join(bracketed), "utf-8")
    monkeypatch.setattr(texts, "FOLDER", tmp_path / "rules")
    settings.LOCALE_PATHS = [tmp_path]
    settings.LANGUAGES = [*settings.LANGUAGES, (PSEUDO, "Pseudo")]

    def forget() -> None:
        trans_real._translations = {}
        trans_real.reset_cache(setting="LANGUAGES", value=None, enter=True)
        texts._book.cache_clear()

    forget()
    yield
    monkeypatch.undo()
    forget()
    translation.activate("en")


@pytest.fixture
def stage(olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member) -> Stage:
    """The stage, with a result that both players of a table reported differently."""
    call_command("load_shipped", verbosity=0)
    return set_stage(olga, alice, bob, jude, hedda)


def known_data() -> re.Pattern[str]:
    """Return a pattern of what is data on the stage: names of people, events and cards, ids."""
    names = {*Person.objects.values_list("display_name", flat=True)}
    names |= {*EventRow.objects.values_list("name", flat=True)}
    # labels of a pack are data in five languages: tests/judging/test_pack.py
    known = newest("house-rules")
    names |= {one.label["en"] for one in known.infractions.values()} | {known.title["en"]}
    names |= {*Banlist.objects.values_list("title", flat=True)}
    names |= {*Card.objects.values_list("name", flat=True)}
    words = sorted((re.escape(one) for one in names if one), key=len, reverse=True)
    ids = r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,}"
    rules = r"\b(?:YGO|ADV|GOAT|CLASSIC)-[\d.]+"
    codes = r"\b[A-Z]{1,2}-(?:MINOR|MAJOR|STRICT|SEVERE|CHEATING)\b|\b(?:EN|EO)\b"
    return re.compile("|".join([*words, ids, rules, codes, "Headjudge", r"\bUTC\b"]))


def _client(client_of: Callable[..., Client], member: Member) -> Client:
    client = client_of(member)
    client.cookies["headjudge_language"] = PSEUDO
    return client


@pytest.mark.parametrize(("who", "pages"), [("alice", ALICE), ("hedda", HEDDA)])
def test_every_visible_word_comes_from_a_catalogue(
    pseudo: None,
    stage: Stage,
    alice: Member,
    hedda: Member,
    client_of: Callable[..., Client],
    who: str,
    pages: tuple[str, ...],
) -> None:
    client = _client(client_of, {"alice": alice, "hedda": hedda}[who])
    data = known_data()
    faults: list[str] = []
    for page in pages:
        path = page.format(
            event=stage.event_id,
            duel=stage.duel_id,
            call=stage.call_id,
            alice=stage.entrants["Alice"],
            seat=stage.seat.lower(),
        )
        body = client.get(path).content.decode()
        assert OPEN in body, path
        words = bare_words(body, data)
        if words:
            faults.append(f"{page}: {' '.join(words[:40])}")
    assert not faults, "\n".join(faults)


def test_the_form_of_a_ruling_comes_from_a_catalogue(
    pseudo: None, stage: Stage, hedda: Member, alice: Member, client_of: Callable[..., Client]
) -> None:
    """The judge stands at the table: infractions, remedies, extension; then what is ruled."""
    data = known_data()
    judging.call_claim(hedda.context(), call_id=stage.call_id)
    judging.call_arrive(hedda.context(), call_id=stage.call_id, time_left_s=600)
    path = f"/staff/calls/{stage.call_id}/"
    form = _client(client_of, hedda).get(path).content.decode()
    assert 'name="infraction"' in form
    assert bare_words(form, data) == []
    judging.ruling_make(
        hedda.context(),
        call_id=stage.call_id,
        rule_id="YGO-11.1",
        infraction="PE-MINOR",
        infraction_kind="illegal_play",
        target_entrant=stage.entrants["Alice"],
        remedy="play_on",
    )
    for member, page in ((hedda, path), (alice, f"/my/{stage.event_id}/judge/")):
        assert bare_words(_client(client_of, member).get(page).content.decode(), data) == []


def test_refusals_of_players_come_from_a_catalogue(
    pseudo: None, stage: Stage, alice: Member, client_of: Callable[..., Client]
) -> None:
    """What a form answers when it refuses, with the list of problems of a deck."""
    client = _client(client_of, alice)
    data = known_data()
    posts: list[tuple[str, dict[str, Any]]] = [
        (f"/my/{stage.event_id}/", {"act": "claim", "score": "3-0-0"}),
        (
            f"/my/{stage.event_id}/deck/",
            {"act": "submit", "content": BAD},
        ),
        ("/decks/check/", {"content": BAD}),
        ("/sign-in/", {"username": "", "password": ""}),
    ]
    faults: list[str] = []
    for path, given in posts:
        body = client.post(path, given).content.decode()
        words = [one for one in bare_words(body, data) if one not in ("Nothing", "Such")]
        if words:
            faults.append(f"{path}: {' '.join(words[:40])}")
    assert not faults, "\n".join(faults)


def test_the_look_finds_a_word_that_is_in_no_catalogue() -> None:
    """The test of the test."""
    body = f"<p>{OPEN}Round{CLOSE} 2 <b>finished</b></p><input placeholder='Name'>"
    assert bare_words(body, re.compile("Alice")) == ["finished", "Name"]
    assert bare_words(f"<p>{OPEN}Won by <b>Alice</b>{CLOSE}</p>", re.compile("x")) == []
