"""Redis, Celery and the mail server, where they are used."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from config import env
from config.doctor.findings import Finding, bad, good, warning

SECONDS = 3.0


def redis() -> Iterator[Finding]:
    """Whether Redis answers, and keeps what Celery puts there."""
    url = env.value("REDIS_URL")
    if not url:
        yield good("redis", "not used")
        return
    import redis as driver

    server: Any = driver.Redis.from_url(url, socket_timeout=SECONDS, socket_connect_timeout=SECONDS)
    began = time.monotonic()
    try:
        told = server.info()
        policy = server.config_get("maxmemory-policy").get("maxmemory-policy", "")
    except driver.ResponseError as fault:  # a hosted one may refuse CONFIG
        told, policy = server.info(), ""
        yield warning("redis", f"does not tell its settings: {fault}",
                      "See to it that maxmemory-policy is noeviction.")  # fmt: skip
    except (driver.RedisError, OSError) as fault:
        yield bad("redis", f"does not answer: {fault}", "Start it, or set REDIS_URL right.")
        return
    finally:
        server.close()
    took = 1000 * (time.monotonic() - began)
    version = told.get("valkey_version") or told.get("redis_version", "?")
    yield good("redis", f"version {version} answers after {took:.0f} ms")
    if policy not in ("", "noeviction"):
        yield warning("redis", f"maxmemory-policy is {policy}: work handed over may be thrown away",
                      "Set maxmemory-policy noeviction.")  # fmt: skip


def celery() -> Iterator[Finding]:
    """Whether a worker answers."""
    if env.value("BACKGROUND") != "celery":
        yield good("celery", "not used")
        return
    from config.celery import app

    with app.connection_for_write(transport_options={"socket_connect_timeout": SECONDS}) as line:
        line.ensure_connection(max_retries=1, interval_start=0, timeout=SECONDS)
        answers = app.control.ping(timeout=SECONDS, connection=line)
    names = [name for one in answers for name in one]
    if names:
        yield good("celery", f"{len(names)} workers answer: {', '.join(sorted(names))}")
    else:
        yield bad("celery", "no worker answers",
                  "Start one: celery -A config.celery worker (compose: worker).")  # fmt: skip


def mail() -> Iterator[Finding]:
    """Whether the mail server lets this one in; no mail is sent."""
    server = env.value("MAIL_URL")
    if server is None:
        yield good("mail", "not used")
        return
    from portal.mail import sending

    where, outcome = f"{server.host}:{server.port}", sending.probe(server)
    if outcome.taken:
        yield good("mail", f"{where} answers" + (" and knows us" if server.user else ""))
    else:
        what = FAULTS.get(outcome.fault, f"it answers {outcome.fault}")
        yield bad("mail", f"{where}: {what}", "Set MAIL_URL right, or start the mail server.")


FAULTS = {
    "tls": "its certificate is not in order",
    "time": "no answer in time",
    "connect": "no connection, or no TLS",
    "login": "it asks for no user name",
    "answer": "it hung up",
}
