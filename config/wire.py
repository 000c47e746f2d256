"""How HTTP is read from the line: httptools' parser, with an end to what a head may be.

uvicorn's other parser (h11, in Python) stops at 64 kB of an unfinished head, this one would collect
for ever what a stranger sends. And to HTTP/1.0, which some proxies speak, it would answer a stream
in chunks, which that does not know: such a line is handed to the other.
"""

from __future__ import annotations

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEAD_BYTES = 64 * 1024
"""Address and headers of a request together. What one read from the line brings beyond it (at
most 256 kB) is parsed all the same."""


class BoundedProtocol(HttpToolsProtocol):
    """Refuses a head that does not come to an end, with 400."""

    _new, _in_head, _ended = True, True, False
    _head_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Parse what came, and count it while a head goes on and on."""
        if self._new and data.split(b"\r\n", 1)[0].endswith(b" HTTP/1.0"):
            self._hand_over(data)
            return
        self._new = self._ended = False
        super().data_received(data)
        if not self._in_head or self._ended or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        if self._head_bytes > MOST_HEAD_BYTES:
            self.send_400_response("The head of this request is too large.")

    def _hand_over(self, data: bytes) -> None:
        self.connections.discard(self)
        other = H11Protocol(self.config, self.server_state, self.app_state, self.loop)
        other.connection_made(self.transport)
        self.transport.set_protocol(other)
        other.data_received(data)

    def on_headers_complete(self) -> None:
        """Stop counting: what follows is a body (config.limits)."""
        self._in_head, self._ended, self._head_bytes = False, True, 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Count again: the next request of the line begins."""
        self._in_head = self._ended = True
        super().on_message_complete()
