"""The phones of the load bench: `python -m bench._phones PLAN.json`, one process, no Django.

Each phone does what the pages' own script does (portal/static/portal/live.js): it keeps
a stream open, and when told that something moved it asks again for its page after the page's own
jitter; a report goes out with its nonce until the server has confirmed it, and its page comes anew
with the confirmation. Plain sockets and no parsing that is not needed: both processors are the
server's too.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
import resource
import sys
import time
import uuid
from collections import Counter
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvloop

SESSION = "headjudge_session"
TOKEN = "k" * 32
"""The cookie against forged forms: the browser sends back what it was given."""
FORM = "application/x-www-form-urlencoded"
TRY_SECONDS, FIRST_PAUSE, LAST_PAUSE = 8.0, 2.0, 30.0
LONGEST = 120.0
"""How long is waited for the last watcher, and for a report that finds no server."""
SETTLED = 8.0
"""Seconds of a minute in which no table begins to report: its second report and the desk's word on
a conflict come up to six later."""
AT_A_TIME = 40
BODY = re.compile(rb'<body data-live="([^"]+)" data-at="([\d.]+)" data-spread="(\d+)"')
ID = re.compile(rb"id: ([\d.]+)\n")
MOVED = re.compile(rb"id: ([\d.]+)\nevent: moved")
TRIVIAL = "/sign-in/"
TICKS = 100.0


class Lost(Exception):
    """The connection ended before the answer was there."""


@dataclass(slots=True)
class Answer:
    """Status, head and body of an answer."""

    status: int
    head: bytes
    body: bytes

    def header(self, name: bytes) -> str:
        """Return a header, empty when it is not there."""
        at = self.head.lower().find(b"\r\n" + name + b":")
        if at < 0:
            return ""
        return self.head[at + len(name) + 3 :].split(b"\r\n", 1)[0].strip().decode()


class Line(asyncio.Protocol):
    """One connection that is kept; one request at a time."""

    def __init__(self) -> None:
        self.held = bytearray()
        self.waiting: asyncio.Future[Answer] | None = None
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.held += data
        end = self.held.find(b"\r\n\r\n")
        if end < 0 or self.waiting is None or self.waiting.done():
            return
        head = bytes(self.held[:end])
        status = int(head[9:12])
        length = 0
        if status not in (204, 304):
            found = re.search(rb"\r\ncontent-length: (\d+)", head, re.IGNORECASE)
            if found is None:
                raise SystemExit(f"an answer without a length: {head!r}")
            length = int(found[1])
        if len(self.held) >= end + 4 + length:
            body = bytes(self.held[end + 4 : end + 4 + length])
            del self.held[: end + 4 + length]
            self.waiting.set_result(Answer(status, head, body))

    def connection_lost(self, fault: Exception | None) -> None:
        if self.waiting is not None and not self.waiting.done():
            self.waiting.set_exception(Lost())

    async def ask(self, request: bytes) -> Answer:
        """Send a request and wait for its answer. Raises Lost, TimeoutError."""
        self.waiting = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await asyncio.wait_for(self.waiting, TRY_SECONDS)

    def close(self) -> None:
        """End the connection."""
        if self.transport is not None:
            self.transport.close()


class Stream(asyncio.Protocol):
    """An open stream of messages."""

    def __init__(self, phone: Phone, request: bytes) -> None:
        self.phone, self.request = phone, request
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        found, moved = ID.search(data), MOVED.findall(data)
        if found is not None and not self.opened.done():
            self.phone.at = found[1].decode()
            self.opened.set_result(None)
        if moved:
            self.phone.told(moved[-1].decode())
        if found is None and not self.opened.done() and not data.startswith(b"HTTP/1.1 200"):
            self.opened.set_exception(Lost())

    def connection_lost(self, fault: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(Lost())
        self.phone.streams_lost += self.phone.stream is self


@dataclass
class Hall:
    """What all phones share: the server, the clock of the bench, and what was measured."""

    port: int
    event: str
    seconds: float
    rush: float
    began: float = 0.0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    reports: list[float] = field(default_factory=list)
    own_pages: list[float] = field(default_factory=list)
    refreshes: list[float] = field(default_factory=list)
    desk: list[float] = field(default_factory=list)
    trivial: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    acked_at: float = 0.0

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something go on beside."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.counts[f"fault {task.exception()!r:.80}"] += 1

    async def line(self) -> Line:
        """Open a connection."""
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(Line, "127.0.0.1", self.port)
        return made

    def request(
        self, method: str, path: str, cookie: str = "", body: str = "", **headers: str
    ) -> bytes:
        """Write a request as a browser would."""
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: localhost:{self.port}",
            "Accept-Encoding: gzip",
            "Accept-Language: en",
            f"Cookie: csrftoken={TOKEN}" + (f"; {SESSION}={cookie}" if cookie else ""),
        ]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        if method == "POST":
            lines += [f"Content-Type: {FORM}", f"Content-Length: {len(body)}"]
        return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


class Phone:
    """One phone with a page in front: a spectator's without a cookie, or a player's own."""

    def __init__(self, hall: Hall, page: str, cookie: str = "") -> None:
        self.hall, self.page, self.cookie = hall, page, cookie
        self.stream: Stream | None = None
        self.topics = self.at = self.etag = ""
        self.spread = 0.0
        self.due = self.fetching = self.again = self.watches = False
        self.loading, self.shows = False, 0
        self.rest = 0.0
        self.shown_at, self.shown = 0.0, ""
        self.streams_lost = 0

    async def open(self) -> None:
        """Load the page, and listen where it says what it follows."""
        line = await self.hall.line()
        try:
            await self.load(line)
        finally:
            line.close()

    async def load(self, line: Line) -> None:
        """Load the page on a connection, and listen."""
        self.loading, self.due, self.again = True, False, False
        self.shows += 1
        try:
            await self._load(line)
        finally:
            self.loading = False

    async def _load(self, line: Line) -> None:
        began = time.monotonic()
        plain = self.hall.request("GET", self.page, self.cookie).replace(
            b"Accept-Encoding: gzip\r\n", b""
        )
        answer = await line.ask(plain)
        if answer.status != 200:
            self.hall.counts[f"page {answer.status}"] += 1
            raise Lost
        self.hall.own_pages.append(time.monotonic() - began)
        found = BODY.search(answer.body)
        if found is None:
            raise SystemExit(f"{self.page} follows nothing")
        self.topics = found[1].decode().replace("&amp;", "&")
        self.at, self.spread = found[2].decode(), int(found[3]) / 1000
        if self.watches:
            await self.listen()

    def put(self, answer: Answer) -> None:
        """Take the page that came with a confirmation: what it shows is not asked for again."""
        found = BODY.search(gzip.decompress(answer.body))
        if found is None:
            raise SystemExit(f"{self.page} came anew and follows nothing")
        told, self.at = self.at, found[2].decode()
        self.due, self.shows = False, self.shows + 1
        if told:
            self.told(told)

    def told(self, at: str) -> None:
        """Ask again when these counters are newer than what is shown."""
        pairs = zip(at.split("."), self.at.split("."), strict=True)
        if any(int(one) > int(other) for one, other in pairs):
            self.at = at
            self.moved()

    async def listen(self) -> None:
        """Open the stream, in place of the one before."""
        if self.stream is not None:
            before, self.stream = self.stream, None
            before.transport.close()
        path = f"/live/?{self.topics}&since={self.at}"
        request = self.hall.request("GET", path, self.cookie, Accept="text/event-stream")
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(
            lambda: Stream(self, request), "127.0.0.1", self.hall.port
        )
        self.stream = made
        await asyncio.wait_for(made.opened, LONGEST)

    def moved(self) -> None:
        """Ask for the page again after its jitter; a page that is being left asks no more."""
        if self.loading:
            return
        if self.fetching:
            self.again = True
        elif not self.due:
            self.due = True
            pause = self.rest + random.random() * self.spread
            shows = self.shows
            asyncio.get_running_loop().call_later(pause, lambda: self.wake(shows))

    def wake(self, shows: int) -> None:
        """Fetch the page, unless another was loaded in its place meanwhile."""
        if shows == self.shows:
            self.hall.start(self.refresh())

    async def refresh(self) -> None:
        """Fetch the page as htmx does; the browser sends the tag of the copy it has."""
        self.due = self.again = False
        self.fetching = True
        began = time.monotonic()
        try:
            await self.fetch()
        finally:
            self.fetching = False
            self.rest = min(3 * (time.monotonic() - began), 30.0)
            if self.again:
                self.moved()

    async def fetch(self) -> None:
        """One fetch of the page."""
        told, began = self.at, time.monotonic()
        extra = {"If_None_Match": self.etag} if self.etag else {}
        try:
            line = await self.hall.line()
            try:
                answer = await line.ask(
                    self.hall.request(
                        "GET", self.page, self.cookie, HX_Request="true",
                        HX_Target="live", Headjudge_At=told, **extra,
                    )
                )  # fmt: skip
            finally:
                line.close()
        except (Lost, OSError, TimeoutError):
            self.hall.counts["refresh failed"] += 1
            self.again = True
            return
        ended = time.monotonic()
        self.hall.refreshes.append(ended - began)
        self.hall.counts[f"refresh {answer.status}"] += 1
        self.hall.counts["refresh bytes"] += len(answer.body)
        if answer.status in (200, 304):
            self.etag = answer.header(b"etag") or self.etag
            self.shown, self.shown_at = told, ended

    async def send(self, path: str, fields: dict[str, str], into: list[float]) -> str:
        """Send a form until the server has confirmed it, or refused it for good; return how."""
        body = urlencode({**fields, "nonce": str(uuid.uuid4())})
        began, pause = time.monotonic(), FIRST_PAUSE
        while time.monotonic() - began < LONGEST:
            line = None
            try:
                line = await self.hall.line()
                answer = await line.ask(
                    self.hall.request(
                        "POST", path, self.cookie, body, X_CSRFToken=TOKEN,
                        Headjudge_Queue=path if path == self.page else "1",
                        Headjudge_Age=str(round(time.monotonic() - began)),
                    )
                )  # fmt: skip
                if answer.status < 500 and answer.status != 429:
                    ended = time.monotonic()
                    into.append(ended - began)
                    if answer.header(b"headjudge-then"):
                        self.hall.acked_at = max(self.hall.acked_at, ended)
                        self.hall.counts["acknowledged"] += 1
                        if answer.status == 200:
                            self.put(answer)
                        return "kept"
                    self.hall.counts[f"refused {answer.status}"] += 1
                    return "refused"
                self.hall.counts[f"answer {answer.status}"] += 1
            except (Lost, OSError, TimeoutError):
                self.hall.counts["tried again"] += 1
            finally:
                if line is not None:
                    line.close()
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, LAST_PAUSE)
        self.hall.counts["given up"] += 1
        return "given up"


def turned(score: str) -> str:
    """The same score from the other side."""
    first, second = score.split("-")
    return f"{second}-{first}"


async def table(hall: Hall, one: list[Any], phones: list[Phone], desk: Phone, at: float) -> None:
    """One table's way to its result: both report alike, they differ, or it goes by the desk."""
    match_id, number, _ = one
    chance = random.Random(number)
    kind, score = chance.random(), chance.choice(["2-0", "2-1"])
    winner = chance.randrange(2)
    ours = score if winner == 0 else turned(score)
    await asyncio.sleep(max(0.0, hall.began + at - time.monotonic()))
    page = f"/my/{hall.event}/"

    async def claim(seat: int, said: str) -> None:
        fields = {"act": "claim", "match_id": match_id, "score": said}
        await phones[seat].send(page, fields, hall.reports)

    if kind < 0.05:
        hall.counts["by the desk"] += 1
        line = {"act": "line", "line": f"{number} {ours}"}
        await desk.send(f"/staff/events/{hall.event}/results/?round=1", line, hall.desk)
        return
    await claim(winner, ours)
    await asyncio.sleep(chance.uniform(0.5, 4.0) * hall.rush)
    if kind >= 0.1:
        hall.counts["joint"] += 1
        await claim(1 - winner, ours)
        return
    hall.counts["in conflict"] += 1
    await claim(1 - winner, turned(ours))
    await asyncio.sleep(2.0 * hall.rush)
    fields = {"act": "enter", "match_id": match_id, "score": ours, "reason": "played"}
    await desk.send(f"/staff/events/{hall.event}/results/?round=1", fields, hall.desk)


async def probe(hall: Hall, into: list[float], times: int | None = None) -> None:
    """Ask for a trivial page now and then; adds the seconds of each to `into`."""
    while times is None or len(into) < times:
        began = time.monotonic()
        try:
            line = await hall.line()
            try:
                await line.ask(hall.request("GET", TRIVIAL))
            finally:
                line.close()
        except (Lost, OSError, TimeoutError):
            hall.counts["trivial failed"] += 1
        into.append(time.monotonic() - began)
        await asyncio.sleep(0.02 if times else 0.25)


def _stat(pid: int) -> tuple[int, float]:
    """Return the parent of a process and the seconds it and its ended children have run."""
    text = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(text[1]), sum(int(text[at]) for at in (11, 12, 13, 14)) / TICKS


def used(roots: dict[str, int]) -> dict[str, tuple[float, float]]:
    """Return the seconds of processor and the MB of each process tree."""
    known: dict[int, tuple[int, float]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                known[int(entry.name)] = _stat(int(entry.name))
            except OSError:
                continue
    found = {}
    for name, root in roots.items():
        tree = {root}
        for _ in range(4):
            tree |= {pid for pid, (parent, _) in known.items() if parent in tree}
        kb = 0
        for pid in tree:
            try:
                rows = Path(f"/proc/{pid}/smaps_rollup").read_text()
                kb += int(re.findall(r"Pss:\s+(\d+)", rows)[0])
            except (OSError, IndexError):
                continue
        found[name] = (sum(known[pid][1] for pid in tree if pid in known), kb / 1024)
    return found


def machine() -> tuple[float, float]:
    """Return the busy and all seconds of both processors since the start."""
    numbers = [int(one) for one in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return (sum(numbers) - numbers[3] - numbers[4]) / TICKS, sum(numbers) / TICKS


def quantiles(name: str, values: list[float]) -> dict[str, float]:
    """Milliseconds that half, 95 and 99 of a hundred took at most."""
    if not values:
        return {}
    line = sorted(values)
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    return {
        f"{name} {word} ms": round(1000 * line[min(len(line) - 1, int(len(line) * share))], 1)
        for word, share in at.items()
    }


async def seated(phones: list[Phone]) -> None:
    """Let all phones open their pages, some at a time."""
    gate = asyncio.Semaphore(AT_A_TIME)

    async def one(phone: Phone) -> None:
        async with gate:
            for _ in range(5):
                try:
                    await phone.open()
                    return
                except (Lost, OSError, TimeoutError):
                    await asyncio.sleep(1)
            raise SystemExit(f"{phone.page} cannot be opened")

    await asyncio.gather(*(one(phone) for phone in phones))


async def run(plan: dict[str, Any]) -> dict[str, Any]:
    """Play one round; return what was measured."""
    hall = Hall(plan["port"], plan["event"], plan["seconds"], plan["rush"])
    tables: list[Any] = plan["tables"]
    mine = f"/my/{hall.event}/"
    random.seed(7)
    players = {one[0]: [Phone(hall, mine, cookie) for cookie in one[2]] for one in tables}
    watching = [players[one[0]][0] for one in tables[: plan["phones"] // 2]]
    pages = max(1, -(-len(tables) // 100))
    spectators = [
        Phone(hall, f"/events/{hall.event}/pairings/?page={1 + at % pages}")
        for at in range(plan["phones"] - len(watching))
    ]
    desk = Phone(hall, f"/staff/events/{hall.event}/results/", plan["desk"])
    idle: list[float] = []
    await probe(hall, idle, 100)
    found: dict[str, Any] = quantiles("trivial idle", idle)
    opening = time.monotonic()
    everybody = [*watching, *spectators, desk]
    for one in everybody:
        one.watches = True
    await seated(everybody)
    found["opened s"] = round(time.monotonic() - opening, 1)
    found |= quantiles("opening", hall.own_pages)
    hall.own_pages.clear()
    hall.refreshes.clear()
    hall.counts.clear()
    await asyncio.sleep(1)
    before, cpu, own = used(plan["roots"]), machine(), time.process_time()
    hall.began = time.monotonic()
    probing = asyncio.create_task(probe(hall, hall.trivial))
    order = list(tables)
    random.shuffle(order)
    last = max(0.0, plan["seconds"] - SETTLED * hall.rush)
    work = [
        table(hall, one, players[one[0]], desk, last * at / len(order))
        for at, one in enumerate(order)
    ]
    await asyncio.gather(*work)
    reported = time.monotonic()
    mid, mid_cpu, mid_own = used(plan["roots"]), machine(), time.process_time()
    final = await _final(hall, everybody)
    probing.cancel()
    seen = [one.shown_at for one in spectators if one.shown == final]
    took = reported - hall.began
    found |= {
        "reports in s": round(hall.acked_at - hall.began, 1),
        "reports": len(hall.reports) + len(hall.desk),
        **quantiles("report", hall.reports),
        **quantiles("own page", hall.own_pages),
        **quantiles("refresh", hall.refreshes),
        **quantiles("desk", hall.desk),
        **quantiles("trivial under load", hall.trivial),
        "watchers": len(everybody) - 1,
        "spectators up to date": len(seen),
        "all saw the last after s": round(max(seen, default=0) - hall.acked_at, 2),
        "streams lost": sum(one.streams_lost for one in everybody),
        "loader CPU s": round(mid_own - own, 1),
        "machine busy share": round((mid_cpu[0] - cpu[0]) / (mid_cpu[1] - cpu[1]), 2),
        "loader share of the machine": round((mid_own - own) / (mid_cpu[1] - cpu[1]), 2),
        "loader MB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "counts": dict(sorted(hall.counts.items())),
    }
    for name in plan["roots"]:
        found[f"{name} CPU s"] = round(mid[name][0] - before[name][0], 1)
        found[f"{name} CPU share"] = round((mid[name][0] - before[name][0]) / took, 2)
        found[f"{name} MB"] = round(max(mid[name][1], before[name][1]))
    return found


async def _final(hall: Hall, phones: list[Phone]) -> str:
    """Wait until no phone has anything to fetch; return the last counters of the board."""
    limit = time.monotonic() + LONGEST
    path = f"/live/now/?t=board.{hall.event}"
    while time.monotonic() < limit:
        await asyncio.sleep(0.5)
        line = await hall.line()
        now = (await line.ask(hall.request("GET", path))).body.decode().split(" ")[0]
        line.close()
        behind = [one for one in phones if one.topics.startswith("t=board.") and one.due]
        late = [one for one in phones if not one.cookie and one.shown != now]
        if not behind and not late and not hall.tasks:
            break
    return now


def main() -> None:
    """Read the plan, play, print."""
    plan = json.loads(Path(sys.argv[1]).read_text())
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (plan["files"], hard))
    print(json.dumps(uvloop.run(run(plan))))


if __name__ == "__main__":
    main()
