"""The desk's page of results at a convention: a page of the tables at a time, filters, the way to
one table, and a line for any of them. The tables of a long round are counted, not read."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.test import Client

from eventstore.ids import new_id
from eventstore.models import projector_writes
from people.merging import public_name_set
from tests.conftest import Member, make_member
from tests.helpers import queries, query_count
from tests.tournaments.conftest import Running
from tests.tournaments.halls import grow
from tournaments import services
from tournaments.models import MatchRow
from tournaments.pages.common import PAGE_SIZE
from tournaments.selectors.results import MOST_CLASHES

pytestmark = pytest.mark.django_db
Make = Callable[..., Running]
TABLES = PAGE_SIZE + 5


class Desk:
    """A browser at the page of results of round 1."""

    def __init__(self, event: Running, client: Client) -> None:
        self.event, self.client = event, client
        self.path = f"/staff/events/{event.event_id}/results/"

    def at(self, **asked: Any) -> str:
        """An address of the page."""
        return f"{self.path}?{urlencode({'round': 1, **asked})}"

    def get(self, **asked: Any) -> Any:
        """Open the page; its answer."""
        answer = self.client.get(self.at(**asked))
        assert answer.status_code == 200
        return answer

    def tables(self, **asked: Any) -> list[int]:
        """The numbers of the tables that the list shows, as they stand in the HTML."""
        body = self.get(**asked).content.decode()
        return [int(one) for one in re.findall(r'aria-label="Open table (\d+)"', body)]

    def text(self, **asked: Any) -> str:
        """The page as it is read, in one line."""
        body = self.get(**asked).content.decode()
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())

    def enter(self, line: str, **asked: Any) -> Any:
        """Send a line from a page of the list, without script."""
        values = {"act": "line", "line": line, "nonce": new_id()}
        return self.client.post(self.at(**asked), values)


@pytest.fixture
def desk(make_event: Make, client_of: Callable[..., Client]) -> Desk:
    """A hall of more tables than a page shows, round 1 out and nothing in."""
    with transaction.atomic():  # one commit for all of it
        event = make_event(2 * TABLES, start=True)
        event.pair()
    return Desk(event, client_of(event.olga))


def slip(desk: Desk, line: str, who: Member) -> None:
    context = who.context("scorekeeper")
    services.slip_enter(context, event_id=desk.event.event_id, number=1, line=line)


def report(desk: Desk, table: int, *scores: list[int]) -> None:
    """The players of a table report these scores, the first named first."""
    row = MatchRow.objects.get(event_id=desk.event.event_id, round=1, table=table)
    names = {entrant: name for name, entrant in desk.event.entrants.items()}
    for entrant, score in zip((row.p1, row.p2), scores, strict=False):
        player = desk.event.player(names[entrant])
        services.result_claim(player, match_id=row.pk, score=score)


def test_each_table_is_on_one_page_and_filters_and_counts_are_of_the_whole_round(
    desk: Desk,
) -> None:
    sven = make_member(7, "Sven", account=True)
    sven.grant("scorekeeper", desk.event.event_id)
    everything = list(range(1, TABLES + 1))
    first, second = desk.tables(), desk.tables(page=2)
    assert (first, second) == (everything[:PAGE_SIZE], everything[PAGE_SIZE:])

    for table in (1, 2, 104):
        slip(desk, f"{table} 2-0", desk.event.olga)
    slip(desk, "2 0-2", sven)
    report(desk, 3, [2, 1, 0], [1, 2, 0])
    report(desk, 4, [2, 0, 0])
    # what the desk has to do stands before what is settled
    pages = [*desk.tables(), *desk.tables(page=2)]
    assert pages == [one for one in everything if one not in (1, 104)] + [1, 104]
    assert desk.tables(state="decided") == [2, 1, 104]
    assert desk.tables(state="conflict") == [2, 3]
    assert desk.tables(state="open") == [one for one in everything if one not in (1, 2, 104)][:100]
    assert desk.tables(state="open", page=2) == [103, 105]

    whole = desk.text()
    assert f"all {TABLES} open 102 in conflict 2 decided 3" in whole
    for asked in ({"page": 2}, {"state": "decided"}, {"q": "105"}):
        part = desk.text(**asked)
        for told in ("3 in", "2 conflicts", "102 missing", "102 tables missing"):
            assert told in part
        # what clashes is told on every page, and so is whoever waits for the other player
        assert "Two results stand side by side" in part
        assert "Entered twice, and not the same" in part
        assert "Accept 1 report that waits" in part
    assert "A says 2-0" in whole
    assert "A says 2-0" not in desk.text(page=2)


def test_a_table_is_found_and_what_is_no_page_and_no_filter_is_answered_sensibly(
    desk: Desk,
) -> None:
    _answered(desk)
    event = desk.event
    assert desk.tables(q="105") == [105]
    assert desk.tables(q=" 007 ") == [7]
    row, _ = event.match_of("Player 150", 1)
    assert desk.tables(q="PLAYER 150") == [row.table]
    assert desk.tables(q="150 player") == [row.table], "words in any order"
    slip(desk, f"{row.table} 2-0", event.olga)
    assert desk.tables(q="Player 150", state="decided") == [row.table]
    assert desk.tables(q="Player 150", state="open") == []
    # the way to a table looks in the whole round, whatever is filtered
    find = re.search(r'<form role="search".*?</form>', desk.get(state="open").content.decode())
    assert find is not None
    assert 'name="round" value="1"' in find[0]
    assert "state" not in find[0]

    # a chosen name is what is shown and what is looked for; the registered one says nothing
    alias = {"person_id": event.persons["Player 150"], "public_name": "Żółw"}
    public_name_set(event.staff(), event_id=event.event_id, **alias)
    assert desk.tables(q="zolw") == desk.tables(q="ŻÓŁW") == [row.table]
    assert desk.tables(q="Player 150") == []
    assert "No such table" in desk.text(q="Player 150")
    # pages of what was found: all but the twelve with other names, and the turtle's table by both
    found = [*desk.tables(q="player"), *desk.tables(q="player", page=2)]
    assert len(found) == len(set(found)) > PAGE_SIZE
    assert "q=player&amp;page=2" in desk.get(q="player").content.decode()


def _answered(desk: Desk) -> None:
    first, last = desk.tables(), desk.tables(page=2)
    for page in ("0", "-1", "x", "", "1.5", "٢x"):
        assert desk.tables(page=page) == first, page
    for page in ("2", "999", "9" * 30):
        assert desk.tables(page=page) == last, page
    assert desk.tables(state="nonsense", q="\x00") == first
    assert desk.tables(state="decided") == []
    assert "Show all tables" in desk.text(state="decided")
    assert desk.tables(q="106") == desk.tables(q="9" * 40) == desk.tables(q="%_") == []
    assert desk.client.get(desk.at(round=9)).status_code == 404
    assert desk.client.get(desk.at(match="nonsense")).status_code == 404


def test_a_line_is_for_any_table_and_the_desk_stays_where_it_was(desk: Desk) -> None:
    asked = {"state": "open", "page": "2"}
    here = desk.at(**asked)
    body = desk.get(**asked).content.decode()
    assert f'action="{here}"'.replace("&", "&amp;") in body
    # as the page's own script sends it, and without any
    values = {"act": "line", "line": "7 2-1", "nonce": new_id()}
    told = desk.client.post(here, values, HTTP_HX_REQUEST="true").content.decode()
    assert f"{TABLES - 1} tables missing" in told
    assert f'action="{here}"'.replace("&", "&amp;") in told, "undo stays there as well"
    answer = desk.enter("8 1-2", **asked)
    assert (answer.status_code, answer["Location"]) == (302, here)
    won = MatchRow.objects.exclude(winner="").order_by("table").values_list("table", "winner")
    assert list(won) == [(7, "P1"), (8, "P2")]
    assert desk.tables(**asked) == [103, 104, 105]
    refused = desk.enter("7 nonsense", q="Player 20")
    assert refused.status_code == 409
    assert [one.line.table for one in refused.context["page"]] == desk.tables(q="Player 20")
    # from a page that is none one comes back to it, and it reads as the nearest
    answer = desk.enter("9 2-0", page="999", state="nonsense")
    assert answer["Location"] == desk.at(page=999)

    _many_clash(desk)


def _many_clash(desk: Desk) -> None:
    """The first clashes stand in full on each page, and the chosen one with them."""
    sven = make_member(7, "Sven", account=True)
    sven.grant("scorekeeper", desk.event.event_id)
    clashing = range(10, 10 + MOST_CLASHES + 2)
    for table in clashing:
        slip(desk, f"{table} 2-0", desk.event.olga)
        slip(desk, f"{table} 0-2", sven)
    answer = desk.get(page=2)
    assert [one.line.table for one in answer.context["conflicts"]] == list(clashing)[:-2]
    assert f"{MOST_CLASHES} of {MOST_CLASHES + 2} conflicts stand here in full" in desk.text()
    assert desk.tables(state="conflict") == list(clashing)
    last = MatchRow.objects.get(table=clashing[-1])
    chosen = desk.get(state="conflict", match=last.pk)
    assert f'id="x-{last.pk}"' in chosen.content.decode()
    assert f"?match={last.pk}#x-{last.pk}" in (
        desk.client.get(f"/staff/events/{desk.event.event_id}/").content.decode()
    )
    # it is settled from there, and the desk is where it was
    values = {"act": "settle", "match_id": last.pk, "choice": "keep", "nonce": new_id()}
    settled = desk.client.post(desk.at(state="conflict"), values)
    assert settled["Location"] == desk.at(state="conflict")
    assert desk.tables(state="conflict") == list(clashing)[:-1]


def test_a_small_round_is_shown_whole_without_a_way_through_it(
    make_event: Make, client_of: Callable[..., Client]
) -> None:
    event = make_event(8, start=True)
    event.pair()
    desk = Desk(event, client_of(event.olga))
    body = desk.get().content.decode()
    assert desk.tables() == [1, 2, 3, 4]
    assert "open ones first" in body
    assert 'role="search"' not in body
    assert "state=open" not in body
    assert "Pages of the list" not in body


def test_fifty_tables_and_five_hundred_cost_the_same_queries(
    make_event: Make, client_of: Callable[..., Client]
) -> None:
    event = make_event(4, start=True)
    event.pair()
    desk = Desk(event, client_of(event.olga))
    asked: list[dict[str, Any]] = [{}, {"state": "open"}, {"q": "guest 1"}, {"q": "12"}]
    counts = []
    for tables in (50, 500):
        with projector_writes():
            grow(event, tables)
        desk.get()
        counts.append([query_count(partial(desk.get, **one)) for one in asked])
        shown = {one: len(desk.tables(page=one)) for one in (1, 5)}
        assert shown == ({1: 50, 5: 50} if tables == 50 else {1: 100, 5: 100})
    assert counts[0] == counts[1]
    with queries(at_most=25) as seen:
        desk.get(page=3)
    # of the round those of the page are read, with the names of their players; the rest is counted
    read = [one for one in seen if 'FROM "tournaments_match"' in one]
    assert [one for one in read if "COUNT(" not in one and "LIMIT 100 OFFSET 200" not in one] == []
    named = [one for one in seen if 'FROM "people_person"' in one]
    assert max(one.count(",") for one in named) < 2 * PAGE_SIZE + 10
