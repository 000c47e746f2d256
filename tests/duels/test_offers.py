"""What a recorder is offered: exactly the lawful acts, each at the end of its own taps."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from duels import wording_recorder as words
from duels.domain.offers import ENOUGH, Answer, Offer, Pick, Recorder, choose
from duels.rules.games import PLAYED, recorder_of
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine
from duels.rules.yugioh import spaces as places
from duels.rules.yugioh.duel import NEW, evolve, fold
from duels.rules.yugioh.legal import legal_acts
from eventstore.domain.refusal import Refusal
from tests.duels import made
from tests.duels.test_paper import Paper, at_main_phase

YGO = recorder_of("yugioh")


def leaves(offers: list[Offer], trail: tuple[str, ...]) -> list[Offer]:
    """Every act that taps from here on lead to, by the buttons alone."""
    step = choose(offers, trail)
    assert not step.lost, trail
    if step.offer is not None:
        return [step.offer]
    found: list[Offer] = []
    for option in step.options:
        found += [option.sole] if option.sole else leaves(offers, option.trail)
    return found


def reach(recorder: Recorder, duel: Any, player: str) -> list[Offer]:
    """Every act that the groups of a page lead to."""
    offers = recorder.offers(duel, player)
    groups = {one.group for one in offers}
    assert groups <= set(recorder.GROUPS)
    return [one for group in sorted(groups) for one in leaves(offers, (group,))]


def plain(act: Any) -> str:
    """An act of the engine as an offer has it."""
    return str({key: value for key, value in a.plain(act).items() if key != "player"})


def spaceless(plain: Any) -> dict[str, Any]:
    """An act as it is when nobody chooses a zone."""
    return {key: None if key == "space" else value for key, value in plain.items()}


def _read(plain: Any, player: str = "P1") -> a.AnyAct:
    act = a.read({**plain, "player": player})
    assert not isinstance(act, Refusal)
    return act


@pytest.mark.parametrize("seed", [1, 4])
def test_the_buttons_lead_to_exactly_the_lawful_acts(seed: int) -> None:
    duel, seen = NEW, 0
    for place, event in enumerate(made.played(seed, 500)):
        duel = evolve(duel, event)
        if place % 9:
            continue
        for player in ("P1", "P2"):
            lawful = {plain(act) for act in legal_acts(duel, player)}
            assert {str(dict(one.act)) for one in reach(YGO, duel, player)} == lawful
            laid = YGO.offers(duel, player, spaces=True)
            assert {str(spaceless(one.act)) for one in laid} == lawful
            assert all(engine.explain(duel, _read(one.act, player)) == [] for one in laid)
            seen += len(lawful)
    assert seen > 60


@pytest.mark.parametrize("game", PLAYED)
def test_every_code_of_a_game_has_its_words(game: str) -> None:
    recorder = recorder_of(game)
    assert set(recorder.GROUPS) <= set(words.GROUPS)
    assert {one.code for one in recorder.EFFECTS} <= set(words.EFFECTS)


def test_a_question_and_an_answer_without_words_would_be_seen() -> None:
    duel = NEW
    for event in made.played(2, 400):
        duel = evolve(duel, event)
        for offer in YGO.offers(duel, "P1") if duel.seq % 20 == 0 else ():
            for pick in offer.picks:
                assert pick.ask in words.QUESTIONS
                assert {one.word for one in pick.answers if one.word} <= set(words.ANSWERS)


def cards(*names: str) -> tuple[Answer, ...]:
    return tuple(Answer(name, name.upper()) for name in names)


def test_several_cards_are_tapped_in_any_order_and_may_be_enough_early() -> None:
    def offer(*chosen: str) -> Offer:
        return Offer("activate", {"targets": chosen}, (Pick("targets", cards(*chosen)),))

    some = [offer("a"), offer("a", "b"), offer("b", "c")]
    assert [one.answer.token for one in choose(some, ["activate"]).options] == ["a", "b", "c"]
    assert choose(some, ["activate", "c"]).options[0].sole == some[2]
    step = choose(some, ["activate", "a"])
    assert [one.answer.token for one in step.options] == ["b", ENOUGH]
    assert [one.sole for one in step.options] == [some[1], some[0]]
    assert choose(some, ["activate", "b", "a"]).offer == some[1]
    assert choose(some, ["activate", "a", "c"]).lost
    assert choose(some, ["attack"]).lost
    assert choose(some, []).lost


def test_acts_that_only_an_order_tells_apart_are_named_one_by_one() -> None:
    pair = cards("a", "b")
    two = [
        Offer("activate", {"targets": ["a", "b"]}, (Pick("targets", pair),)),
        Offer("activate", {"targets": ["b", "a"]}, (Pick("targets", pair[::-1]),)),
    ]
    step = choose(two, ["activate", "a", "b"])
    assert step.ask == "which"
    assert [one.sole for one in step.options] == two
    assert choose(two, step.options[1].trail).offer == two[1]
    assert choose(two, ["activate", "a", "b", "=9"]).lost


def names(paper: Paper, player: str = "P1") -> dict[str, list[Offer]]:
    found: dict[str, list[Offer]] = {}
    for one in YGO.offers(paper.duel, player):
        found.setdefault(one.group, []).append(one)
    return found


def test_a_card_of_paper_is_named_when_it_is_shown_and_stands_once() -> None:
    paper = at_main_phase("recorded")
    offered = names(paper)
    (summon,) = offered["normal_summon"]
    assert summon.unknown
    assert choose([summon], ["normal_summon"]).options[0].sole is None
    assert [one.act["act"] for one in offered["set"]] == ["set_monster", "set_spell_trap"]
    facts = made.FACTS["Heron"]
    paper.do(a.Identify("P1", int(summon.unknown), "Heron", facts))
    named, _ = names(paper)["normal_summon"]
    assert (named.unknown, named.picks[0].answers[0].name) == ("", "Heron")
    paper.do(a.NormalSummon("P1", int(summon.unknown)))
    again = [one for one in YGO.beyond(paper.duel, "P1") if one.group == "set"]
    assert {one.refusal.code for one in again if one.refusal} == {"YGO-11.1"}
    assert again[0].act["act"] == "set_monster"


def test_what_is_thrown_away_unseen_is_asked_for() -> None:
    paper = at_main_phase("recorded")
    assert YGO.unnamed(paper.duel) == []
    op = {"op": "send_to_graveyard", "target": "P1.hand.1"}
    facts = made.FACTS["Spark"]
    paper.do(a.Identify("P1", "P1.hand.2", "Spark", facts), a.ResolveEffect("P1", "Spark", [op]))
    (open_card,) = YGO.unnamed(paper.duel)
    assert (open_card.name, open_card.place) == (None, "P1.graveyard.1")


@pytest.mark.parametrize("effect", [one.code for one in YGO.EFFECTS])
def test_a_declared_effect_is_an_act_that_can_be_read(effect: str) -> None:
    act = YGO.declare(effect, player="P1", by="7", amount=500, card="P2.monsters.1", whose="P2")
    assert isinstance(a.read({**act, "player": "P1"}), a.ResolveEffect | a.LpChange)


def test_no_offer_tells_its_player_what_lies_hidden() -> None:
    """Two cards of the opponent changed that Alice has not seen: the offers are the same."""
    log = made.played(5, 300)[:40]
    opened: Any = log[0]
    cards = list(opened.main["P2"])
    cards[0], cards[-1] = cards[-1], cards[0]
    other = replace(opened, main={**opened.main, "P2": cards})
    offered = [YGO.offers(fold([first, *log[1:]]), "P1") for first in (opened, other)]
    assert str(offered[0]) == str(offered[1])
    assert offered[0]


def test_who_cares_for_the_zone_is_asked_for_it_and_nobody_else() -> None:
    paper = at_main_phase("recorded")
    (summon,) = names(paper)["normal_summon"]
    paper.do(a.Identify("P1", int(summon.unknown), "Heron", made.FACTS["Heron"]))
    card = summon.unknown
    quick = choose(YGO.offers(paper.duel, "P1"), ["normal_summon", card]).offer
    assert quick is not None
    assert quick.act["space"] is None
    asked = choose(YGO.offers(paper.duel, "P1", spaces=True), ["normal_summon", card])
    assert (asked.ask, len(asked.options)) == ("space", 5)
    assert [words.answer_text(one.answer) for one in asked.options[1:3]] == ["Zone 2", "Zone 3"]
    chosen = asked.options[3].sole
    assert chosen is not None
    paper.do(_read(chosen.act))
    assert paper.duel.table.side("P1").monsters.index(int(card)) == 3
    # a Set: as what, then in which zone; the taken one is not on offer
    offers = YGO.offers(paper.duel, "P1", spaces=True)
    (nameless,) = {one.act["card"] for one in offers if one.group == "set"}
    step = choose(offers, ["set", str(nameless), "spell_trap"])
    assert (step.ask, len(step.options)) == ("space", 5)
    assert YGO.free_spaces(paper.duel, "P1") == (1, 2, 3, 5)


@pytest.mark.parametrize("mode", ["refereed", "recorded"])
@pytest.mark.parametrize("space", [0, 2, 6, -1])
def test_a_zone_that_is_taken_or_not_there_is_refused_in_both_modes(mode: str, space: int) -> None:
    paper = at_main_phase(mode)
    assert not isinstance(paper.do(a.SetSpellTrap("P1", "P1.hand.1", space=2)), Refusal)
    refused = paper.do(a.SetSpellTrap("P1", "P1.hand.1", space=space))
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.params["allowed"]) == ("duels.space_not_free", [1, 3, 4, 5])
    assert len(paper.duel.table.side("P1").hand) == 5


def test_the_zone_of_a_tribute_is_free_and_a_field_spell_has_none_to_choose() -> None:
    paper = at_main_phase("recorded")
    for _ in range(2):
        paper.do(a.SetMonster("P1", "P1.hand.1"))
    first, second = paper.duel.table.controlled("P1")
    tribute = a.SetMonster("P1", "P1.hand.1", [second], space=2)
    assert places.open_to(paper.duel.table, tribute) == (2, 3, 4, 5)
    assert not isinstance(paper.do(tribute), Refusal)
    assert second in paper.duel.table.side("P1").graveyard
    assert paper.duel.table.side("P1").monsters[1] not in (0, second)
    field = a.SetSpellTrap("P1", "P1.hand.1", "field", space=1)
    assert places.open_to(paper.duel.table, field) == ()
    assert first in paper.duel.table.controlled("P1")


def test_a_declared_summon_names_its_zone() -> None:
    paper = at_main_phase("recorded")
    facts = made.FACTS["Heron"]
    paper.do(a.Identify("P1", "P1.hand.1", "Heron", facts))
    (source, *_) = YGO.sources(paper.duel, "P1")

    def declared(space: int | None) -> Any:
        act = YGO.declare(
            "special_summon",
            player="P1",
            by=source.token,
            amount=None,
            card="P1.hand.1",
            whose="",
            space=space,
        )
        return a.read({**act, "player": "P1"})

    refused = paper.do(declared(7))
    assert isinstance(refused, Refusal)
    assert refused.code == "duels.space_not_free"
    assert not isinstance(paper.do(declared(5)), Refusal)
    assert [bool(one) for one in paper.duel.table.side("P1").monsters[:5]] == [False] * 4 + [True]
    wrong = paper.do(
        a.ResolveEffect("P1", int(source.token), [{"op": "draw", "n": 1, "space": 2}]),
    )
    assert isinstance(wrong, Refusal)
    assert wrong.code == "duels.act_malformed"
