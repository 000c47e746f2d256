"""Django's ASGI application, with the whole of a request in one thread.

All our middleware and views are synchronous. Django's own handler would begin in the event loop,
go over to a thread, back into a loop of that thread for the view, and again to the thread: two
thirds of the time of a small page. Here a request goes to its thread once.

And few requests are worked on at a time. The others wait in the event loop, where waiting costs
nothing: at the end of a round thousands of phones knock at once, and a thread for each would make
all of them slow. One thread of a process computes at a time; more of them than wait for the
database hold each other up, a command inside its turn at the log among them (docs/scale.md).
"""

from __future__ import annotations

import asyncio
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import close_old_connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config import env
from config.faults import unavailable
from config.room import Full, Room

AT_A_TIME = 4
"""Requests that a process works on at a time."""
PATIENCE_SECONDS = 20.0
"""How long a request waits for room. A phone gives up after eight and asks again."""
APART = 4
"""Connections of the pool that are for the threads of background work and of the streams."""


class Handler(ASGIHandler):
    """Answers requests one thread each, some at a time."""

    def __init__(self) -> None:
        super().__init__()
        self._room: Room | None = None

    def load_middleware(self, is_async: bool = False) -> None:
        """Build the chain of middleware, without a way through the event loop."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request in its thread, when there is room; a client that leaves meanwhile is
        forgotten. Who has waited longer than a phone does is told to come back."""
        if self._room is None:
            most = env.value("DB_POOL_MAX")
            self._room = Room(max(1, min(AT_A_TIME, most - APART)) if most else AT_A_TIME)
        room = self._room
        try:
            await room.enter(step=request.method != "GET", seconds=PATIENCE_SECONDS)
        except Full as fault:
            return await sync_to_async(unavailable, thread_sensitive=True)(request, fault)
        work = asyncio.ensure_future(self._answered(request))
        work.add_done_callback(lambda done: self._left(room, done))
        return await asyncio.shield(work)

    @staticmethod
    def _left(room: Room, done: asyncio.Future[HttpResponseBase]) -> None:
        """Give a place back when its thread has ended: that of a client that has gone works on, and
        it may stand in line for the log. What became of it nobody asks any more."""
        if not done.cancelled():
            done.exception()
        room.leave()

    async def _answered(self, request: HttpRequest) -> HttpResponseBase:
        answer: Any = sync_to_async(self._answer, thread_sensitive=True)
        found: HttpResponseBase = await answer(request)
        return found

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and give the connection back before the answer is on its way to a slow phone."""
        response = self.get_response(request)
        if not response.streaming:
            close_old_connections()
        return response
