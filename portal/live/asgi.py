"""The stream itself, beside Django.

A request that stays open for hours inside Django holds a thread and everything of its request.
So Django answers who may listen (session, permission table, counters) and is done; what remains
of a listener is one coroutine that waits, and a place in the hub. No ORM in here.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from portal.live import wire
from portal.live.hub import Listener, hub, milliseconds

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[..., Awaitable[None]]
PATH = "/live/"
DOOR = "headjudge.live"
DROPPED = {b"content-length", b"content-type", b"cache-control"}
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Door:
    """Where the view leaves the listener it let in, for the stream to take over."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._lock = threading.Lock()
        self._shut = False
        self.listener: Listener | None = None
        self.moves: list[int] = []
        self.seen: list[int] | None = None

    def let_in(self, listener: Listener) -> None:
        """Add the listener to the hub, unless the browser has gone meanwhile."""
        with self._lock:
            if not self._shut:
                self.listener = listener
                hub.join(listener)

    def shut(self) -> None:
        """Nobody comes in any more; who came in leaves."""
        with self._lock:
            self._shut = True
        if self.listener is not None:
            hub.leave(self.listener)


class LiveApplication:
    """Wraps Django's application and keeps the streams that it lets in."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["path"] != PATH:
            await self.application(scope, receive, send)
            return
        door = Door(asyncio.get_running_loop())
        answer: list[MutableMapping[str, Any]] = []

        async def keep(message: MutableMapping[str, Any]) -> None:
            answer.append(message)

        try:
            await self.application({**scope, DOOR: door}, receive, keep)
            if door.listener is None:
                for message in answer:
                    await send(message)
            elif answer:
                given = [one for one in answer[0]["headers"] if one[0].lower() not in DROPPED]
                answer.clear()
                await _stream(door, door.listener, [*given, *HEADERS], receive, send)
        finally:
            door.shut()


async def _stream(
    door: Door,
    listener: Listener,
    headers: list[tuple[bytes, bytes]],
    receive: Receive,
    send: Send,
) -> None:
    gone = asyncio.ensure_future(_watch(listener, receive))
    try:
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        # The hub may have told newer counters than the view read; the opening says them all.
        listener.moves[:] = map(max, listener.moves, door.moves)
        listener.news.clear()
        text = wire.opening(milliseconds(), listener.moves, door.seen)
        while not listener.over:
            if text:
                await send({"type": "http.response.body", "body": text, "more_body": True})
            await listener.wake.wait()
            listener.wake.clear()
            text = listener.take()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        gone.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await gone


async def _watch(listener: Listener, receive: Receive) -> None:
    """End the stream when the browser goes."""
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.over = True
    listener.wake.set()
