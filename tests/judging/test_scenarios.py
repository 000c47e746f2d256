"""The three scenarios of judging through real pages under house-rules, and once more with no phone
of a player at all.

Not here, because the product does not have it yet: sealed statements of both players (S1), and a
citation on an appeal that is upheld (S3). Ledgers and the rewind planner have tests of their own
(tests/duels/test_ledger.py, test_instruments.py); the head judge's rewind stands in test_rewind.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from eventstore.ids import new_id
from judging.models import CallRow, RulingRow
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, at
from tournaments import services as tournaments

pytestmark = [pytest.mark.django_db]
ClientOf = Callable[[Member | None], Client]


class Table:
    """The pages around one table, by whoever acts."""

    def __init__(self, hall: Hall, client_of: ClientOf) -> None:
        self.hall, self.client_of = hall, client_of
        self.sheet = f"/staff/events/{hall.event_id}/tables/{hall.match_id}/"
        self.mine = f"/my/{hall.event_id}/judge/"

    def post(self, member: Member, path: str, act: str, **values: Any) -> str:
        """Send a form; fails when it is refused."""
        sent = {"act": act, "nonce": new_id(), **values}
        answer = self.client_of(member).post(path, sent, follow=True)
        assert answer.status_code == 200, answer.content.decode()[-2000:]
        return str(answer.content.decode())

    def page(self, member: Member | None, path: str) -> str:
        return str(self.client_of(member).get(path).content.decode())

    @property
    def call(self) -> str:
        return f"/staff/calls/{CallRow.objects.latest('raised_at').pk}/"

    def clock(self, minutes: int) -> None:
        tournaments.clock_start(
            self.hall.olga.context(), event_id=self.hall.event_id, minutes=minutes
        )


@pytest.fixture
def table(hall: Hall, client_of: ClientOf) -> Table:
    """The table of Alice and Bob."""
    return Table(hall, client_of)


PUBLIC = ("", "pairings/", "standings/")
HIDDEN = ("3200", "Life Points of both", "Judge: Jude", "Ruling", "Game loss", "DC-M")


def outsiders_see_nothing(table: Table) -> None:
    """Neither the public nor another table."""
    for path in PUBLIC:
        for member in (None, table.hall.dora):
            body = table.page(member, f"/events/{table.hall.event_id}/{path}")
            assert not [word for word in HIDDEN if word in body], (member, path)
    assert table.call.split("/")[3] not in table.page(
        table.hall.dora, f"/my/{table.hall.event_id}/judge/"
    )


@pytest.mark.parametrize("phones", [True, False])
def test_s1_a_dispute_over_life_points(
    table: Table, alice: Member, bob: Member, jude: Member, phones: bool
) -> None:
    hall = table.hall
    with at(-20 / 60):
        table.clock(40)
    with at(4):
        if phones:
            table.post(bob, table.mine, "raise", category="lp", match_id=hall.match_id)
    with at(4 + 10 / 60):
        shown = table.post(jude, table.sheet, "start")
        assert 'data-phase="run"' in shown
        shown = table.post(
            jude, table.sheet, "lp", about="P2", first="5400 3200", second="5400 4000"
        )
        assert "part in line 2: 3200 and 4000" in shown
        table.post(jude, table.call, "rule", remedy="resolve_now", note="Original ATK was used.")
    with at(8 + 40 / 60):
        if phones:
            assert "Do now what was missed." in table.page(alice, table.mine)
            table.post(alice, table.mine, "accept", call_id=CallRow.objects.get().pk)
            table.post(bob, table.mine, "accept", call_id=CallRow.objects.get().pk)
        else:
            table.post(jude, table.sheet, "done")
        row = CallRow.objects.get()
        assert (row.state, row.extension_s) == ("closed", 270)
        assert "+4:30" in table.page(jude, table.sheet)
        assert 'data-seconds-left="2130"' in table.page(jude, table.sheet), "31:00 and 4:30"
        outsiders_see_nothing(table)
    assert "Original ATK" not in table.page(alice, table.mine)
    rebuilds_equal("judging.calls", "tournaments.board")


def test_s2_an_extra_card_told_apart_and_one_that_cannot_be(
    table: Table, alice: Member, jude: Member, hedda: Member
) -> None:
    hall = table.hall
    with at(0):
        table.clock(40)
        told = table.post(
            jude, table.sheet, "rule", seat=hall.seat, preset="DC-MINOR/told_apart", done="1"
        )
        assert "Warning. Play goes on" in told
        assert RulingRow.objects.get().remedy == "resolve_now"
    with at(5):
        shown = table.post(
            jude, table.sheet, "rule", seat=hall.seat, preset="DC-MAJOR/not_told_apart"
        )
        assert "not in force until the head judge approves" in shown
        assert hall.wins(hall.eb) == 0
        asked = f"{table.sheet}count/?seat={hall.seat}&preset=DC-MINOR/told_apart"
        assert "the pack suggests Game loss" in table.page(jude, asked), "the repeat is shown"
    with at(9):
        table.post(jude, table.sheet, "done")
        call = CallRow.objects.latest("raised_at")
        assert call.extension_s == 240
        pending = RulingRow.objects.get(approval="pending")
        table.post(hedda, table.call, "approve", ruling_id=pending.pk)
        call.refresh_from_db()
        assert (hall.wins(hall.eb), call.extension_s, call.computed_s) == (1, 0, 240)
        assert '<span class="hl tab">' not in table.page(jude, table.sheet)
        outsiders_see_nothing(table)
    rebuilds_equal()


def test_s3_an_appeal_is_upheld_and_gives_no_more_than_what_remained(
    table: Table, alice: Member, jude: Member, hedda: Member
) -> None:
    with at(-37):
        table.clock(40)
    with at(0):
        table.post(alice, table.mine, "raise", category="rules", match_id=table.hall.match_id)
        table.post(jude, table.sheet, "start")
        table.post(jude, table.call, "rule", rule_id="YGO-17.9", remedy="play_on")
        assert 'data-cap="180"' in table.page(jude, table.sheet)
    with at(3):
        call_id = CallRow.objects.get().pk
        table.post(alice, table.mine, "appeal", call_id=call_id, reason="It was illegal.")
        refused = table.client_of(jude).post(table.call, {"act": "claim", "nonce": new_id()})
        assert refused.status_code == 409, "a floor judge never hears the appeal"
        table.post(hedda, table.call, "claim")
        table.post(hedda, table.call, "appeal_rule", outcome="upheld", note="Nine acts ago.")
    with at(6 + 20 / 60):
        table.post(hedda, table.call, "close")
        row = CallRow.objects.get()
        assert (row.state, row.took_s, row.extension_s) == ("closed", 380, 180)
        outsiders_see_nothing(table)
        told = table.page(alice, table.mine)
        assert "The head judge upheld the ruling." in told
        assert "Nine acts ago." not in told
        kept = table.client_of(jude).get(f"/api/v1/calls/{call_id}").json()
        assert [one["what"] for one in kept["steps"]][-2:] == ["appeal_ruled", "call_closed"]
    rebuilds_equal("judging.calls")
