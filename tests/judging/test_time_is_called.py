"""Time is called: tables with ends of their own, a call nobody closed, and the end of each match.

Table 31 has +4, table 47 has +9, and at table 52 a call has been open for 14 minutes. By pages and
API alone, but for the set-up.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import cache
from html import unescape
from typing import Any

import pytest
from django.test import Client

from eventstore.ids import new_id
from eventstore.store import read_stream
from judging import services as judging
from tests.conftest import Member, make_member
from tests.helpers import rebuilds_equal
from tests.judging.hall import at
from tournaments import services
from tournaments.domain.floor_events import EndDecided, SlipEntered
from tournaments.models import EntrantRow, LossRow, MatchRow

pytestmark = pytest.mark.django_db
ClientOf = Callable[..., Client]
FIRST, LAST = 31, 52


class Hall:
    """22 tables, numbered from 31; four judges; the clock runs 40 minutes from noon."""

    def __init__(self, olga: Member, client_of: ClientOf, judges: list[Member]) -> None:
        self.olga, self.judges = olga, judges
        self.client_of, self.fresh = cache(client_of), client_of
        self.event_id = new_id()

    def run(self, command: Any, **values: Any) -> Any:
        return command(self.olga.context(), event_id=self.event_id, **values)

    def row(self, table: int) -> MatchRow:
        return MatchRow.objects.get(event_id=self.event_id, round=1, table=table)

    def page(self, member: Member, path: str) -> str:
        answer = self.client_of(member).get(path)
        assert answer.status_code == 200, path
        return " ".join(unescape(answer.content.decode()).split())

    def post(self, member: Member, path: str, **values: Any) -> Any:
        return self.client_of(member).post(path, {"nonce": new_id(), **values})

    def api(self, member: Member, path: str, **values: Any) -> Any:
        return self.client_of(member).post(
            f"/api/v1/{path}", values, content_type="application/json"
        )

    def floor(self, member: Member) -> dict[int, dict[str, Any]]:
        answer = self.client_of(member).get(f"/api/v1/events/{self.event_id}/floor").json()
        return {one["table"]: one for one in answer["tables"]}

    def player(self, table: int) -> Member:
        return Member(self.row(table).persons[0][0], "")


@pytest.fixture
def hall(olga: Member, jude: Member, hedda: Member, client_of: ClientOf) -> Hall:
    joan, june = make_member(13, "Joan", account=True), make_member(14, "June", account=True)
    made = Hall(olga, client_of, [jude, joan, june])
    made.run(services.event_create, name="Long round", decks_required=False, rounds=5)
    made.run(services.plan_make, changes={"offset": FIRST - 1})
    for judge in made.judges:
        judge.grant("judge", made.event_id)
    hedda.grant("head_judge", made.event_id)
    made.run(services.registration_open)
    for number in range(2 * (LAST - FIRST + 1)):
        one = made.run(services.entrant_enrol, display_name=f"Player {number + 1}")
        made.run(services.entrant_check_in, entrant_id=one.entrant_id)
    made.run(services.event_start)
    made.run(services.ruleset_choose, ruleset="eom.phase_2018@1")
    made.run(services.round_pair, seed=4)
    made.run(services.round_publish, number=1)
    with at(0):
        made.run(services.clock_start, minutes=40)
    return made


def call(hall: Hall, judge: Member, table: int, begun: float) -> str:
    """A player calls, a judge comes at once and answers; the call is open."""
    with at(begun):
        call_id = new_id()
        row = hall.row(table)
        raised = hall.api(hall.player(table), "calls", call_id=call_id, match_id=row.pk)
        assert raised.status_code == 201, raised.content
        for step in ("claim", "arrive"):
            assert hall.api(judge, f"calls/{call_id}/{step}").status_code == 200
        ruled = hall.api(judge, f"calls/{call_id}/rule", rule_id="YGO-11.1")
        assert ruled.status_code in (200, 201), ruled.content
    return call_id


def close(hall: Hall, judge: Member, call_id: str, minutes: float, **values: Any) -> Any:
    with at(minutes):
        return hall.api(judge, f"calls/{call_id}/close", **values)


def answer(hall: Hall, judge: Member, table: int, minutes: float, *given: str) -> None:
    """See a match to its end on the page of the table."""
    path = f"/staff/matches/{hall.row(table).pk}/end/"
    with at(minutes):
        assert "Time is called" in hall.page(judge, path)
        assert hall.post(judge, path, act="start").status_code == 302
        for one in given:
            page = hall.page(judge, path)
            question = re.search(r'name="question" value="([\w-]+)"', page)
            assert question is not None, page[-800:]
            values = {"act": "answer", "question": question[1], "answer": one}
            if question[1] == "points":
                typed = hall.post(judge, path, **values, lp1="4000", lp2="abc")
                assert typed.status_code == 409
                assert "“4000-abc” is no answer" in typed.content.decode()
                first, second = one.split("-")
                values |= {"lp1": first, "lp2": second}
            assert hall.post(judge, path, **values).status_code == 302, (question[1], one)
        assert "Enter this result" in hall.page(judge, path)
        assert hall.post(judge, path, act="confirm").status_code == 302


def test_each_table_ends_by_itself_and_the_next_round_follows_at_once(
    hall: Hall, olga: Member, jude: Member, hedda: Member
) -> None:
    _jude, joan, june = hall.judges
    floor, desk = (f"/staff/events/{hall.event_id}/{part}" for part in ("floor/", ""))
    for judge, table in ((jude, 31), (joan, 47)):
        taken = hall.post(judge, floor, act="take", match_id=hall.row(table).pk)
        assert taken.status_code == 302
    given = hall.post(hedda, floor, act="assign", match_id=hall.row(52).pk, judge=june.person_id)
    assert given.status_code == 302

    # +4 at 31; +5 and +4 at 47; at 52 June walks away and forgets
    one, two = call(hall, jude, 31, 10), call(hall, joan, 47, 5)
    assert close(hall, jude, one, 14).json()["extension_s"] == 240
    assert close(hall, joan, two, 10).json()["extension_s"] == 300
    more = call(hall, joan, 47, 12)
    assert close(hall, joan, more, 16).json()["extension_s"] == 240
    forgotten = call(hall, june, 52, 26)
    with at(30):
        results = f"/staff/events/{hall.event_id}/results/?round=1"
        for table in range(FIRST, LAST + 1):
            if table not in (31, 47, 52):
                sent = hall.api(olga, f"events/{hall.event_id}/slips", round=1, line=f"{table} 2-1")
                assert sent.json()["word"] == "entered"

    # time is called: each shows its own end and its judge
    with at(40):
        tables = hall.floor(hedda)
        assert [(key, held["judge_name"]) for key, held in tables.items()] == [
            (52, "June"),
            (31, "Jude"),
            (47, "Joan"),
        ]
        assert tables[31]["end"].startswith("2026-05-02T12:44:00")
        assert tables[47]["end"].startswith("2026-05-02T12:49:00")
        assert (tables[52]["state"], tables[52]["forgotten"]) == ("call", True)
        page = hall.page(hedda, floor)
        assert "ends 12:44" in page
        assert "ends 12:49" in page
        assert "Call left open" in page
        public = hall.page(
            make_member(3, "Charlie", account=True), f"/events/{hall.event_id}/pairings/"
        )
        assert "+4 min" in public
        assert "+9 min" in public
        assert "June" not in public
        mine = hall.page(hall.player(47), f"/my/{hall.event_id}/")
        assert 'data-seconds-left="540"' in mine
        assert "+9 min" in mine
        # nobody's match ends before its own end
        for judge, table, code in (
            (jude, 31, "tournaments.table_time_left"),
            (joan, 47, "tournaments.table_time_left"),
            (june, 52, "tournaments.table_held"),
        ):
            early = hall.api(judge, f"matches/{hall.row(table).pk}/end")
            assert (early.status_code, early.json()["code"]) == (409, code)
        held = hall.page(june, f"/staff/matches/{hall.row(52).pk}/end/")
        assert "Its real length is needed first" in held

    # 52 demands the real length before it gives anything
    refused = close(hall, june, forgotten, 40)
    assert refused.status_code == 409
    assert refused.json()["code"] == "judging.real_length_missing"
    assert refused.json()["params"]["open_s"] == 14 * 60
    with at(40):
        asked = hall.post(june, f"/staff/calls/{forgotten}/", act="close")
        assert "has been open for 14 minutes" in unescape(asked.content.decode())
        assert "Minutes it really took" in asked.content.decode()
        done = hall.post(june, f"/staff/calls/{forgotten}/", act="close", real_minutes="3")
        assert done.status_code == 302
        tables = hall.floor(hedda)
        assert tables[52]["end"].startswith("2026-05-02T12:43:00")
        assert [*tables] == [52, 31, 47]

    # the end of each match begins at the end of its own table
    answer(hall, june, 52, 43, "1-0-0", "between")
    answer(hall, jude, 31, 44, "1-1-0", "in_duel", "done", "1200-3000")
    with at(44):
        assert [*hall.floor(hedda)] == [47]
        waits = hall.post(olga, desk, act="round_pair")
        assert "no result yet: 47" in unescape(waits.content.decode())
        # its slip is not missing while it still plays
        missing = hall.api(olga, f"matches/{hall.row(47).pk}/no-slip")
        assert missing.json()["code"] == "tournaments.slip_not_due"
    answer(hall, joan, 47, 49, "0-0-0", "in_duel", "P2")

    # each slip names ruleset and answers
    wanted = {
        52: ("P1", (1, 0, 0), (("score", "1-0-0"), ("moment", "between"))),
        31: (
            "P2",
            (1, 2, 0),
            (
                ("score", "1-1-0"),
                ("moment", "in_duel"),
                ("stop", "done"),
                ("points", "1200-3000"),
            ),
        ),
        47: ("P2", (0, 1, 0), (("score", "0-0-0"), ("moment", "in_duel"), ("stop", "P2"))),
    }
    for table, (won, score, said) in wanted.items():
        row = hall.row(table)
        data = [held.data for held in read_stream(f"match-{row.pk}")]
        slip = next(held for held in data if isinstance(held, SlipEntered))
        assert (slip.ruleset, slip.answers) == ("eom.phase_2018@1", said)
        ended = next(held for held in data if isinstance(held, EndDecided))
        assert (ended.winner, ended.score) == (won, score)
        told = hall.fresh(olga).get(f"/api/v1/matches/{row.pk}").json()
        assert told["end"]["ruleset"] == "eom.phase_2018@1"
        assert told["end"]["answers"] == [list(pair) for pair in said]
        assert (row.winner, row.reason) == (won, "time")
        # the paper slip that comes after says the same and changes nothing
        with at(50):
            line = f"{table} {score[0]}-{score[1]}"
            again = hall.post(olga, results, act="line", line=line)
            assert again.status_code == 302
    assert LossRow.objects.count() == 0, "nobody was late: each came by its own end"

    # the pairings are out within 60 s of the last result
    begun = time.monotonic()
    with at(50):
        assert hall.post(olga, desk, act="round_pair").status_code == 302
        assert hall.post(olga, desk, act="round_publish", number="2").status_code == 302
        public = hall.page(hall.player(31), f"/events/{hall.event_id}/pairings/?round=2")
    assert time.monotonic() - begun < 60
    assert "Pairings, round 2" in public
    assert EntrantRow.objects.filter(status="checked_in").count() == 44
    rebuilds_equal("tournaments.board", "tournaments.floor", "judging.calls", "judging.floor")


def test_the_estimate_of_the_next_pairing_follows_the_ends(hall: Hall, hedda: Member) -> None:
    with at(30):
        row = hall.row(40)
        judging.call_raise(hedda.context("judge"), call_id=new_id(), match_id=row.pk)
        first = hall.client_of(hedda).get(f"/api/v1/events/{hall.event_id}/floor").json()
        assert first["estimate"]["at"].startswith("2026-05-02T12:44:00")
        given = hall.api(hedda, f"matches/{hall.row(41).pk}/extension", seconds=600)
        assert given.json()["result"] == 600
        later = hall.client_of(hedda).get(f"/api/v1/events/{hall.event_id}/floor").json()
        assert later["estimate"]["at"].startswith("2026-05-02T12:54:00")
        assert later["estimate"]["samples"] == 0
