"""A second game by the same commands: its duel is opened, played, rewound and read back."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from duels import inspection, selectors, services
from duels import wording_instruments as words
from duels.models import DuelRow
from duels.pages.skins import skin_of
from duels.rules.duelmasters.instruments import draws, tallies
from duels.rules.games import PLAYED, rules_of
from eventstore.domain.refusal import Refused
from eventstore.ids import new_id
from tests.conftest import Member
from tests.duels.creatures import DECK, FACTS, played
from tests.helpers import rebuilds_equal

pytestmark = [pytest.mark.django_db]
GAME = "duel-masters"
EVENT = new_id()


def opened(alice: Member, bob: Member, **values: Any) -> str:
    duel_id = new_id()
    given: dict[str, Any] = {
        "event_id": None,
        "match_id": None,
        "number": 1,
        "game": GAME,
        "options": {},
        "seats": {"P1": [alice.person_id], "P2": [bob.person_id]},
        "starter": "P1",
        "decks": {seat: [FACTS[key] for key in DECK] for seat in ("P1", "P2")},
        "seed": "twelve",
    }
    services.duel_open(alice.context(), duel_id=duel_id, **given | values)
    return duel_id


def _names(cells: list[Any]) -> list[str]:
    return [one.name for one in cells]


def _pages(client: Client, duel_id: str, hidden: list[str]) -> None:
    """The table by its skin, the recorder, the text, and the page to keep; nothing hidden."""
    body = client.get(f"/duels/{duel_id}/?as=public").content.decode()
    for shown in ("Battle zone of", "Mana zone of", "Shields, Deck and graveyard of"):
        assert body.count(shown) == 2
    assert "Shields by line" in body
    assert "Life Points" not in body
    for path in ("", "text/", "offline/"):
        answer = client.get(f"/duels/{duel_id}/{path}?as=public")
        assert answer.status_code == 200
        text = answer.content.decode()
        assert not any(name in text for name in hidden), path
    for one in ("/duels/{}/judge/", "/api/v1/duels/{}/?as=judge", "/api/v1/duels/{}/?as=p1"):
        assert client.get(one.format(duel_id)).status_code in (403, 404)


def test_a_side_is_drawn_with_civilizations_and_without_what_is_hidden() -> None:
    log = played(6)
    skin, rules = skin_of(GAME), rules_of(GAME)
    seen = set[str]()
    duel = rules.NEW
    for event in log:
        duel = rules.evolve(duel, event)
        table = rules.view(duel, "p1")
        for seat in ("P1", "P2"):
            side = skin.side(table, seat)
            assert side.score == len(side.shields) == len(duel.table.side(seat).shields)
            assert not any(_names(side.shields))
            assert all(one.icon and one.civilization for one in side.mana)
            assert sum(one.count for one in side.mana_groups) == len(side.mana)
            seen |= {one.role for one in side.battle} | {
                "tapped" for one in side.mana if one.tapped
            }
            frame = skin.frame(side, lambda text: 0)
            assert {one.key for one in (*skin.ROWS, *skin.PILES, *skin.LISTS)} <= frame.keys()
    assert {"attack", "shield", "target", "tapped"} <= seen


def test_a_duel_is_played_by_the_commands(
    alice: Member, bob: Member, client_of: Callable[..., Client]
) -> None:
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
    public = selectors.duel_view(bob.actor, duel_id, perspective="public").table
    open_ = {str(one["name"]) for seat in ("P1", "P2") for zone in ("battle", "mana", "graveyard")
             for one in public[seat][zone]}  # fmt: skip
    told = str(selectors.duel_log(bob.actor, duel_id, "public"))
    hidden = [name for name in FACTS if name not in open_ and name not in told]
    _pages(client_of(None), duel_id, hidden)


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


def test_a_judge_reads_the_audits_of_shields_and_mana(
    alice: Member, bob: Member, olga: Member, jude: Member, client_of: Callable[..., Client]
) -> None:
    duel_id = opened(alice, bob, event_id=EVENT, mode="recorded")
    jude.grant("judge", EVENT)
    hand = [f"P1.hand.{n}" for n in (1, 1)]
    for card in hand:
        act = {"act": "charge", "card": card}
        services.act(alice.context(), duel_id=duel_id, player="P1", act=act)
    found = inspection.inspection(jude.actor, duel_id)
    assert [tally.zone for tally in found.tallies] == ["shields", "mana"]
    assert [row.flags for row in found.tallies[1].rows] == [(), ("SECOND_CHARGE",)]
    assert [row.cards for row in found.tallies[0].rows] == [(), ()], "nobody sees a shield"
    page = client_of(jude).get(f"/duels/{duel_id}/judge/").content.decode()
    assert "a second card into the mana zone in this turn" in page
    assert "DM-3.5" in page
    assert "Life Points" not in page


def test_every_code_of_the_audits_has_its_words() -> None:
    assert set(tallies.FLAGS) == set(words.TALLY_FLAGS)
    assert set(draws.FLAGS) == set(words.DRAW_FLAGS)


def test_a_duel_of_pads_alone_and_one_on_paper(alice: Member, bob: Member) -> None:
    pads = opened(alice, bob, fidelity="pad", mode="recorded", decks=None)
    count = {"statement": "count_declared", "about": "P2", "zone": "shields", "value": 3}
    services.statement_make(alice.context(), duel_id=pads, player="P1", statement=count)
    with pytest.raises(Refused) as fault:
        services.act(alice.context(), duel_id=pads, player="P1", act={"act": "draw"})
    assert fault.value.refusal.code == "duels.pad_only"
    assert rules_of(GAME).status(selectors.duel_state(pads)) == []
    paper = opened(alice, bob, fidelity="reconstructed", mode="recorded", decks=None)
    act = {"act": "charge", "card": "P1.hand.1"}
    services.act(alice.context(), duel_id=paper, player="P1", act=act)
    services.statement_make(alice.context(), duel_id=paper, player="P1", statement=count)
    marks = rules_of(GAME).status(selectors.duel_state(paper))
    assert [(one.code, dict(one.params)["held"]) for one in marks] == [("COUNT_MISMATCH", 5)]
    shown = selectors.duel_view(alice.actor, paper).table
    assert shown["P1"]["counts"] == {
        "deck": 30,
        "hand": 4,
        "shields": 5,
        "mana": 1,
        "battle": 0,
        "graveyard": 0,
    }
