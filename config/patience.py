"""How long a line waits for the rest of a request: uvicorn itself waits for ever.

A head has to be whole in time, however it drips. A body has only to move: the slowest phone that
still sends a photo is let finish. A line that is not read for a while, because requests before it
are worked on, waits for nothing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

HEAD, BODY = "head", "body"


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for a whole head, from the first byte or the opening of the line; seconds in which
    so many bytes of a body have to come, or its end."""

    head_seconds: float = 30.0
    body_seconds: float = 60.0
    body_bytes: int = 8 * 1024


class Patience:
    """Cuts a line whose client does not go on. No answer is sent: a phone that was cut off takes
    its act for unsent and sends it again."""

    def __init__(self, limits: Limits, loop: asyncio.AbstractEventLoop) -> None:
        self._limits, self._loop = limits, loop
        self._awaited: tuple[str, Any] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._came, self._was_held = 0, False
        """Bytes since the timer was set, and whether the line was not read when it last ran out."""

    def look(self, protocol: Any, part: str | None, size: int = 0) -> None:
        """Note that `size` bytes came and which part of a request is waited for now: HEAD, BODY,
        or None."""
        self._came += size
        # each request has a scope of its own: the next head has its own time
        awaited = (part, protocol.scope) if part else None
        known = self._awaited
        if awaited and known and awaited[0] == known[0] and awaited[1] is known[1]:
            return
        self.end()
        if awaited:
            self._awaited = awaited
            self._wait(protocol)

    def end(self) -> None:
        """Wait for nothing more."""
        self._awaited, self._was_held = None, False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self, protocol: Any) -> None:
        assert self._awaited  # noqa: S101
        head = self._awaited[0] == HEAD
        seconds = self._limits.head_seconds if head else self._limits.body_seconds
        self._came = 0
        self._timer = self._loop.call_later(seconds, self._over, protocol, head)

    def _over(self, protocol: Any, head: bool) -> None:
        # held then: it may be free for a moment only
        held, self._was_held = self._was_held, protocol.flow.read_paused
        moved = not head and self._came >= self._limits.body_bytes
        if moved or held or protocol.flow.read_paused:
            self._wait(protocol)
            return
        self.end()
        protocol.transport.abort()
