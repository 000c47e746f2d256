"""A server of the standard library on this machine, for as long as a test needs it."""

from __future__ import annotations

import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LOOPBACK = ("127.0.0.1", 0)
"""Where such a server stands: on a free port that nobody else reaches."""


class Quiet(socketserver.ThreadingMixIn):
    """A thread for each who connects, waited for by nobody; whoever hangs up is no fault."""

    daemon_threads = True
    allow_reuse_address = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of it."""


@contextmanager
def serving(server: socketserver.TCPServer, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """Let a server serve, from the start over TLS where that is given; yields its port."""
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
