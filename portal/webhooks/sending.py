"""One try to hand a message over: a POST to a checked address, bounded in time and in bytes."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from eventstore import clock
from portal.webhooks.address import MAX_URL, Forbidden, Target, read, resolve

CONNECT_SECONDS = 4.0
WHOLE_SECONDS = 10.0
"""However slowly an address drips its answer, after this it is over."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a try: the status, or a fault (address, name, connect, tls, time, answer).
    `retry_after`: the seconds for which the other side asked, 0 when it did not."""

    status: int | None = None
    fault: str = ""
    retry_after: int = 0

    @property
    def taken(self) -> bool:
        """Whether the message counts as handed over."""
        return self.status is not None and 200 <= self.status < 300


def trust() -> ssl.SSLContext:
    """Return whose certificates are believed: those the system believes."""
    return ssl.create_default_context()


def _connected(target: Target, *, private: bool) -> socket.socket:
    """Connect to one of the very addresses that were checked."""
    faults: list[OSError] = []
    for family, address in resolve(target, private=private):
        link = socket.socket(family, socket.SOCK_STREAM)
        link.settimeout(CONNECT_SECONDS)
        try:
            link.connect((address, target.port))
        except OSError as fault:
            link.close()
            faults.append(fault)
            continue
        return link
    raise faults[0] if faults else OSError("no address")


class _Line:
    """A connection that ends when its time is over, whatever it is waiting for."""

    def __init__(self, link: socket.socket, seconds: float) -> None:
        self.link: socket.socket = link
        self.over = threading.Event()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def _end(self) -> None:
        self.over.set()
        with contextlib.suppress(OSError):
            self.link.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> _Line:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self.link.close()

    def secure(self, host: str) -> None:
        """Begin TLS: verified against the name that was given, not the address it led to."""
        # the plain socket gives its descriptor away: the timer must know the new one
        self.link = trust().wrap_socket(
            self.link, server_hostname=host, do_handshake_on_connect=False
        )
        self.link.do_handshake()


def post(
    url: str, headers: Mapping[str, str], body: bytes, *, private: bool, longest: int = MAX_URL
) -> Outcome:
    """Send a message once. A redirect is not followed: it counts as not taken. Never raises
    for what the other side does."""
    try:
        target = read(url, private=private, longest=longest)
        link = _connected(target, private=private)
    except Forbidden:
        return Outcome(fault="address")
    except socket.gaierror:
        return Outcome(fault="name")
    except TimeoutError:
        return Outcome(fault="time")
    except (OSError, UnicodeError):
        return Outcome(fault="connect")
    with _Line(link, WHOLE_SECONDS) as line:
        try:
            answer = _exchange(line, target, headers, body)
            # cut off in the middle of its headers, an answer looks like one that is whole
            return Outcome(fault="time") if line.over.is_set() else answer
        except ssl.SSLError:
            return Outcome(fault="time" if line.over.is_set() else "tls")
        except TimeoutError:
            return Outcome(fault="time")
        except (OSError, http.client.HTTPException, ValueError):
            return Outcome(fault="time" if line.over.is_set() else "answer")


class _Lines:
    """The lines of an answer, and whether they broke off."""

    def __init__(self, file: Any) -> None:
        self._file, self.broken = file, False

    def readline(self, limit: int = -1) -> bytes:
        line: bytes = self._file.readline(limit)
        self.broken = self.broken or not line.endswith(b"\n")
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Answer(http.client.HTTPResponse):
    """An answer whose headers came to their end: to the library one that breaks off is whole, but
    whoever hung up there may not have kept the message."""

    def begin(self) -> None:
        lines = _Lines(self.fp)
        self.fp = lines  # type: ignore[assignment]
        super().begin()
        if lines.broken:
            raise http.client.IncompleteRead(b"")


def _seconds(text: str | None, now: float) -> int:
    """Read Retry-After: a number of seconds, or a date; 0 for anything else."""
    text = (text or "").strip()
    if text.isascii() and text.isdigit():
        return int(text[:9])
    try:
        return max(0, int(parsedate_to_datetime(text).timestamp() - now))
    except (ValueError, OverflowError):
        return 0


def _exchange(line: _Line, target: Target, headers: Mapping[str, str], body: bytes) -> Outcome:
    if target.scheme == "https":
        line.secure(target.host)
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.response_class = _Answer
    connection.sock = line.link
    connection.putrequest("POST", target.path, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", target.host_header)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.putheader("Content-Length", str(len(body)))
    connection.putheader("Connection", "close")
    connection.endheaders(body)
    # Nothing of the answer but its status and when to come again is read or kept.
    answer = connection.getresponse()
    again = answer.getheader("Retry-After") if answer.status in (429, 503) else None
    return Outcome(answer.status, retry_after=_seconds(again, clock.now().timestamp()))
