"""Every route with the whole cast, against one table: `routes.txt` beside this file.

A line of the table is METHOD, route, and a status per member of the cast. A route of the URL
conf without a line fails, as does a line whose route is gone, and a method that is answered and
has no line. Every request is undone, so that each member meets the same stage; a form or a body
is one that the right person may send, so that 403 and 404 come from the permission table alone
(409: the table lets it through, the state of the event refuses it).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from eventstore.ids import new_id
from tests.portal.cast import CAST, PRESET, House, Route, routes
from tests.portal.stage import starter
from tournaments.api import EntrantCommand, EventCommand
from tournaments.api_door import WaitingCommand

TABLE = Path(__file__).with_name("routes.txt")
QUERY = re.compile(r"\?(?!P<).*$")
"""The query of a line; a named group of a regular expression is none."""
pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: `route` with its query, one status per member of the cast."""

    method: str
    route: str
    statuses: tuple[int, ...]

    @property
    def bare(self) -> str:
        """The route as the URL conf has it: no query, no word chosen for a converter."""
        text = QUERY.sub("", self.route)
        for word, converter in WORDS.items():
            text = text.replace(f"<command={word}>", converter)
        return text


SETTINGS = {
    "name": "New cup",
    "zone": "Europe/Zagreb",
    "preset": "classic",
    "match_rules": "ygo-classic",
    "standings": "konami-policy@1",
}
WORDS = {
    "registration-open": "<event_word:command>",
    "registration-close": "<event_word:command>",
    "start": "<event_word:command>",
    "finish": "<event_word:command>",
    "cancel": "<event_word:command>",
    "check-in": "<entrant_word:command>",
    "drop": "<entrant_word:command>",
    "reinstate": "<entrant_word:command>",
    "accept": "<waiting_word:command>",
    "decline": "<waiting_word:command>",
    "leave": "<waiting_word:command>",
}
"""The commands that share a route: each has a line of its own."""


def table() -> list[Line]:
    """Read the table; blank lines and those that begin with # are for the reader."""
    lines = []
    for text in TABLE.read_text(encoding="utf-8").splitlines():
        if not text.strip() or text.startswith("#"):
            continue
        method, route, *statuses = text.split()
        route = "" if route == "/" else route
        assert len(statuses) == len(CAST), text
        lines.append(Line(method, route, tuple(map(int, statuses))))
    return lines


def body_of(line: Line, house: House) -> dict[str, Any]:
    """Return what is sent along: what the person whose task it is may send."""
    score = [2, 0, 0] if house.stage.seat == "P1" else [0, 2, 0]
    bodies: dict[str, dict[str, Any]] = {
        "staff/events/new/": {"act": "create", **SETTINGS},
        "staff/events/<str:event_id>/": {"act": "event_cancel", "note": "because"},
        "staff/events/<str:event_id>/settings/": {"act": "change", **SETTINGS},
        "staff/events/<str:event_id>/draft/": {"act": "round_pair"},
        "staff/events/<str:event_id>/plan/": {"act": "pairing", "order": "random", "offset": "7"},
        "staff/events/<str:event_id>/files/": {"act": "import"},
        "staff/events/<str:event_id>/results/": {
            "act": "enter", "match_id": house.stage.match_id, "score": "2-0-0", "reason": "played",
        },
        "staff/events/<str:event_id>/floor/": {"act": "take", "match_id": house.stage.match_id},
        "staff/matches/<str:match_id>/end/": {"act": "start"},
        "api/v1/events/<uuid:event>/slips": {"round": 2, "line": house.ids["line"]},
        "api/v1/events/<uuid:event>/ruleset": {"ruleset": "eom.phase_2018@1"},
        "api/v1/matches/<uuid:match>/extension": {"seconds": 60},
        "api/v1/matches/<uuid:match>/end/answer": {"question": "score", "answer": "0-0-0"},
        "api/v1/matches/<uuid:match_id>/judge": {"judge": ""},
        "staff/pod/": {"act": "pod", "name": "Pod", "names": "Ana\nBea\nCid\nDan"},
        "staff/events/<str:event_id>/undo/": {
            "act": "drop", "entrant_id": house.stage.entrants["Fay"],
        },
        "staff/events/<str:event_id>/tardy/": {
            "act": "miss", "match_id": house.stage.match_id, "seat": house.stage.seat,
        },
        "staff/events/<str:event_id>/outage/": {
            "act": "nothing", "outage_id": house.ids["outage"],
        },
        "api/v1/events/<uuid:event>/outages/<uuid:outage>/settle": {"given_s": 0},
        "staff/events/<str:event_id>/policy/": {"act": "choose", "policy": "policy-2.5"},
        "staff/events/<str:event_id>/paper/": {
            "act": "choose", "paper": "letter", "per_page": "2", "ids": "none",
        },
        "staff/events/<str:event_id>/paper/entry/": {"act": "results", "r1": "2-0"},
        "staff/events/<str:event_id>/messages/": {
            "act": "post", "text": "Round 3 in ten minutes", "audience": "all", "minutes": "10",
        },
        "api/v1/events/<uuid:event>/messages": {"text": "Round 3 in ten minutes"},
        "api/v1/events/<uuid:event>/paper/choose": {"paper": "roll"},
        "api/v1/events/<uuid:event>/rounds/from-paper": {"pairs": [], "tables": []},
        "account/": {"act": "everywhere"},
        "account/second-factor/": {"code": "000000"},
        "staff/events/<str:event_id>/join/": {"act": "end"},
        "staff/events/<str:event_id>/people/": {"act": "enrol", "display_name": "Nora"},
        "staff/events/<str:event_id>/people/<str:entrant_id>/": {"act": "drop"},
        "staff/events/<str:event_id>/roles/": {
            "act": "grant", "person_id": house.stage.persons["Fay"], "role": "judge",
        },
        "staff/events/<str:event_id>/calls/": {"act": "claim", "call_id": house.stage.call_id},
        "staff/calls/<str:call_id>/": {"act": "claim"},
        "staff/calls/<str:call_id>/rewind/": {
            "act": "undo", "ruling_id": house.ids["ruling_id"], "reason": "because",
        },
        "api/v1/calls/<uuid:call_id>/rewinds/undo": {
            "ruling_id": house.ids["ruling_id"], "reason": "because",
        },
        "staff/events/<str:event_id>/packets/<str:entrant_id>/": {"act": "sign"},
        "api/v1/events/<uuid:event_id>/packets/<uuid:entrant_id>/persons": {
            "display_name": "Nora",
        },
        "api/v1/events/<uuid:event_id>/packets/<uuid:entrant_id>/persons/leave-out": {
            "person_id": house.stage.persons["Fay"], "reason": "because",
        },
        "api/v1/events/<uuid:event_id>/packets/<uuid:entrant_id>/statements": {
            "person_id": house.stage.persons["Fay"], "how": "refused",
        },
        "api/v1/events/<uuid:event_id>/packets/<uuid:entrant_id>/report": {"text": "because"},
        "api/v1/events/<uuid:event_id>/packets/<uuid:entrant_id>/evidence": {"kind": "none"},
        "api/v1/events/<uuid:event_id>/packets/<uuid:entrant_id>/send": {"note": "because"},
        "api/v1/events/<uuid:event_id>/packets/<uuid:entrant_id>/undo": {"reason": "because"},
        "staff/events/<str:event_id>/disputes/": {"act": "window", "minutes": "60"},
        "staff/disputes/<str:dispute_id>/": {"act": "take"},
        "my/<str:event_id>/disputes/": {
            "act": "raise", "duel": house.stage.duel_id, "line": "3", "why": "because",
        },
        "api/v1/disputes": {
            "duel_id": house.stage.duel_id, "line": 3, "reason": "because",
        },
        "api/v1/events/<uuid:event_id>/disputes/window": {"minutes": 60},
        "api/v1/disputes/<uuid:dispute_id>/rule": {"outcome": "stands", "note": "because"},
        "api/v1/disputes/<uuid:dispute_id>/appeal": {"reason": "because"},
        "api/v1/disputes/<uuid:dispute_id>/correct": {"note": "because"},
        "api/v1/disputes/<uuid:dispute_id>/leave": {"note": "because"},
        "staff/backups/": {"act": "copy"},
        "staff/suspended/": {"act": "import", "content": "12,2999-01-01"},
        "staff/events/<str:event_id>/door/": {
            "act": "drop", "entrant_id": house.ids["entrant_id"], "q": "al",
        },
        "staff/events/<str:event_id>/door/waiting/": {
            "act": "leave", "entrant_id": house.ids["entrant_id"],
        },
        "staff/events/<str:event_id>/door/policy/": {"act": "set", "capacity": "64"},
        "my/<str:event_id>/seat/": {"act": "leave"},
        "my/<str:event_id>/code/": {"act": "name", "public_name": "Ace"},
        "api/v1/suspensions": {"content": ""},
        "api/v1/events/<uuid:event>/door": {"capacity": 64},
        "api/v1/events/<uuid:event>/door/notice": {"version": "1"},
        "api/v1/events/<uuid:event>/door/name": {"public_name": "Ace"},
        "api/v1/events/<uuid:event>/door/merge": {
            "keep": house.stage.persons["Fay"], "gone": house.stage.persons["Gus"],
        },
        "api/v1/events/<uuid:event>/door/merge/undo": {"gone": house.stage.persons["Gus"]},
        "api/v1/events/<uuid:event>/entrants/<uuid:entrant>/fee": {"method": "cash"},
        "api/v1/events/<uuid:event>/entrants/<uuid:entrant>/fee/refund": {"method": "cash"},
        "api/v1/events/<uuid:event>/entrants/<uuid:entrant>/eligibility": {"seen": "eligible"},
        "my/<str:event_id>/": {"act": "claim", "score": "2-0"},
        "my/<str:event_id>/deck/": {"act": "check", "content": starter()},
        "my/<str:event_id>/sides/": {"act": "swap", "coming": "1", "going": "2"},
        "staff/events/<str:event_id>/checks/": {"act": "pick", "count": "1"},
        "staff/events/<str:event_id>/calls/new/": {"act": "raise", "table": house.ids["table"]},
        "staff/events/<str:event_id>/pack/": {"act": "confirm", "path": "time.extension_from"},
        "staff/events/<str:event_id>/pack/edit/": {"act": "edit"},
        "staff/events/<str:event_id>/precedents/": {
            "act": "mark",
            "ruling_id": house.ids["ruling_id"],
            "mark": "leading",
        },
        "staff/events/<str:event_id>/tables/<str:match_id>/": {"act": "note", "note": "Seen."},
        "staff/events/<str:event_id>/lists/": {"act": "lock_all"},
        "staff/events/<str:event_id>/lists/<str:entrant_id>/": {"act": "confirm", "number": "1"},
        "staff/photos/lists/<str:event_id>/<str:entrant_id>/": {"act": "photo"},
        "staff/events/<str:event_id>/lists/<str:entrant_id>/repair/": {
            "act": "check", "content": starter(),
        },
        "my/<str:event_id>/judge/": {"act": "raise"},
        "my/messages/": {"act": "choose", "push": "round"},
        "my/access/": {"act": "make", "label": "Screen", "scope": "read", "days": "7"},
        "preferences/": {"theme": "dark"},
        "decks/check/": {"content": starter(), "preset": "classic"},
        "api/v1/events/<uuid:event_id>/deck-checks": {"count": 1},
        "api/v1/events/<uuid:event_id>/policy/choose": {"ref": "konami-tcg@2.2"},
        "api/v1/events/<uuid:event_id>/policy/keep": {"content": "pack = 1"},
        "api/v1/events/<uuid:event_id>/policy/confirm": {"paths": ["time.extension_from"]},
        "api/v1/calls/<uuid:call_id>/deck-check/count": {"seat": "P1", "section": "main"},
        "api/v1/calls/<uuid:call_id>/deck-check/return": {"seat": "P1", "confirmed_by": "staff"},
        "api/v1/calls/<uuid:call_id>/deck-check/sleeves": {"seat": "P1", "places": [1]},
        "api/v1/events/<uuid:event>/entrants/<uuid:entrant>/paper/entry": {"content": starter()},
        "api/v1/events/<uuid:event>/entrants/<uuid:entrant>/deck/checked": {"number": 1},
        "api/v1/events/<uuid:event_id>/entrants/<uuid:entrant>/deck/repair": {
            "content": starter(), "reason": "because", "infraction": "DE-MAJOR",
        },
        "api/v1/presets": {
            "rules": {"id": "lake", "title": "Lake", "main": {"least": 40}},
        },
        "admin/decks/presetversion/make/": {"content": PRESET.replace("pond", "lake")},
        "admin/decks/presetversion/<path:object_id>/edit/": {
            "content": PRESET.replace("40", "50"), "base": "1",
        },
        "api/v1/decks/check": {"content": starter(), "preset": "classic"},
        "duels/<str:duel_id>/notes/": {"act": "make", "kind": "flag", "line": "5"},
        "api/v1/duels/<uuid:duel>/notes": {"kind": "flag", "line": 5},
        "duels/<str:duel_id>/record/": {"act": "agree"},
        "staff/events/<str:event_id>/record/": {"act": "delay", "minutes": "0"},
        "duels/<str:duel_id>/judge/lot/": {"player": "P1", "n": "1"},
        "api/v1/duels/<uuid:duel>/lots": {"player": "P1"},
        "api/v1/duels/<uuid:duel>/acts": {"player": house.stage.seat, "act": {"act": "concede"}},
        "api/v1/duels/<uuid:duel>/statements": {
            "player": house.stage.seat,
            "statement": {
                "statement": "lp_declared", "about": "P1", "value": 7000, "delta": -1000,
                "pad_seq": 1,
            },
        },
        "api/v1/events": {"name": "New cup"},
        "api/v1/pods": {"name": "Pod", "names": ["Ana", "Bea", "Cid", "Dan"]},
        "api/v1/events/<uuid:event>/rules": {"policy": "policy-2.5"},
        "api/v1/events/<uuid:event>/cut/restart": {"note": "because"},
        "api/v1/events/<uuid:event>/reopen": {"note": "because"},
        "api/v1/events/<uuid:event>/finish-early": {"note": "because"},
        "api/v1/events/<uuid:event>/rounds/<int:number>/delete": {"note": "because"},
        "api/v1/matches/<uuid:match>/tardy": {"act": "miss", "seat": house.stage.seat},
        "api/v1/events/<uuid:event>/configure": {"name": "Harbour Cup"},
        "api/v1/events/<uuid:event>/entrants": {"display_name": "Nora"},
        "api/v1/events/<uuid:event>/entrants/<uuid:entrant>/deck": {"content": starter()},
        "api/v1/events/<uuid:event>/entrants/<uuid:entrant>/penalties": {
            "kind": "game_loss", "match_id": house.stage.match_id,
        },
        "api/v1/matches/<uuid:match>/claims": {"score": score},
        "api/v1/matches/<uuid:match>/result": {"score": score},
        "api/v1/matches/<uuid:match>/correction": {"score": score, "note": "because"},
        "api/v1/matches/<uuid:match>/starter": {"first": house.stage.seat},
        "api/v1/matches/<uuid:match>/sides": {"into_main": [], "out_of_main": []},
        "api/v1/events/<uuid:event>/webhooks": {
            "url": "https://example.org/other", "kinds": ["cut.made"],
        },
        "staff/events/<str:event_id>/webhooks/": {
            "act": "ping", "webhook_id": house.ids["webhook"],
        },
        "my/<str:event_id>/replays/": {"act": "hand_in"},
        "api/v1/matches/<uuid:match>/replays": {"first": "P1", "file": "eXJwWA=="},
        "api/v1/calls": {"match_id": house.stage.match_id},
        "api/v1/calls/<uuid:call_id>/rule": {"rule_id": "YGO-11.1"},
        "api/v1/calls/<uuid:call_id>/accept": {"seat": house.stage.seat},
        "api/v1/calls/<uuid:call_id>/appeal": {"seat": house.stage.seat, "reason": "No."},
        "api/v1/calls/<uuid:call_id>/appeal-ruling": {"outcome": "upheld"},
        "api/v1/calls/<uuid:call_id>/close": {"reason": "Said."},
        "api/v1/calls/<uuid:call_id>/case/reveals": {
            "duel_id": house.ids["duel_id"], "reason": "Evidence.",
        },
        "api/v1/calls/<uuid:call_id>/statements/own": {"text": "I saw it."},
        "api/v1/calls/<uuid:call_id>/statements/ask": {"infraction": "UC-SEVERE"},
        "api/v1/calls/<uuid:call_id>/statements/open": {"reason": "Said."},
        "staff/photos/cases/<str:call_id>/": {"act": "photo"},
        "staff/calls/<str:call_id>/case/": {
            "act": "reveal", "duel_id": house.ids["duel_id"], "reason": "Evidence.",
        },
        "staff/calls/<str:call_id>/case/<str:duel_id>/": {
            "act": "ask", "person": house.stage.persons["Bob"], "infraction": "UC-SEVERE",
        },
        "my/<str:event_id>/pad/": {
            "act": "note", "about": "mine", "how": "loses", "amount": "100",
            "match_id": house.ids["match"], "duel_id": house.ids["duel"],
        },
        "my/<str:event_id>/statements/": {"act": "give", "text": "I saw it."},
    }  # fmt: skip
    return bodies.get(line.bare, {})


@contextmanager
def undone(client: Client) -> Iterator[None]:
    """Take back what the block writes, and the cookies it leaves with the client."""
    cookies = dict(client.cookies)
    point = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(point)
        client.cookies.clear()
        client.cookies.update(cookies)


def ask(client: Client, line: Line, house: House) -> Any:
    """Send the request of a line, as its writer meant it, and take its effects back."""
    address = house.address(line.route)
    with undone(client):
        if line.method == "GET":
            return client.get(address)
        body = body_of(line, house)
        if line.route.startswith("api/"):
            return client.generic(
                line.method, address, json.dumps(body), content_type="application/json"
            )
        return client.post(address, {**body, "nonce": new_id()})


def shown(line: Line, found: tuple[int, ...]) -> str:
    """Write a line as it stands in the table."""
    return f"{line.method:4} {line.route or '/':80}  " + "    ".join(map(str, found))


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
POLICY = ("object-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'")


def faults_of_headers(part: str, answers: list[Any]) -> set[str]:
    """Return what is missing in the security headers of answers, whatever their status."""
    faults: set[str] = set()
    for one in answers:
        faults |= {f"{name} is {one.headers.get(name)}" for name, value in HEADERS.items()
                   if one.headers.get(name) != value}  # fmt: skip
        policy = one.headers.get("Content-Security-Policy", "")
        faults |= {f"policy without {part}" for part in POLICY if part not in policy}
        if part != "admin" and ("unsafe" in policy or "*" in policy or "http" in policy):
            faults.add(f"loose policy: {policy}")
        if "camera=()" not in one.headers.get("Permissions-Policy", ""):
            faults.add("no Permissions-Policy")
    return faults


@pytest.mark.parametrize("part", ["pages", "api", "admin"])
def test_every_route_answers_the_whole_cast_as_the_table_says(part: str, house: House) -> None:
    wrong: list[str] = []
    unsafe: list[str] = []
    for line in table():
        if Route(line.route, None).part != part:
            continue
        answers = [ask(house.clients[name], line, house) for name in CAST]
        unsafe += [f"{line.method} {line.route}: {one}" for one in faults_of_headers(part, answers)]
        found = tuple(one.status_code for one in answers)
        if found != line.statuses:
            wrong.append(f"{shown(line, line.statuses)}\n{shown(line, found)}  <- found")
    assert not wrong, "\n" + "\n".join(wrong)
    assert not unsafe, "\n" + "\n".join(unsafe)


def wanted(route: Route) -> frozenset[str]:
    """Return the methods that must have a line: those of a class-based view; of /admin reading,
    and sending where a route is no plain page of it."""
    if route.part == "admin" and route.view.__module__.split(".")[0] != "portal":
        ours = {"GET", "POST"} if re.fullmatch(BUTTON, route.text) else {"GET"}
        return frozenset(ours)
    return route.methods


BUTTON = r"admin/\w+/\w+/(<path:object_id>/)?(?!add/|history/|delete/|change/)[\w-]+/"
"""A command button, or a page of our own in the admin."""


def test_every_route_and_method_has_its_line_and_every_line_its_route() -> None:
    lines, found = table(), list(routes())
    known = {(line.method, line.bare) for line in lines}
    missing = [
        f"{method} {route.text or '/'}"
        for route in found
        for method in sorted(wanted(route))
        if (method, route.text) not in known
    ]
    missing += [
        f"GET or POST {route.text or '/'}"
        for route in found
        if not {("GET", route.text), ("POST", route.text)} & known
    ]
    assert not missing, "no line in routes.txt:\n" + "\n".join(missing)
    there = {route.text for route in found}
    assert not [line for line in lines if line.bare not in there], "lines without a route"
    twice = {(line.method, line.route) for line in lines}
    assert len(twice) == len(lines), "a line stands there twice"


def test_every_command_of_a_shared_route_has_its_line() -> None:
    lines = {line.route for line in table()}
    for word in WORDS:
        assert any(f"<command={word}>" in line for line in lines), word
    shared = EventCommand.COMMANDS.keys() | EntrantCommand.COMMANDS.keys()
    shared |= WaitingCommand.COMMANDS.keys()
    assert shared == WORDS.keys()


def test_a_page_answers_no_method_that_has_no_line(house: House) -> None:
    """Whatever a page takes is in the table: all else is refused before anything is read."""
    known = {(line.method, line.bare) for line in table()}
    client, taken = house.clients["organ"], []
    for route in routes():
        if route.part != "pages":
            continue
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            if (method, route.text) in known:
                continue
            with undone(client):
                answer = client.generic(method, house.address(route.text))
            if answer.status_code != 405:
                taken.append(f"{method} {route.text}: {answer.status_code}")
    assert not taken


def test_a_route_without_a_line_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [line for line in table() if line.bare != "staff/events/<str:event_id>/roles/"]
    monkeypatch.setattr("tests.portal.test_routes.table", lambda: kept)
    with pytest.raises(AssertionError, match=r"no line in routes\.txt"):
        test_every_route_and_method_has_its_line_and_every_line_its_route()
