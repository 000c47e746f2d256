"""How the database is reached: what holds for every process, and what for one that serves.

A process that serves takes its connections from a pool of bounded size and lets no statement
run for ever. Commands, Celery and tests open a connection of their own and may take their time.
Persistent connections (CONN_MAX_AGE) are never used: under ASGI each request has a thread of
its own, and its connection would outlive it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url

from config import env

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
LIMITS = {
    "DB_STATEMENT_SECONDS": "statement_timeout",
    "DB_LOCK_SECONDS": "lock_timeout",
    "DB_IDLE_SECONDS": "idle_in_transaction_session_timeout",
}
"""Settings, and the parameters of PostgreSQL that they become, in milliseconds."""
RETRY_SECONDS = 30.0
"""How long the pool tries by itself to connect again, with growing pauses; after that the next
request makes it try anew, so that an outage of hours leaves no pauses of hours behind."""


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
    }
    return {**found, "OPTIONS": usual | found.get("OPTIONS", {})}


def serving_options() -> dict[str, Any]:
    """Return the options that a serving process has beside those of every process: pool and
    limits of time. A limit of 0 is not sent at all (poolers such as pgbouncer refuse start
    parameters that they do not know)."""
    limits = [
        f"-c {parameter}={1000 * env.value(name)}"
        for name, parameter in LIMITS.items()
        if env.value(name)
    ]
    options: dict[str, Any] = {"options": " ".join(limits)} if limits else {}
    most = env.value("DB_POOL_MAX")
    if most:
        options["pool"] = {
            "min_size": env.value("DB_POOL_MIN"),
            "max_size": most,
            "timeout": float(env.value("DB_POOL_SECONDS")),
            "reconnect_timeout": RETRY_SECONDS,
            "max_lifetime": 3600.0,
            "name": "headjudge",
        }
    return options


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
    # the pool asks each connection whether it lives before it hands it out
    shared["CONN_HEALTH_CHECKS"] = True
    connections.close_all()
    pool = getattr(connections[DEFAULT_DB_ALIAS], "pool", None)
    if pool is not None:
        _drain_at_the_first_dead(pool)


def _drain_at_the_first_dead(pool: Any) -> None:
    """Throw all idle connections away when one of them is found dead: a database that was
    restarted has ended every one, and the pool alone would find that out one by one, with
    growing pauses, while the request waits."""
    usual = pool._check

    def check(line: Any) -> None:
        try:
            usual(line)
        except Exception:
            pool.drain()
            raise

    pool._check = check
