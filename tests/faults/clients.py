"""The people of a simulated round: phones, a judge, a desk, a page that listens.

A phone sends as portal/static/portal/live.js does: its forms wait in order, each with its nonce,
and one is sent again and again until the server says 204 (kept); 5xx, 429, silence and a broken
connection mean that it may not have got there. Programs of staff do the same with an
Idempotency-Key. Only the pauses are shorter here.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from eventstore.ids import new_id

TRY_SECONDS = 8.0
FIRST_PAUSE, LAST_PAUSE = 0.1, 1.0
CSRF = "s" * 32
GONE = (OSError, http.client.HTTPException)


@dataclass(eq=False)
class Item:
    """One command on its way. `answers` are the statuses it got, 0 for none."""

    path: str
    body: bytes
    headers: dict[str, str]
    nonce: str
    kept: bool = False
    refused: str = ""
    answers: list[int] = field(default_factory=list)
    known: threading.Event = field(default_factory=threading.Event)
    after: Item | None = None
    """The item that must be kept before this one makes sense."""

    @property
    def sent(self) -> bool:
        """Whether it was sent at least once."""
        return bool(self.answers)


def form(session: str, path: str, **fields: str) -> Item:
    """A form that a phone's page sends by itself."""
    nonce = new_id()
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": f"headjudge_session={session}; csrftoken={CSRF}",
        "X-CSRFToken": CSRF,
        "Headjudge-Queue": "1",
        "Headjudge-Age": "0",
    }
    return Item(path, urlencode({"nonce": nonce, **fields}).encode(), headers, nonce)


def call(token: str, path: str, body: dict[str, Any] | None = None) -> Item:
    """A command of the API."""
    nonce = new_id()
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {token}",
        "Idempotency-Key": nonce,
    }
    return Item(f"/api/v1/{path}", json.dumps(body or {}).encode(), headers, nonce)


@dataclass(eq=False)
class Sender(threading.Thread):
    """Sends its items in order, each until it is known what became of it. Answers that are no
    answer of a server at all (500, a page with a trace) are kept in `wrong`."""

    doors: list[int]
    items: Sequence[Item]
    gate: threading.Semaphore | None = None
    """Lets one item through for each that is released, so that every fault finds some under way."""
    wrong: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self._turns = itertools.cycle(self.doors)

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        """Send everything."""
        for item in self.items:
            if item.after is not None:
                item.after.known.wait()
            if self.gate is not None:
                self.gate.acquire()
            wait = FIRST_PAUSE
            while not self.over.is_set() and not self._deliver(item):
                self.over.wait(wait)
                wait = min(wait * 1.5, LAST_PAUSE)
            item.known.set()

    def _deliver(self, item: Item) -> bool:
        status, text, headers = ask(next(self._turns), item.path, item.body, item.headers)
        item.answers.append(status)
        if status == 204 or (status in (200, 201) and "Idempotency-Key" in item.headers):
            item.kept = True
            return True
        if status in (0, 429) or status >= 500:
            # only what says that the database or the server is away is an honest answer
            honest = status in (0, 429, 503) and ("retry-after" in headers or status == 0)
            if not honest or "Traceback" in text:
                self.wrong.append(f"{status} at {item.path}: {text[:600]}")
            return False
        item.refused = f"{status}: {text[:1500]}"
        return True


def ask(
    door: int, path: str, body: bytes | None, headers: dict[str, str], seconds: float = TRY_SECONDS
) -> tuple[int, str, dict[str, str]]:
    """Send one request and return status, text and headers; status 0 when no answer came."""
    line = http.client.HTTPConnection("127.0.0.1", door, timeout=seconds)
    try:
        line.request("GET" if body is None else "POST", path, body, headers)
        answer = line.getresponse()
        text = answer.read().decode(errors="replace")
        return answer.status, text, {name.lower(): value for name, value in answer.getheaders()}
    except GONE:
        return 0, "", {}
    finally:
        line.close()


@dataclass(eq=False)
class Listener(threading.Thread):
    """A page that follows an event as live.js does: it connects again whenever its stream ends,
    telling what it knows. `moves` is the counter it was told last."""

    door: int
    event_id: str
    moves: int = 0
    opened: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        """Listen until told to stop."""
        while not self.over.is_set():
            with contextlib.suppress(*GONE, ValueError):
                self._listen()
            self.over.wait(0.2)

    def _listen(self) -> None:
        line = http.client.HTTPConnection("127.0.0.1", self.door, timeout=25)
        try:
            path = f"/live/?t=board.{self.event_id}&since={self.moves}"
            line.request("GET", path, headers={"Accept": "text/event-stream"})
            answer = line.getresponse()
            if answer.status != 200:
                return
            self.opened += 1
            while not self.over.is_set() and (said := answer.readline()):
                if found := re.fullmatch(rb"id: (\d+)\n", said):
                    self.moves = int(found[1])
        finally:
            line.close()


def until(true: Callable[[], bool], seconds: float, what: str | Callable[[], str]) -> None:
    """Wait until something is so; fails after so many seconds with what it was to be."""
    limit = time.monotonic() + seconds
    while not true():
        if time.monotonic() > limit:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.02)
