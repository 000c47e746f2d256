"""Statements that PostgreSQL knows by name: what a command fetched ahead counts while it holds, and
what its projectors wrote is seen by whoever asks and is gone with the command."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import (
    DatabaseError,
    IntegrityError,
    OperationalError,
    connection,
    connections,
    transaction,
)
from django.test.utils import CaptureQueriesContext

from eventstore import named, store
from eventstore.ahead import ahead
from eventstore.commands import Context, Unit, command
from eventstore.faults import NotDone
from eventstore.ids import new_id
from eventstore.models import CommandOutcome, projector_writes
from eventstore.named import Server, Statement
from eventstore.prepared import Bound, Prepared, PreparedInsert, PreparedUpdate, ask, prepared
from people.domain.actor import SYSTEM
from portal.models import LiveSubject
from tests.conftest import Member
from tests.eventstore.sample import NumberAdded
from tests.helpers import rebuilds_equal
from tests.tournaments.conftest import Running
from tournaments import services
from tournaments.models import MatchRow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.pg]

Body = Callable[[Unit], Any]
STREAM = "thing-a"
ROOMS = ("eventstore", "people", "cards", "decks", "duels", "tournaments", "judging", "portal")


@prepared
def named_rows(key: Any) -> Any:
    return LiveSubject.objects.filter(pk=key).order_by().values_list("event_id", "shown")


@prepared
def shown_keys(event_id: Any) -> Any:
    rows = LiveSubject.objects.filter(event_id=event_id, shown=True).order_by("key")
    return rows.values_list("key", flat=True)


show = PreparedUpdate(LiveSubject, "shown")
insert = PreparedInsert(LiveSubject)


@ahead("sample.ahead_do")
def _known(*, key: str, **_: Any) -> list[Bound | Statement]:
    return [named_rows.bind(key), shown_keys.bind("e"), store.whole(STREAM)]


@command("sample.ahead_do")
def ahead_do(unit: Unit, *, key: str, at: int) -> str:
    """Do what the test left under that number; `key` is looked up ahead."""
    _bodies[at](unit)
    return key


_bodies: list[Body] = []


def do(body: Body, key: str = "match:1", **values: Any) -> None:
    """Run a body as a command, whose projectors' leave it has."""
    _bodies.append(body)
    context = Context(actor=SYSTEM, source="system", **values)
    with projector_writes():
        ahead_do(context, key=key, at=len(_bodies) - 1)


@pytest.fixture(autouse=True)
def subject() -> None:
    with projector_writes():
        LiveSubject.objects.create(key="match:1", event_id="e", persons=["a"], shown=False)


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many statements went on each way to the server."""
    counts: list[int] = []
    usual = Server.ask

    def counted(self: Server, items: Any) -> Any:
        counts.append(len(items))
        return usual(self, items)

    monkeypatch.setattr(Server, "ask", counted)
    return counts


def whole() -> None:
    """Nothing is left of a command on the connection, and it works."""
    database = connections["default"]
    assert getattr(database, "eventstore_turn", None) is None
    assert not connection.in_atomic_block
    assert named_rows("none") == []


def numbers() -> list[Any]:
    """The numbers in the stream of the tests."""
    return [getattr(one.data, "number", None) for one in store.read_stream(STREAM)]


needs_postgresql = pytest.mark.skipif(
    "connection.vendor != 'postgresql'", reason="only PostgreSQL knows statements by name"
)


@needs_postgresql
def test_what_is_known_ahead_and_what_waits_need_no_way_of_their_own(ways: list[int]) -> None:
    def body(unit: Unit) -> None:
        assert named_rows("match:1") == [("e", False)]
        assert ask(shown_keys.bind("e"), named_rows.bind("match:1")) == [[], [("e", False)]]
        assert store.read_stream(STREAM) == []
        show("match:1", True)
        insert(LiveSubject(key="match:2", event_id="e", persons=[]))
        unit.append(STREAM, 0, [NumberAdded(1)])

    named_rows("match:1")
    ways.clear()
    do(body)
    # begin, turn and three look-ups; two writes, event, outcome and commit
    assert ways == [5, 5]
    assert named_rows("match:1") == [("e", True)]
    assert named_rows("match:2") == [("e", False)]
    whole()


def _write_by_projector() -> None:
    show("match:1", True)


def _write_by_django() -> None:
    LiveSubject.objects.filter(pk="match:1").update(shown=True)


def _write_by_hand() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE portal_live_subject SET shown = %s WHERE key = 'match:1'", [True])


def _look_again() -> list[str]:
    return shown_keys("e")


def _look_by_django() -> list[str]:
    return list(LiveSubject.objects.filter(event_id="e", shown=True).values_list("pk", flat=True))


def _look_by_hand() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT key FROM portal_live_subject WHERE shown")
        return [key for (key,) in cursor.fetchall()]


def _look_by_the_store() -> list[str]:
    database = connections["default"]
    sql = "SELECT key FROM portal_live_subject WHERE shown AND event_id = %s"
    found = named.ask(database, [Statement(sql, ["e"])])
    return _look_again() if found is None else [key for (key,) in found[0]]


@pytest.mark.parametrize("write", [_write_by_projector, _write_by_django, _write_by_hand])
@pytest.mark.parametrize("look", [_look_again, _look_by_django, _look_by_hand, _look_by_the_store])
@pytest.mark.parametrize("asked", [False, True])
def test_a_command_sees_what_it_wrote(
    write: Callable[[], None], look: Callable[[], list[str]], asked: bool
) -> None:
    seen: list[Any] = []

    def body(unit: Unit) -> None:
        if asked:
            seen.append(look())
        write()
        seen.append(look())
        show("match:1", False)
        seen.append(look())
        unit.append(STREAM, 0, [NumberAdded(1)])
        seen.append(numbers())

    do(body)
    assert seen[-3:] == [["match:1"], [], [1]]
    assert seen[:-3] == ([[]] if asked else [])
    assert named_rows("match:1") == [("e", False)]
    whole()


def test_what_a_savepoint_undoes_was_never_written() -> None:
    seen: list[Any] = []

    def body(unit: Unit) -> None:
        insert(LiveSubject(key="match:2", event_id="e", persons=[], shown=True))
        with pytest.raises(KeyError), transaction.atomic():
            show("match:1", True)
            seen.append(shown_keys("e"))
            raise KeyError
        seen.append(shown_keys("e"))
        with transaction.atomic():
            insert(LiveSubject(key="match:3", event_id="e", persons=[], shown=True))
        seen.append(shown_keys("e"))

    do(body)
    assert seen == [["match:1", "match:2"], ["match:2"], ["match:2", "match:3"]]
    assert shown_keys("e") == ["match:2", "match:3"]
    whole()


def test_a_command_that_fails_takes_what_waited_with_it() -> None:
    def body(unit: Unit) -> None:
        show("match:1", True)
        unit.append(STREAM, 0, [NumberAdded(1)])
        raise KeyError

    with pytest.raises(KeyError):
        do(body)
    assert named_rows("match:1") == [("e", False)]
    assert store.read_stream(STREAM) == []
    whole()


@pytest.mark.parametrize("asked", [False, True])
def test_a_write_that_the_database_refuses_undoes_the_command(asked: bool) -> None:
    """Whether it is sent with the end of the command or before the next query."""

    def body(unit: Unit) -> None:
        unit.append(STREAM, 0, [NumberAdded(1)])
        show("match:1", True)
        insert(LiveSubject(key="match:1", event_id="e", persons=[]))
        if asked:
            named_rows("match:2")

    with pytest.raises(IntegrityError):
        do(body, command_id="one")
    assert named_rows("match:1") == [("e", False)]
    assert store.read_stream(STREAM) == []
    assert not CommandOutcome.objects.filter(command="one").exists()
    whole()
    do(lambda unit: show("match:1", True), command_id="one")
    assert named_rows("match:1") == [("e", True)]


def test_a_value_that_cannot_be_kept_is_told_at_once_and_harms_nothing() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite keeps any text")
    with pytest.raises(DatabaseError):
        named_rows("one\x00two")
    with pytest.raises(DatabaseError):
        do(lambda unit: None, key="one\x00two")
    whole()
    do(lambda unit: show("match:1", True))
    assert named_rows("match:1") == [("e", True)]


def test_a_look_up_begins_the_transaction_that_django_has_announced() -> None:
    with pytest.raises(KeyError), transaction.atomic():
        assert shown_keys("e") == []
        with projector_writes():
            show("match:1", True)
        assert shown_keys("e") == ["match:1"]
        raise KeyError
    assert shown_keys("e") == []


def test_recorded_queries_take_the_long_way_to_the_same_rows() -> None:
    def body(unit: Unit) -> None:
        assert shown_keys("e") == []
        show("match:1", True)
        assert ask(named_rows.bind("match:1"), shown_keys.bind("e")) == [[("e", True)], ["match:1"]]
        unit.append(STREAM, 0, [NumberAdded(1)])

    with CaptureQueriesContext(connection) as queries:
        do(body)
    assert sum("portal_live_subject" in one["sql"] for one in queries.captured_queries) >= 3
    assert named_rows("match:1") == [("e", True)]
    whole()


def test_a_percent_sign_in_a_statement_is_one() -> None:
    database = connections["default"]
    found = named.ask(database, [Statement("SELECT 'a%%b%%s' || CAST(%s AS text)", ["%s"])])
    if connection.vendor == "postgresql":
        assert found == [[("a%b%s%s",)]]
    else:
        assert found is None


@needs_postgresql
@pytest.mark.parametrize(
    "meanwhile",
    [
        "ALTER TABLE named_sample ALTER COLUMN number TYPE text",
        "DEALLOCATE ALL",
    ],
)
def test_a_connection_whose_names_are_stale_is_left_for_a_new_one(meanwhile: str) -> None:
    look = Statement("SELECT number FROM named_sample WHERE number::text = %s", ["1"])
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE named_sample AS SELECT 1 AS number")
    try:
        database = connections["default"]
        assert named.ask(database, [look]) == [[(1,)]]
        with connection.cursor() as cursor:
            cursor.execute(meanwhile)
        with pytest.raises(OperationalError):  # a page asks to be loaded again
            named.ask(database, [look])
        connection.close_if_unusable_or_obsolete()  # as at the end of each request
        (rows,) = named.ask(database, [look]) or []
        assert [str(number) for (number,) in rows] == ["1"]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE named_sample")


@needs_postgresql
@pytest.mark.parametrize("within", [False, True])
def test_a_command_whose_names_are_stale_was_not_done_and_can_be_sent_again(within: bool) -> None:
    def forget(unit: Unit | None = None) -> None:
        connection.connection.pgconn.exec_(b"DEALLOCATE ALL")
        show("match:1", True)

    do(lambda unit: show("match:1", False))
    if within:
        with pytest.raises(NotDone):
            do(forget, command_id="one")
    else:
        with projector_writes(), pytest.raises(OperationalError):
            forget()
        connection.close_if_unusable_or_obsolete()  # as at the end of each request
    whole()
    assert named_rows("match:1") == [("e", False)]
    do(lambda unit: show("match:1", True), command_id="one")
    assert named_rows("match:1") == [("e", True)]


def every_look_up() -> Iterator[tuple[str, Prepared]]:
    """Each prepared look-up of the product, with its name."""
    for app in ROOMS:
        room = importlib.import_module(app)
        for module in pkgutil.walk_packages(room.__path__, f"{app}."):
            if ".migrations" in module.name or ".management" in module.name:
                continue
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, Prepared):
                    yield f"{module.name}.{name}", value


@needs_postgresql
def test_the_server_understands_every_prepared_look_up() -> None:
    """The types of most values are not told: it has to find them itself."""
    found = dict(every_look_up())
    assert len(found) > 30
    database = connections["default"]
    for name, look_up in found.items():
        kinds = [one.kind for one in inspect.signature(look_up._make).parameters.values()]
        several = inspect.Parameter.VAR_POSITIONAL in kinds
        fixed = len(kinds) - several
        for number in (fixed + 1, fixed + 3) if several else (fixed,):
            written = look_up.written(database, number)
            text = named.numbered(written.sql).decode()
            with connection.cursor() as cursor:
                try:
                    cursor.execute(f"PREPARE one AS {text}")
                    cursor.execute("DEALLOCATE one")
                except DatabaseError as fault:
                    pytest.fail(f"{name}: {fault}")


@needs_postgresql
def test_a_report_is_two_ways_to_the_server_and_one_that_decides_four(
    olga: Member, ways: list[int]
) -> None:
    """Begin with all that is looked up, end with all that is written; between them a decision reads
    the match again, and whether it was the last of its round."""
    with projector_writes():
        LiveSubject.objects.all().delete()  # of no event
    event = Running(olga, new_id())
    services.event_create(event.staff(), event_id=event.event_id, name="Cup", decks_required=False)
    event.run(services.registration_open)
    event.enrol("Alice", "Bob", "Charlie", "Dora")
    event.run(services.registration_close)
    event.run(services.event_start)
    event.pair()
    event.run(services.clock_start, minutes=50)
    row = event.matches(1)[0]
    names = {one: name for name, one in event.entrants.items()}
    claims = [(names[row.p1], [2, 0, 0]), (names[row.p2], [2, 0, 0])]
    counts = []
    for name, score in claims:
        ways.clear()
        services.result_claim(event.player(name), match_id=row.pk, score=score)
        counts.append(len(ways))
    assert counts == [2, 4]
    assert MatchRow.objects.get(pk=row.pk).state == "decided"
    assert rebuilds_equal("tournaments.board", "portal.live") > 0
