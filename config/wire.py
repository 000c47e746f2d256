"""How HTTP is read from the line: httptools' parser, with an end to what a head may be.

uvicorn's other parser (h11, in Python) stops at 64 kB of an unfinished head, this one would collect
for ever what a stranger sends, before a body and after it. To HTTP/1.0, which some proxies speak,
it would answer a stream in chunks, which that does not know. And of a request that offers another
protocol (`Upgrade: h2c`, as some clients always do) it would leave out the body and read it as the
next request. Such a line is handed to the other. Neither waits for ever for the rest of a request
(config.patience).
"""

from __future__ import annotations

from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from config.patience import BODY, HEAD, Limits, Patience

MOST_HEAD_BYTES = 64 * 1024
"""Address and headers of a request together. What one read from the line brings beyond it (at
most 256 kB) is parsed all the same."""
BODIES = (b"content-length", b"transfer-encoding")


class OneLength(h11.Connection):
    """Refuses a request that tells the length of its body in two ways, as httptools does: whoever
    passed it on may have taken the other, and what is body to one is the next request to the
    other (RFC 9112, 6.3)."""

    def next_event(self) -> Any:
        """Return what comes next; raises RemoteProtocolError."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if names.issuperset(BODIES):
                raise h11.RemoteProtocolError("Content-Length and Transfer-Encoding")
        return event


class PatientH11(H11Protocol):
    """The other parser, which waits for the rest of a request so long and no longer."""

    def __init__(self, *arguments: Any, limits: Limits) -> None:
        super().__init__(*arguments)
        self.conn = OneLength(h11.SERVER, MOST_HEAD_BYTES)
        self._patience = Patience(limits, self.loop)

    def data_received(self, data: bytes) -> None:
        """Parse what came."""
        super().data_received(data)
        self._look(len(data))

    def on_response_complete(self) -> None:
        """End an answer, and begin with the request that may have come behind it."""
        super().on_response_complete()
        self._look()

    def _look(self, size: int = 0) -> None:
        part = None
        if self.transport.is_closing() or self.timeout_keep_alive_task is not None:
            pass
        elif self.conn.their_state is h11.IDLE:
            part = HEAD
        elif self.conn.their_state is h11.SEND_BODY:
            part = BODY
        self._patience.look(self, part, size)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._patience.end()
        super().connection_lost(exc)


class BoundedProtocol(HttpToolsProtocol):
    """Refuses a head that does not come to an end, with 400; cuts a line that does not go on."""

    limits = Limits()

    _between, _in_head, _moved, _deaf = True, False, False, False
    _idle_bytes = 0
    _running: Any = None

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._patience = Patience(self.limits, self.loop)

    def connection_made(self, transport: Any) -> None:
        """Begin a line: its first request is waited for."""
        super().connection_made(transport)
        self._patience.look(self, HEAD)

    def data_received(self, data: bytes) -> None:
        """Parse what came, and count what brings neither the end of a head nor a body."""
        if self._deaf:
            return
        if self._idle() and _is_for_the_other(data):
            self._hand_over(data)
            return
        self._parse(data)
        self._look(len(data))

    def _look(self, size: int) -> None:
        """Tell what is waited for after what came."""
        part = None
        if self.transport.is_closing() or self._deaf:
            pass
        elif self._in_head or self._idle():
            part = HEAD
        elif not self._between:
            part = BODY
        self._patience.look(self, part, size)

    def _idle(self) -> bool:
        """Say whether no request is read or worked on."""
        return self._between and (self.cycle is None or self.cycle.response_complete)

    def _parse(self, data: bytes) -> None:
        self._moved = False
        super().data_received(data)
        if self.transport.is_closing():
            return
        self._idle_bytes = 0 if self._moved else self._idle_bytes + len(data)
        if self._idle_bytes > MOST_HEAD_BYTES:
            self.send_400_response("The head of this request is too large.")

    def _hand_over(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._patience.end()
        self.connections.discard(self)
        other = PatientH11(
            self.config, self.server_state, self.app_state, self.loop, limits=self.limits
        )
        other.connection_made(self.transport)
        self.transport.set_protocol(other)
        other.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is worked on: uvicorn tells the last that came."""
        self._patience.end()
        super().connection_lost(exc)
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def on_message_begin(self) -> None:
        """Begin a head."""
        self._between, self._in_head = False, True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; what comes behind a body is none."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """End the head. One that offers another protocol behind others that wait is the last of
        its line, and has no body."""
        self._in_head, self._moved = False, True
        if not self.parser.should_upgrade():
            super().on_headers_complete()
            return
        self._deaf = True
        if any(name in BODIES for name, _ in self.headers):
            self.send_400_response("This request cannot be read.")
            return
        super().on_headers_complete()
        self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Take a part of a body (config.limits)."""
        self._moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Count again: the next request of the line begins."""
        self._between = self._moved = True
        if not self.transport.is_closing():
            super().on_message_complete()


def _is_for_the_other(data: bytes) -> bool:
    """Say whether the first bytes of a request are of HTTP/1.0, or offer another protocol."""
    return data.split(b"\r\n", 1)[0].endswith(b" HTTP/1.0") or b"\nupgrade:" in data.lower()
