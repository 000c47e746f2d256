"""What every test can ask for: the named cast, the reference folder, a database that can be
emptied although its log cannot.

The run's database is the one of DATABASE_URL (SQLite without it). `make test` runs everything
on SQLite and the marker `pg` once more on PostgreSQL.
"""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from hypothesis import HealthCheck, settings

from eventstore.ids import ids_from, new_id
from tests.sizes import SIZES, SOAK

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "correct horse battery"

settings.register_profile(
    "house",
    max_examples=SIZES.examples,
    deadline=None,  # two busy cores: times are measured in bench/, not here
    derandomize=not SOAK,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the product and its libraries: they stay, and looking
    through them again and again is a twentieth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The read-only reference folder: SHARED, or the folder `shared` beside the repository."""
    folder = Path(os.environ.get("SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI needs the reference folder {folder.name}, and it is not there")
        pytest.skip("the reference folder is not here (variable SHARED, or ../shared)")
    return folder


def _flush_sqlite(statements: Sequence[str]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f'DROP TRIGGER "{name}"')
        for statement in statements:
            cursor.execute(statement)
        for _, sql in triggers:
            # past Django's parameter handling: the text of a trigger may hold a percent sign
            cursor.execute(sql, None)


def _flush_postgresql(statements: Sequence[str]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in statements:
            cursor.execute(statement)


@pytest.fixture(autouse=True)
def drawn_ids(request: pytest.FixtureRequest) -> Iterator[None]:
    """Draw the ids of a test from a seed of its own, so that a run says the same of the same code;
    the soak draws them by lot. Threads and processes that a test starts draw by lot always."""
    if SOAK:
        yield
        return
    with ids_from(random.Random(request.node.nodeid)):
        yield


@pytest.fixture(autouse=True)
def unhurried(settings: Any) -> None:
    """Let the API take as many requests as a test sends: the ids of the cast are the same in
    every test, and a minute of a test run is many callers' day. And let each test client look
    for a static file when it is asked for one, not for all of them at its first request."""
    settings.API_RATE = ""
    settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(autouse=True)
def erased_apart(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give each test a list of erased persons of its own: the ids of the cast are the same in
    every test, and the file outlives the database. A test that has its own DATA_DIR keeps it."""
    from django.conf import settings as site

    from people import erasure_list

    shared, usual = site.DATA_DIR, erasure_list._file
    own = tmp_path_factory.getbasetemp() / "erased" / new_id()
    monkeypatch.setattr(erasure_list, "_file", lambda: own if shared == site.DATA_DIR else usual())


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Let the flush after a transactional test pass the triggers that keep the log."""
    operations = type(connection.ops)
    usual = operations.execute_sql_flush
    flush = {"sqlite": _flush_sqlite, "postgresql": _flush_postgresql}[connection.vendor]
    operations.execute_sql_flush = lambda self, statements: flush(statements)
    yield
    operations.execute_sql_flush = usual


@pytest.fixture(scope="session", autouse=os.environ.get("GOLDEN") == "write")
def golden_samples() -> Iterator[None]:
    """With GOLDEN=write: keep the first event of each type that the tests append and that has
    no sample in tests/golden yet."""
    from eventstore import store
    from eventstore.domain import registry
    from eventstore.management.commands.golden import write_sample

    usual = store.append

    def append(*args: Any, **kwargs: Any) -> Any:
        recorded = usual(*args, **kwargs)
        for one in recorded:
            if not registry.class_of(one.type).__module__.startswith("tests."):
                write_sample(ROOT / "tests" / "golden", one)
        return recorded

    store.append = append
    yield
    store.append = usual


@dataclass(frozen=True, slots=True)
class Member:
    """One of the cast: a person, and for staff a log-in (`username`, password PASSWORD)."""

    person_id: str
    name: str
    username: str | None = None

    @property
    def actor(self) -> Any:
        """The person as an actor with the roles now in force."""
        from people.selectors import actor_for

        return actor_for(self.person_id, signed_in=self.username is not None)

    def context(self, source: str | None = None, **values: Any) -> Any:
        """A command's context sent by this person."""
        from eventstore.commands import Context

        usual = "player" if self.username is None else "organiser"
        return Context(actor=self.actor, source=source or usual, **values)

    def grant(self, role: str, event_id: str | None = None) -> None:
        """Give this person a role, as the system does."""
        from eventstore.commands import Context
        from people.domain.actor import SYSTEM
        from people.services import role_grant

        role_grant(
            Context(actor=SYSTEM, source="system"),
            person_id=self.person_id,
            role=role,
            event_id=event_id,
        )


@cache
def _password_hash() -> str:
    from people.services import hash_password

    return hash_password(PASSWORD)


def make_member(number: int, name: str, *, account: bool) -> Member:
    """Register person `number` of the cast; with a log-in named like the person for staff."""
    from eventstore.commands import Context
    from people.domain.actor import SYSTEM
    from people.services import account_open, person_register

    person_id = f"00000000-0000-7000-8000-{number:012d}"
    context = Context(actor=SYSTEM, source="system")
    person_register(context, person_id=person_id, display_name=name)
    if not account:
        return Member(person_id, name)
    username = name.lower()
    account_open(
        Context(actor=SYSTEM, source="system"),
        person_id=person_id,
        username=username,
        password_hash=_password_hash(),
    )
    return Member(person_id, name, username)


@pytest.fixture
def alice(db: None) -> Member:
    """A player."""
    return make_member(1, "Alice", account=False)


@pytest.fixture
def bob(db: None) -> Member:
    """Another player."""
    return make_member(2, "Bob", account=False)


@pytest.fixture
def charlie(db: None) -> Member:
    """A person with a log-in who must have no access to what is not public."""
    return make_member(3, "Charlie", account=True)


@pytest.fixture
def olga(db: None) -> Member:
    """The organiser of the site."""
    member = make_member(4, "Olga", account=True)
    member.grant("organiser")
    return member


@pytest.fixture
def jude(db: None) -> Member:
    """A judge; the role in an event is granted by the test."""
    return make_member(5, "Jude", account=True)


@pytest.fixture
def hedda(db: None) -> Member:
    """A head judge; the role in an event is granted by the test."""
    return make_member(6, "Hedda", account=True)


@pytest.fixture
def client_of() -> Callable[..., Client]:
    """Make a test client that acts as a member: by log-in, or as a device on join links of
    `events`; None: of every event there is."""
    from people.models import Account
    from people.web import DEVICE_EVENTS, DEVICE_PERSON
    from tournaments.models import EventRow

    def make(member: Member | None, *, events: Sequence[str] | None = None) -> Client:
        client = Client()
        if member is None:
            return client
        if member.username:
            client.force_login(Account.objects.get(username=member.username))
            return client
        session = client.session
        session[DEVICE_PERSON] = member.person_id
        there = EventRow.objects.values_list("pk", flat=True)
        session[DEVICE_EVENTS] = list(there if events is None else events)
        session.save()
        client.cookies["headjudge_session"] = session.session_key
        return client

    return make


@pytest.fixture
def make_house(
    olga: Member,
    alice: Member,
    bob: Member,
    charlie: Member,
    jude: Member,
    hedda: Member,
    client_of: Callable[..., Client],
) -> Callable[[], Any]:
    """Put the whole cast on the stage, once it is called (tests.portal.cast.House)."""
    from tests.portal.cast import set_house

    return partial(set_house, olga, alice, bob, charlie, jude, hedda, client_of)


@pytest.fixture
def house(make_house: Callable[[], Any]) -> Any:
    """The stage with the whole cast."""
    return make_house()
