"""The pool of connections of a serving process, on a real PostgreSQL: bounded, shared by
commands, never a hang, alive again after the database has ended every connection."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent.parent
SERVING = """
import json, threading, time
import django
django.setup()
import asyncio
import psycopg
from config import database
from django.db import connection, connections

async def begin():
    connection.vendor  # what is imported has had a look at the kind of database
    database.serve()

asyncio.run(begin())  # the server does it inside its event loop
from django.test import Client
from eventstore.commands import Context
from people.domain.actor import SYSTEM
from tests.eventstore.sample import number_add

found = {}

def other(sql):
    values = connection.get_connection_params()
    keep = {name: values[name] for name in ("dbname", "user", "password", "host", "port")
            if name in values}
    with psycopg.connect(**keep, autocommit=True, application_name="looker") as line:
        return line.execute(sql).fetchall()

def ours():
    return other("SELECT pid FROM pg_stat_activity WHERE application_name = 'pooled'"
                 " AND datname = current_database()")

def page():
    began = time.monotonic()
    answer = Client(raise_request_exception=False, headers={"host": "localhost"}).get("/")
    connection.close()
    return [answer.status_code, answer.headers.get("Retry-After"), time.monotonic() - began]

sums = []

def commands(stream):
    for number in range(1, 6):
        context = Context(actor=SYSTEM, source="system")
        sums.append(number_add(context, stream=stream, number=number).total)
        connection.close()

writers = [threading.Thread(target=commands, args=(f"thing-{one}",)) for one in range(12)]
for one in writers: one.start()
for one in writers: one.join()
found["sums"] = sorted(sums)
found["connections"] = len(ours())
found["limits"] = []
with connection.cursor() as cursor:
    for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        cursor.execute(f"SHOW {name}")
        found["limits"].append(cursor.fetchone()[0])
connection.close()

# until now nobody who waited for a connection was to be sent away, however slow the machine
connection.pool.timeout = 2.0
release, held = threading.Event(), threading.Barrier(7)

def hold():
    connection.ensure_connection()
    held.wait()
    release.wait()
    connection.close()

holders = [threading.Thread(target=hold, daemon=True) for _ in range(6)]
for one in holders: one.start()
held.wait()
found["exhausted"] = page()
release.set()
for one in holders: one.join()
found["free again"] = page()

found["ended"] = len(other("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE"
                           " application_name = 'pooled' AND datname = current_database()"))
found["after the end"] = page()
found["command after the end"] = number_add(
    Context(actor=SYSTEM, source="system"), stream="thing-0", number=100).total
connection.close_pool()
print(json.dumps(found))
"""


@pytest.mark.pg
@pytest.mark.django_db(transaction=True)
def test_a_serving_process_and_its_pool(tmp_path: Path) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("the pool is one of PostgreSQL")
    values = connection.settings_dict
    who = values["USER"] + (f":{quote(values['PASSWORD'])}" if values["PASSWORD"] else "")
    where = f"{who}@{values['HOST']}:{values['PORT']}/{values['NAME']}"
    env = {
        **os.environ,
        "DATABASE_URL": f"postgresql://{where}?application_name=pooled",
        "DATA_DIR": str(tmp_path),
        "DB_POOL_MIN": "6",
        "DB_POOL_MAX": "6",
        "DB_POOL_SECONDS": "60",
        "DB_LOCK_SECONDS": "50",
        "BACKGROUND": "none",
        "LOG_LEVEL": "CRITICAL",
    }
    done = subprocess.run(
        [sys.executable, "-c", SERVING], cwd=ROOT, env=env, text=True, capture_output=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["sums"] == sorted([1, 3, 6, 10, 15] * 12), "prepared once, whoever borrows it"
    assert 1 <= found["connections"] <= 6
    assert found["limits"] == ["1min", "50s", "15s"]
    status, retry, seconds = found["exhausted"]
    assert (status, bool(retry)) == (503, True)
    assert seconds > 1.9, "it waited for one"
    assert found["free again"][0] == 200
    assert found["ended"] == 6
    assert found["after the end"][0] == 200
    assert found["command after the end"] == 115
