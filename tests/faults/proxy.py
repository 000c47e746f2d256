"""A line to PostgreSQL that can be cut in every way a line can fail.

It stands between the product and the database on the loopback address, carries bytes, and does on
demand what networks do: ends every connection with a reset, swallows everything while the ends
believe that they are connected (half open), is slow, or breaks in the one moment that matters
most: a COMMIT has been carried out and its answer never arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

COMMIT = b"COMMIT"
COMMITTED = b"COMMIT\x00"
"""The tag by which the server says that a transaction is committed."""
READY = b"Z\x00\x00\x00\x05"
"""How a server says that it has answered everything; the state of the transaction follows."""
RESET = struct.pack("ii", 1, 0)


@dataclass(eq=False)
class _Pair:
    """A connection of a client and the one to the server that belongs to it."""

    client: socket.socket
    server: socket.socket
    swallowed: bool = False
    asked: bytes | None = None
    """What the client sent with its COMMIT, when the answer is to be lost."""
    held: bytes = b""
    carriers: list[asyncio.Task[None]] = field(default_factory=list)

    def end(self) -> None:
        """Let both be reset; the carriers are on their way out then."""
        for one in self.carriers:
            one.cancel()

    def reset(self) -> None:
        """End both at once, without a word."""
        for line in (self.client, self.server):
            with contextlib.suppress(OSError):
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            line.close()


@dataclass(eq=False)
class Proxy:
    """The line. Its methods may be called from any thread; `port` is there after `start`."""

    target: int
    port: int = 0
    lost: list[bytes] = field(default_factory=list)
    """What was committed without its sender hearing of it, as it was sent."""
    _delay: float = 0.0
    _refuse: bool = False
    _swallow: bool = False
    _armed: int = 0
    _then_cut: bool = False
    _pairs: set[_Pair] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def start(self) -> None:
        """Listen on a free port of the loopback address."""
        self._loop = asyncio.new_event_loop()
        self._door = socket.create_server(("127.0.0.1", 0))
        self._door.setblocking(False)
        self.port = int(self._door.getsockname()[1])
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End everything."""
        self._do(self._end)
        self._thread.join(10)

    def cut(self) -> None:
        """Reset every connection, and every new one, until `mend`."""
        self._do(self._cut)

    def swallow(self) -> None:
        """Swallow what comes on every connection there is, for ever, and on new ones until
        `mend`; nobody is told."""
        self._do(self._go_silent)

    def delay(self, seconds: float) -> None:
        """Let every piece of data take so long, each way."""
        self._do(lambda: setattr(self, "_delay", seconds))

    def lose_answer(self, count: int = 1, *, then_cut: bool = False) -> None:
        """Reset the connections of the next so many COMMITs after they were carried out and
        before their senders hear of it; with `then_cut` nobody gets through afterwards."""
        self._do(lambda: self._arm(count, then_cut))

    def mend(self) -> None:
        """Carry again. What was swallowed stays swallowed, on connections that stay so."""
        self._do(self._mend)

    def _do(self, act: Callable[[], object]) -> None:
        done = threading.Event()

        def run() -> None:
            act()
            done.set()

        self._loop.call_soon_threadsafe(run)
        assert done.wait(10), "the proxy does not answer"

    def _run(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._accept())
        self._loop.close()

    def _end(self) -> None:
        self._door_task.cancel()

    def _cut(self) -> None:
        self._refuse = True
        for pair in self._pairs:
            pair.end()

    def _go_silent(self) -> None:
        self._swallow = True
        for pair in self._pairs:
            if pair.swallowed:
                pair.end()  # what was silent since the last time is given up by TCP meanwhile
            pair.swallowed = True

    def _arm(self, count: int, then_cut: bool) -> None:
        self._armed, self._then_cut = count, then_cut

    def _mend(self) -> None:
        self._refuse = self._swallow = False
        self._armed, self._delay = 0, 0.0

    async def _accept(self) -> None:
        found = asyncio.current_task()
        assert found is not None
        self._door_task = found
        try:
            while True:
                client, _ = await self._loop.sock_accept(self._door)
                task = self._loop.create_task(self._serve(client))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        finally:
            self._door.close()
            for pair in self._pairs:
                pair.end()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, client: socket.socket) -> None:
        client.setblocking(False)
        server = socket.socket()
        server.setblocking(False)
        pair = _Pair(client, server, swallowed=self._swallow)
        if not self._refuse:
            self._pairs.add(pair)
            with contextlib.suppress(OSError):
                await self._loop.sock_connect(server, ("127.0.0.1", self.target))
                for forth in (True, False):
                    pair.carriers.append(self._loop.create_task(self._carry(pair, forth)))
                await asyncio.wait(pair.carriers, return_when=asyncio.FIRST_COMPLETED)
                pair.end()
                await asyncio.gather(*pair.carriers, return_exceptions=True)
            self._pairs.discard(pair)
        pair.reset()

    async def _carry(self, pair: _Pair, forth: bool) -> None:
        """Carry one direction until its end is gone, or an answer is to be lost."""
        source, sink = (pair.client, pair.server) if forth else (pair.server, pair.client)
        while data := await self._loop.sock_recv(source, 65536):
            if pair.swallowed:
                continue
            if self._delay:
                await asyncio.sleep(self._delay)
            if forth and self._armed and COMMIT in data:
                pair.asked = data
            if not forth and pair.asked is not None:
                pair.held += data
                if self._armed and COMMITTED in pair.held:
                    self._armed -= 1
                    self.lost.append(pair.asked)
                    if self._then_cut and not self._armed:
                        self._cut()
                    return
                if READY not in pair.held:
                    continue
                # rolled back, or another one was quicker to be lost
                data, pair.held, pair.asked = pair.held, b"", None
            await self._loop.sock_sendall(sink, data)
        if pair.swallowed:
            await asyncio.Event().wait()  # that one end is gone is not heard at the other
