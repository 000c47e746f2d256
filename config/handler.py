"""Django's ASGI application, with the whole of a request in one thread of a few.

All our middleware and views are synchronous. Django's own handler would begin in the event loop,
make a thread for the request, go over to it for each signal, for the view and for the end, and back
each time: more than half the time of a small page. Here a request goes to a thread once, with its
signals, and what comes back is sent.

And few requests are worked on at a time. The others wait in the event loop, where waiting costs
nothing: at the end of a round thousands of phones knock at once, and a thread for each would make
all of them slow. One thread of a process computes at a time; more of them than wait for the
database hold each other up, a command inside its turn at the log among them (docs/scale.md).
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from config import env
from config.faults import unavailable
from config.room import Full, Room

AT_A_TIME = 4
"""Requests that a process works on at a time."""
PATIENCE_SECONDS = 20.0
"""How long a request waits for room. A phone gives up after eight and asks again."""
PARTS = 16
"""Parts of a file that are read at a time, a megabyte."""
APART = 4
"""Connections of the pool that are for the threads of background work and of the streams."""
LOOKS = ("GET", "HEAD", "OPTIONS")
"""Methods that send nothing."""


class Handler(ASGIHandler):
    """Answers requests, some at a time, each in one thread."""

    def __init__(self) -> None:
        super().__init__()
        self._room: Room | None = None
        self._threads: Executor | None = None

    def load_middleware(self, is_async: bool = False) -> None:
        """Build the chain of middleware, without a way through the event loop."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request over HTTP. Raises ValueError for anything else."""
        if scope["type"] != "http":
            raise ValueError(f"only HTTP is served here, not {scope['type']}")
        await self.handle(scope, receive, send)

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """Read a request, answer it, send the answer; end early when the client leaves."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        set_script_prefix(get_script_prefix(scope))
        request, wrong = self.create_request(scope, body)
        if request is None:
            body.close()
            assert wrong is not None  # noqa: S101  (one of the two is there)
            await self.send_response(wrong, send)
            return
        gone = asyncio.ensure_future(self.listen_for_disconnect(receive))
        work = asyncio.ensure_future(self._served(request, send))
        try:
            await asyncio.wait({gone, work}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
        finally:
            for task in (gone, work):
                task.cancel()
            with suppress(asyncio.CancelledError, RequestAborted):
                await gone
            with suppress(asyncio.CancelledError):
                await work

    async def _served(self, request: HttpRequest, send: Any) -> None:
        """Answer and send. A plain answer is closed already: its thread and its connection are
        not held for a phone that is slow to take it."""
        response = await self.get_response_async(request)
        if not response.streaming:
            await self.send_response(response, send)
            return
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        async with ThreadSensitiveContext():
            try:
                if isinstance(response, StreamingHttpResponse) and not response.is_async:
                    response.streaming_content = _part_by_part(iter(response))
                await self.send_response(response, send)
            finally:
                await sync_to_async(response.close, thread_sensitive=True)()

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request in a thread, when there is room; a client that leaves meanwhile is
        forgotten. Who has waited longer than a phone does is told to come back."""
        if self._room is None:
            most = env.value("DB_POOL_MAX")
            places = max(1, min(AT_A_TIME, most - APART)) if most else AT_A_TIME
            self._room = Room(places)
            self._threads = ThreadPoolExecutor(places, thread_name_prefix="request")
        room = self._room
        try:
            await room.enter(step=request.method not in LOOKS, seconds=PATIENCE_SECONDS)
        except Full as full:
            # all threads of ours are busy
            return await _in_thread(None, partial(self._refused, request, full))
        work = asyncio.ensure_future(_in_thread(self._threads, partial(self._answer, request)))
        work.add_done_callback(lambda done: self._left(room, done))
        return await asyncio.shield(work)

    @staticmethod
    def _left(room: Room, done: asyncio.Future[HttpResponseBase]) -> None:
        """Give a place back when its thread has ended: that of a client that has gone works on, and
        it may stand in line for the log. What became of it nobody asks any more."""
        if not done.cancelled():
            done.exception()
        room.leave()

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, and give the connection back before the answer is on its way to a slow phone."""
        request_started.send(sender=self.__class__, scope=getattr(request, "scope", None))
        return self._closed(self.get_response(request))

    def _refused(self, request: HttpRequest, full: Full) -> HttpResponseBase:
        return self._closed(unavailable(request, full))

    def _closed(self, response: HttpResponseBase) -> HttpResponseBase:
        """End what belongs to a request, its connection to the database among it. What streams is
        closed after its last part."""
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        if not response.streaming:
            response.close()
        return response


async def _part_by_part(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Read in a thread, a few parts at a time: a large file is never whole in memory."""
    while read := await sync_to_async(lambda: list(islice(parts, PARTS)))():
        for part in read:
            yield part
        if len(read) < PARTS:
            return


def _in_thread(
    threads: Executor | None, work: Callable[[], HttpResponseBase]
) -> asyncio.Future[HttpResponseBase]:
    """Run in a thread of these (None: of the event loop's), in a copy of the context."""
    context = contextvars.copy_context()
    return asyncio.get_running_loop().run_in_executor(threads, context.run, work)
