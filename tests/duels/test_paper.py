"""Paper duels: unknown cards are cards, and become known when they are seen."""

from __future__ import annotations

import pytest

from duels.domain.events import CardFacts
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine
from duels.rules.yugioh.duel import Duel, evolve, fold
from duels.rules.yugioh.lines import lines
from duels.rules.yugioh.view import view
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tests.duels.made import FACTS, opening


class Paper:
    """A duel whose Decks nobody knows."""

    def __init__(self, mode: str = "refereed", fidelity: str = "full") -> None:
        unknown: dict[str, list[None]] = {"P1": [None] * 40, "P2": [None] * 40}
        self.log = opening(1, main=unknown, facts=[], mode=mode, fidelity=fidelity)
        self.duel: Duel = fold(self.log)

    def do(self, *acts: a.AnyAct) -> list[DomainEvent] | Refusal:
        decided: list[DomainEvent] | Refusal = []
        for act in acts:
            decided = engine.decide(self.duel, act)
            if isinstance(decided, Refusal):
                return decided
            for event in decided:
                self.duel = evolve(self.duel, event)
            self.log += decided
        return decided


def at_main_phase(mode: str = "refereed") -> Paper:
    paper = Paper(mode)
    assert not isinstance(
        paper.do(a.Draw("P1"), a.EnterPhase("P1", "standby"), a.EnterPhase("P1", "main1")), Refusal
    )
    return paper


def test_an_unknown_card_can_be_set_but_not_shown() -> None:
    paper = at_main_phase()
    shown = paper.do(a.NormalSummon("P1", "P1.hand.1"))
    assert isinstance(shown, Refusal)
    assert shown.code == "duels.card_unknown"
    assert not isinstance(paper.do(a.SetMonster("P1", "P1.hand.1")), Refusal)
    assert not isinstance(paper.do(a.SetSpellTrap("P1", "P1.hand.1")), Refusal)
    table = paper.duel.table
    assert len(table.controlled("P1")) == 1
    assert table.side("P1").hand == table.side("P1").hand[:4]


def test_an_identified_card_is_played_by_its_facts() -> None:
    paper = at_main_phase()
    facts = FACTS["Heron"]
    assert not isinstance(paper.do(a.Identify("P1", "P1.hand.1", "Heron", facts)), Refusal)
    again = paper.do(a.Identify("P1", "P1.hand.1", "Heron"))
    assert isinstance(again, Refusal)
    assert again.code == "duels.card_already_identified"
    unknown = paper.do(a.Identify("P1", "P1.hand.2", "Nobody"))
    assert isinstance(unknown, Refusal)
    assert unknown.code == "duels.card_unknown"
    wrong = paper.do(a.Identify("P1", "P1.hand.2", "Otter", CardFacts("x", "X", "monster")))
    assert isinstance(wrong, Refusal)
    assert wrong.code == "duels.act_malformed"
    public = lines(paper.log, "public")[-1]
    own = lines(paper.log, "p1")[-1]
    assert public.params["card"]["name"] is None
    assert own.params["card"]["name"] == "Heron"
    assert not isinstance(paper.do(a.NormalSummon("P1", "P1.hand.1")), Refusal)
    assert view(paper.duel, "public")["P1"]["monsters"][0]["name"] == "Heron"


def test_recorded_play_notes_the_infraction_beside_what_happened() -> None:
    paper = at_main_phase("recorded")
    decided = paper.do(a.SetMonster("P1", "P1.hand.1"), a.SetMonster("P1", "P1.hand.1"))
    assert not isinstance(decided, Refusal)
    assert len(paper.duel.table.controlled("P1")) == 2
    assert [one.rule for one in paper.duel.infractions] == ["YGO-11.1"]
    line = lines(paper.log, "public")[-2]
    assert line.code == "duels.infraction_recorded"
    assert (line.params["player"], line.params["rule"]) == ("P1", "YGO-11.1")
    claim = paper.do(a.Claim("P1", "win"))
    assert isinstance(claim, Refusal)


def test_a_pad_duel_takes_statements_only() -> None:
    paper = Paper(fidelity="pad")
    assert len(paper.log) == 1
    refused = paper.do(a.Draw("P1"))
    assert isinstance(refused, Refusal)
    assert refused.code == "duels.pad_only"


@pytest.mark.parametrize("viewer", ["public", "p2"])
def test_the_draw_and_the_shuffle_tell_others_only_how_many(viewer: str) -> None:
    log = opening(3)
    shown = lines(log, viewer)
    shuffle = next(line for line in shown if line.code == "duels.deck_shuffled")
    assert shuffle.params == {"player": "P1", "count": 40}
    drawn = next(
        line for line in shown if line.code == "duels.cards_drawn" and line.params["player"] == "P1"
    )
    assert [card["card"] for card in drawn.params["cards"]] == [None] * 5
    own = next(line for line in lines(log, "p1") if line.code == "duels.cards_drawn")
    assert all(card["card"] for card in own.params["cards"])
