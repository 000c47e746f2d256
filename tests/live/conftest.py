"""A served product and plain listeners: no browser, real messages over a real connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser import harness
from tests.conftest import Member, make_member
from tests.live.listening import Served
from tests.portal.stage import Stage, set_stage


@dataclass(frozen=True, slots=True)
class Prepared:
    """A database file with the event in progress, to be copied."""

    database: Path
    cast: dict[str, Member]
    stage: Stage


@pytest.fixture(scope="session")
def prepared(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any, django_db_setup: None
) -> Prepared:
    """The cast and the event in progress, once."""
    database = tmp_path_factory.mktemp("live") / "template.sqlite3"
    harness.manage(database, "migrate", "--verbosity", "0")
    harness.manage(database, "load_shipped")
    with django_db_blocker.unblock(), harness.using_file(database):
        cast = {
            name.lower(): make_member(number, name, account=number > 2)
            for number, name in ((1, "Alice"), (2, "Bob"), (4, "Olga"), (5, "Jude"), (6, "Hedda"))
        }
        cast["olga"].grant("organiser")
        people = [cast[name] for name in ("olga", "alice", "bob", "jude", "hedda")]
        stage = set_stage(*people)
    return Prepared(database, cast, stage)


@pytest.fixture
def cast(prepared: Prepared) -> dict[str, Member]:
    """The cast on the database of the server."""
    return prepared.cast


@pytest.fixture
def stage(prepared: Prepared) -> Stage:
    """The event in progress."""
    return prepared.stage


@pytest.fixture
def serve(
    prepared: Prepared, tmp_path: Path, django_db_blocker: Any
) -> Callable[[str], AbstractContextManager[Served]]:
    """Serve a fresh copy of the database, which this process uses as well inside the block."""

    @contextmanager
    def serving(name: str) -> Iterator[Served]:
        folder = tmp_path / name
        folder.mkdir()
        database = folder / "site.sqlite3"
        harness.copy_database(prepared.database, database)
        with (
            django_db_blocker.unblock(),
            harness.using_file(database),
            harness.serving(database) as url,
        ):
            made = Served(url)
            yield made
            made.close()

    return serving


@pytest.fixture
def served(serve: Callable[[str], AbstractContextManager[Served]]) -> Iterator[Served]:
    """The product, served."""
    with serve("site") as made:
        yield made
