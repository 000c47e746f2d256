"""A real receiver of webhooks on this machine: it keeps what it got and answers as it is told."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.serving import LOOPBACK, Quiet, serving

FAILS = {
    "cut": b"HTTP/1.1 200 OK\r\nContent-Len",
    "garbage": b"\x16\x03\x01 no HTTP at all\r\n\r\n",
    "nothing": b"",
}
"""Ways to fail beside a status and `hangs`: closed in the middle of the headers, something else,
closed at once."""


@dataclass
class Receiver:
    """What came in, and what to answer: a status, headers, seconds to wait before each byte, raw
    bytes instead. `script`: before that one step a request, a status, a word of FAILS, or `hangs`:
    no answer until the sender hangs up. `taken`: what was answered with 2xx."""

    port: int = 0
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    status: int = 204
    drip: float = 0.0
    raw: bytes | None = None
    taken: list[dict[str, str]] = field(default_factory=list)
    script: list[int | str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def url(self, host: str = "127.0.0.1", scheme: str = "http") -> str:
        """The address of the receiver."""
        return f"{scheme}://{host}:{self.port}/hook?of=us"


def is_signed(secret: str, headers: dict[str, str], body: bytes, near: float | None = 300) -> bool:
    """Check a signature as a receiver does, from the words of the specification alone. `near`:
    how many seconds its time may lie from now, None where the test has a clock of its own."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    made = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    away = abs(time.time() - int(headers["webhook-timestamp"]))
    return (near is None or away < near) and hmac.compare_digest(
        headers["webhook-signature"], f"v1,{made}"
    )


def _handler(held: Receiver) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            held.got.append((self.path, headers, body))
            if held.drip:
                for sign in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 400:
                    time.sleep(held.drip)
                    self.wfile.write(bytes([sign]))
                    self.wfile.flush()
                return
            step = held.script.pop(0) if held.script else held.status
            if step == "hangs":
                self.rfile.read(1)
                return
            if step in FAILS or held.raw is not None:
                self.wfile.write(FAILS[str(step)] if step in FAILS else held.raw or b"")
                return
            status = int(step)
            if 200 <= status < 300:
                held.taken.append(headers)
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere")
            for name, value in held.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    return Handler


class Server(Quiet, http.server.HTTPServer):
    """The receiver itself."""


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver on a free port of the loopback address."""
    held = Receiver()
    with serving(Server(LOOPBACK, _handler(held)), tls) as held.port:
        yield held
