"""The desk of an event at a convention: the first open tables and the way to the others. What it
counts is counted, and what it does not show is not read."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import unescape
from typing import Any

import pytest
from django.test import Client

from eventstore.models import projector_writes
from tests.helpers import queries, query_count
from tests.tournaments.conftest import Running
from tests.tournaments.halls import grow
from tournaments import services
from tournaments.models import MatchRow
from tournaments.selectors import MOST_OPEN

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]
TABLES = MOST_OPEN + 20
CONTEST = {
    "seat": "P2",
    "by": "",
    "winner": "P2",
    "score": [0, 2, 0],
    "reason": "played",
    "drops": [],
    "at": "2026-05-01T10:00:00.000000Z",
}


@pytest.fixture
def event(make_event: Make) -> Running:
    """Four players, round 1 out; `grow` makes it a hall."""
    event = make_event(4, start=True)
    event.pair()
    return event


@pytest.fixture
def desk(event: Running, client_of: Callable[..., Client]) -> Callable[[], str]:
    """Open the desk: its HTML."""
    client, path = client_of(event.olga), f"/staff/events/{event.event_id}/"
    return lambda: client.get(path).content.decode()


def put(*tables: int, **values: Any) -> None:
    """Let these tables of the hall stand so."""
    with projector_writes():
        MatchRow.objects.filter(table__in=tables).update(**values)


def shown(body: str) -> list[int]:
    """The open tables that are listed, as they stand in the HTML."""
    return [int(one) for one in re.findall(r'aria-label="Enter the result of table (\d+)"', body)]


def text(body: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_of_many_open_tables_the_first_stand_there_and_a_line_leads_to_the_others(
    event: Running, desk: Callable[[], str], client_of: Callable[..., Client]
) -> None:
    with projector_writes():
        grow(event, TABLES)
    results = f"/staff/events/{event.event_id}/results/?state=open"
    body = desk()
    assert shown(body) == list(range(1, MOST_OPEN + 1))
    assert f"{TABLES} tables are open" in text(body)
    assert f"0 of {TABLES} tables done" in text(body)
    assert re.search(rf'href="{re.escape(results)}[^>]*>20 more open tables</a>', body)

    put(58, 60, state="disputed")
    put(1, 59, state="decided", winner="P1", p1_wins=2)
    put(59, contests=[CONTEST])
    body = desk()
    assert shown(body) == [58, 60, *range(2, MOST_OPEN)]
    assert "18 more open tables" in text(body)
    assert f"2 of {TABLES} tables done" in text(body)
    todo = re.findall(r"Table (\d+): two results", body)
    assert todo == ["58", "60", "59"], "what both players say before what stands already"
    # the line keeps its promise, and other programs still get all of them by number
    found = client_of(event.olga).get(results).content.decode()
    assert set(range(2, 59)) == {int(one) for one in re.findall(r"Open table (\d+)", found)} - {60}
    answer = client_of(event.olga).get(f"/api/v1/events/{event.event_id}/desk").json()
    assert [one["table"] for one in answer["open_tables"]] == [*range(2, 59), 60]

    # one left over, then none: as many as are shown stand by number, the disputed in their places
    put(*range(2, 19), state="decided", winner="P2", p2_wins=2)
    assert "1 more open table" in text(desk())
    put(19, state="decided", winner="P2", p2_wins=2)
    body = desk()
    assert shown(body) == [*range(20, 59), 60]
    assert "more open table" not in body
    assert body.count('class="lit"') == 2


def test_many_conflicts_are_counted_and_the_first_stand_among_what_is_to_do(
    event: Running, desk: Callable[[], str]
) -> None:
    with projector_writes():
        grow(event, TABLES)
    put(*range(1, TABLES + 1), state="decided", winner="P1", p1_wins=2, contests=[CONTEST])
    body = desk()
    assert shown(body) == []
    assert "Entered twice, and not the same" in body
    assert "Pair the next round" not in body
    assert re.findall(r"Table (\d+): two results", body) == [
        str(one) for one in range(1, MOST_OPEN + 1)
    ]
    assert f"{TABLES} conflicts List all" in text(body)
    put(*range(1, TABLES), contests=[])
    body = desk()
    assert re.findall(r"Table (\d+): two results", body) == [str(TABLES)]
    assert "List all" not in body
    put(TABLES, contests=[])
    assert "Pair the next round" in desk()


def test_a_long_draft_shows_its_first_tables(
    make_event: Make, client_of: Callable[..., Client]
) -> None:
    event = make_event(4, start=True)
    event.run(services.round_pair, seed=1)
    with projector_writes():
        grow(event, TABLES)
    path = f"/staff/events/{event.event_id}/"
    client = client_of(event.olga)
    with queries(at_most=30) as seen:
        body = client.get(path).content.decode()
    tables = re.findall(r'<span class="plate">(\d+)</span>', body)
    assert tables == [str(one) for one in range(1, MOST_OPEN + 1)]
    assert f"1 to {MOST_OPEN} of {TABLES}" in text(body)
    assert "table done" not in body
    _bounded(seen)


def test_sixty_tables_and_five_hundred_cost_the_same_queries(
    event: Running, desk: Callable[[], str], client_of: Callable[..., Client]
) -> None:
    client = client_of(event.olga)
    read = partial(client.get, f"/api/v1/events/{event.event_id}/desk")
    counts: list[list[int]] = []
    for tables in (TABLES, 500):
        with projector_writes():
            grow(event, tables)
        put(3, 7, state="disputed")
        put(5, tables, state="decided", winner="P1", contests=[CONTEST])
        desk()
        counts.append([query_count(desk), query_count(read)])
    assert counts[0] == counts[1]
    with queries(at_most=30) as seen:
        desk()
    _bounded(seen)


def _bounded(seen: list[str]) -> None:
    """No table is read but to be shown, and no name but of who sits there."""
    read = [one for one in seen if 'FROM "tournaments_match"' in one and "COUNT(" not in one]
    assert read
    assert [one for one in read if f"LIMIT {MOST_OPEN}" not in one] == []
    named = [one for one in seen if 'FROM "people_person"' in one]
    assert max(one.count(",") for one in named) < 2 * MOST_OPEN + 10
