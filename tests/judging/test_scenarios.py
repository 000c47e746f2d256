"""The three scenarios of judging through real pages and the API under house-rules, the second one
also under konami-tcg with two languages at the table; and each once more with no phone of a player
at all: the table sheet, the pages of staff, a slip at the desk.

What a log of a duel adds to them, ledgers, first divergence, the planner of a rewind, has tests of
its own (test_case.py, test_rewinding.py, test_rewind.py, tests/duels/test_ledger.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Q
from django.test import Client

from eventstore.commands import Context
from eventstore.ids import new_id
from judging.models import CallRow, RulingRow
from people.domain.actor import SYSTEM
from people.services import person_edit
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, at, open_hall
from tournaments import services as tournaments
from tournaments.models import LossRow, MatchRow

pytestmark = [pytest.mark.django_db]
ClientOf = Callable[[Member | None], Client]


class Table:
    """The pages around one table, by whoever acts."""

    def __init__(self, hall: Hall, client_of: ClientOf) -> None:
        self.hall, self.client_of = hall, client_of
        self.sheet = f"/staff/events/{hall.event_id}/tables/{hall.match_id}/"
        self.mine = f"/my/{hall.event_id}/judge/"
        self.queue = f"/staff/events/{hall.event_id}/calls/"

    def post(self, member: Member, path: str, act: str, **values: Any) -> str:
        """Send a form; fails when it is refused."""
        sent = {"act": act, "nonce": new_id(), **values}
        answer = self.client_of(member).post(path, sent, follow=True)
        assert answer.status_code == 200, answer.content.decode()[-2000:]
        return str(answer.content.decode())

    def page(self, member: Member | None, path: str, language: str = "en") -> str:
        answer = self.client_of(member).get(path, headers={"accept-language": language})
        return str(answer.content.decode())

    def begin(self, caller: Member, judge: Member, phones: bool) -> None:
        """A judge stands at the table: called by a phone and taken from the queue, or seen by
        hand and begun on the sheet."""
        if phones:
            self.post(caller, self.mine, "raise", category="rules", match_id=self.hall.match_id)
            call_id = CallRow.objects.latest("raised_at").pk
            shown = self.post(judge, self.queue, "claim", call_id=call_id)
            assert "START HERE" in shown, "from the queue to the sheet of the table"
        assert 'data-phase="run"' in self.post(judge, self.sheet, "start")

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


def speaks_hungarian(member: Member) -> None:
    person_edit(
        Context(actor=SYSTEM, source="system"),
        person_id=member.person_id,
        display_name=member.name,
        language="hu",
    )


ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PUBLIC = ("", "pairings/", "standings/")
HIDDEN = ("3200", "Life Points of both", "Judge: Jude", "Ruling", "Game loss", "DC-M")


def outsiders_see_nothing(table: Table) -> None:
    """Neither the public nor another table."""
    for path in PUBLIC:
        for member in (None, table.hall.dora):
            # an id may hold any four digits
            body = ID.sub("", table.page(member, f"/events/{table.hall.event_id}/{path}"))
            assert not [word for word in HIDDEN if word in body], (member, path)
    assert table.call.split("/")[3] not in table.page(
        table.hall.dora, f"/my/{table.hall.event_id}/judge/"
    )


def two_statements(
    table: Table, alice: Member, bob: Member, jude: Member, hedda: Member, phones: bool
) -> None:
    """Each says alone what happened, on the own phone or to the judge; nobody reads the first
    before the second is in."""
    case, own = f"{table.call}case/", f"/my/{table.hall.event_id}/statements/"
    persons = [alice.person_id, bob.person_id]
    table.post(hedda, case, "ask", person=persons)
    first = {alice: "It had 2200 left.", bob: "It was at 1400."}
    for number, (author, text) in enumerate(first.items()):
        if phones:
            call_id = CallRow.objects.get().pk
            table.post(author, own, "give", call_id=call_id, text=text)
        else:
            table.post(jude, case, "write", person=author.person_id, text=text)
        read = [one for one in first.values() if one in table.page(hedda, case)]
        assert len(read) == 2 * number, "sealed until both are in"
    assert first[alice] not in table.page(bob, own)


@pytest.mark.parametrize("phones", [True, False])
def test_s1_a_dispute_over_life_points(
    table: Table, alice: Member, bob: Member, jude: Member, hedda: Member, phones: bool
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
        two_statements(table, alice, bob, jude, hedda, phones)
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


@pytest.mark.parametrize(
    ("pack", "phones"), [("house-rules", True), ("house-rules", False), ("konami-tcg", True)]
)
def test_s2_an_extra_card_told_apart_and_one_that_cannot_be(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member,
    client_of: ClientOf, pack: str, phones: bool,
) -> None:  # fmt: skip
    table = Table(open_hall(olga, alice, bob, jude, hedda, pack=pack), client_of)
    hall = table.hall
    speaks_hungarian(bob)
    told_apart = "DC-MINOR/told_apart"

    # (a) the places in hand prove which card: a warning, play goes on
    with at(0):
        table.clock(40)
        table.begin(bob, jude, phones)
        page = table.page(jude, table.sheet)
        assert sorted(re.findall(r'data-slip-in="(\w+)"', page)) == ["en", "hu"], "two languages"
        told = table.post(jude, table.sheet, "rule", seat=hall.seat, preset=told_apart, done="1")
        assert "Warning. Play goes on" in told
        ruling = RulingRow.objects.get()
        assert (ruling.remedy, ruling.pack, ruling.penalty) == ("resolve_now", pack, "warning")
        if phones:
            extra = "megkülönböztethető"
            assert extra in table.page(bob, table.mine, language="hu")
            assert extra not in table.page(alice, table.mine)

    # (b) shuffled into the hand: a game loss that waits for the head judge, and no extension
    with at(5):
        table.begin(bob, jude, phones)
        shown = table.post(
            jude, table.sheet, "rule", seat=hall.seat, preset="DC-MAJOR/not_told_apart"
        )
        assert "not in force until the head judge approves" in shown
        assert hall.wins(hall.eb) == 0
    with at(9):
        table.post(jude, table.sheet, "done")
        call = CallRow.objects.latest("raised_at")
        assert call.extension_s == 240
        pending = RulingRow.objects.get(approval="pending")
        if pack == "house-rules":
            table.post(hedda, table.call, "approve", ruling_id=pending.pk)
        else:
            path = f"/api/v1/calls/{call.pk}/penalties/{pending.pk}/approve"
            answer = table.client_of(hedda).post(path, {}, content_type="application/json")
            assert answer.status_code == 200, answer.content
        call.refresh_from_db()
        assert (hall.wins(hall.eb), call.extension_s, call.computed_s) == (1, 0, 240)
        assert '<span class="hl tab">' not in table.page(jude, table.sheet)
        outsiders_see_nothing(table)

    # the same kind once more: the repeat is shown, the head judge decides
    with at(20):
        table.begin(bob, hedda, phones)
        asked = f"{table.sheet}count/?seat={hall.seat}&preset={told_apart}"
        assert "the pack suggests Game loss" in table.page(hedda, asked)
        if phones:
            up = {"penalty": "game_loss", "note": "The second time.", "remedy": "loss"}
        else:
            up = {"remedy": "resolve_now"}
        entrant = {"target_entrant": hall.ea, "infraction": "DC-MINOR"}
        table.post(hedda, table.call, "rule", infraction_kind="told_apart", **entrant, **up)
        table.post(hedda, table.call, "close")
    with at(30):
        if not phones:
            # a slip on paper: the score as both signed it, typed at the desk
            score = "0-2" if hall.seat == "P1" else "2-0"
            desk = f"/staff/events/{hall.event_id}/results/"
            table.post(olga, desk, "line", line=f"{hall.match.table} {score}")
        won = "P2" if hall.seat == "P1" else "P1"
        assert (hall.match.state, hall.match.winner) == ("decided", won)
    rebuilds_equal()


@pytest.mark.parametrize("phones", [True, False])
def test_s3_an_appeal_is_upheld_and_gives_no_more_than_what_remained(
    table: Table, alice: Member, jude: Member, hedda: Member, phones: bool
) -> None:
    with at(-40):
        table.post(jude, table.sheet, "start")
        table.post(jude, table.call, "rule", rule_id="YGO-17.9", remedy="play_on")
        table.post(jude, table.sheet, "done")
        precedent = RulingRow.objects.get().pk
        found = table.page(hedda, f"/staff/events/{table.hall.event_id}/precedents/?q=YGO-17.9")
        assert "YGO-17.9" in found
    with at(-37):
        table.clock(40)
    with at(0):
        table.begin(alice, jude, phones)
        table.post(jude, table.call, "rule", rule_id="YGO-17.9", remedy="play_on")
        assert 'data-cap="180"' in table.page(jude, table.sheet)
    with at(3):
        call_id = CallRow.objects.get(open=True).pk
        if phones:
            table.post(alice, table.mine, "appeal", call_id=call_id, reason="It was illegal.")
        else:
            table.post(jude, table.call, "appeal", seat=table.hall.seat, reason="Illegal.")
        refused = table.client_of(jude).post(table.call, {"act": "claim", "nonce": new_id()})
        assert refused.status_code == 409, "a floor judge never hears the appeal"
        heard = table.post(hedda, table.queue, "claim", call_id=call_id)
        assert "Decide the appeal" in heard
        cited = {"outcome": "upheld", "note": "Nine acts ago.", "cites": precedent}
        table.post(hedda, table.call, "appeal_rule", **cited)
        assert RulingRow.objects.get(call_id=call_id).cites == [precedent]
    with at(6 + 20 / 60):
        table.post(hedda, table.call, "close")
        row = CallRow.objects.get(pk=call_id)
        assert (row.state, row.took_s, row.extension_s) == ("closed", 380, 180)
        outsiders_see_nothing(table)
        told = table.page(alice, table.mine)
        assert "The head judge upheld the ruling." in told
        assert "Nine acts ago." not in told
        kept = table.client_of(jude).get(f"/api/v1/calls/{call_id}").json()
        assert [one["what"] for one in kept["steps"]][-2:] == ["appeal_ruled", "call_closed"]
    rebuilds_equal("judging.calls")


def test_a_third_time_costs_a_duel_and_a_loss_between_duels_falls_on_the_next_match(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf
) -> None:
    """konami-ocg in Indonesia: counted per infraction, whatever its kind; what is given between
    two duels falls on the next one."""
    table = Table(open_hall(olga, alice, bob, jude, hedda, pack="konami-ocg-idn"), client_of)
    hall = table.hall
    for kind, told in (("card_moved", False), ("graveyard_order", False), ("lp_not_written", True)):
        table.post(hedda, table.sheet, "start")
        asked = f"{table.sheet}count/?seat={hall.seat}&preset=PE-MINOR/{kind}"
        shown = table.page(hedda, asked)
        assert ("the pack suggests Game loss" in shown) is told, kind
        up = {"penalty": "game_loss", "note": "Third time."} if told else {}
        entrant = {"target_entrant": hall.ea, "infraction": "PE-MINOR"}
        table.post(hedda, table.call, "rule", infraction_kind=kind, **entrant, **up)
        table.post(hedda, table.call, "close")
    assert "<b>2</b> of this infraction before" in shown
    assert (hall.wins(hall.eb), hall.match.state) == (1, "between"), "the next duel is lost"
    table.post(hedda, table.sheet, "rule", seat=hall.seat, preset="MC-STRICT/pattern")
    loss = LossRow.objects.get()
    assert (loss.kind, loss.entrant_id, loss.state) == ("match_loss", hall.ea, "pending")
    assert hall.match.state == "between", "this match goes on"
    lost = [0, 2, 0] if hall.seat == "P1" else [2, 0, 0]
    for match_id, score in ((hall.match_id, lost), (hall.other_match, [2, 0, 0])):
        tournaments.result_enter(olga.context(), match_id=match_id, score=score)
    tournaments.round_pair(olga.context(), event_id=hall.event_id, seed=1)
    tournaments.round_publish(olga.context(), event_id=hall.event_id, number=2)
    after = MatchRow.objects.get(Q(p1=hall.ea) | Q(p2=hall.ea), event_id=hall.event_id, round=2)
    won = "P2" if after.p1 == hall.ea else "P1"
    assert (after.state, after.winner, after.reason) == ("decided", won, "match_loss")
    loss.refresh_from_db()
    assert (loss.state, loss.carried_match) == ("carried_out", after.pk)
    rebuilds_equal()
