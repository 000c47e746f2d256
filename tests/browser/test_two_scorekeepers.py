"""Two scorekeepers: a whole round comes in at once, from two desks and many phones, over HTTP.

Of table 12 three people say three things. One value stands, the others show beside it with their
authors, nobody is asked to try again, and the next round waits for table 12 alone.
"""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from django.conf import settings
from django.db import transaction

from eventstore.ids import new_id
from tests.browser import harness
from tests.conftest import Member, make_member
from tests.helpers import rebuilds_equal
from tests.sizes import SIZES
from tournaments import services
from tournaments.models import EntrantRow, MatchRow

TABLE = 12
AT_ONCE = 16
"""Connections that send at the same time."""


@dataclass
class Hall:
    """The server and who sits where."""

    url: str
    event_id: str
    olga: Member
    sven: Member
    sessions: dict[str, str]

    def session(self, member: Member) -> str:
        """The session of a member, made once."""
        if member.person_id not in self.sessions:
            cookie = harness.Site.session(self, member)  # type: ignore[arg-type]
            self.sessions[member.person_id] = cookie["value"]
        return self.sessions[member.person_id]


@dataclass
class Browser:
    """One open page of one person: a connection, its cookies, and a form that was read."""

    hall: Hall
    member: Member
    token: str = ""

    def ask(
        self, method: str, path: str, body: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, str]:
        """Send a request; return status and text."""
        at = urlsplit(self.hall.url)
        connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=120)
        cookies = f"{settings.SESSION_COOKIE_NAME}={self.hall.session(self.member)}"
        if self.token:
            cookies += f"; {settings.CSRF_COOKIE_NAME}={self.token}"
        try:
            connection.request(method, path, body, {"Cookie": cookies, **(headers or {})})
            answer = connection.getresponse()
            text = answer.read().decode()
            for name, value in answer.getheaders():
                if name.lower() == "set-cookie" and settings.CSRF_COOKIE_NAME in value:
                    self.token = value.split("=", 1)[1].split(";")[0]
            return answer.status, text
        finally:
            connection.close()

    def open(self, path: str) -> str:
        """Open a page, as before every form."""
        status, text = self.ask("GET", path)
        assert status == 200, (path, status)
        return text

    def post(self, path: str, *, part: bool = False, **values: str) -> tuple[int, str]:
        """Send a form of a page; `part`: as the page's own script does."""
        fields = {"nonce": new_id(), "csrfmiddlewaretoken": self.token, **values}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        if part:
            headers["HX-Request"] = "true"
        return self.ask("POST", path, urlencode(fields), headers)

    def api(self, path: str, **values: Any) -> tuple[int, str]:
        """Send a command to the API."""
        headers = {
            "Content-Type": "application/json",
            "X-CSRFToken": self.token,
            "Idempotency-Key": new_id(),
        }
        return self.ask("POST", f"/api/v1/{path}", json.dumps(values), headers)


@pytest.fixture
def hall(
    template_database: Path,
    tmp_path: Path,
    django_db_blocker: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Hall]:
    """An event with a full hall, round 1 out, and the product serving it."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    database = tmp_path / "site.sqlite3"
    harness.copy_database(template_database, database)
    with django_db_blocker.unblock(), harness.using_file(database):
        olga, sven = make_member(4, "Olga", account=True), make_member(7, "Sven", account=True)
        olga.grant("organiser")
        event_id = new_id()
        services.event_create(
            olga.context(), event_id=event_id, name="Full hall", decks_required=False, rounds=5
        )
        sven.grant("scorekeeper", event_id)
        with transaction.atomic():  # nobody is served yet: one commit for all of it
            services.registration_open(olga.context(), event_id=event_id)
            for number in range(1, 2 * SIZES.slip_tables + 1):
                made = services.entrant_enrol(
                    olga.context(), event_id=event_id, display_name=f"Player {number}"
                )
                services.entrant_check_in(
                    olga.context(), event_id=event_id, entrant_id=made.entrant_id
                )
            services.event_start(olga.context(), event_id=event_id)
            services.round_pair(olga.context(), event_id=event_id, seed=5)
            services.round_publish(olga.context(), event_id=event_id, number=1)
        with harness.serving(database) as url:
            yield Hall(url, event_id, olga, sven, {})


def player(row: MatchRow, seat: int) -> Member:
    """The person on a seat of a match, as on a phone bound to the event."""
    return Member(row.persons[seat][0], "")


def test_two_scorekeepers_and_a_phone_at_one_table_while_a_whole_round_comes_in(
    hall: Hall,
) -> None:
    rows = {row.table: row for row in MatchRow.objects.filter(event_id=hall.event_id)}
    assert len(rows) == SIZES.slip_tables
    results = f"/staff/events/{hall.event_id}/results/"
    mine = f"/my/{hall.event_id}/"
    olga, sven = Browser(hall, hall.olga), Browser(hall, hall.sven)
    phones = {table: Browser(hall, player(row, table % 2)) for table, row in rows.items()}
    for page, path in ((olga, results), (sven, results)):
        page.open(path)
    for phone in phones.values():
        hall.session(phone.member)
    winner = Browser(hall, player(rows[TABLE], 0))
    hall.session(winner.member)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda phone: phone.open(mine), [*phones.values(), winner]))

    def by_page(browser: Browser, line: str) -> tuple[int, str]:
        return browser.post(f"{results}?round=1", part=True, act="line", line=line)

    def admitted(table: int) -> tuple[int, str]:
        """The phone of the loser says so: that counts at once."""
        score = "0-2" if table % 2 == 0 else "2-0"
        return phones[table].post(mine, act="claim", score=score, match_id=rows[table].pk)

    wanted: dict[int, str] = {}
    work: list[Callable[[], tuple[int, str]]] = []
    for table in rows:
        if table == TABLE:
            continue
        way = table % 4
        if way in (0, 1):
            # the phone on seat P1 (even) or P2 (odd) admits the loss
            wanted[table] = "P2" if table % 2 == 0 else "P1"
            work.append(lambda table=table: admitted(table))
        elif way == 2:
            wanted[table] = "P1"
            work.append(lambda table=table: by_page(olga, f"{table} 2-0"))
        else:
            wanted[table] = "P2"
            work.append(
                lambda table=table: sven.api(
                    f"events/{hall.event_id}/slips", round=1, line=f"{table} 1-2"
                )
            )
    three = [
        lambda: by_page(olga, f"{TABLE} 2-1 d2"),
        lambda: by_page(sven, f"{TABLE} 1-2"),
        lambda: winner.post(mine, act="claim", score="2-0", match_id=rows[TABLE].pk),
    ]
    middle = len(work) // 2
    work = [*work[:middle], *three, *work[middle:]]
    gate = threading.Barrier(AT_ONCE)

    def send(number: int) -> tuple[int, str]:
        if number < AT_ONCE:
            gate.wait()
        return work[number]()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(send, range(len(work))))
    faults = [
        (status, _said(text))
        for status, text in answers
        if status not in (200, 204, 302) or 'role="alert"' in text
    ]
    assert not faults, faults[:3]

    # every other table has what was said of it, once
    after = {row.table: row for row in MatchRow.objects.filter(event_id=hall.event_id)}
    assert {table: after[table].winner for table in wanted} == wanted
    assert all(not after[table].contests for table in wanted)

    # of table 12 one value stands, the two others beside it, with their authors
    row = after[TABLE]
    one = EntrantRow.objects.get(pk=row.p1)
    name = f"Player {one.number}"
    said = {"2-1": "Olga", "1-2": "Sven", "2-0": name}
    stands = f"{row.p1_wins}-{row.p2_wins}"
    assert stands in ("2-1", "1-2"), "a win that its winner alone reports never counts"
    status, text = olga.ask("GET", f"/api/v1/events/{hall.event_id}/conflicts")
    (conflict,) = json.loads(text)["conflicts"]
    told = [conflict["standing"], *conflict["against"]]
    assert {"-".join(map(str, held["score"][:2])): held["author"] for held in told} == said
    assert told[0]["author"] == said[stands]
    page = unescape(olga.open(results))
    assert "Entered twice, and not the same" in page
    for author in said.values():
        assert re.search(rf"<b>{re.escape(author)}</b> · \d\d:\d\d", page), author

    # the next round waits for this table, and says so
    desk = f"/staff/events/{hall.event_id}/"
    status, text = olga.post(desk, act="round_pair")
    assert status == 409
    assert f"side by side at table {TABLE}." in unescape(text)

    # A's slip is taken: its player leaves, everybody else plays exactly once
    if stands == "2-1":
        choice = {"choice": "keep"}
    else:
        slip = next(held for held in told[1:] if held["author"] == "Olga")
        choice = {"choice": str(slip["index"]), "note": "The slip says so", "drops": "P2"}
    status, _ = olga.post(f"{results}?round=1", act="settle", match_id=row.pk, **choice)
    assert status == 302
    assert olga.post(desk, act="round_pair", seed="3")[0] == 302
    assert olga.post(desk, act="round_publish", number="2")[0] == 302
    second = MatchRow.objects.filter(event_id=hall.event_id, round=2)
    seated = [one for held in second for one in (held.p1, held.p2)]
    left = set(EntrantRow.objects.filter(status="dropped").values_list("pk", flat=True))
    assert left == {row.p2}
    assert len(seated) == len(set(seated)) == 2 * (SIZES.slip_tables - 1)
    assert not left & set(seated)
    rebuilds_equal("tournaments.board", "tournaments.floor")


def _said(text: str) -> str:
    """The part of an answer that says what is wrong."""
    found = re.search(r'role="alert".{0,600}', text, re.S)
    return found[0] if found else text[:300]
