"""Two roles on PostgreSQL, as compose makes them: the product works under one that can change
neither the shape of the database nor the log."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from tools import services

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = """
import django
django.setup()
from django.db import DatabaseError, connection, transaction
from django.test import Client
from eventstore.commands import Context
from people.domain.actor import SYSTEM
from tests.eventstore.sample import number_add

assert Client(headers={"host": "localhost"}).get("/").status_code == 200
assert number_add(Context(actor=SYSTEM, source="system"), stream="thing-a", number=7).total == 7
for statement in (
    "DELETE FROM eventstore_event",
    "ALTER TABLE eventstore_event DISABLE TRIGGER ALL",
    "SET session_replication_role = replica",
    "TRUNCATE eventstore_event",
    "CREATE TABLE mine (x int)",
):
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError:
        continue
    raise SystemExit(f"{statement}: was done")
print("good")
"""


@pytest.mark.pg
def test_the_product_works_under_a_role_that_cannot_change_the_log(
    tmp_path: Path, django_db_setup: None
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no roles")
    values = connection.settings_dict
    superuser = {
        **os.environ, "PGHOST": str(values["HOST"]), "PGPORT": str(values["PORT"]),
        "PGUSER": str(values["USER"]), "PGPASSWORD": str(values["PASSWORD"] or ""),
    }  # fmt: skip
    mark = secrets.token_hex(4)
    name, owner, app = f"test_roles_{mark}", f"owner_{mark}", f"app_{mark}"

    def psql(*arguments: str, database: str = "postgres") -> None:
        program = services.postgres_program("psql")
        done = subprocess.run(
            [program, "-X", "-q", "-d", database, *arguments], env=superuser, capture_output=True,
            text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def program(role: str, *arguments: str) -> str:
        url = f"postgresql://{role}@{values['HOST']}:{values['PORT']}/{name}"
        kept = tmp_path / "password"
        kept.write_text(f"word of {role}\n")
        env = {
            **os.environ, "DATABASE_URL": url, "DATABASE_PASSWORD_FILE": str(kept),
            "DATA_DIR": str(tmp_path), "BACKGROUND": "none",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    psql("-c", f"CREATE DATABASE {name}")
    try:
        given = {"owner": owner, "app": app, "owner_password": f"word of {owner}",
                 "app_password": f"word of {app}"}  # fmt: skip
        said = [word for key, text in given.items() for word in ("-v", f"{key}={text}")]
        psql(*said, "-f", str(ROOT / "ops" / "roles.sql"), database=name)
        program(owner, "-m", "tools.prepare")
        assert program(app, "-c", WORK) == "good\n"
    finally:
        psql("-c", f"DROP DATABASE {name} WITH (FORCE)")
        psql("-c", f"DROP ROLE IF EXISTS {owner}", "-c", f"DROP ROLE IF EXISTS {app}")
