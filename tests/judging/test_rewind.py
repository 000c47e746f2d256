"""A rewind ordered by a ruling: the duel's log is appended to in the same transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from duels import selectors as duels
from duels.models import DuelRow
from duels.services import act
from eventstore.domain.refusal import Refused
from eventstore.store import head_position, read_stream
from judging import selectors, services
from judging.models import CallRow, RulingRow
from people.access import NotAllowed
from tests.conftest import Member
from tests.helpers import rebuilds_equal
from tests.judging.hall import Hall, raise_call, to_table
from tournaments import services as tournaments

pytestmark = [pytest.mark.django_db]


@dataclass(frozen=True, slots=True)
class Duel:
    """A running duel: its id, the seat that is to play, who sits there."""

    duel_id: str
    seat: str
    player: Member


@pytest.fixture
def duel(hall: Hall, alice: Member, bob: Member) -> Duel:
    """The first duel of the match: the starter has drawn and stands in Main Phase 1."""
    tournaments.coin_toss(hall.olga.context(), match_id=hall.match_id, winner="P1")
    tournaments.starter_choose(hall.olga.context(), match_id=hall.match_id, first="P1")
    duel_id = tournaments.duel_start(hall.olga.context(), match_id=hall.match_id, seed=7)
    player = alice if hall.seat == "P1" else bob
    standby, main = ({"act": "enter_phase", "phase": one} for one in ("standby", "main1"))
    for one in ({"act": "draw"}, standby, main):
        act(player.context(), duel_id=duel_id, player="P1", act=one)
    return Duel(duel_id, "P1", player)


def rewind(judge: Member, call_id: str, duel: Duel, **values: Any) -> services.Ruled:
    given: dict[str, Any] = {
        "rule_id": "YGO-17.9",
        "remedy": "rewind",
        "duel_id": duel.duel_id,
        "note": "The chance to answer was skipped.",
    }
    return services.ruling_make(judge.context("judge"), call_id=call_id, **given | values)


def test_the_head_judge_takes_play_back_and_every_line_stays(
    hall: Hall, duel: Duel, alice: Member, hedda: Member
) -> None:
    before = read_stream(f"duel-{duel.duel_id}")
    k = len(before) - 1
    then = duels.duel_view(hedda.actor, duel.duel_id, at=k).table
    call_id = raise_call(alice, hall.match_id, category="skipped_answer")
    to_table(hedda, call_id)
    ruled = rewind(hedda, call_id, duel, rewind_to=k)
    after = read_stream(f"duel-{duel.duel_id}")
    assert after[: len(before)] == before
    assert after[-1].type == "duels.rewound"
    assert after[-1].meta.command == read_stream(f"call-{call_id}")[-1].meta.command
    now = duels.duel_view(hedda.actor, duel.duel_id).table
    assert (now["turn"], now["phase"]) == (then["turn"], then["phase"])
    assert DuelRow.objects.get(pk=duel.duel_id).rewinds == 1
    row = RulingRow.objects.get(pk=ruled.ruling_id)
    assert (row.rule_id, row.rewind_to, row.final) == ("YGO-17.9", k, True)
    log = duels.duel_log(hedda.actor, duel.duel_id, "judge")
    assert [line.struck for line in log if line.seq == len(before)] == [True]
    rebuilds_equal()


def test_the_newest_duel_is_meant_when_none_is_named(
    hall: Hall, duel: Duel, alice: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda, call_id)
    ruled = rewind(hedda, call_id, duel, duel_id=None, rewind_to=2)
    assert RulingRow.objects.get(pk=ruled.ruling_id).duel_id == duel.duel_id


def test_a_floor_judge_orders_no_rewind(
    hall: Hall, duel: Duel, alice: Member, jude: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    before = head_position()
    with pytest.raises(NotAllowed) as fault:
        rewind(jude, call_id, duel, rewind_to=2)
    assert (fault.value.action, fault.value.hidden) == ("judging.rewind_order", False)
    assert head_position() == before


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"rewind_to": 10_000}, "duels.rewind_out_of_range"),
        ({"rewind_to": None}, "judging.rewind_incomplete"),
        ({"rewind_to": -3}, "judging.rewind_incomplete"),
        ({"rewind_to": 2, "note": " "}, "judging.reason_missing"),
        ({"rewind_to": 2, "duel_id": "other"}, "judging.duel_not_of_match"),
    ],
)
def test_a_rewind_that_cannot_be_leaves_neither_ruling_nor_event(
    hall: Hall, duel: Duel, alice: Member, hedda: Member, values: dict[str, Any], code: str
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda, call_id)
    before = head_position()
    with pytest.raises(Refused) as fault:
        rewind(hedda, call_id, duel, **values)
    assert fault.value.refusal.code == code
    assert head_position() == before
    assert not RulingRow.objects.exists()
    assert CallRow.objects.get(pk=call_id).state == "at_table"


def test_a_duel_whose_result_counts_is_not_rewound(
    hall: Hall, duel: Duel, alice: Member, hedda: Member
) -> None:
    act(duel.player.context(), duel_id=duel.duel_id, player=duel.seat, act={"act": "concede"})
    tournaments.duel_result_take(hall.olga.context(), match_id=hall.match_id, duel_id=duel.duel_id)
    call_id = raise_call(alice, hall.match_id)
    to_table(hedda, call_id)
    with pytest.raises(Refused) as fault:
        rewind(hedda, call_id, duel, rewind_to=2)
    assert fault.value.refusal.code == "judging.duel_scored"


def test_a_game_loss_in_a_running_duel_falls_on_that_duel(
    hall: Hall, duel: Duel, alice: Member, jude: Member, hedda: Member
) -> None:
    call_id = raise_call(alice, hall.match_id)
    to_table(jude, call_id)
    ruled = services.ruling_make(
        jude.context("judge"),
        call_id=call_id,
        infraction="PE-MAJOR",
        target_entrant=hall.ea,
        remedy="loss",
    )
    assert RulingRow.objects.get(pk=ruled.ruling_id).target == "this_game"
    services.penalty_approve(hedda.context("judge"), call_id=call_id, ruling_id=ruled.ruling_id)
    assert hall.wins(hall.eb) == 1
    assert selectors.call_detail(alice.actor, call_id).rulings[0].in_force
    rebuilds_equal()
