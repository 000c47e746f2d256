"""One id leads from a request of a phone through its event and the background work to the message
that another program gets, in the log of a real server of two processes; and whichever process is
asked tells the figures of both."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families as read

from eventstore.ids import new_id
from eventstore.models import Event, OutboxRow
from portal.webhooks import services as webhooks
from tests.api.receiver import Receiver, receiving
from tests.browser import harness
from tests.live.conftest import Prepared
from tests.live.listening import session_of
from tools import services
from tournaments.models import MatchRow

GIVEN = "phone-of-table-7.0001"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SIGHT = 60
"""How many seconds what happens in the background may take on a busy machine."""
CSRF = "c" * 32


class Watched:
    """The server, its log, and a receiver of webhooks beside it."""

    def __init__(self, port: int, log: Path, receiver: Receiver) -> None:
        self.url, self.log, self.receiver = f"http://localhost:{port}", log, receiver

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> Any:
        """Send a request; a POST with a body."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, data=body, headers=named)
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as fault:
            return fault

    def lines(self) -> list[dict[str, Any]]:
        """The log, each line an object; one that is being written is none yet."""
        whole, _, _ = self.log.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def figures(self) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
        """The figures as Prometheus reads them."""
        text = self.ask("/metrics").read().decode()
        return {
            (one.name, tuple(sorted(one.labels.items()))): one.value
            for family in read(text)
            for one in family.samples
        }


@pytest.fixture
def watched(
    prepared: Prepared, tmp_path: Path, django_db_blocker: Any, settings: Any
) -> Iterator[Watched]:
    """The product as it is served: two processes, JSON lines, one folder of figures."""
    database, log, port = tmp_path / "site.sqlite3", tmp_path / "log", services.free_port()
    harness.copy_database(prepared.database, database)
    settings.DATA_DIR, settings.WEBHOOKS_PRIVATE = tmp_path, True
    env = harness.environment(database) | {
        "PORT": str(port), "BIND": "127.0.0.1", "WEB_WORKERS": "2", "WEBHOOKS_PRIVATE": "1",
        "LOG_FORMAT": "json", "LOG_LEVEL": "INFO", "TRUSTED_PROXIES": "127.0.0.1",
    }  # fmt: skip
    with (
        django_db_blocker.unblock(),
        harness.using_file(database),
        receiving() as receiver,
        log.open("w") as out,
    ):
        process = subprocess.Popen(
            [sys.executable, "-m", "config.server"],
            cwd=harness.ROOT, env=env, stdout=subprocess.PIPE, stderr=out, text=True,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            assert "Serving" in process.stdout.readline(), log.read_text()
            yield Watched(port, log, receiver)
        finally:
            services.stop(process)


def until(wanted: Any, watched: Watched) -> Any:
    """Wait for something that happens in the background."""
    limit = time.monotonic() + SIGHT
    while not (found := wanted()):
        assert time.monotonic() < limit, watched.log.read_text()
        time.sleep(0.05)
    return found


def test_one_id_from_a_request_to_the_webhook_and_figures_of_both_processes(
    watched: Watched, prepared: Prepared
) -> None:
    olga, event_id = prepared.cast["olga"], prepared.stage.event_id
    webhooks.webhook_add(
        olga.context(), webhook_id=new_id(), event_id=event_id, url=watched.receiver.url(),
        kinds=["call.raised"],
    )  # fmt: skip
    cookies = {"X_CSRFToken": CSRF, **session_of(prepared.cast["alice"], [event_id])}
    cookies["Cookie"] += f"; csrftoken={CSRF}"
    rows = MatchRow.objects.filter(event_id=event_id).exclude(state="decided")
    match_id = next(
        one.pk
        for one in rows
        if prepared.cast["alice"].person_id in one.persons[0] + one.persons[1]
    )
    before = Event.objects.count()
    answer = watched.ask(
        "/api/v1/calls",
        json.dumps({"match_id": match_id}).encode(),
        Content_Type="application/json", X_Request_ID=GIVEN, **cookies,
    )  # fmt: skip
    assert answer.status in (200, 201), answer.read()
    assert answer.headers["X-Request-ID"] == GIVEN
    made = list(Event.objects.filter(position__gt=before).values_list("body", flat=True))
    assert made
    metas = [json.loads(bytes(one))["meta"] for one in made]
    assert {one["correlation"] for one in metas} == {GIVEN}
    (_path, headers, _body) = until(lambda: watched.receiver.got, watched)[0]
    assert headers["x-request-id"] == GIVEN
    row = OutboxRow.objects.get(correlation=GIVEN)
    told = until(lambda: [one for one in watched.lines() if one.get("job") == row.pk], watched)
    assert {one["correlation"] for one in told} == {GIVEN}
    ours = [one for one in watched.lines() if one.get("correlation") == GIVEN]
    assert {one["logger"] for one in ours} >= {"access", "outbox"}
    (access,) = [one for one in ours if one["logger"] == "access"]
    assert access["route"].startswith("api:")
    assert (access["status"], access["person"]) == (answer.status, prepared.cast["alice"].person_id)
    assert access["queries"] > 0

    traced = watched.ask("/", traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")
    assert traced.headers["X-Request-ID"] == TRACE
    for odd in ("x", "a b c d e f g", "<script>alert(1)</script>", "y" * 65):
        assert len(watched.ask("/healthz", X_Request_ID=odd).headers["X-Request-ID"]) == 32
    forwarded = watched.ask("/healthz", X_Request_ID=GIVEN, X_Forwarded_For="192.168.1.9")
    assert forwarded.headers["X-Request-ID"] == GIVEN, "the proxy is the one that is believed"
    for path in ("/metrics", "/readyz"):
        hidden = watched.ask(path, X_Forwarded_For="127.0.0.1")
        assert b"headjudge" not in hidden.read()
        assert b"checks" not in hidden.read()

    key = ("headjudge_requests_total", (("route", "portal:home"), ("status", "2xx")))
    at = watched.figures().get(key, 0.0)
    for _ in range(12):
        watched.ask("/").read()
    counted = [watched.figures() for _ in range(4)]
    assert {one[key] for one in counted} == {at + 12}, "whoever is asked"
    assert counted[-1][("headjudge_processes", ())] == 2
    commands = [one for one in counted[-1] if one[0] == "headjudge_commands_total"]
    assert ("command", "judging.call_raise") in {label for one in commands for label in one[1]}
    assert all(isinstance(one, dict) for one in watched.lines()), "every line is an object"
