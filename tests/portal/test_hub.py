"""The thread that tells listeners: its bell, its heartbeat, the rights it asks for again."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Callable

import pytest
from django.db import connection

from eventstore import wakeup
from eventstore.ids import new_id
from portal.live import hub as hubs
from portal.live import topics
from portal.live.hub import Hub, Listener
from tests.conftest import Member
from tournaments import services


def _listener(still: Callable[[], bool] | None = None, key: str = "board:x") -> Listener:
    return Listener((key,), asyncio.get_running_loop(), "p", still, moves=[1])


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_postgresql_wakes_the_thread_at_the_commit(
    olga: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("the bell of PostgreSQL")
    monkeypatch.setattr(hubs, "LOOK_SECONDS", 60.0)  # so that looking cannot be what helps
    monkeypatch.setattr(hubs, "IDLE_SECONDS", 0.0)
    event_id = new_id()
    services.event_create(olga.context(), event_id=event_id, name="Cup")
    hub, listens, usual = Hub(), threading.Event(), wakeup.PostgresBell.wait

    def wait(self: wakeup.PostgresBell, seconds: float) -> bool:
        listens.set()
        return usual(self, seconds)

    monkeypatch.setattr(wakeup.PostgresBell, "wait", wait)
    names = iter(("Nora", "Otto"))

    def enrol() -> None:
        services.entrant_enrol(olga.context(), event_id=event_id, display_name=next(names))
        connection.close()

    async def heard() -> bytes:
        listener = _listener(key=topics.desk(event_id))
        await asyncio.to_thread(lambda: (hub.join(listener), connection.close()))
        assert await asyncio.to_thread(listens.wait, 60), "the thread has its ear at the bell"
        await asyncio.to_thread(enrol)
        await asyncio.wait_for(listener.wake.wait(), 60)
        hub.leave(listener)
        await asyncio.to_thread(enrol)  # wakes it once more, so that it sees nobody is there
        return listener.take()

    said = asyncio.run(heard())
    assert said == b"id: 2\nevent: moved\ndata: 0 2\n\n"
    thread = hub._thread
    if thread is not None:
        thread.join(60)
        assert not thread.is_alive(), "nobody listens, and it runs on"


def test_a_heartbeat_is_the_clock_and_comes_in_time() -> None:
    async def beaten() -> tuple[bytes, float]:
        hub, listener = Hub(), _listener()
        hub._listeners.add(listener)
        listener.beat_at = time.monotonic() - 1
        hub._tick()
        await asyncio.wait_for(listener.wake.wait(), 60)
        return listener.take(), listener.beat_at - time.monotonic()

    said, left = asyncio.run(beaten())
    assert said.startswith(b"id: 1\nevent: clock\ndata: ")
    assert 15 < left <= hubs.BEAT_SECONDS < 45


@pytest.mark.parametrize(("still", "over"), [(False, True), (True, False)])
def test_rights_that_run_out_by_themselves_end_the_stream(still: bool, over: bool) -> None:
    async def asked() -> tuple[bool, bool]:
        hub, listener = Hub(), _listener(lambda: still)
        hub._listeners.add(listener)
        hub._by_key["board:x"].add(listener)
        listener.beat_at, listener.check_at = time.monotonic() + 60, time.monotonic() - 1
        hub._tick()
        await asyncio.sleep(0.05)
        return listener.over, listener in hub._listeners

    assert asyncio.run(asked()) == (over, not over)


def test_messages_that_come_together_are_one_and_old_news_is_none() -> None:
    async def told() -> list[bytes]:
        listener = Listener(("a", "b"), asyncio.get_running_loop(), None, None, moves=[3, 7])
        listener.hear([("b", 8)])
        listener.hear([("b", 9), ("a", 4)])
        first = listener.take()
        listener.hear([("b", 9)])
        return [first, listener.take()]

    both, none = asyncio.run(told())
    assert both == (b"id: 4.9\nevent: moved\ndata: 0 4\n\nid: 4.9\nevent: moved\ndata: 1 9\n\n")
    assert none == b""


def test_a_wave_tells_each_once_at_its_pace_and_all_the_same() -> None:
    async def told() -> tuple[list[int], list[int], bool]:
        held = [_listener() for _ in range(250)]
        wave = hubs.Wave(held, 7, now=10.0)
        sizes = [len(wave.due(at)) for at in (10.0, 10.5, 10.5, 11.0, 12.4, 12.4)]
        again = [len(wave.due(20.0))]
        return sizes, again, wave.over

    sizes, again, over = asyncio.run(told())
    assert sizes == [10, 50, 0, 50, 140, 0]
    assert again == [0]
    assert over


def test_what_moves_during_a_wave_is_told_by_the_next_one() -> None:
    def roll(hub: Hub) -> None:
        news: dict[Listener, list[tuple[str, int]]] = defaultdict(list)
        hub._roll(news)
        hubs._dispatch(news)

    async def told() -> list[list[int]]:
        hub, few = Hub(), [_listener() for _ in range(150)]
        for one in few:
            hub._by_key["board:x"].add(one)
        heard = []
        for newest in (5, 6, None):
            if newest is not None:
                hub._newest["board:x"] = newest
            roll(hub)
            await asyncio.sleep(0)
            for wave in hub._waves.values():
                wave.began -= 60  # the time of all of it is over
            hub._began.clear()
            heard.append(sorted({one.moves[0] for one in few}))
        roll(hub)
        await asyncio.sleep(0)
        return [*heard, sorted({one.moves[0] for one in few})]

    heard = asyncio.run(told())
    assert heard[0] == [1, 5], "some have heard of it, the others hear the same in their turn"
    assert heard[1] == [5], "the wave under way ends first"
    assert heard[2] == [5, 6]
    assert heard[3] == [6]


def test_a_wave_takes_nobody_back() -> None:
    async def told() -> int:
        listener = _listener()
        listener.hear([("board:x", 9)])
        listener.hear([("board:x", 8)])
        return listener.moves[0]

    assert asyncio.run(told()) == 9
