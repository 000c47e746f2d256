"""The product as it runs at an event, as processes that can be killed and come back: two servers
on PostgreSQL and Valkey with a Celery worker and its clock, or one server on SQLite.

A fault is `kill -9`; coming back is what systemd or compose would do: the driver starts the same
program again.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from tests.faults.proxy import Proxy
from tools import services

ROOT = Path(__file__).resolve().parents[2]
T = TypeVar("T")
START_SECONDS = 60.0
HASTE = {"DB_LOCK_SECONDS": "3", "DB_STATEMENT_SECONDS": "4", "DB_IDLE_SECONDS": "4",
         "DB_SILENCE_SECONDS": "5", "DB_POOL_SECONDS": "1", "DB_CONNECT_SECONDS": "2"}  # fmt: skip
"""Shorter than in real use, so that a test sees the end of what would take a minute."""

SESSIONS = """SELECT a.pid, a.application_name, a.client_port, a.state, a.wait_event,
    now() - a.xact_start AS since, now() - a.state_change AS changed,
    array_agg(l.locktype || ' ' || l.mode || CASE WHEN l.granted THEN '' ELSE ' (waits)' END)
        FILTER (WHERE l.locktype IN ('advisory', 'transactionid', 'tuple')) AS locks, a.query
FROM pg_stat_activity a LEFT JOIN pg_locks l USING (pid)
WHERE a.xact_start IS NOT NULL AND a.pid <> pg_backend_pid()
GROUP BY 1, 2, 3, 4, 5, 6, 7, 9, a.xact_start ORDER BY a.xact_start"""


@dataclass
class Program:
    """A program of the product, started in the background; its output goes to a file."""

    name: str
    command: list[str]
    env: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0

    def start(self) -> None:
        """Start it; whoever needs it waits for it."""
        self.starts += 1
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, *self.command], cwd=ROOT, env=self.env,
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        assert self.process.poll() is None, f"{self.name} ended by itself:\n{self.said()}"
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it; one that does not run is no fault."""
        if self.process is not None:
            services.stop(self.process, 5)

    def said(self) -> str:
        """What it wrote."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


@dataclass
class Site:
    """The running installation. `doors` are the ports of its servers."""

    folder: Path
    env: dict[str, str]
    doors: list[int] = field(default_factory=list)
    programs: dict[str, Program] = field(default_factory=dict)
    postgres: services.Postgres | None = None
    valkey: services.Valkey | None = None
    proxy: Proxy | None = None
    direct: dict[str, str] = field(default_factory=dict)
    """The environment of what looks at the database itself, past the proxy."""

    def add(self, name: str, *command: str, **env: str) -> None:
        """Add a program and start it; sessions of the database bear its name."""
        log = self.folder / f"{name}.log"
        given = {**self.env, **env}
        if self.postgres is not None:
            given["DATABASE_URL"] += f"?application_name={name}"
        self.programs[name] = Program(name, list(command), given, log)
        self.programs[name].start()

    def add_server(self, name: str, **env: str) -> None:
        """Add a server on a port of its own."""
        self.doors.append(services.free_port())
        self.add(
            name, "-m", "uvicorn", "config.asgi:application", "--host", "127.0.0.1", "--port",
            str(self.doors[-1]), "--log-level", "warning",
            "--lifespan", "off", "--http", "config.wire:BoundedProtocol",
            "--timeout-graceful-shutdown", "5", **env,
        )  # fmt: skip

    def stage(self, *arguments: str, given: Any = None) -> Any:
        """Run tests.faults.stage on the database and return what it writes."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.faults.stage", *arguments],
            cwd=ROOT, env=self.direct, text=True, capture_output=True, timeout=300,
            input=json.dumps(given),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def await_doors(self, seconds: float = START_SECONDS, path: str = "/") -> None:
        """Wait until every server answers a page with 200; fails with its log."""
        limit = time.monotonic() + seconds
        for door in self.doors:
            while (found := status_of(door, path)) != 200:
                if time.monotonic() > limit:
                    logs = "\n".join(one.said()[-4000:] for one in self.programs.values())
                    raise AssertionError(f"{found} after {seconds} s at {path}:\n{logs}")
                time.sleep(0.05)

    def logs(self) -> str:
        """Everything the programs wrote, and what the database is doing."""
        said = [f"== {name}\n{one.said()}" for name, one in self.programs.items()]
        return "\n".join([*said, "== sessions", *self.sessions()])

    def sessions(self) -> list[str]:
        """The sessions of the database that work, hold locks or wait for some, the oldest
        transaction first; its error when it does not answer."""
        if self.postgres is None:
            return []
        try:
            with psycopg.connect(self.postgres.url, connect_timeout=5) as line:
                return [str(row) for row in line.execute(SESSIONS)]
        except psycopg.Error as fault:
            return [str(fault)]

    def close(self) -> None:
        """End everything."""
        for one in self.programs.values():
            one.stop()


def status_of(door: int, path: str, seconds: float = 10.0) -> int:
    """Return the status of a page; 0 when nobody answers."""
    line = http.client.HTTPConnection("127.0.0.1", door, timeout=seconds)
    try:
        line.request("GET", path)
        return line.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        line.close()


def _environment(folder: Path, **more: str) -> dict[str, str]:
    dropped = {"DATABASE_URL", "REDIS_URL", "BACKGROUND", "REDIS_PREFIX", "LOG_LEVEL"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    data = folder / "data"
    (data / "static").mkdir(parents=True, exist_ok=True)
    return {
        **kept,
        "DATA_DIR": str(data),
        "SECRET_KEY": "a secret of this test alone, and of no other",
        "WEBHOOKS_PRIVATE": "1",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        **more,
    }


@contextmanager
def networked(folder: Path) -> Iterator[Site]:
    """Two servers, a worker and its clock on PostgreSQL (which syncs) and Valkey, the database
    reached through a line that can fail. They are starting; the database is empty."""
    with ExitStack() as running:
        postgres = services.Postgres(folder, durable=True, connections=200)
        postgres.prepare()
        running.callback(postgres.stop)
        postgres.start()
        valkey = services.Valkey(folder)
        running.callback(valkey.stop)
        valkey.start()
        proxy = Proxy(postgres.port)
        proxy.start()
        running.callback(proxy.stop)
        url = postgres.url.replace(f":{postgres.port}/", f":{proxy.port}/")
        env = _environment(
            folder, DATABASE_URL=url, REDIS_URL=valkey.url, BACKGROUND="celery",
            REDIS_PREFIX="storm", LEASE_SECONDS="5", **HASTE,
        )  # fmt: skip
        direct = {**env, "DATABASE_URL": postgres.url, "BACKGROUND": "none"}
        site = Site(folder, env, postgres=postgres, valkey=valkey, proxy=proxy, direct=direct)
        running.callback(site.close)
        for name in ("web1", "web2"):
            site.add_server(name)
        celery = ("-m", "celery", "-A", "config.celery")
        site.add("worker", *celery, "worker", "--loglevel", "WARNING", "--concurrency", "1")
        schedule = str(folder / "beat")
        site.add("beat", *celery, "beat", "--schedule", schedule, "--loglevel", "WARNING")
        yield site


@contextmanager
def embedded(folder: Path, data: Path | None = None) -> Iterator[Site]:
    """One server on SQLite with its worker threads. It is starting; the database is empty.

    `data`: the folder of the database, when it is not the usual one.
    """
    env = _environment(folder)
    file = (data or Path(env["DATA_DIR"])) / "headjudge.sqlite3"
    env |= {"DATABASE_URL": f"sqlite:///{file}", "BACKGROUND": "thread", "LEASE_SECONDS": "5"}
    site = Site(folder, env, direct={**env, "BACKGROUND": "none"})
    try:
        yield site
    finally:
        site.close()
