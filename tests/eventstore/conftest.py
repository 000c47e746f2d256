"""A database of its own for tests that need several processes or foreign connections."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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

    def start(
        self, *arguments: str, stdin: int = subprocess.DEVNULL, **extra: str
    ) -> subprocess.Popen[str]:
        """Start `python <arguments>` on this database; `extra` variables of its environment."""
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**self.env, **extra},
            text=True,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, **extra: str) -> str:
        """Run `python <arguments>` and return its standard output; it must end well."""
        process = self.start(*arguments, **extra)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return out


def _server() -> tuple[str, str]:
    """Return the URL of the run's PostgreSQL without a database, and that of its first one."""
    values = connection.settings_dict
    where = f"{values['USER']}@{values['HOST']}:{values['PORT']}"
    if values["PASSWORD"]:
        where = where.replace("@", f":{values['PASSWORD']}@", 1)
    return f"postgresql://{where}", f"postgresql://{where}/postgres"


def _on_server(*statements: str) -> None:
    import psycopg

    with psycopg.connect(_server()[1], autocommit=True) as line:
        for statement in statements:
            line.execute(statement)


@contextmanager
def _empty_database(folder: Path, template: OwnDatabase | None) -> Iterator[OwnDatabase]:
    """Make a database of the same kind as the run's: a copy of the template, else without a
    table. It is gone at the end."""
    path = folder / "own.sqlite3"
    name = f"test_own_{secrets.token_hex(6)}"
    postgresql = connection.vendor == "postgresql"
    if postgresql:
        model = f' TEMPLATE "{template.url.rpartition("/")[2]}"' if template else ""
        _on_server(f'CREATE DATABASE "{name}"{model}')
    elif template:
        shutil.copyfile(template.path, path)
    url = f"{_server()[0]}/{name}" if postgresql else f"sqlite:///{path}"
    env = {
        **os.environ,
        "DATABASE_URL": url,
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": str(ROOT),
    }
    try:
        yield OwnDatabase(url, connection.vendor, path, env)
    finally:
        if postgresql:
            _on_server(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="session")
def migrated(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None
) -> Iterator[OwnDatabase]:
    """A migrated database that is copied for each test: migrating takes seconds each time."""
    with _empty_database(tmp_path_factory.mktemp("migrated"), None) as made:
        made.run("manage.py", "migrate", "--verbosity", "0", "--skip-checks")
        yield made


@pytest.fixture
def own_database(
    tmp_path: Path, migrated: OwnDatabase, django_db_blocker: object
) -> Iterator[OwnDatabase]:
    """Make a migrated database of the same kind as the run's; gone at the end of the test."""
    with _empty_database(tmp_path, migrated) as made:
        yield made
