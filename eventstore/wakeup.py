"""Wake followers when events were committed. A help only: they look by themselves as well.

PostgreSQL: a trigger sends NOTIFY (migration 0002), delivered at the commit. SQLite: threads of
this process are woken directly, other processes over Redis where REDIS_URL is set. A bell that
is lost, late or broken costs the wait until the next look and nothing else.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any, Protocol

import structlog
from django.conf import settings
from django.db import connection

from eventstore import measures

CHANNEL = "eventstore"
REDIS_SECONDS = 0.25
REDIS_PAUSE_SECONDS = 5.0

_rung = threading.Condition()
_count = 0
_listeners = 0
_redis: Any = None
_redis_silent_until = 0.0


class Bell(Protocol):
    """Something to wait at."""

    def wait(self, seconds: float) -> bool:
        """Wait for a ring, at most so long; return whether it rang."""

    def close(self) -> None:
        """Give back what the bell holds."""


def _channel() -> str:
    return f"{settings.REDIS_PREFIX}:{CHANNEL}"


def _publish() -> None:
    """Ring over Redis; a server that does not answer is left alone for some seconds."""
    global _redis, _redis_silent_until
    if time.monotonic() < _redis_silent_until:
        return
    import redis

    try:
        if _redis is None:
            _redis = redis.Redis.from_url(
                settings.REDIS_URL,
                socket_timeout=REDIS_SECONDS,
                socket_connect_timeout=REDIS_SECONDS,
            )
        _redis.publish(_channel(), b"")
    except (redis.RedisError, OSError) as fault:
        _redis_silent_until = time.monotonic() + REDIS_PAUSE_SECONDS
        measures.note(measures.FaultNote("redis", "wakeup"))
        structlog.get_logger("wakeup").warning("redis does not answer", fault=str(fault))


def wake() -> None:
    """Wake who listens in this process."""
    global _count
    if _listeners:
        with _rung:
            _count += 1
            _rung.notify_all()


def ring() -> None:
    """Wake the followers. Called after the commit of a command that appended."""
    wake()
    if settings.REDIS_URL and connection.vendor == "sqlite":  # PostgreSQL rings by itself
        _publish()


class LocalBell:
    """Hears the commits of this process."""

    def __init__(self) -> None:
        global _listeners
        with _rung:
            _listeners += 1
            self._heard = _count

    def wait(self, seconds: float) -> bool:
        """Wait for a ring; one that came since the last wait counts."""
        with _rung:
            rang = _rung.wait_for(lambda: _count != self._heard, seconds)
            self._heard = _count
        return rang

    def close(self) -> None:
        """Be no listener any more."""
        global _listeners
        with _rung:
            _listeners -= 1


class PostgresBell:
    """Hears NOTIFY on a connection of its own, apart from every pool: LISTEN belongs to it."""

    def __init__(self) -> None:
        import psycopg

        values = connection.get_connection_params()
        keep = (
            "dbname", "user", "password", "host", "port", "service", "connect_timeout",
            "sslmode", "sslrootcert", "sslcert", "sslkey", "application_name",
            "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
        )  # fmt: skip
        self._line = psycopg.connect(
            **{name: value for name, value in values.items() if name in keep}, autocommit=True
        )
        self._line.execute(f"LISTEN {CHANNEL}")

    def wait(self, seconds: float) -> bool:
        """Wait for a ring; raises OSError when the connection is lost."""
        import psycopg

        try:
            return any(True for _ in self._line.notifies(timeout=seconds, stop_after=1))
        except psycopg.Error as fault:
            raise OSError(str(fault)) from fault

    def close(self) -> None:
        """Close the connection."""
        self._line.close()


class RedisBell:
    """Hears rings over Redis."""

    def __init__(self) -> None:
        import redis

        self._server: Any = redis.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=REDIS_SECONDS
        )
        self._heard = self._server.pubsub(ignore_subscribe_messages=True)
        self._heard.subscribe(_channel())

    def wait(self, seconds: float) -> bool:
        """Wait for a ring; raises OSError when the connection is lost."""
        import redis

        end = time.monotonic() + seconds
        try:
            while (left := end - time.monotonic()) > 0:
                if self._heard.get_message(timeout=left) is not None:
                    return True
        except redis.RedisError as fault:
            raise OSError(str(fault)) from fault
        return False

    def close(self) -> None:
        """Close the connection."""
        self._heard.close()
        self._server.close()


class Watch:
    """A bell that is made anew when it breaks; meanwhile waiting is only waiting."""

    def __init__(self) -> None:
        self._bell: Bell | None = None
        self._next_try = 0.0

    def _made(self) -> Bell | None:
        if self._bell is None and time.monotonic() >= self._next_try:
            self._next_try = time.monotonic() + REDIS_PAUSE_SECONDS
            try:
                if connection.vendor == "postgresql":
                    self._bell = PostgresBell()
                elif settings.REDIS_URL:
                    self._bell = RedisBell()
                else:
                    self._bell = LocalBell()
            except Exception as fault:  # the drivers have no common base
                structlog.get_logger("wakeup").warning("no bell, looking only", fault=str(fault))
        return self._bell

    def wait(self, seconds: float) -> bool:
        """Wait for a ring or for the time to look; never raises for a lost connection."""
        bell = self._made()
        if bell is not None:
            try:
                return bell.wait(seconds)
            except OSError:
                self.close()
        time.sleep(seconds)
        return False

    def close(self) -> None:
        """Give the bell back."""
        if self._bell is not None:
            with contextlib.suppress(Exception):
                self._bell.close()
        self._bell = None
