"""How the database is reached: what holds for every process, and what for one that serves.

A process that serves takes its connections from a pool of bounded size and lets no statement
run for ever. Commands, Celery and tests open a connection of their own and may take their time.
Persistent connections (CONN_MAX_AGE) are never used: the pool keeps them, and a request gives its
own back before the answer is on its way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url

from config import env
from config.postgresql.base import Line

SQLITE = {
    # IMMEDIATE: a deferred transaction that turns to writing fails at once when another one
    # writes. FULL: with NORMAL an acknowledged command can be lost at power failure.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA recursive_triggers=ON;"
        "PRAGMA foreign_keys=ON;"
    ),
}
BACK_END = "config.postgresql"
LOST = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3,
        "tcp_user_timeout": 20_000}  # fmt: skip
"""When our end of a connection is told that the other has gone without a word: after some
twenty-five seconds, instead of the two hours of the system."""
THEIR_LOST = {"tcp_keepalives_idle": 10, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 3,
              "tcp_user_timeout": 20_000}  # fmt: skip
"""The same for PostgreSQL's end: a server that vanished holds the turn to write no longer."""
CHECK_SECONDS = 3.0
"""How long a connection of the pool may take to say that it lives."""
LIMITS = {
    "DB_STATEMENT_SECONDS": "statement_timeout",
    "DB_LOCK_SECONDS": "lock_timeout",
    "DB_IDLE_SECONDS": "idle_in_transaction_session_timeout",
}
"""Settings, and the parameters of PostgreSQL that they become, in milliseconds."""
WORK_TIMES = 10
"""How many times DB_SILENCE_SECONDS a transaction of a worker may take: long enough for all it has
to do, and an end for one whose rest was lost on the way while it keeps all others from writing."""
RETRY_SECONDS = 4.0
"""How long the pool tries by itself to connect again, with growing pauses; after that the next
request makes it try anew, so that nobody waits out a pause once the database is back."""
AWAY_SECONDS = 0.5
"""How long a request waits for a connection while the database is known to be away."""


def connection_settings(data_dir: Path) -> dict[str, Any]:
    """Return Django's settings of the database, for every process."""
    url = env.value("DATABASE_URL") or f"sqlite:///{data_dir / 'headjudge.sqlite3'}"
    found: dict[str, Any] = dict(dj_database_url.parse(url))
    if found["ENGINE"].endswith("sqlite3"):
        return {**found, "OPTIONS": dict(SQLITE)}
    password = env.value("DATABASE_PASSWORD")
    if password:
        found["PASSWORD"] = password
    usual = {
        "connect_timeout": env.value("DB_CONNECT_SECONDS"),
        "application_name": "headjudge",
        **LOST,
    }
    return {**found, "ENGINE": BACK_END, "OPTIONS": usual | found.get("OPTIONS", {})}


def serving_options() -> dict[str, Any]:
    """Return the options that a serving process has beside those of every process: pool and
    limits of time. A limit of 0 is not sent at all (poolers such as pgbouncer refuse start
    parameters that they do not know)."""
    limits = _limits(*LIMITS)
    options: dict[str, Any] = {"options": limits} if limits else {}
    most = env.value("DB_POOL_MAX")
    if most:
        options["pool"] = {
            "min_size": env.value("DB_POOL_MIN"),
            "max_size": most,
            "timeout": float(env.value("DB_POOL_SECONDS")),
            "reconnect_timeout": RETRY_SECONDS,
            "max_lifetime": 3600.0,
            "name": "headjudge",
            "connection_class": Line,
        }
    return options


def _limits(*names: str) -> str:
    """Return the start parameters of these limits, and with any of them those by which
    PostgreSQL notices that we have gone."""
    given = {LIMITS[name]: 1000 * env.value(name) for name in names if env.value(name)}
    if given:
        given |= THEIR_LOST
    return " ".join(f"-c {parameter}={number}" for parameter, number in given.items())


def work() -> None:
    """Give this process what a worker has, before its first job: it may take its time, but it
    neither waits for a database that has gone nor holds others up while it idles."""
    from django.db import DEFAULT_DB_ALIAS, connections

    shared = connections.settings[DEFAULT_DB_ALIAS]
    if not shared["ENGINE"].endswith("postgresql"):
        return
    Line.silence = float(env.value("DB_SILENCE_SECONDS"))
    Line.longest = WORK_TIMES * Line.silence
    theirs = shared["OPTIONS"].get("options", "")
    shared["OPTIONS"]["options"] = f"{_limits('DB_IDLE_SECONDS')} {theirs}".strip()
    _forget_open()


def _forget_open() -> None:
    """Let the next use connect anew, with the new settings. Django's own way of closing refuses
    to run where the server calls this: inside its event loop."""
    from django.db import connections

    for one in connections.all(initialized_only=True):
        if one.connection is not None:
            one.connection.close()
        del connections[one.alias]


def serve() -> None:
    """Give this process what a serving one has; before its first request."""
    from django.db import DEFAULT_DB_ALIAS, connections

    shared = connections.settings[DEFAULT_DB_ALIAS]  # the dictionary of all its connections
    if not shared["ENGINE"].endswith("postgresql"):
        return
    more = serving_options()
    theirs = shared["OPTIONS"].get("options")
    if theirs and "options" in more:
        more["options"] = f"{more['options']} {theirs}"  # what the URL says counts last
    shared["OPTIONS"].update(more)
    Line.silence = Line.longest = float(env.value("DB_SILENCE_SECONDS"))
    # the pool asks each connection whether it lives before it hands it out
    shared["CONN_HEALTH_CHECKS"] = True
    _forget_open()
    pool = getattr(connections[DEFAULT_DB_ALIAS], "pool", None)
    if pool is not None:
        _drain_at_the_first_dead(pool)
        _be_short_while_away(pool)


def _drain_at_the_first_dead(pool: Any) -> None:
    """Throw all idle connections away when one of them is found dead: a database that was
    restarted has ended every one, and the pool alone would find that out one by one, with
    growing pauses, while the request waits."""
    usual = pool._check

    def check(line: Any) -> None:
        line.silence = CHECK_SECONDS
        try:
            usual(line)
        except Exception:
            pool.drain()
            raise
        finally:
            del line.silence

    pool._check = check


def _be_short_while_away(pool: Any) -> None:
    """Answer soon that there is no database, once one request has waited for it in vain: the
    threads of a hall that asks again and again would all stand waiting."""
    from psycopg_pool import PoolTimeout

    usual = pool.getconn
    away = False

    def failures() -> int:
        return int(pool.get_stats().get("connections_errors", 0))

    def getconn(timeout: float | None = None) -> Any:
        nonlocal away
        before = failures()
        try:
            line = usual(AWAY_SECONDS if away else timeout)
        except PoolTimeout:
            away = away or failures() > before
            raise
        away = False
        return line

    pool.getconn = getconn
