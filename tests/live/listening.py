"""Listeners for tests: a stream read line by line on a plain socket."""

from __future__ import annotations

import re
import select
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.test import Client

from people.models import Account
from people.web import DEVICE_EVENTS, DEVICE_PERSON
from tests.conftest import Member


def session_of(member: Member | None, events: Sequence[str] = ()) -> dict[str, str]:
    """Return the cookie header of a member, signed in or joined at events."""
    if member is None:
        return {}
    client = Client()
    if member.username:
        client.force_login(Account.objects.get(username=member.username))
    else:
        session = client.session
        session[DEVICE_PERSON], session[DEVICE_EVENTS] = member.person_id, list(events)
        session.save()
    return {"Cookie": f"{settings.SESSION_COOKIE_NAME}={client.session.session_key}"}


@dataclass
class Listening:
    """One open stream: its status and headers, and every byte of it that came so far."""

    line: socket.socket
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    said: bytes = b""
    ended: bool = False

    def open(self, request: str) -> None:
        """Send the request (HTTP/1.0: what comes is the stream itself) and read the headers."""
        self.line.sendall(request.encode())
        head, _, self.said = self._head().partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        self.status = int(first.split(" ")[1])
        self.headers = dict(one.lower().split(": ", 1) for one in lines)

    def _head(self) -> bytes:
        while b"\r\n\r\n" not in self.said and not self.ended:
            self._read(10)
        return self.said

    def until(self, wanted: bytes | None, seconds: float = 60) -> bytes:
        """Read until some bytes stand in what was said (None: until it ends)."""
        limit = time.monotonic() + seconds
        while not self.ended and (wanted is None or wanted not in self.said):
            left = limit - time.monotonic()
            assert left > 0, f"not said in {seconds} s: {wanted!r}; said: {self.said!r}"
            self._read(left)
        assert wanted is None or wanted in self.said, f"ended without {wanted!r}: {self.said!r}"
        return self.said

    def quiet(self, seconds: float) -> bytes:
        """Read for so long whatever comes."""
        limit = time.monotonic() + seconds
        while not self.ended and (left := limit - time.monotonic()) > 0:
            self._read(left)
        return self.said

    def _read(self, seconds: float) -> None:
        if select.select([self.line], [], [], seconds)[0]:
            found = self.line.recv(65536)
            self.ended = not found
            self.said += found

    @property
    def moved(self) -> list[str]:
        """The messages that something moved: `topic counter` each."""
        return re.findall(r"event: moved\ndata: (\d+ \d+)\n\n", self.said.decode())

    @property
    def timeless(self) -> bytes:
        """Every byte, but for the readings of the server's clock."""
        return re.sub(rb"(event: clock\ndata: )\d+", rb"\1-", self.said)


@dataclass
class Served:
    """The running product and the streams opened on it."""

    url: str
    opened: list[Listening] = field(default_factory=list)

    def listen(
        self, *topics: str, headers: dict[str, str] | None = None, **query: str
    ) -> Listening:
        """Open a stream; its status is there, nothing else is read yet."""
        target = urlsplit(self.url)
        pairs = [*(("t", one) for one in topics), *query.items()]
        lines = [f"{name}: {value}\r\n" for name, value in (headers or {}).items()]
        made = Listening(socket.create_connection((target.hostname, target.port), timeout=60))
        self.opened.append(made)
        made.open(
            f"GET /live/?{urlencode(pairs)} HTTP/1.0\r\nHost: {target.netloc}\r\n"
            f"{''.join(lines)}\r\n"
        )
        return made

    def close(self) -> None:
        """Close every stream."""
        for one in self.opened:
            one.line.close()
