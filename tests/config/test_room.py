"""Requests wait for a place in the event loop: steps before looks, none for ever, none lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from config.handler import Handler
from config.room import LOOKS_EVERY, Full, Room


def ran(work: Coroutine[Any, Any, Any]) -> Any:
    """Run in an event loop of its own."""
    return asyncio.run(work)


def test_what_is_sent_goes_first_and_every_eighth_place_is_for_who_looks() -> None:
    async def main() -> list[str]:
        room, order = Room(1), []
        await room.enter(step=True, seconds=1)

        async def one(name: str) -> None:
            await room.enter(step=name.startswith("step"), seconds=60)
            order.append(name)
            room.leave()

        names = [f"look{number}" for number in range(3)] + [f"step{number}" for number in range(9)]
        tasks = [asyncio.create_task(one(name)) for name in names]
        await asyncio.sleep(0)
        room.leave()
        await asyncio.gather(*tasks)
        return order

    order = ran(main())
    assert LOOKS_EVERY == 8
    steps = [f"step{number}" for number in range(9)]
    assert order == [*steps[:7], "look0", *steps[7:], "look1", "look2"]


def test_who_waits_too_long_is_told_and_takes_no_place() -> None:
    async def main() -> None:
        room = Room(1)
        await room.enter(step=False, seconds=1)
        with pytest.raises(Full):
            await room.enter(step=True, seconds=0.01)
        room.leave()
        await room.enter(step=False, seconds=0.01)

    ran(main())


def test_the_place_of_a_client_that_left_is_free_when_its_thread_has_ended() -> None:
    began, end = threading.Event(), threading.Event()

    class Slow(Handler):
        def __init__(self) -> None:
            self._room, self._threads = Room(1), None

        def _answer(self, request: HttpRequest) -> HttpResponse:
            began.set()
            end.wait(60)
            return HttpResponse()

    async def main() -> None:
        handler = Slow()
        assert handler._room is not None
        asked = asyncio.create_task(handler.get_response_async(RequestFactory().get("/")))
        await asyncio.to_thread(began.wait, 60)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        with pytest.raises(Full):
            await handler._room.enter(step=True, seconds=0.05)
        end.set()
        await handler._room.enter(step=True, seconds=60)

    ran(main())


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "DELETE"])
def test_who_sends_nothing_waits_with_those_who_look(method: str) -> None:
    asked: list[bool] = []

    class Asked(Room):
        async def enter(self, *, step: bool, seconds: float) -> None:
            asked.append(step)
            await super().enter(step=step, seconds=seconds)

    class Quick(Handler):
        def __init__(self) -> None:
            self._room, self._threads = Asked(1), None

        def _answer(self, request: HttpRequest) -> HttpResponse:
            return HttpResponse()

    ran(Quick().get_response_async(RequestFactory().generic(method, "/")))
    assert asked == [method in {"POST", "DELETE"}]


@given(
    st.integers(1, 3),
    st.lists(st.tuples(st.booleans(), st.sampled_from(["stay", "leave", "late"])), max_size=20),
)
def test_no_place_is_lost_whoever_leaves(places: int, guests: list[tuple[bool, str]]) -> None:
    async def main() -> None:
        room, inside, most = Room(places), 0, 0

        async def one(step: bool, kind: str) -> None:
            nonlocal inside, most
            await room.enter(step=step, seconds=0.0005 if kind == "late" else 60)
            inside += 1
            most = max(most, inside)
            try:
                await asyncio.sleep(0.001)
            finally:
                inside -= 1
                room.leave()

        tasks = [asyncio.create_task(one(*guest)) for guest in guests]
        await asyncio.sleep(0.0005)
        for task, (_, kind) in zip(tasks, guests, strict=True):
            if kind == "leave":
                task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError, Full):
                await task
        assert most <= places
        for _ in range(places):
            await room.enter(step=False, seconds=0.001)
        with pytest.raises(Full):
            await room.enter(step=True, seconds=0.001)

    ran(main())
