"""The rush at the door, over real HTTP against a served product: two desks, phones, the last two
seats and the publication of round 1 in the same second."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html import unescape
from http.cookiejar import CookieJar
from threading import Barrier
from typing import Any

import pytest

from tests.eventstore.conftest import OwnDatabase, migrated, own_database  # noqa: F401
from tests.tournaments.rush import NUMBER, PASSWORD, PLAIN, SEATS
from tools.services import free_port

pytestmark = pytest.mark.pg
START_SECONDS = 60


@dataclass
class Visitor:
    """Somebody with a browser of its own (cookies), or a program with a token."""

    url: str
    token: str = ""
    opener: urllib.request.OpenerDirector = field(init=False)

    def __post_init__(self) -> None:
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def ask(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, str]:
        """Send a request; returns status and text, also of a refusal."""
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        address = path if path.startswith("http") else self.url + path
        try:
            with self.opener.open(
                urllib.request.Request(address, data, headers), timeout=120
            ) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as fault:
            return fault.code, fault.read().decode()

    def get(self, path: str) -> str:
        """Open a page that must be there."""
        status, text = self.ask(path)
        assert status == 200, f"{path}: {status}"
        return text

    def post(self, path: str, act: str, page: str = "", **values: str) -> tuple[int, str]:
        """Send the form of an act from its page, with that form's own hidden fields."""
        page = page or self.get(path)
        forms = re.findall(r"<form[^>]*method=\"post\"[^>]*>.*?</form>", page, re.S)
        form = next(one for one in forms if not act or f'name="act" value="{act}"' in one)
        sent = {
            unescape(name): unescape(value)
            for name, value in re.findall(
                r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form
            )
        } | values
        return self.ask(path, urllib.parse.urlencode(sent).encode(), Referer=self.url + path)

    def api(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Ask the API."""
        data = json.dumps(body or {}).encode() if method == "POST" else None
        status, text = self.ask(f"/api/v1/{path}", data, **{"Content-Type": "application/json"})
        return status, json.loads(text)

    def signed_in(self, username: str) -> Visitor:
        """Sign in on the page."""
        status, _ = self.post("/sign-in/", "", username=username, password=PASSWORD)
        assert status == 200
        return self


@dataclass
class Hall:
    """The served event, its desks and its organiser."""

    url: str
    stage: dict[str, Any]
    database: OwnDatabase

    @property
    def event(self) -> str:
        """Path of the event in the API."""
        return f"events/{self.stage['event']}"

    @property
    def door(self) -> str:
        """Path of the door page."""
        return f"/staff/events/{self.stage['event']}/door/"

    def program(self, name: str) -> Visitor:
        """A program of a member of staff."""
        return Visitor(self.url, self.stage["tokens"][name])

    def phone(self) -> Visitor:
        """A phone that opens the join link."""
        return Visitor(self.url)


@pytest.fixture
def hall(own_database: OwnDatabase) -> Iterator[Hall]:  # noqa: F811
    """The stage of the rush, served by a process of its own."""
    own_database.run("manage.py", "load_shipped", "--verbosity", "0")
    stage = json.loads(own_database.run("-m", "tests.tournaments.rush", "stage"))
    port = free_port()
    address = f"http://localhost:{port}"
    server = own_database.start(
        "-m", "uvicorn", "config.asgi:application", "--port", str(port),
        "--lifespan", "off", "--http", "config.wire:BoundedProtocol",
        "--log-level", "error", "--timeout-graceful-shutdown", "5", BACKGROUND="thread",
    )  # fmt: skip
    try:
        limit = time.monotonic() + START_SECONDS
        while True:
            try:
                Visitor(address).get("/")
                break
            except (AssertionError, urllib.error.URLError):
                assert server.poll() is None, server.communicate()[1]
                assert time.monotonic() < limit, "the server did not start"
                time.sleep(0.1)
        yield Hall(address, stage, own_database)
    finally:
        server.terminate()
        server.communicate(timeout=30)


def test_the_rush_at_the_door(hall: Hall) -> None:
    sven = Visitor(hall.url).signed_in("sven")
    dana, olga = hall.program("Dana"), hall.program("Olga")
    entrants = hall.stage["entrants"]

    # pre-registered with accents, at the door without them, the same id: refused with the offer
    # to take the known person; one field, and the one next thing to do at each step
    typed = {"display_name": PLAIN, "card_game_id": NUMBER.lstrip("0")}
    start = sven.get(f"{hall.door}?q={PLAIN.split()[0]}%20nobody")
    status, page = sven.post(hall.door, "enrol", start, **typed)
    assert status == 409
    assert "the same Card Game ID" in page
    again = re.search(r'href="[^"]*\?q=([0-9A-Z-]+)"[^>]*>It is this person', page)
    assert again is not None
    status, refusal = dana.api("POST", f"{hall.event}/entrants", typed)
    assert (status, refusal["code"]) == (409, "tournaments.duplicate_person")
    assert [(one["entrant_id"], one["why"]) for one in refusal["params"]["candidates"]] == [
        (entrants[0], "id")
    ]
    for text in (again[1], NUMBER, PLAIN.lower(), "#1"):
        page = sven.get(f"{hall.door}?q={urllib.parse.quote(text)}")
        assert 'data-next="pay"' in page, text
    here = f"{hall.door}?q={again[1]}"
    status, page = sven.post(here, "pay", method="cash")
    assert (status, 'data-next="check_in"' in page) == (200, True)
    status, page = sven.post(here, "check_in")
    assert (status, 'data-next="done"' in page) == (200, True)

    # three lists on paper: received with one tap, and they block nothing
    for at, entrant in enumerate(entrants[-3:]):
        found = dana.api("GET", f"{hall.event}/door/find?q=%23{124 + at}")[1]["cards"][0]
        assert (found["entrant_id"], found["list_state"]) == (entrant, "none")
        one = f"{hall.event}/entrants/{entrant}"
        assert dana.api("POST", f"{one}/check-in")[1]["code"] == "tournaments.deck_missing"
        assert dana.api("POST", f"{one}/fee", {"method": "card"})[1]["result"] == 0
        status, page = sven.post(f"{hall.door}?q=%23{124 + at}", "paper")
        assert (status, 'data-next="check_in"' in page) == (200, True)
        assert dana.api("POST", f"{one}/check-in")[0] == 200
    for command in ("registration-close", "start", "rounds/pair"):
        assert olga.api("POST", f"{hall.event}/{command}")[0] in (200, 201)

    # both desks sell the last two seats to eight people, in the second in which round 1 is out
    gate = Barrier(9)

    def at_desk_a(number: int) -> tuple[int, int]:
        page = sven.get(f"{hall.door}?q=Newcomer%20{number}")
        gate.wait()
        status, text = sven.post(hall.door, "enrol", page, display_name=f"Newcomer {number}")
        assert status == 200, text[:2000]
        card = dana.api("GET", f"{hall.event}/door/find?q=Newcomer%20{number}")[1]["cards"][0]
        return card["number"], card["place"]

    def at_desk_b(number: int) -> tuple[int, int]:
        gate.wait()
        who = {"display_name": f"Newcomer {number}"}
        status, made = dana.api("POST", f"{hall.event}/entrants", who)
        assert status == 201, made
        return made["number"], made["waiting"]

    def publishes(_: int) -> tuple[int, int]:
        gate.wait()
        status, made = olga.api("POST", f"{hall.event}/rounds/1/publish")
        assert status == 200, made
        return 0, 0

    work: list[tuple[Callable[[int], tuple[int, int]], int]] = [
        *((at_desk_a, number) for number in range(4)),
        *((at_desk_b, number) for number in range(4, 8)),
        (publishes, 0),
    ]
    with ThreadPoolExecutor(len(work)) as pool:
        ends = [one.result() for one in [pool.submit(run, number) for run, number in work]]
    assert sorted(number for number, _ in ends[:8] if number) == [127, 128]
    assert sorted(place for number, place in ends[:8] if not number) == [1, 2, 3, 4, 5, 6]
    door = dana.api("GET", f"{hall.event}/door")[1]
    assert (door["taken"], door["free"], door["waiting"]) == (SEATS, 0, 6)
    line = dana.api("GET", f"{hall.event}/waiting")[1]["results"]
    assert [one["place"] for one in line] == [1, 2, 3, 4, 5, 6]
    placed = {f"Newcomer {at}": place for at, (_, place) in enumerate(ends[:8])}
    assert [placed[one["name"]] for one in line] == [1, 2, 3, 4, 5, 6]

    # the two who got the seats come in late: round 1 is lost, rounds and cut stay, prizes move
    for number in (127, 128):
        card = dana.api("GET", f"{hall.event}/door/find?q=%23{number}")[1]["cards"][0]
        at = f"{hall.event}/entrants/{card['entrant_id']}"
        late_list(sven, hall, card["code"])
        assert dana.api("POST", f"{at}/check-in")[0] == 200
        row = dana.api("GET", f"{hall.event}/standings?entrant={card['entrant_id']}")[1]
        assert [(one["losses"], one["points"]) for one in row["results"]] == [(1, 0)]
    moved = dana.api("GET", f"{hall.event}/door/field")[1]
    assert (moved["before"], moved["now"], moved["late"]) == (126, 128, 2)
    assert (moved["rounds"], moved["cut"]) == (7, 8)
    assert moved["advised"] == moved["advised_before"]
    assert moved["prizes_moved"] == [{"first": 9, "last": 16, "was": "", "now": "Playmat"}]
    page = sven.get(hall.door)
    assert "126 → 128" in page
    assert "Playmat" in page

    # two more seats go to the first two of the line, in order; one takes the seat, one declines
    assert olga.api("POST", f"{hall.event}/door", {"capacity": SEATS + 2})[0] == 200
    states = [one["state"] for one in dana.api("GET", f"{hall.event}/waiting")[1]["results"]]
    assert states == ["offered", "offered", "waiting", "waiting", "waiting", "waiting"]
    sven.post(f"{hall.door}?q={line[0]['code']}", "seat")
    at = f"{hall.event}/waiting/{line[1]['entrant_id']}/decline"
    assert dana.api("POST", at)[0] == 200
    after = dana.api("GET", f"{hall.event}/waiting")[1]["results"]
    assert [(one["name"], one["state"]) for one in after] == [
        (line[2]["name"], "offered"),
        *((one["name"], "waiting") for one in line[3:]),
    ]
    assert dana.api("POST", f"{hall.event}/waiting/{line[2]['entrant_id']}/accept")[0] == 200
    for one in (line[0], line[2]):
        late_list(sven, hall, one["code"])
        card = dana.api("GET", f"{hall.event}/door/find?q={one['code']}")[1]["cards"][0]
        assert dana.api("POST", f"{hall.event}/entrants/{card['entrant_id']}/check-in")[0] == 200
    moved = dana.api("GET", f"{hall.event}/door/field")[1]
    assert (moved["before"], moved["now"], moved["rounds"]) == (126, 130, 7)
    assert moved["prizes_moved"] == [
        {"first": 9, "last": 16, "was": "", "now": "Playmat"},
        {"first": 17, "last": 32, "was": "", "now": "Sleeves"},
    ]
    assert moved["advised_before"] != moved["advised"]
    assert moved["cut"] == moved["advised"][1]

    # whoever comes now with a phone is told that the registration is over; the desks still queue
    phone = hall.phone()
    page = phone.get(f"/join/{hall.stage['join']}/")
    assert "The registration is not open" in page
    status, made = dana.api("POST", f"{hall.event}/entrants", {"display_name": "Very Late"})
    assert (status, made["waiting"]) == (201, 4)

    kept = json.loads(
        hall.database.run("-m", "tests.tournaments.rush", "verify", hall.stage["event"])
    )
    assert kept["compared"] == 3
    assert (kept["entrants"], kept["inside"], kept["late"]) == (130, 130, 4)
    assert kept["money"][:4] == [["paid", 1500, "cash"], *[["paid", 1500, "card"]] * 3]
    assert kept["money"][4:] == [["comped", 0, ""]] * 4


def late_list(desk: Visitor, hall: Hall, code: str) -> None:
    """A late entrant pays and hands in its paper list at the desk."""
    here = f"{hall.door}?q={code}"
    status, page = desk.post(here, "comp", desk.get(here), note="last seats")
    assert (status, 'data-next="paper"' in page) == (200, True), page[:500]
    status, page = desk.post(here, "paper", page)
    assert (status, 'data-next="check_in"' in page) == (200, True)
