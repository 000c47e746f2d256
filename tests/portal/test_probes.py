"""/healthz, /readyz and /metrics: what they find, and whom they tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection, connections
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families as read

from eventstore import clock, health, periodic, subscriptions
from eventstore.health import Check
from portal import server, words
from tests.conftest import Member
from tests.helpers import query_count
from tools.services import free_port

TOKEN = "a token that nobody guesses"
FAR = {"REMOTE_ADDR": "192.168.1.20", "HTTP_HOST": "192.168.1.2:8000"}
NEAR = {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost:8000"}


@pytest.fixture(autouse=True)
def looked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer of another test is kept."""
    monkeypatch.setattr(health, "_kept", None)
    monkeypatch.setattr(health, "KEEP_SECONDS", -1.0)


def check(name: str) -> dict[str, Any]:
    """What /readyz tells this machine of one check, with the status of the answer."""
    answer = Client().get("/readyz", **NEAR)
    found = {one["name"]: one for one in answer.json()["checks"]}
    return {"status": answer.status_code, **found[name]}


def test_being_alive_touches_nothing() -> None:
    answer = Client().get("/healthz", HTTP_HOST="whatever.example")  # no database in this test
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert not answer.cookies
    assert answer.headers["Cache-Control"] == "no-store"
    assert Client().post("/healthz").status_code == 405
    assert Client().get("/healthz/").status_code == 404, "an address like any other"


@pytest.mark.django_db
@pytest.mark.pg
def test_a_house_that_is_well_is_ready_and_strangers_learn_no_more() -> None:
    answer = Client().get("/readyz", **FAR)
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    names = [one["name"] for one in Client().get("/readyz", **NEAR).json()["checks"]]
    assert {"database", "migrations", "triggers", "log", "disk"} <= set(names)
    assert not answer.cookies


@pytest.mark.django_db
def test_who_asks_often_does_not_ask_the_database_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "KEEP_SECONDS", 60.0)
    assert query_count(lambda: Client().get("/readyz")) > 0
    assert query_count(lambda: [Client().get("/readyz") for _ in range(5)]) == 0


def test_a_look_that_hangs_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "WAIT_SECONDS", 0.01)
    with health._lock:  # as while the database does not answer; no database in this test
        answer = Client().get("/readyz", **NEAR)
    assert answer.status_code == 503
    assert answer.json()["checks"] == [{"name": "database", "state": "down", "code": "slow"}]


@pytest.mark.django_db
@pytest.mark.pg
def test_a_log_that_is_not_guarded_is_not_ready() -> None:
    with connection.cursor() as cursor:
        of = " ON eventstore_event" if connection.vendor == "postgresql" else ""
        cursor.execute(f"DROP TRIGGER eventstore_event_update{of}")
    assert check("triggers") == {
        "status": 503, "name": "triggers", "state": "down", "code": "missing",
        "missing": ["eventstore_event_update"],
    }  # fmt: skip
    assert Client().get("/readyz", **FAR).json() == {"status": "not ok"}


@pytest.mark.django_db
@pytest.mark.pg
def test_a_database_of_older_programs_is_not_ready() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'portal'")
    found = check("migrations")
    assert (found["status"], found["code"]) == (503, "unapplied")
    assert all(name.startswith("portal.") for name in found["missing"])


@pytest.fixture
def database_away(tmp_path: Path) -> Iterator[None]:
    """The default connection leads nowhere."""
    usual = connections["default"]
    ours = connections.create_connection("default")
    nowhere = str(tmp_path / "not there" / "x.sqlite3")
    ours.settings_dict = {**ours.settings_dict, "NAME": nowhere}
    connections["default"] = ours
    yield
    connections["default"] = usual


@pytest.mark.django_db
def test_without_its_database_it_is_alive_and_not_ready(
    database_away: None, django_db_blocker: Any
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("the path of a file is what leads nowhere here")
    with pytest.raises(OperationalError):
        connection.cursor()
    found = check("database")
    assert (found["status"], found["state"], found["fault"]) == (503, "down", "OperationalError")
    assert Client().get("/healthz").status_code == 200
    scraped = Client().get("/metrics", **NEAR)
    assert scraped.status_code == 200, "figures of the process are told all the same"
    assert "headjudge_ready 0.0" in scraped.content.decode()


@pytest.mark.django_db
def test_room_that_runs_short_is_told_and_room_that_is_gone_is_not_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "DISK_SHORT", 1 << 62)
    found = check("disk")
    assert (found["status"], found["state"], found["code"]) == (200, "degraded", "short")
    monkeypatch.setattr(health, "DISK_FULL", 1 << 62)
    found = check("disk")
    assert (found["status"], found["state"], found["code"]) == (503, "down", "full")


@pytest.mark.django_db
def test_a_redis_that_is_away_is_told_and_stops_nothing(settings: Any) -> None:
    settings.REDIS_URL = ""
    assert "redis" not in {one.name for one in health.look().checks}, "none is configured"
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    found = check("redis")
    assert (found["status"], found["state"]) == (200, "degraded")


STRANGERS = [
    FAR,
    {**NEAR, "HTTP_X_FORWARDED_FOR": "127.0.0.1"},
    {**NEAR, "HTTP_FORWARDED": "for=127.0.0.1"},
    {**NEAR, "HTTP_HOST": "evil.example"},
    {**NEAR, "HTTP_HOST": "localhost.evil.example:80"},
    {**NEAR, "HTTP_HOST": "localhost:80@evil.example"},
    {**NEAR, "HTTP_HOST": "localhost,evil.example"},
    {**NEAR, "REMOTE_ADDR": ""},
    {**FAR, "HTTP_HOST": "localhost"},
    {**FAR, "HTTP_AUTHORIZATION": "Bearer wrong"},
    {**FAR, "HTTP_AUTHORIZATION": f"Basic {TOKEN}"},
    {**FAR, "HTTP_AUTHORIZATION": "Bearer"},
]
KNOWN = [
    NEAR,
    {**NEAR, "HTTP_HOST": "127.0.0.1"},
    {"REMOTE_ADDR": "::1", "HTTP_HOST": "[::1]:8000"},
    {**FAR, "HTTP_AUTHORIZATION": f"Bearer {TOKEN}"},
]


@pytest.mark.django_db
@pytest.mark.parametrize("asked", STRANGERS)
def test_figures_are_not_there_for_strangers(settings: Any, asked: dict[str, str]) -> None:
    settings.METRICS_TOKEN = TOKEN
    answer = Client().get("/metrics", **asked)
    assert answer.status_code == 404
    assert b"headjudge" not in answer.content
    assert set(Client().get("/readyz", **asked).json()) == {"status"}


@pytest.mark.django_db
@pytest.mark.parametrize("asked", KNOWN)
def test_figures_are_for_this_machine_and_for_who_has_the_token(
    settings: Any, asked: dict[str, str]
) -> None:
    settings.METRICS_TOKEN = TOKEN
    answer = Client().get("/metrics", **asked)
    assert answer.status_code == 200
    names = {one.name for one in read(answer.content.decode())}
    assert {"headjudge_ready", "headjudge_requests", "headjudge_log_position"} <= names
    assert "checks" in Client().get("/readyz", **asked).json()


@pytest.mark.django_db
def test_without_a_token_no_word_is_one(settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    for given in ("Bearer ", "Bearer", "Bearer x", ""):
        asked = {**FAR, "HTTP_AUTHORIZATION": given}
        assert Client().get("/metrics", **asked).status_code == 404


@pytest.mark.django_db
def test_the_site_s_organiser_reads_it_in_words(
    olga: Member, charlie: Member, client_of: Callable[..., Client]
) -> None:
    page = client_of(olga).get("/staff/server/").content.decode()
    assert "The database refuses every change to what was recorded." in page
    assert "What follows the log" in page
    assert client_of(charlie).get("/staff/server/").status_code == 403
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'portal'")
    page = client_of(olga).get("/staff/server/").content.decode()
    assert "Out of order" in page
    assert "Stop the server and run manage.py migrate." in page
    assert "What follows the log" not in page, "what is read from those tables is left out"


CHECKS = [
    Check("database", health.OK, "", {"kind": "sqlite", "ms": 1.2}),
    Check("database", health.DOWN, "failed", {"fault": "OperationalError"}),
    Check("migrations"),
    Check("migrations", health.DOWN, "unapplied", {"missing": ["portal.0001_live"], "count": 1}),
    Check("triggers"),
    Check("triggers", health.DOWN, "missing", {"missing": ["x"]}),
    Check("log", health.OK, "", {"position": 7}),
    Check("disk", health.OK, "", {"free": 5 << 30, "total": 9 << 30}),
    Check("disk", health.DEGRADED, "short", {"free": 5 << 20, "total": 9 << 30}),
    Check("disk", health.DOWN, "full", {"free": 5 << 10, "total": 9 << 30}),
    Check("background", health.OK, "", {"kind": "none"}),
    Check("background", health.OK, "", {"kind": "thread", "seconds": 4.2}),
    Check("background", health.DEGRADED, "never", {"kind": "celery"}),
    Check("background", health.DEGRADED, "silent", {"kind": "celery", "seconds": 7300.0}),
    Check("backup", health.OK, "none"),
    Check("backup", health.OK, "", {"seconds": 40}),
    Check("backup", health.DEGRADED, "never"),
    Check("backup", health.DEGRADED, "absent", {"seconds": 400}),
    Check("redis"),
    Check("redis", health.DEGRADED, "silent"),
]


def test_each_follower_has_a_name() -> None:
    own = [name for name in subscriptions.registered() if not name.startswith("sample.")]
    assert [name for name in own if name not in words.WORDS["follower"]] == []


def test_each_finding_has_a_sentence_of_its_own() -> None:
    told = [server.sentence(one) for one in CHECKS]
    assert len(set(told)) == len(told)
    assert not [one for one in told if "%" in one]
    assert "2 hours ago" in told[13]
    assert "None is done by this server." in told


@pytest.mark.django_db
def test_background_work_that_is_silent_is_told(settings: Any) -> None:
    assert check("background")["kind"] == "none", "as these tests run"
    settings.BACKGROUND = "thread"
    assert check("background")["code"] == "never"
    periodic.turn()
    assert check("background")["state"] == "ok"
    with clock.clock_set(lambda: datetime.now(UTC) + timedelta(minutes=5)):
        found = check("background")
    assert (found["status"], found["state"], found["code"]) == (200, "degraded", "silent")
    assert found["seconds"] > 290
