"""Who listens in this process, and the one thread that tells them.

The thread waits at the bell of the event store, reads which topics moved, asks again for the
rights of those whose roles changed, and hands the numbers to the event loop. It alone touches
the database; the coroutines of the listeners never do.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import structlog
from django.db import Error, connection
from django.db.models import Max

from eventstore import clock, wakeup
from people.live import OF_EVERYBODY
from portal.live import topics, wire
from portal.models import LiveTopic

LOOK_SECONDS = 1.0
GATHER_SECONDS = 0.05
"""Commands that come close together make one message."""
PAGES_A_SECOND = 100
"""How many listeners of a public topic are told in a second: each asks for its page then. So a
hall of thousands asks as often as a process can answer, and all have heard of it after one wave."""
WAVE_SECONDS = 0.1
APART_SECONDS = 1.0
"""How soon after a wave of a topic the next one may begin: each has its pages made anew."""
AT_ONCE = 10
"""How many a wave begins with: a small hall hears at once."""
BEAT_SECONDS = 20.0
CHECK_SECONDS = 60.0
"""How long a right that ran out by itself (a role with an end, a session) may outlast."""
CHECKS_A_TURN = 100
IDLE_SECONDS = 30.0


@dataclass(slots=True, eq=False)
class Listener:
    """One open stream. `keys` in the order of the page, `moves` as last told; `still` says
    whether every right is still there, None where nothing can be lost."""

    keys: tuple[str, ...]
    loop: asyncio.AbstractEventLoop
    person_id: str | None
    still: Callable[[], bool] | None
    moves: list[int] = field(default_factory=list)
    news: set[int] = field(default_factory=set)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    beat: bool = False
    over: bool = False
    beat_at: float = 0.0
    check_at: float = 0.0

    def take(self) -> bytes:
        """Return what is to be said now; on the event loop only."""
        said = wire.moved(sorted(self.news), self.moves)
        self.news.clear()
        if self.beat:
            self.beat = False
            said += wire.clock(milliseconds(), self.moves)
        return said

    def hear(self, moved: Iterable[tuple[str, int]]) -> None:
        """Take in how often topics moved; on the event loop only. A wave may bring what is older
        than what a listener knows that came later."""
        for key, moves in moved:
            at = self.keys.index(key)
            if self.moves[at] != moves and not (_of_all(key) and moves < self.moves[at]):
                self.moves[at] = moves
                self.news.add(at)
        if self.news:
            self.wake.set()


def milliseconds() -> int:
    """The server's clock in milliseconds since 1970."""
    return int(clock.now().timestamp() * 1000)


class Wave:
    """One round of telling all listeners of a public topic how often it had moved when the round
    began. They ask for the same state of the page then, which is made once (portal.live.regions);
    what moves meanwhile is told by the next wave."""

    def __init__(self, listeners: Iterable[Listener], moves: int, now: float) -> None:
        self.waiting, self.moves, self.began = list(listeners), moves, now
        random.shuffle(self.waiting)
        self.told = 0

    def due(self, now: float) -> list[Listener]:
        """Return those whose turn has come, each once."""
        upto = int((now - self.began) * PAGES_A_SECOND) + AT_ONCE
        few = self.waiting[self.told : upto]
        self.told += len(few)
        return few

    @property
    def over(self) -> bool:
        """Whether all have been told."""
        return self.told >= len(self.waiting)


class Hub:
    """The listeners of this process by topic. The thread runs while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_key: dict[str, set[Listener]] = defaultdict(set)
        self._listeners: set[Listener] = set()
        self._thread: threading.Thread | None = None
        self._position = 0
        self._busy_at = 0.0
        self._waves: dict[str, Wave] = {}
        self._newest: dict[str, int] = {}
        self._began: dict[str, float] = {}

    def join(self, listener: Listener) -> None:
        """Add a listener. Read its counters afterwards: nothing is missed between."""
        now = time.monotonic()
        listener.beat_at, listener.check_at = now + BEAT_SECONDS, now + CHECK_SECONDS
        with self._lock:
            if self._thread is None:
                self._position = _head()
                self._thread = threading.Thread(target=self._run, name="live", daemon=True)
                self._thread.start()
            self._listeners.add(listener)
            for one in (*listener.keys, *_rights(listener)):
                self._by_key[one].add(listener)

    def leave(self, listener: Listener) -> None:
        """Take a listener away; one that is not there is no fault."""
        with self._lock:
            self._listeners.discard(listener)
            for one in (*listener.keys, *_rights(listener)):
                held = self._by_key.get(one)
                if held is not None:
                    held.discard(listener)
                    if not held:
                        del self._by_key[one]

    def size(self) -> int:
        """Return how many listen."""
        with self._lock:
            return len(self._listeners)

    def _run(self) -> None:
        log, watch = structlog.get_logger("live"), wakeup.Watch()
        try:
            while not self._idle():
                try:
                    self._turn()
                except Error as fault:
                    log.warning("the database does not answer", fault=str(fault))
                    connection.close()
                    time.sleep(LOOK_SECONDS)
                except Exception:
                    log.exception("a turn failed")
                    time.sleep(LOOK_SECONDS)
                if watch.wait(WAVE_SECONDS if self._waves or self._newest else LOOK_SECONDS):
                    time.sleep(GATHER_SECONDS)
        finally:
            with self._lock:
                if self._thread is threading.current_thread():
                    self._thread = None  # whoever joins next starts another
            watch.close()
            connection.close()

    def _idle(self) -> bool:
        """Say whether to stop: nobody has listened for a while."""
        with self._lock:
            now = time.monotonic()
            if self._listeners:
                self._busy_at = now
            if self._listeners or now - self._busy_at < IDLE_SECONDS:
                return False
            self._thread = None
            return True

    def _turn(self) -> None:
        """Look once: rights first, then what moved, then heartbeats."""
        rows = LiveTopic.objects.filter(position__gt=self._position)
        moved = list(rows.order_by("position").values_list("topic", "moves", "position"))
        with self._lock:
            changed = [
                one
                for topic, _, _ in moved
                if topic.startswith("rights:")
                for one in self._by_key.get(topic, ())
            ]
        self._check(changed)
        self._newest |= {topic: moves for topic, moves, _ in moved if _of_all(topic)}
        news: dict[Listener, list[tuple[str, int]]] = defaultdict(list)
        self._tell([(topic, moves) for topic, moves, _ in moved if not _of_all(topic)], news)
        self._roll(news)
        _dispatch(news)
        if moved:
            self._position = moved[-1][2]
        self._tick()

    def _roll(self, news: dict[Listener, list[tuple[str, int]]]) -> None:
        """Tell of public topics: begin waves, and tell those whose turn it is in each."""
        now = time.monotonic()
        for key in list(self._newest):
            if key not in self._waves and now - self._began.get(key, -60.0) >= APART_SECONDS:
                self._began[key] = now
                with self._lock:
                    held = list(self._by_key.get(key, ()))
                self._waves[key] = Wave(held, self._newest.pop(key), now)
        for key, wave in list(self._waves.items()):
            for one in wave.due(now):
                news[one].append((key, wave.moves))
            if wave.over:
                del self._waves[key]

    def _tell(
        self, moved: list[tuple[str, int]], news: dict[Listener, list[tuple[str, int]]]
    ) -> None:
        """Tell of what concerns few: all of them at once."""
        with self._lock:
            for key, moves in moved:
                if not key.startswith("rights:"):
                    for one in self._by_key.get(key, ()):
                        news[one].append((key, moves))

    def _tick(self) -> None:
        """Heartbeats that are due, and the rights that are due to be asked for again."""
        now = time.monotonic()
        with self._lock:
            beats = [one for one in self._listeners if one.beat_at <= now]
            due = [one for one in self._listeners if one.still and one.check_at <= now]
        by_loop: dict[asyncio.AbstractEventLoop, list[Listener]] = defaultdict(list)
        for one in beats:
            one.beat_at = now + BEAT_SECONDS
            by_loop[one.loop].append(one)
        for loop, few in by_loop.items():
            _on(loop, lambda few=few: _beat(few))  # type: ignore[misc]
        self._check(sorted(due, key=lambda one: one.check_at)[:CHECKS_A_TURN])

    def _check(self, listeners: Iterable[Listener]) -> None:
        """End the streams whose rights are gone."""
        for one in dict.fromkeys(listeners):
            one.check_at = time.monotonic() + CHECK_SECONDS
            if one.still is not None and not one.still():
                self.leave(one)
                _on(one.loop, lambda one=one: end(one))  # type: ignore[misc]


def _of_all(key: str) -> bool:
    return key.partition(":")[0] in OF_EVERYBODY


def _dispatch(news: dict[Listener, list[tuple[str, int]]]) -> None:
    """Hand what is told to the event loops, each listener's in one piece."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Listener]] = defaultdict(list)
    for one in news:
        by_loop[one.loop].append(one)
    for loop, few in by_loop.items():
        _on(loop, lambda few=few: [one.hear(news[one]) for one in few])  # type: ignore[misc]


def _head() -> int:
    return LiveTopic.objects.aggregate(head=Max("position"))["head"] or 0


def _rights(listener: Listener) -> list[str]:
    if listener.still is None or listener.person_id is None:
        return []
    return [topics.rights(listener.person_id)]


def _on(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    """Run on an event loop; one that is closed has no listeners any more."""
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        return


def _beat(listeners: Iterable[Listener]) -> None:
    for one in listeners:
        one.beat = True
        one.wake.set()


def end(listener: Listener) -> None:
    """Let a stream end; on its event loop only."""
    listener.over = True
    listener.wake.set()


hub = Hub()
