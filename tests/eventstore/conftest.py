"""A database of its own for tests that need several processes or foreign connections."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True, slots=True)
class OwnDatabase:
    """A migrated database that other processes use: its URL and the folder of its files."""

    url: str
    vendor: str
    path: Path
    env: dict[str, str]

    def start(self, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        """Start `python <arguments>` on this database."""
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**self.env, **extra},
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, **extra: str) -> str:
        """Run `python <arguments>` and return its standard output; it must end well."""
        process = self.start(*arguments, **extra)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return out


@pytest.fixture
def own_database(
    tmp_path: Path, django_db_setup: None, django_db_blocker: object
) -> Iterator[OwnDatabase]:
    """Make a database of the same kind as the run's, migrated; gone at the end of the test."""
    values = connection.settings_dict
    drop: Callable[[], None] | None = None
    if connection.vendor == "postgresql":
        import psycopg

        name = f"test_own_{secrets.token_hex(6)}"
        where = f"{values['USER']}@{values['HOST']}:{values['PORT']}"
        if values["PASSWORD"]:
            where = where.replace("@", f":{values['PASSWORD']}@", 1)
        admin = f"postgresql://{where}/postgres"
        with psycopg.connect(admin, autocommit=True) as line:
            line.execute(f'CREATE DATABASE "{name}"')

        def drop() -> None:
            with psycopg.connect(admin, autocommit=True) as line:
                line.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

        url = f"postgresql://{where}/{name}"
    else:
        url = f"sqlite:///{tmp_path / 'own.sqlite3'}"
    env = {
        **os.environ,
        "DATABASE_URL": url,
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": str(ROOT),
    }
    made = OwnDatabase(url, connection.vendor, tmp_path / "own.sqlite3", env)
    try:
        made.run("manage.py", "migrate", "--verbosity", "0", "--skip-checks")
        yield made
    finally:
        if drop:
            drop()
