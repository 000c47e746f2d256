"""A real receiver of webhooks on this machine: it keeps what it got and answers as it is told."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Receiver:
    """What came in, and what to answer: a status (or those of `script`, one a request, before
    it), headers, seconds to wait before each byte, raw bytes instead. `hangs`: none at all."""

    port: int = 0
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    status: int = 204
    drip: float = 0.0
    raw: bytes | None = None
    script: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    hangs: threading.Event | None = None

    def url(self, host: str = "127.0.0.1", scheme: str = "http") -> str:
        """The address of the receiver."""
        return f"{scheme}://{host}:{self.port}/hook?of=us"


def is_signed(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Check a signature as a receiver does, from the words of the specification alone."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    made = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    near = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    return near and hmac.compare_digest(headers["webhook-signature"], f"v1,{made}")


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
            if held.hangs is not None:
                held.hangs.wait(30)
                return
            if held.raw is not None:
                self.wfile.write(held.raw)
                return
            status = held.script.pop(0) if held.script else held.status
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere")
            for name, value in held.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Stay silent."""

    return Handler


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver on a free port of the loopback address."""

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A sender that hangs up is no fault of the receiver."""

    held = Receiver()
    server = Server(("127.0.0.1", 0), _handler(held))
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    held.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield held
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
