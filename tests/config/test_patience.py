"""A client that does not go on with its request, on a clock that the test moves."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from config import server
from config.patience import Limits
from config.wire import BoundedProtocol

LIMITS = Limits()
ENDS_WITHIN = 60.0
"""Real seconds that nothing here comes near."""


class Loop(asyncio.SelectorEventLoop):
    """An event loop whose clock stands until it is moved on, however busy the machine is."""

    now = 0.0

    def time(self) -> float:
        return self.now


class House:
    """A server in the loop of the test, and what its application was given."""

    def __init__(self, loop: Loop, port: int) -> None:
        self.loop, self.port = loop, port
        self.bytes, self.whole, self.left = 0, 0, 0
        self.lines: set[Any] = set()
        self.held: asyncio.Event | None = None

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Read the body and say how long it was; wait while something is held."""
        more, size = True, 0
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left += 1
                return
            size += len(message["body"])
            self.bytes = size
            more = message["more_body"]
        self.whole += 1
        if self.held:
            await self.held.wait()
        text = f"<{scope['path']} {size}>".encode()
        headers = [(b"content-length", str(len(text)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": text})

    async def until(self, met: Callable[[], bool]) -> None:
        """Wait until the application has been told."""
        end = time.monotonic() + ENDS_WITHIN
        while not met():
            assert time.monotonic() < end, (self.bytes, self.left)
            await asyncio.sleep(0)

    async def later(self, seconds: float) -> None:
        """Let time pass; what came before is read, and what has run out has run out."""
        for _ in range(5):
            await asyncio.sleep(0)
        self.loop.now += seconds
        for _ in range(5):
            await asyncio.sleep(0)


def _read(house: House, size: int) -> bool:
    return house.bytes == size


Walk = Callable[[House, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def walked(walk: Walk) -> None:
    """Walk along one line to a server."""
    loop = Loop()

    async def run() -> None:
        door = server.listen("127.0.0.1", 0)
        house = House(loop, door.getsockname()[1])
        config = uvicorn.Config(
            house.answer,
            interface="asgi3",
            http=BoundedProtocol,
            lifespan="off",
            log_config=None,
        )
        config.load()
        state = ServerState()
        house.lines = state.connections
        serving = await loop.create_server(
            lambda: BoundedProtocol(config=config, server_state=state, app_state={}), sock=door
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
        await house.until(lambda: bool(house.lines))
        await walk(house, reader, writer)
        writer.close()
        serving.close()

    walking = loop.create_task(run())
    # the clock that stands would let a wait for nothing last for ever
    alarm = threading.Timer(ENDS_WITHIN, loop.call_soon_threadsafe, [walking.cancel])
    alarm.start()
    try:
        loop.run_until_complete(walking)
    finally:
        alarm.cancel()
        loop.close()


async def ended(reader: asyncio.StreamReader) -> bytes:
    """Return what still came before the line was cut; fails when it is not."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


async def alive(reader: asyncio.StreamReader, house: House) -> bool:
    await house.later(0)
    return not reader.at_eof() and reader.exception() is None


PARSERS = [
    pytest.param(b" HTTP/1.1\r\nHost: here\r\n", id="httptools"),
    pytest.param(b" HTTP/1.0\r\nHost: here\r\n", id="h11"),
    pytest.param(
        b" HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n", id="h11-offered"
    ),
]


def test_a_line_on_which_nothing_comes_is_cut() -> None:
    async def walk(house: House, reader: Any, writer: Any) -> None:
        await house.later(LIMITS.head_seconds - 1)
        assert await alive(reader, house)
        await house.later(1)
        assert await ended(reader) == b""

    walked(walk)


@pytest.mark.parametrize("line", PARSERS)
def test_a_head_that_drips_is_cut_however_often_something_comes(line: bytes) -> None:
    async def walk(house: House, reader: Any, writer: Any) -> None:
        writer.write(b"GET /" + line + b"X-Long: ")
        for _ in range(10):
            await house.later(LIMITS.head_seconds / 10 - 0.1)
            writer.write(b"x")
        await asyncio.sleep(0)
        assert await alive(reader, house)
        await house.later(2)
        assert await ended(reader) == b""

    walked(walk)


@pytest.mark.parametrize("line", PARSERS)
def test_a_body_that_stops_is_cut_and_its_request_forgotten(line: bytes) -> None:
    async def walk(house: House, reader: Any, writer: Any) -> None:
        writer.write(b"POST /" + line + b"Content-Length: 100000\r\n\r\nb")
        await house.until(partial(_read, house, 1))
        writer.write(b"b" * 19_999)
        await house.until(partial(_read, house, 20_000))
        await house.later(LIMITS.body_seconds)  # it has moved in these
        assert await alive(reader, house)
        writer.write(b"b" * (LIMITS.body_bytes - 1))  # and hardly in these
        await house.until(lambda: house.bytes > 20_000)
        await house.later(LIMITS.body_seconds)
        assert await ended(reader) == b""
        await house.until(lambda: house.left == 1)

    walked(walk)


@pytest.mark.parametrize("line", PARSERS)
def test_the_slowest_phone_sends_its_photo(line: bytes) -> None:
    """Three megabytes in six hours: as slow as it may be."""

    async def walk(house: House, reader: Any, writer: Any) -> None:
        parts, size = 380, LIMITS.body_bytes
        head = b"POST /photo" + line + b"Content-Length: %d\r\n\r\n" % (parts * size)
        writer.write(head + b"b" * size)
        for part in range(1, parts):
            await house.until(partial(_read, house, part * size))
            await house.later(LIMITS.body_seconds - 1)
            writer.write(b"b" * size)
        answer = await reader.readuntil(b">")
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert answer.endswith(b"</photo %d>" % (parts * size))

    walked(walk)


def test_each_request_of_a_line_has_its_own_time_and_between_them_it_idles_as_ever() -> None:
    async def walk(house: House, reader: Any, writer: Any) -> None:
        idle = uvicorn.Config(house.answer).timeout_keep_alive
        for number in range(4):
            request = b"GET /%d HTTP/1.1\r\nHost: here\r\n\r\n" % number
            writer.write(request[:9])
            await house.later(LIMITS.head_seconds - 1)
            writer.write(request[9:])
            assert (await reader.readuntil(b">")).endswith(b"</%d 0>" % number)
            await house.later(idle - 1)
        assert await alive(reader, house)
        await house.later(1)
        assert await ended(reader) == b""

    walked(walk)


@pytest.mark.parametrize("blank", [b"\r\n", b"\r\n\r\n"])
def test_blank_lines_keep_no_line_open(blank: bytes) -> None:
    async def walk(house: House, reader: Any, writer: Any) -> None:
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        await reader.readuntil(b">")
        for _ in range(10):
            writer.write(blank)
            await house.later(LIMITS.head_seconds / 9)
        assert await ended(reader) == b""

    walked(walk)


@pytest.mark.parametrize("line", PARSERS[:1] + PARSERS[2:])
def test_a_request_that_is_whole_may_be_worked_on_for_ever(line: bytes) -> None:
    async def walk(house: House, reader: Any, writer: Any) -> None:
        house.held = asyncio.Event()
        writer.write(b"POST /long" + line + b"Content-Length: 4\r\n\r\nbody")
        await house.until(partial(_read, house, 4))
        for _ in range(5):
            await house.later(10 * LIMITS.body_seconds)
        assert await alive(reader, house)
        house.held.set()
        assert (await reader.readuntil(b">")).endswith(b"</long 4>")

    walked(walk)


def test_who_sends_on_while_the_line_is_not_read_is_not_blamed_for_it() -> None:
    """A large request, half sent behind one that is worked on."""

    async def walk(house: House, reader: Any, writer: Any) -> None:
        house.held = asyncio.Event()
        writer.write(b"GET /one HTTP/1.1\r\nHost: here\r\n\r\n")
        await house.until(lambda: house.whole == 1)
        half, head = b"b" * 100_000, b"POST /two HTTP/1.1\r\nHost: here\r\nContent-Length: 200000"
        writer.write(head + b"\r\n\r\n" + half)
        await house.until(lambda: all(line.flow.read_paused for line in house.lines))
        for _ in range(5):
            await house.later(LIMITS.body_seconds)
        assert await alive(reader, house)
        house.held.set()
        await reader.readuntil(b">")
        await house.until(partial(_read, house, len(half)))
        await house.later(LIMITS.body_seconds - 1)
        writer.write(half)
        assert (await reader.readuntil(b">")).endswith(b"</two 200000>")

    walked(walk)
