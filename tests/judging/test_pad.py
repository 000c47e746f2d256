"""The Life Point pad of a player: both pads, agreements, turns, hand counts; put away where the
policy or the event says so, on every way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from duels import selectors as duels
from eventstore.ids import new_id
from eventstore.models import Event
from eventstore.store import read_stream
from judging.domain.pads import Standing, closed
from judging.wording import PADS
from portal.live import topics
from portal.models import LiveTopic
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, open_hall
from tournaments import services as tournaments

pytestmark = pytest.mark.django_db
ClientOf = Callable[[Member | None], Client]


class Pad:
    """The page of one player."""

    def __init__(self, hall: Hall, client: Client) -> None:
        self.hall, self.client = hall, client
        self.path = f"/my/{hall.event_id}/pad/"

    def post(self, act: str, **values: Any) -> int:
        """Send a form of the page; return the status."""
        rows = self.hall.match.duels
        given = {"act": act, "nonce": new_id(), "match_id": self.hall.match_id}
        if rows:
            given["duel_id"] = rows[-1]["duel_id"]
        return int(self.client.post(self.path, {**given, **values}).status_code)

    def page(self) -> str:
        """What the page shows."""
        return str(self.client.get(self.path).content.decode())


def ready(hall: Hall) -> None:
    """It is settled who starts."""
    tournaments.coin_toss(hall.olga.context(), match_id=hall.match_id, winner="P1")
    tournaments.starter_choose(hall.olga.context(), match_id=hall.match_id, first="P1")


def test_two_pads_part_and_agree_and_the_log_takes_the_anchor(
    hall: Hall, alice: Member, bob: Member, client_of: ClientOf
) -> None:
    one, two = Pad(hall, client_of(alice)), Pad(hall, client_of(bob))
    assert "It opens when it is settled who starts" in one.page()
    ready(hall)
    assert one.post("open") == 302
    duel_id = hall.match.duels[-1]["duel_id"]
    assert duels.duel_rows(alice.actor, match_id=hall.match_id)[0].fidelity == "pad"
    theirs = LiveTopic.objects.filter(topic=topics.mine(hall.event_id, bob.person_id))
    before = theirs.first().moves if theirs else 0
    assert one.post("note", about="theirs", how="loses", amount="800", pad_seq="1") == 302
    assert theirs.get().moves == before + 1, "the other phone follows"
    assert two.post("note", about="mine", how="loses", amount="80", pad_seq="1") == 302
    assert "The pads differ" in one.page()
    assert "The pads differ" in two.page()
    assert one.post("agree", mine="8000", theirs="7200") == 409, "nobody agrees alone"
    assert two.post("note", about="mine", how="total", amount="7200", pad_seq="2") == 302
    assert one.post("agree", mine="8000", theirs="7100") == 409, "not what the pads say"
    assert "both pads agree" in one.page()
    assert one.post("agree", mine="8000", theirs="7200") == 302
    seat = {"P1": "P2", "P2": "P1"}[hall.seat]
    assert duels.lp_ledger(alice.actor, duel_id).life_points[seat] == 7200
    assert one.post("turn", turn="1", about="mine") == 302
    assert "Turn 2 begins: Bob" in one.page()
    assert one.post("count", about="theirs", cards="4") == 302
    assert two.post("count", about="mine", cards="5") == 302
    assert 'class="hl"' in one.page().split("Whose hand")[0].split("How many cards")[1]
    assert two.post("note", about="mine", how="loses", amount="9000", pad_seq="3") == 302
    values = [one.data for one in read_stream(f"duel-{duel_id}")]
    assert getattr(values[-1], "value", None) == 0, "never below nothing"
    rebuilds_equal("duels.duels", "portal.live")


def test_bad_input_is_refused_and_a_repeat_is_one_line(
    hall: Hall, alice: Member, client_of: ClientOf
) -> None:
    pad = Pad(hall, client_of(alice))
    ready(hall)
    pad.post("open")
    before = Event.objects.count()
    line = {"about": "mine", "how": "loses", "amount": "100", "pad_seq": "1"}
    wrong: list[dict[str, str]] = [
        {"how": "halves"}, {"about": "nobody"}, {"amount": "-5"}, {"amount": "x"},
        {"amount": "1000000"}, {"duel_id": new_id()}, {"client_time": "yesterday"},
    ]  # fmt: skip
    for values in wrong:
        assert pad.post("note", **{**line, **values}) == 409, values
    assert pad.post("count", about="mine", cards="x") == 409
    assert pad.post("turn", about="mine", turn="99999999") == 409
    assert Event.objects.count() == before
    nonce = new_id()
    assert [pad.post("note", nonce=nonce, **line) for _ in range(3)] == [302] * 3
    assert Event.objects.count() == before + 1
    assert pad.post("note", **line) == 409, "this line of the pad is in already"


def test_pads_beside_a_table_never_move_it(hall: Hall, alice: Member, client_of: ClientOf) -> None:
    ready(hall)
    duel_id = tournaments.duel_start(hall.olga.context(), match_id=hall.match_id, seed=7)
    pad = Pad(hall, client_of(alice))
    table = duels.duel_state(duel_id).table
    pad.post("note", about="mine", how="loses", amount="4000", pad_seq="1")
    pad.post("count", about="mine", cards="1")
    assert duels.duel_state(duel_id).table == table
    assert "begins" not in pad.page().split("How many cards")[1], "the table knows its turns"


@pytest.mark.parametrize(
    ("chosen", "word", "code"),
    [
        ({"pack": "konami-tcg"}, "written on paper here", "judging.pad_on_paper"),
        ({"devices": "not_in_match"}, "Raise your hand", "tournaments.devices_put_away"),
    ],
)
def test_where_the_policy_wants_paper_or_phones_away_no_way_leads_to_a_pad(
    olga: Member, alice: Member, bob: Member, jude: Member, hedda: Member, client_of: ClientOf,
    chosen: dict[str, str], word: str, code: str,
) -> None:  # fmt: skip
    hall = open_hall(olga, alice, bob, jude, hedda, **chosen)
    ready(hall)
    duel_id = tournaments.duel_start(olga.context(), match_id=hall.match_id, seed=7)
    client, pad = client_of(alice), Pad(hall, client_of(alice))
    before = Event.objects.count()
    assert word in pad.page()
    assert pad.post("note", about="mine", how="loses", amount="100", pad_seq="1") == 409
    said = {"statement": "lp_declared", "about": "P1", "value": 1, "pad_seq": 1}
    answer = client.post(
        f"/api/v1/duels/{duel_id}/statements",
        {"player": hall.seat, "statement": said},
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert Event.objects.count() == before
    assert b"Life Point pad" not in client.get(f"/my/{hall.event_id}/judge/panel/").content
    assert b"Note Life Points" not in client.get(f"/my/{hall.event_id}/").content


@pytest.mark.parametrize(
    ("paper", "game", "match", "why"),
    [
        (True, True, Standing(False, True, True, True), "paper"),
        (False, False, Standing(False, True, True, True), "game"),
        (False, True, None, "no_match"),
        (False, True, Standing(True, False, False, False), "over"),
        (False, True, Standing(True, True, False, False), "unlogged"),
        (False, True, Standing(True, True, True, False), ""),
        (False, True, Standing(False, False, False, False), "starter"),
        (False, True, Standing(False, False, False, True), ""),
    ],
)
def test_why_there_is_no_pad(paper: bool, game: bool, match: Standing | None, why: str) -> None:
    assert closed(paper=paper, game=game, match=match) == why
    assert not why or why in PADS


def test_a_pad_is_offered_only_where_it_can_be_opened(
    hall: Hall, alice: Member, client_of: ClientOf
) -> None:
    client, pad = client_of(alice), Pad(hall, client_of(alice))
    pages = (f"/my/{hall.event_id}/", f"/my/{hall.event_id}/judge/panel/")
    link = f'href="{pad.path}"'

    def shown() -> list[tuple[bool, bool]]:
        found = [client.get(page).content.decode() for page in pages]
        return [(link in one, "No pad for Life Points." in one) for one in found]

    assert shown() == [(False, True)] * 2
    assert pad.post("open") == 409
    ready(hall)
    assert shown() == [(True, False)] * 2
    tournaments.result_enter(hall.olga.context(), match_id=hall.match_id, score=[2, 0, 0])
    assert shown() == [(False, True)] * 2
    assert "The match is over" in pad.page()
