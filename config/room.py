"""Places for the requests that are worked on at a time.

Who finds none waits in the event loop, where waiting costs nothing, in order of arrival. What
somebody sent (a report, a call) goes before what somebody looks at, but for every eighth place: at
the end of a round thousands of phones ask for pages, and results are what the hall waits for. A
client that leaves gives up its place in the queue.
"""

from __future__ import annotations

import asyncio
from collections import deque

LOOKS_EVERY = 8


class Full(Exception):
    """No place became free in time."""


class Room:
    """So many places; all of it in one event loop."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._steps: deque[asyncio.Future[None]] = deque()
        self._looks: deque[asyncio.Future[None]] = deque()
        self._given = 0

    async def enter(self, *, step: bool, seconds: float) -> None:
        """Take a place, at most so long from now. Raises Full; a cancelled wait leaves nothing."""
        if self._free:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        (self._steps if step else self._looks).append(place)
        try:
            async with asyncio.timeout(seconds):
                await place
        except BaseException as fault:
            if place.done() and not place.cancelled():
                self.leave()  # it was given at the very moment
            place.cancel()
            if isinstance(fault, TimeoutError):
                raise Full from None
            raise

    def leave(self) -> None:
        """Give a place back: to the next who waits, if anybody does."""
        while self._steps or self._looks:
            self._given += 1
            looks_now = self._given % LOOKS_EVERY == 0
            queue = self._looks if self._looks and (looks_now or not self._steps) else self._steps
            place = queue.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._free += 1
