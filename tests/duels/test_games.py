"""A second game by the same commands: its duel is opened, played, rewound and read back."""

from __future__ import annotations

import random

import pytest

from duels import selectors, services
from duels.models import DuelRow
from duels.rules.games import PLAYED, rules_of
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from tests.conftest import Member
from tests.duels.creatures import DECK, FACTS
from tests.helpers import rebuilds_equal

pytestmark = [pytest.mark.django_db]
GAME = "duel-masters"


def opened(alice: Member, bob: Member) -> str:
    duel_id = new_id()
    services.duel_open(
        alice.context(),
        duel_id=duel_id,
        event_id=None,
        match_id=None,
        number=1,
        game=GAME,
        options={},
        seats={"P1": [alice.person_id], "P2": [bob.person_id]},
        starter="P1",
        decks={seat: [FACTS[key] for key in DECK] for seat in ("P1", "P2")},
        seed="twelve",
    )
    return duel_id


def test_a_duel_is_played_by_the_commands(alice: Member, bob: Member) -> None:
    duel_id = opened(alice, bob)
    rules, rng = rules_of(GAME), random.Random(4)
    members = {"P1": alice, "P2": bob}
    while (player := rules.BOT.to_act(selectors.duel_state(duel_id))) is not None:
        duel = selectors.duel_state(duel_id)
        act = rules.plain(rules.BOT.choose(duel, player, rng))
        done = services.act(
            members[player].context(),
            duel_id=duel_id,
            player=player,
            act={key: value for key, value in act.items() if key != "player"},
        )
        if duel.table.turn >= 6 and duel.table.step == "attack":
            break
    row = DuelRow.objects.get(pk=duel_id)
    shown = selectors.duel_view(bob.actor, duel_id, perspective="p2")
    assert (row.turn, row.phase, row.game) == (shown.table["turn"], shown.table["phase"], GAME)
    assert [one["card"] for one in shown.table["P2"]["shields"]] == [None] * shown.table["P2"][
        "counts"
    ]["shields"]
    done = services.duel_concede(alice.context(), duel_id=duel_id, player="P1")
    assert (done.winner, done.by) == ("P2", "duels.conceded")
    assert rebuilds_equal("duels.duels") == 1


def test_what_others_are_asked_is_not_gone_past(alice: Member, bob: Member) -> None:
    duel_id = opened(alice, bob)
    with pytest.raises(Refused) as fault:
        services.act(bob.context(), duel_id=duel_id, player="P2", act={"act": "draw"})
    assert fault.value.refusal.code == "DM-3.1"
    with pytest.raises(Refused) as fault:
        services.act(alice.context(), duel_id=duel_id, player="P1", act={"act": "draw"})
    assert fault.value.refusal.code == "DM-3.3"
    hidden = selectors.duel_state(duel_id).table.side("P2").hand[0]
    act = {"act": "charge", "card": hidden}
    with pytest.raises(Refused) as fault:
        services.act(alice.context(), duel_id=duel_id, player="P1", act=act)
    assert fault.value.refusal.code == "duels.no_such_card"


def test_every_game_gives_what_the_rest_asks_of_it() -> None:
    for game in PLAYED:
        rules = rules_of(game)
        assert rules.NEW.seq == 0
        assert rules.FIRST_PHASE in rules.PHASES
        assert rules.points(rules.NEW.table).keys() == {"P1", "P2"}
