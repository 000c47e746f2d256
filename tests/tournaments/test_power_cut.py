"""The power goes in the middle of a round, and with it whatever was not synced: the same machine
nine minutes later, and another one with a copy."""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import urllib.error
import urllib.parse
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from eventstore.backups import place
from eventstore.ids import new_id
from people.joinlinks import JoinLink, make, read
from tests.conftest import Member
from tests.eventstore.conftest import OwnDatabase, migrated, own_database  # noqa: F401
from tests.eventstore.partb.test_faults import keeper  # noqa: F401
from tests.sizes import SIZES, SOAK
from tests.tournaments.conftest import Running
from tests.tournaments.power import DECIDED, LEFT_MIN, PHONES, TABLES
from tests.tournaments.test_door_rush import START_SECONDS, Visitor
from tools.services import free_port

AWAY_S = 9 * 60


def _forms(page: str) -> list[str]:
    return re.findall(r"<form[^>]*method=\"post\"[^>]*>.*?</form>", page, re.S)


def _body(form: str, **values: str) -> bytes:
    """What a form sends: its hidden fields and these."""
    fields = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
    sent = {unescape(name): unescape(value) for name, value in fields} | values
    return urllib.parse.urlencode(sent).encode()


@dataclass
class Phone(Visitor):
    """A phone that queues what it cannot send, and sends the same bytes again."""

    page: str = ""
    waiting: list[bytes] = field(default_factory=list)

    def opens(self, event_id: str) -> None:
        """Have the page of the own match open."""
        self.page = f"/my/{event_id}/"
        text = self.get(self.page)
        form = next(one for one in _forms(text) if 'name="act" value="claim"' in one)
        self.waiting = [_body(form, score="2-0")]

    def sends(self) -> bool:
        """Send what waits, first things first; what is acknowledged is forgotten."""
        try:
            while self.waiting:
                status, _ = self.ask(
                    self.page,
                    self.waiting[0],
                    **{"Referer": self.url + self.page, "Headjudge-Queue": "1"},
                )
                assert status == 204, status
                self.waiting.pop(0)
        except (urllib.error.URLError, ConnectionError):
            return False
        return True

    def renewed(self) -> None:
        """Put the token of the session that is new into what waits; the nonce stays."""
        fresh = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(self.page))
        assert fresh is not None
        for at, body in enumerate(self.waiting):
            sent = dict(urllib.parse.parse_qsl(body.decode()))
            self.waiting[at] = urllib.parse.urlencode(
                sent | {"csrfmiddlewaretoken": fresh[1]}
            ).encode()

    def sends_and_hears_nothing(self) -> None:
        """Send what waits; the answer is lost on the way."""
        (body,) = self.waiting
        assert self.sends()
        self.waiting = [body]


@dataclass
class Kept:
    """What a database holds: tables with a result, how many claims a table has, calls by id as
    (state, seconds they took), how many outages."""

    decided: list[int]
    claims: dict[int, int]
    calls: dict[str, tuple[str, int]]
    outages: int


@dataclass
class Laptop:
    """A machine with the database of the hall, on a port that stays its own."""

    database: OwnDatabase
    keeper: Path
    synced: Path
    port: int
    server: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://localhost:{self.port}"

    def on(self, *, ahead: float = 0) -> None:
        """Start the server; its files are kept apart as they are synced."""
        shutil.rmtree(self.synced, ignore_errors=True)
        self.synced.mkdir()
        for file in self._files():
            shutil.copy(file, self.synced)  # what stands there now is on the disk
        self.server = self.database.start(
            "-m", "tests.tournaments.power", "serve", str(self.port),
            LD_PRELOAD=str(self.keeper), SYNCED=str(self.synced), AHEAD=str(ahead),
            BACKGROUND="thread", API_RATE="", PYTHONFAULTHANDLER="1",
        )  # fmt: skip
        limit = time.monotonic() + START_SECONDS
        while True:
            try:
                Visitor(self.url).get("/")
                return
            except (AssertionError, OSError):
                assert self.server.poll() is None, self.server.communicate()[1]
                assert time.monotonic() < limit, self._where()
                time.sleep(0.1)

    def _where(self) -> str:
        """Where the threads are of a server that does not answer; it is ended with that."""
        assert self.server is not None
        self.server.send_signal(signal.SIGABRT)
        return f"the server does not answer:\n{self.server.communicate(timeout=30)[1]}"

    def _files(self) -> list[Path]:
        return sorted(self.database.path.parent.glob(f"{self.database.path.name}*"))

    def dies(self) -> None:
        """End the server as a loss of power does: what was not synced is gone."""
        assert self.server is not None
        self.server.send_signal(signal.SIGKILL)
        self.server.communicate(timeout=30)
        self.server = None
        for file in self._files():
            file.unlink()
        for file in self.synced.iterdir():
            if file.name != ".fresh" and not file.name.endswith("-shm"):
                shutil.copy(file, self.database.path.parent / file.name)

    def kept(self) -> Kept:
        """What stands in the database."""
        with contextlib.closing(sqlite3.connect(self.database.path)) as base:
            rows = base.execute('SELECT "table", winner, claims FROM tournaments_match').fetchall()
            calls = base.execute("SELECT call_id, state, took_s FROM judging_call").fetchall()
            (outages,) = base.execute("SELECT COUNT(*) FROM tournaments_outage").fetchone()
        return Kept(
            [table for table, winner, _ in rows if winner],
            {table: len(json.loads(claims)) for table, _, claims in rows if json.loads(claims)},
            {call_id: (state, took_s) for call_id, state, took_s in calls},
            outages,
        )

    def off(self) -> None:
        """Stop the server, if it runs."""
        if self.server is not None:
            self.server.terminate()
            self.server.communicate(timeout=30)
            self.server = None


@dataclass
class Hall:
    """The laptop and who is there; `staged` is when the stage began to be built."""

    laptop: Laptop
    stage: dict[str, Any]
    staged: float

    @property
    def event(self) -> str:
        """Path of the event in the API."""
        return f"events/{self.stage['event']}"

    def program(self, name: str) -> Visitor:
        """A program of the desk or of a judge."""
        return Visitor(self.laptop.url, self.stage[name])

    def phone(self, number: int) -> Phone:
        """A phone that has scanned its link and has the page open."""
        made = Phone(self.laptop.url)
        status, _ = made.post(f"/join/{self.stage['phones'][number]}/", "")
        assert status == 200
        made.opens(self.stage["event"])
        return made

    def left_s(self) -> int:
        """Seconds left on the public clock of the round."""
        page = Visitor(self.laptop.url).get(f"/events/{self.stage['event']}/")
        found = re.search(r'data-seconds-left="(-?\d+)"', page)
        assert found is not None
        return int(found[1])

    def queue(self) -> dict[str, dict[str, Any]]:
        """The open calls by id, as a judge sees them."""
        status, found = self.program("judge").api("GET", f"{self.event}/calls")
        assert status == 200, found
        return {one["call_id"]: one for one in found["results"]}


@pytest.fixture
def hall(
    own_database: OwnDatabase,  # noqa: F811
    keeper: Path,  # noqa: F811
    tmp_path: Path,
) -> Iterator[Hall]:
    """The hall with the server running."""
    if own_database.vendor != "sqlite":
        pytest.skip("the laptop of a shop runs on SQLite")
    staged = time.monotonic()
    stage = json.loads(own_database.run("-m", "tests.tournaments.power", "stage"))
    laptop = Laptop(own_database, keeper, tmp_path / "synced", free_port())
    try:
        laptop.on()
        yield Hall(laptop, stage, staged)
    finally:
        laptop.off()


@pytest.fixture
def other(hall: Hall, tmp_path: Path) -> Iterator[Laptop]:
    """Another machine, under the address of the first one, with nothing on it."""
    there = tmp_path / "elsewhere"
    there.mkdir()
    path = there / "own.sqlite3"
    env = hall.laptop.database.env | {"DATABASE_URL": f"sqlite:///{path}", "DATA_DIR": str(there)}
    base = OwnDatabase(f"sqlite:///{path}", "sqlite", path, env)
    made = Laptop(base, hall.laptop.keeper, tmp_path / "synced-there", hall.laptop.port)
    try:
        yield made
    finally:
        made.off()


def test_power_cut(hall: Hall, other: Laptop, tmp_path: Path) -> None:
    laptop, tables = hall.laptop, [int(one) for one in hall.stage["tables"]]
    desk = hall.program("desk")
    done = set(tables[:DECIDED])

    def slip(table: int) -> None:
        status, said = desk.api("POST", f"{hall.event}/slips", {"round": 1, "line": f"{table} 2-0"})
        assert status == 200, said
        done.add(table)

    # 80 of 120 are in; the last copy on the stick has 77 of them
    for table in tables[DECIDED : DECIDED + 5]:
        slip(table)
    phones = [hall.phone(number) for number in range(PHONES)]
    stick = tmp_path / "stick"
    stick.mkdir()
    place.prepare(stick)
    laptop.database.run("manage.py", "backup", "--to", str(stick))
    for table in tables[DECIDED + 5 : DECIDED + 8]:
        slip(table)
    assert len(done) == 80
    asked = time.monotonic()
    # phones: one acknowledged, one whose acknowledgement is lost, others that never got through
    assert phones[0].sends()
    phones[1].sends_and_hears_nothing()
    waited = {key: one["waited_s"] for key, one in hall.queue().items()}
    assert set(waited) == set(hall.stage["calls"])
    left = hall.left_s()
    assert left <= LEFT_MIN * 60

    # a machine so busy that the server was slow to start has noticed that
    before = len(desk.api("GET", f"{hall.event}/outages")[1]["outages"])
    laptop.dies()
    assert not any(phone.sends() for phone in phones[2:])
    held = list(phones[2].waiting)

    # the same machine, nine minutes later by its clock
    laptop.on(ahead=AWAY_S)
    on = time.monotonic()
    kept = laptop.kept()
    assert set(kept.decided) == done
    assert set(kept.claims) == set(tables[-PHONES : -PHONES + 2])
    assert kept.outages == before + 1
    olga = Visitor(laptop.url).signed_in("olga")
    page = olga.get(f"/staff/events/{hall.stage['event']}/")
    said = re.search(r"The server was away from [\d:]+ to [\d:]+ \((\d+) minutes\)\.", page)
    assert said is not None
    assert "this is a copy" not in page
    lost = hall.left_s()
    assert lost <= left - AWAY_S
    outage = desk.api("GET", f"{hall.event}/outages")[1]["outages"][0]
    assert (outage["waits"], outage["clock_ran"]) == (True, True)
    assert AWAY_S <= outage["seconds"] <= AWAY_S + (on - asked) + 1
    assert int(said[1]) == (outage["seconds"] + 30) // 60
    form = next(one for one in _forms(page) if 'value="give"' in one)
    status, _ = olga.ask(
        f"/staff/events/{hall.stage['event']}/outage/",
        _body(form, act="give", minutes=str(outage["offered_min"])),
        Referer=laptop.url,
    )
    assert status == 200
    assert abs(hall.left_s() - lost - outage["offered_min"] * 60) <= 5 + time.monotonic() - on
    # the four calls are there, and their clocks stood
    queue = hall.queue()
    assert set(queue) == set(hall.stage["calls"])
    for key, one in queue.items():
        assert waited[key] <= one["waited_s"] <= waited[key] + (time.monotonic() - asked) + 1
    assert [queue[key]["state"] for key in hall.stage["calls"]] == ["raised"] * 2 + ["at_table"] * 2
    mine = hall.stage["calls"][2]
    judge = hall.program("judge")
    assert judge.api("POST", f"calls/{mine}/rule", {"rule_id": "YGO-16.1"})[0] in (200, 201)
    assert judge.api("POST", f"calls/{mine}/close")[0] == 200
    # what the phones hold arrives once, also what had arrived before
    for phone in phones[1:]:
        assert phone.sends()
    repeated = [phone for phone in phones if phone.waiting]
    assert repeated == []
    laptop.off()
    laptop.database.run("-m", "tests.tournaments.power", "verify")
    kept = laptop.kept()
    assert set(kept.claims) == set(tables[-PHONES:])
    assert set(kept.claims.values()) == {1}
    state, took_s = kept.calls[mine]
    assert state == "closed"
    assert 180 <= took_s < 180 + (time.monotonic() - hall.staged)

    # another machine, from the stick: other keys, nobody is signed in, the same address
    told = other.database.run("manage.py", "restore", str(stick))
    assert "check slips" in told
    other.on(ahead=AWAY_S)
    olga = Visitor(other.url).signed_in("olga")
    page = olga.get(f"/staff/events/{hall.stage['event']}/outage/")
    assert re.search(
        r"Nothing after \d\d:\d\d:\d\d is here: this is a copy\. Check the slips\.", page
    )
    slips = set(re.findall(r"Enter the result of table (\d+)", page[page.index('id="slips"') :]))
    assert set(map(int, slips)) == set(tables[DECIDED + 5 :])
    assert len(slips) == TABLES - 77
    assert "All tables" not in page
    elsewhere = Hall(other, hall.stage, hall.staged)
    assert set(elsewhere.queue()) == set(hall.stage["calls"])
    # a phone of the old machine is unknown; by its new code it sends what it held, once
    phone = phones[2]
    phone.waiting = held
    assert phone.ask(phone.page)[0] == 404
    entrant = hall.stage["seated"][str(tables[-PHONES + 2])]
    code = olga.get(f"/staff/events/{hall.stage['event']}/join/?entrant={entrant}")
    link = re.search(r"http://localhost:\d+(/join/[^/\"<]+/)", code)
    assert link is not None
    assert phone.post(link[1], "")[0] == 200
    phone.renewed()
    assert phone.sends()
    other.off()
    kept = other.kept()
    assert len(kept.decided) == 77
    assert kept.claims == {tables[-PHONES + 2]: 1}


@pytest.mark.skipif(not SOAK, reason="a quarter of an hour of losses of power: in the soak")
def test_power_that_goes_at_any_moment_of_a_rush_takes_nothing_acknowledged(hall: Hall) -> None:
    """Four desks type slips; the power goes at a random moment, again and again. What has no
    answer is typed again under the same id, and counts once."""
    draw = random.Random(12)
    waiting = [int(one) for one in hall.stage["tables"]][DECIDED:]
    ids = {table: new_id() for table in waiting}
    done: set[int] = set()

    def types(table: int) -> int | None:
        line = {"round": 1, "line": f"{table} 2-0"}
        try:
            status, _ = hall.program("desk").ask(
                f"/api/v1/{hall.event}/slips",
                json.dumps(line).encode(),
                **{"Content-Type": "application/json", "Idempotency-Key": ids[table]},
            )
        except OSError:
            return None
        return table if status == 200 else None

    for turn in range(SIZES.power_cuts):
        # a machine so busy that the server stood still for a while has noticed that
        before = hall.laptop.kept().outages
        batch = draw.sample(waiting, 12)
        with ThreadPoolExecutor(4) as desks:
            sent = [desks.submit(types, table) for table in batch]
            time.sleep(draw.uniform(0.05, 0.6))
            hall.laptop.dies()
            done |= {one.result() for one in sent} - {None}  # type: ignore[arg-type]
        hall.laptop.on(ahead=(turn + 1) * AWAY_S)
        kept = hall.laptop.kept()
        assert done <= set(kept.decided)
        assert len(kept.decided) == len(set(kept.decided))
        assert kept.outages == before + 1
    while missing := [table for table in waiting if table not in done]:
        done |= {types(table) for table in missing} - {None}  # type: ignore[arg-type]
    hall.laptop.off()
    hall.laptop.database.run("-m", "tests.tournaments.power", "verify")
    assert len(hall.laptop.kept().decided) == TABLES


def test_a_machine_with_another_key_knows_no_phone_until_it_scans_a_new_code(
    make_event: Callable[..., Running],
    client_of: Callable[..., Client],
    settings: Any,
) -> None:
    event = make_event(4, start=True)
    event.pair()
    alice = Member(event.persons["Alice"], "Alice")
    page = f"/my/{event.event_id}/"
    phone = client_of(alice)
    old = make(JoinLink(event.event_id, alice.person_id))
    assert phone.get(page).status_code == 200
    settings.SECRET_KEY = "the key of another machine, which has only the copy"
    assert phone.get(page).status_code == 404
    assert read(old) is None
    new = make(JoinLink(event.event_id, alice.person_id))
    phone.post(f"/join/{new}/")
    assert phone.get(page).status_code == 200
