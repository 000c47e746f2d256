"""The copy of an event as plain files: what somebody unknown gets, no more, and no link out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client

from eventstore.ids import new_id
from people.models import Person
from portal.management.commands.mirror import Command
from portal.mirror.addresses import Page, page_of
from portal.mirror.fetching import Unanswered
from portal.mirror.making import MARK, Mirror, NotOurs, Report
from portal.mirror.rewriting import rewritten
from tests.conftest import Member
from tests.portal.stage import set_stage
from tournaments import services

EVENT = "00000000-0000-7000-8000-0000000000ee"
HERE = f"/events/{EVENT}/pairings/?round=2"


class Read(HTMLParser):
    """What a reader sees: cells of tables, and where links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self._cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a cell or a link."""
        self.tags.add(tag)
        if tag in ("td", "th"):
            self._cell = True
            self.cells.append("")
        self.links += [value or "" for key, value in attrs if key in ("href", "src", "action")]

    def handle_endtag(self, tag: str) -> None:
        """The end of a cell."""
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        """Words in a cell."""
        if self._cell:
            self.cells[-1] += data


@pytest.mark.parametrize(
    ("link", "file"),
    [
        ("?round=1&by=name", "names-1.html"),
        ("?round=1&by=table", "pairings-1.html"),
        ("?round=2&by=name&page=3", "names-2-p3.html"),
        ("?round=2&page=1", "pairings-2.html"),
        (f"/events/{EVENT}/", "index.html"),
        (f"/events/{EVENT}/standings/?round=3&revision=1", "standings-3-r1.html"),
        (f"/events/{EVENT}/bracket/", "bracket.html"),
        ("?round=1&why=somebody", None),
        ("?q=alice", None),
        ("?round=..%2F..%2Fx", None),
        ("?round=٣", None),
        ("/events/other/pairings/", None),
        ("/sign-in/", None),
        ("https://elsewhere.example/", None),
        ("//elsewhere.example/", None),
        ("javascript:alert(1)", None),
    ],
)
def test_what_is_copied_and_under_which_name(link: str, file: str | None) -> None:
    page = page_of(link, HERE, EVENT)
    assert (page.file if page else None) == file
    if page:
        assert page_of(page.address(EVENT), "/", EVENT) == page, "there and back"


def test_what_needs_a_server_is_taken_out() -> None:
    text = (
        '<!doctype html><html><head><link rel="manifest" href="/m"><link rel="stylesheet"'
        ' href="/static/a.css"><script src="/x.js"></script></head><body data-live="t">'
        '<header class="top"><a href="/sign-in/">Sign in</a></header>'
        '<form><label>Find</label><input name="q"><button>Go</button></form>'
        '<div role="timer"><div>12:00</div></div><p hidden>old</p>'
        '<p class="x">A &amp; B <a href="/out">words</a> <a href="in">there</a><br>'
        '<svg viewBox="0 0 1 1"><use href="/static/i.svg#i"/></svg></p></body></html>'
    )
    made = rewritten(
        text,
        lambda link: "in.html" if link == "in" else None,
        lambda link: "assets/" + link.rpartition("/")[2],
        "<header>head</header>",
    )
    for gone in ("script src", "Sign in", "<form", "Find", "12:00", "old", "data-live", "manifest"):
        assert gone not in made
    assert '<a>words</a> <a href="in.html">there</a><br>' in made
    assert "<body><header>head</header><p" in made
    assert "A &amp; B" in made
    assert 'href="assets/a.css"' in made
    assert '<use href="assets/i.svg#i"/></svg></p></body></html>' in made


def test_a_list_that_leads_out_of_the_folder_makes_it_nobodys(tmp_path: Path) -> None:
    event_id, folder, keep = new_id(), tmp_path / "copy", tmp_path / "keep.txt"
    keep.write_text("stays")
    folder.mkdir()
    for name in ("../keep.txt", str(keep), "assets/../../keep.txt", "", "a/b/c.html", ".."):
        listed = {"event": event_id, "files": ["index.html", name]}
        (folder / MARK).write_text(json.dumps(listed))
        with pytest.raises(NotOurs):
            Mirror(event_id, folder).claim()
    (folder / MARK).write_text("[" * 100_000)
    with pytest.raises(NotOurs):
        Mirror(event_id, folder).claim()
    (folder / MARK).write_text(json.dumps({"event": event_id, "files": ["index.html"]}))
    Mirror(event_id, folder).claim()
    (folder / "assets").symlink_to(tmp_path)
    with pytest.raises(NotOurs):
        Mirror(event_id, folder).claim()


@pytest.mark.django_db
def test_a_copy_is_what_somebody_unknown_gets(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member,
    client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    call_command("load_shipped", verbosity=0)
    Person.objects.filter(pk=alice.person_id).update(public_name="Ace of Ponds")
    stage = set_stage(olga, alice, bob, jude, hedda)
    folder = tmp_path / "copy"
    call_command("mirror", stage.event_id, to=folder, verbosity=0)

    files = {one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}
    pages = sorted(one for one in files if one.endswith(".html"))
    assert {"index.html", "pairings.html", "pairings-1.html", "names-2.html", "standings-1.html",
            "standings.html", "bracket.html", "limits.html"} <= set(pages)  # fmt: skip
    assert set(json.loads((folder / MARK).read_text())["files"]) == files - {MARK}
    written = {name: (folder / name).read_text() for name in pages}
    whole = "".join(written.values())
    assert "Ace of Ponds" in whole
    assert "Alice" not in whole, "who chose another name is not named otherwise"
    assert not re.search(r"https?://(?!www\.w3\.org/)", whole)
    for name, text in written.items():
        read = Read(text)
        assert not read.tags & {"script", "form", "button", "input"}
        for link in read.links:
            assert link.partition("#")[0] in files | {""}, f"{name} leads out: {link}"

    for page in (Page("pairings", (("round", "1"),)), Page("standings"), Page("index"),
                 Page("pairings", (("by", "name"), ("round", "2")))):  # fmt: skip
        shown = Client().get(page.address(stage.event_id)).content.decode()
        assert Read(written[page.file]).cells == Read(shown).cells != []
    as_staff = client_of(olga)
    assert "/staff/" in as_staff.get(Page("index").address(stage.event_id)).content.decode()
    assert "/staff/" not in whole

    # what is public no more is taken away, and nothing but what a copy wrote
    mirror = Mirror(stage.event_id, folder)
    kept = json.loads((folder / MARK).read_text())
    kept["files"].append("pairings-9.html")
    (folder / MARK).write_text(json.dumps(kept))
    (folder / "pairings-9.html").write_text("gone")
    (folder / "mine.txt").write_text("stays")
    mirror.claim()
    assert mirror.make(newest_only=True).removed == []
    report = mirror.make()
    assert report.removed == ["pairings-9.html"]
    assert (folder / "mine.txt").exists()
    assert not [one for one in folder.rglob(".*") if one.name != MARK], "nothing half-written"

    # a result comes in: the page of the round follows, old rounds stay, the first page is last
    made: list[Report] = []

    class Steps:
        """Stands for the signal to stop: a result after the first look, the end after the next."""

        def __init__(self) -> None:
            self.looks = 0

        def is_set(self) -> bool:
            return self.looks == 2

        def wait(self, seconds: float) -> bool:
            self.looks += 1
            if self.looks == 1:
                made.clear()
                services.result_enter(olga.context(), match_id=stage.match_id, score=[2, 0, 0])
            return True

    monkeypatch.setattr(Command, "_tell", lambda self, report: made.append(report))
    Command()._watch(mirror, Steps(), 0.05)  # type: ignore[arg-type]
    (report,) = made
    assert "pairings-2.html" in report.changed
    assert "pairings-1.html" not in report.changed
    assert (folder / "pairings-1.html").exists()
    assert report.changed[-1] == "index.html"
    assert "2-0" in (folder / "pairings-2.html").read_text()

    # a page that cannot be had for now stops the pass, and takes nothing away
    def away(*arguments: object) -> None:
        raise OperationalError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr("tournaments.selectors.standings_after", away)
        before = {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()}
        with pytest.raises(Unanswered):
            mirror.make()
        assert {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()} == before

    draft = new_id()
    services.event_create(olga.context(), event_id=draft, name="Secret Cup", rounds=3)
    for event, place, complaint in (
        (draft, tmp_path / "draft", "no public event"),
        ("nonsense", tmp_path / "none", "no public event"),
        ("nonsens", tmp_path / "none", "no public event"),
        (draft, folder, "holds other things"),
    ):
        with pytest.raises(CommandError, match=complaint):
            call_command("mirror", event, to=place, verbosity=0)
    assert "Secret Cup" not in "".join(one.read_text() for one in tmp_path.rglob("*.html"))
