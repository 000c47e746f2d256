"""Nothing hidden shows: on no page, in no answer of the API, in no export, in no counter.

Each test changes one secret and asks every address of the table of routes again, as those who
may not know of it; and, so that the test itself is seen to work, as one who may.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from duels import selectors as duels
from eventstore import clock, outbox
from eventstore.commands import Context
from eventstore.domain.envelope import LEAF
from eventstore.ids import new_id
from eventstore.models import Event
from judging import services as judging
from judging import statements
from judging.case import hidden_reveal
from people.domain.actor import Actor
from people.erasure import person_export
from tests.portal.cast import House, Route
from tests.portal.leaks import Watch, seen, shows
from tests.portal.stage import player
from tests.portal.test_routes import table
from tournaments import services
from tournaments.models import EntrantRow, MatchRow

OUTSIDERS = ("anyone", "third")
STRANGERS = (*OUTSIDERS, "alice")
pytestmark = pytest.mark.django_db


@pytest.fixture
def house(
    make_house: Callable[[], House],
) -> Iterator[House]:
    """The whole cast on the stage, and a clock that stands still from there on."""
    made = make_house()
    moment = clock.now()
    with clock.clock_set(lambda: moment):
        yield made


def addresses(house: House) -> list[str]:
    """Every address that can be read, but those of /admin, whose lists are the staff's."""
    found = [
        house.address(line.route)
        for line in table()
        if line.method == "GET"
        and Route(line.route, None).part != "admin"
        and not line.route.startswith("live/?")  # streams never end: tests/live
    ]
    duel = f"/duels/{house.stage.duel_id}/"
    found += [f"{duel}?as={who}&at={at}" for who in ("public", "p1", "p2") for at in (20, 60)]
    return list(dict.fromkeys(found))


def seat_of(house: House, name: str) -> str:
    """The seat of Alice or Bob at their table."""
    other = {"P1": "P2", "P2": "P1"}
    return house.stage.seat if name == "Alice" else other[house.stage.seat]


def rewrite(stream: str, type_name: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change what a stored event says, behind the triggers, so that another secret was always
    the case."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM sqlite_master"
            " WHERE type = 'trigger' AND tbl_name = 'eventstore_event'"
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TRIGGER {name}")
        cursor.execute(
            "SELECT position, body FROM eventstore_event WHERE stream = %s AND type = %s"
            " ORDER BY version LIMIT 1",
            [stream, type_name],
        )
        position, body = cursor.fetchone()
        envelope = json.loads(bytes(body))
        change(envelope["data"])
        raw = json.dumps(
            envelope, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        ).encode()
        cursor.execute(
            "UPDATE eventstore_event SET body = %s, hash = %s WHERE position = %s",
            [raw, hashlib.sha256(LEAF + raw).hexdigest(), position],
        )


sqlite_only = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="the triggers are dropped in SQLite's way"
)


@sqlite_only
def test_which_card_bob_holds_in_his_hand(house: House) -> None:
    seat = seat_of(house, "Bob")
    state = duels.duel_state(house.stage.duel_id).table
    side = state.side(seat)
    held = side.hand[0]
    other = next(one for one in side.deck if state.identities[one] != state.identities[held])
    first = min(one for one, owner in enumerate(state.owners) if owner == seat)
    watch = Watch(house, (*STRANGERS, "spect", "organ", "check"), addresses(house))
    own = Watch(house, ("bob",), [f"/duels/{house.stage.duel_id}/?as={seat.lower()}"])
    # a judge who revealed nothing reads of a running duel what everybody reads
    judged = [one for one in addresses(house) if "duels/" in one or "/case" in one]
    judges = Watch(house, ("judge",), judged)

    def swap(data: dict[str, Any]) -> None:
        cards, one, two = data["main"][seat], held - first, other - first
        cards[one], cards[two] = cards[two], cards[one]

    rewrite(f"duel-{house.stage.duel_id}", "duels.duel_opened", swap)
    now = duels.duel_state(house.stage.duel_id).table
    assert (now.identities[held], now.identities[other]) == (
        state.identities[other],
        state.identities[held],
    )
    assert watch.differences() == []
    assert own.differences(), "Bob himself sees another card"
    assert judges.differences() == []
    looking = Watch(house, ("judge",), [f"/duels/{house.stage.duel_id}/?as=judge"])
    hidden_reveal(
        house.cast["judge"].context("judge"),  # type: ignore[union-attr]
        call_id=house.stage.call_id,
        duel_id=house.stage.duel_id,
        reason="A sixth card was seen.",
    )
    assert looking.differences(), "the judge who revealed them sees the cards"


SEALED = "Quokka statement that nobody reads"
TOLD = re.compile("calls?/|/case|statement|judg|audit|record|/log|ruling|precedent|/my/|export")


def test_a_sealed_statement_is_read_by_nobody(house: House) -> None:
    """Neither in what any of the cast gets, nor in an export, the admin or the log's bundle."""
    call_id = house.stage.call_id
    cast = {name: member for name, member in house.cast.items() if member is not None}
    statements.statements_ask(cast["head"].context("judge"), call_id=call_id)
    own = player(house.stage.persons["Alice"])
    statements.statement_give(own, call_id=call_id, text=SEALED)
    told = [one for one in addresses(house) if TOLD.search(one)]
    log = f"/admin/eventstore/event/?q=statements-{call_id}"
    found = {(name, one) for name in cast for one in told if _shows(house, name, one)}
    last = Event.objects.filter(stream=f"statements-{call_id}").latest("position").pk
    for one in (log, f"/admin/eventstore/event/{last}/change/"):
        answer = house.clients["site"].get(one)
        assert answer.status_code == 200
        assert "statement" in answer.content.decode()
        assert not _shows(house, "site", one)
    assert not found
    assert SEALED not in str(person_export(cast["site"].actor, house.stage.persons["Alice"]))
    asked = house.clients["organ"].post(f"/events/{house.stage.event_id}/log/bundle/")
    outbox.drain(1000)
    bundle = house.clients["organ"].get(f"{asked['Location']}file/")
    assert bundle.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(bundle))) as held:
        assert not [one for one in held.namelist() if SEALED.encode() in held.read(one)]
    statements.statements_open(cast["head"].context("judge"), call_id=call_id, reason="Bob left.")
    assert _shows(house, "judge", f"/staff/calls/{call_id}/case/"), "and then it is read"
    assert not _shows(house, "bob", f"/my/{house.stage.event_id}/statements/")


def _shows(house: House, name: str, address: str) -> bool:
    return SEALED.encode() in seen(house.clients[name], address).body


def test_what_bob_reports(house: House) -> None:
    row = MatchRow.objects.get(pk=house.stage.match_id)
    watch = Watch(house, OUTSIDERS, addresses(house))
    alice = Watch(house, ("alice",), [f"/my/{house.stage.event_id}/"])
    bob = player(house.stage.persons["Bob"])
    score = [2, 0, 0] if seat_of(house, "Bob") == "P1" else [0, 2, 0]
    assert (
        shows(
            watch, lambda: services.result_claim(bob, match_id=row.pk, score=score, reason="played")
        )
        == []
    )
    assert alice.differences(), "Alice is told that there is a report"


def test_what_score_bob_reports_is_not_told_to_alice(house: House) -> None:
    """Of two different reports Alice sees that there is one, and nothing of which."""
    row = MatchRow.objects.get(pk=house.stage.match_id)
    bob = house.stage.persons["Bob"]
    mine = 0 if seat_of(house, "Bob") == "P1" else 1
    scores = ([2, 0, 0], [2, 1, 0]) if mine == 0 else ([0, 2, 0], [1, 2, 0])
    services.result_claim(player(bob), match_id=row.pk, score=scores[0], reason="played")
    watch = Watch(house, STRANGERS, addresses(house))
    services.result_claim(player(bob), match_id=row.pk, score=scores[1], reason="played")
    assert watch.differences(counters=False) == []


def test_a_call_at_another_table(house: House) -> None:
    row = (
        MatchRow.objects.filter(event_id=house.stage.event_id, round=2)
        .exclude(pk=house.stage.match_id)
        .exclude(state="decided")
        .order_by("table")
        .first()
    )
    assert row is not None
    caller = row.persons[0][0]
    inside = {person for seat in row.persons for person in seat}
    readers = [
        name
        for name in (*STRANGERS, "bob")
        if house.cast[name] is None or house.cast[name].person_id not in inside  # type: ignore[union-attr]
    ]
    watch = Watch(house, readers, addresses(house))
    queue = Watch(house, ("head",), [f"/staff/events/{house.stage.event_id}/calls/"])
    assert (
        shows(
            watch,
            lambda: judging.call_raise(
                Context(Actor(person_id=caller), "player"),
                call_id=new_id(),
                match_id=row.pk,
                category="conduct",
            ),
        )
        == []
    )
    assert queue.differences(), "the judges see the call"


@sqlite_only
def test_what_is_in_the_deck_of_bob(house: House) -> None:
    entrant = EntrantRow.objects.get(pk=house.stage.entrants["Bob"])
    watch = Watch(house, STRANGERS, addresses(house))
    staff = Watch(house, ("organ",), [f"/api/v1/decks/{entrant.deck_id}"])

    def other(data: dict[str, Any]) -> None:
        data["main"][0], data["deck_hash"] = data["main"][-1], "0" * 64

    rewrite(f"deck-{entrant.deck_id}", "decks.list_submitted", other)
    assert watch.differences() == []
    assert staff.differences(), "the organiser sees the list"


def test_the_note_of_a_judge(house: House) -> None:
    watch = Watch(house, OUTSIDERS, addresses(house))
    queue = Watch(house, ("head",), [f"/staff/calls/{house.stage.call_id}/"])
    judging.call_escalate(
        house.cast["judge"].context("judge"),  # type: ignore[union-attr]
        call_id=house.stage.call_id,
        note="I saw it.",
    )
    assert watch.differences() == []
    assert queue.differences()


def test_the_look_finds_what_shows(house: House) -> None:
    """The test of the test: a result that is in force is seen by everybody."""
    watch = Watch(house, ("anyone",), addresses(house))
    services.result_enter(
        house.cast["organ"].context(),  # type: ignore[union-attr]
        match_id=house.stage.match_id,
        score=[2, 0, 0],
    )
    assert any("pairings" in line for line in watch.differences())
