"""The figures for Prometheus count what happened, under names of the house only."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families as read

from cards.models import Card
from config import metrics, slow
from config.logs import Blotting, JsonLines
from eventstore import correlation, health, measures
from eventstore.commands import CommandReused, Context
from eventstore.domain.refusal import Refused
from eventstore.models import Event
from people.access import NotAllowed, require
from people.domain.actor import ANONYMOUS, SYSTEM
from people.models import Person
from tests.eventstore.sample import number_add
from tests.portal.cast import House
from tests.portal.test_routes import table

Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]
pytestmark = pytest.mark.django_db


def figures() -> Figures:
    """Every sample there is, by name and labels."""
    health._kept = None
    answer = Client().get("/metrics", REMOTE_ADDR="127.0.0.1", HTTP_HOST="localhost")
    return {
        (one.name, tuple(sorted(one.labels.items()))): one.value
        for family in read(answer.content.decode())
        for one in family.samples
    }


def grown(before: Figures, name: str, **labels: str) -> float:
    """By how much a figure has grown."""
    key = (f"headjudge_{name}", tuple(sorted(labels.items())))
    return figures().get(key, 0.0) - before.get(key, 0.0)


def test_commands_are_counted_by_how_they_ended() -> None:
    before = figures()
    context = Context(actor=SYSTEM, source="system")
    number_add(context, stream="thing-a", number=1)
    number_add(context, stream="thing-a", number=1)
    with pytest.raises(CommandReused):
        number_add(context, stream="thing-a", number=2)
    with pytest.raises(Refused):
        number_add(Context(SYSTEM, "system"), stream="thing-a", number=0)
    with pytest.raises(RuntimeError):
        number_add(Context(SYSTEM, "system"), stream="thing-a", number=5, fail=True)
    outcomes = ("done", "repeated", "reused", "refused", "error")
    counted = [
        grown(before, "commands_total", command="sample.number_add", outcome=one)
        for one in outcomes
    ]
    assert counted == [1, 1, 1, 1, 1]
    assert grown(before, "refusals_total", rule="sample.zero") == 1
    assert grown(before, "events_appended_total") == 1
    assert grown(before, "append_seconds_count") == 1
    assert grown(before, "log_position") == 1


def test_what_the_permission_table_denies_is_told_apart() -> None:
    with pytest.raises(NotAllowed) as denied:
        require(ANONYMOUS, "people.person_erase")
    assert measures.outcome_of(denied.value) == "denied"


def test_requests_are_counted_by_route_and_class() -> None:
    before = figures()
    Client().get("/")
    Client().get("/there/is/no/such/page/")
    Client().get("/join/secret-of-somebody/")
    assert grown(before, "requests_total", route="portal:home", status="2xx") == 1
    assert grown(before, "requests_total", route="unmatched", status="4xx") == 1
    assert grown(before, "request_seconds_count", route="portal:home") == 1
    assert not [key for key in figures() if "secret-of-somebody" in str(key)]


def test_a_set_of_labels_does_not_grow_for_ever() -> None:
    for number in range(metrics.LABELS_AT_MOST + 50):
        metrics.bounded("made up", f"name {number}")
    assert metrics.bounded("made up", "one more") == metrics.OTHER
    assert metrics.bounded("made up", "name 7") == "name 7"


def test_the_lag_of_followers_is_told_in_events_and_seconds() -> None:
    number_add(Context(actor=SYSTEM, source="system"), stream="thing-a", number=1)
    behind = {one.name: one for one in health.lags()}["portal.webhooks"]
    assert behind.events == Event.objects.count() >= 1
    assert behind.seconds > 0
    assert not behind.failing
    key = ("headjudge_follower_lag_events", (("follower", "portal.webhooks"),))
    assert figures()[key] == behind.events


def test_no_card_no_name_and_no_id_is_in_figures_and_logs(
    make_house: Callable[[], House],
) -> None:
    """A player and a judge read everything of a duel whose hands are hidden."""
    plain, objects = io.StringIO(), io.StringIO()
    handlers = [logging.StreamHandler(plain), logging.StreamHandler(objects)]
    handlers[0].setFormatter(Blotting())
    handlers[1].setFormatter(JsonLines())
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.DEBUG)
    for one in handlers:
        root.addHandler(one)
    access = logging.getLogger("access")
    usual = access.level
    access.setLevel(logging.INFO)
    try:
        house = make_house()
        places = [line.route for line in table() if line.method == "GET"]
        for name in ("alice", "judge"):
            for route in [one for one in places if "duel" in one]:
                house.clients[name].get(house.address(route))
        scraped = Client().get("/metrics", REMOTE_ADDR="127.0.0.1", HTTP_HOST="localhost")
    finally:
        access.setLevel(usual)
        root.setLevel(level)
        for one in handlers:
            root.removeHandler(one)
    cards = [(card.name, str(card.pk)) for card in Card.objects.all()]
    people = [one.display_name for one in Person.objects.all() if len(one.display_name) > 4]
    told, counted = plain.getvalue() + objects.getvalue(), scraped.content.decode()
    assert "route='duels:" in told, "the duels were read"
    assert len(cards) > 100
    for name, number in cards:
        assert name not in told + counted
        assert not re.search(rf"\b{number}\b", told + counted)
    assert [one for one in people if one in counted] == []
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", counted)


def test_slow_statements_are_logged_without_their_values(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    from django.db import connection

    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.addHandler(handler)
    before = figures()
    connection.ensure_connection()
    (watching,) = [one for one in connection.execute_wrappers if isinstance(one, slow.Watching)]
    monkeypatch.setattr(watching, "slow_seconds", 0.0)
    try:
        with correlation.following("trace-me-1"):
            Person.objects.filter(display_name="Alice of the secret").exists()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 'a secret', %s", ["another"])
    finally:
        root.removeHandler(handler)
    first, second = written.getvalue().splitlines()
    assert '"correlation": "trace-me-1"' in first
    assert "people_person" in first
    assert "secret" not in first
    assert "SELECT '?', %s" in second
    assert "another" not in second
    monkeypatch.setattr(watching, "slow_seconds", 99.0)
    assert grown(before, "slow_statements_total") == 2
