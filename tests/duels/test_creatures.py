"""Properties of whole duels of creatures, mana and shields: what is folded, taken back, seen."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from duels import wording_recorder as words
from duels.domain import chance, rewind, text
from duels.domain.events import CountDeclared, DuelOpened, InfractionRecorded, SeedCommitted
from duels.domain.instruments import counts, fairness, knowing, repair
from duels.rules import games
from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import bot, engine, knowledge, setup
from duels.rules.duelmasters import events as ev
from duels.rules.duelmasters.duel import NEW, Duel, evolve, fold
from duels.rules.duelmasters.instruments.draws import draws
from duels.rules.duelmasters.instruments.tallies import tallies
from duels.rules.duelmasters.instruments.walk import walk
from duels.rules.duelmasters.legal import held_up, legal_acts
from duels.rules.duelmasters.lines import lines
from duels.rules.duelmasters.sight import guessed
from duels.rules.duelmasters.soundness import states
from duels.rules.duelmasters.state import STEPS, Table
from duels.rules.duelmasters.status import misplaced, status
from duels.rules.duelmasters.view import VIEWERS, view
from eventstore.domain import canonical, registry
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tests.duels.creatures import FACTS, opening, played
from tests.duels.test_offers import reach
from tests.duels.test_properties import rewound
from tests.sizes import SIZES

PLAYERS = ("P1", "P2")
SEEDS = st.integers(0, 10**9)
few = settings(max_examples=max(4, SIZES.examples_slow // 3))


def sound(table: Table) -> None:
    """Every card in one place; what lies is in a mana zone or battle zone, and only that."""
    assert misplaced(table) == []
    lying = {card for side in table.sides.values() for card in (*side.mana, *side.battle)}
    assert lying == set(table.lying)
    assert table.step in ("", *STEPS)
    if table.attack is not None:
        assert table.attack.player == table.active


def at_random(seed: int, most: int = 200, mode: str = "refereed") -> list[DomainEvent]:
    """A log of lawful acts chosen at random, concessions left out."""
    rng = random.Random(seed)
    log = opening(seed, mode=mode)
    duel = fold(log)
    for _ in range(most):
        choices = [
            act
            for player in PLAYERS
            for act in legal_acts(duel, player)
            if not isinstance(act, a.Concede)
        ]
        if not choices:
            break
        act = rng.choice(choices)
        assert guessed(duel, act) is None
        assert held_up(duel, act) is None
        decided = engine.decide(duel, act)
        assert not isinstance(decided, Refusal), (act, decided)
        for event in decided:
            duel = evolve(duel, event)
        sound(duel.table)
        log += decided
    return log


def test_the_policy_plays_to_a_real_end() -> None:
    ends = set()
    for seed in range(SIZES.creature_duels):
        steps = walk(played(seed))
        for step in steps:
            sound(step.after.table)
        duel = steps[-1].after
        assert duel.table.result is not None, seed
        ends.add(duel.table.result.by)
        assert duel.table.turn < 120, seed
        assert status(duel) == [], seed
        assert [row for row in draws(steps) if row.flags] == [], seed
        assert [row for tally in tallies(steps) for row in tally.rows if row.flags] == [], seed
    assert "DM-2.1" in ends
    assert ends <= {"DM-2.1", "DM-2.2"}


@few
@given(SEEDS)
def test_random_lawful_acts_keep_the_table_sound(seed: int) -> None:
    log = at_random(seed)
    steps = walk(log)
    assert not [row for row in draws(steps) if row.flags]
    assert not [row for tally in tallies(steps) for row in tally.rows if row.flags]


@few
@given(SEEDS)
def test_events_survive_their_stored_form_and_the_text(seed: int) -> None:
    log = played(seed)
    again = []
    for event in log:
        name, schema = registry.name_of(event)
        body = canonical.encode(msgspec.to_builtins(event))
        again.append(registry.decode(name, schema, body))
    assert again == log
    assert fold(again).table == fold(log).table
    read = text.read(text.write([text.Entry(event) for event in log]))
    assert not isinstance(read, Refusal)
    assert [one.event for one in read] == log
    made = games.rules_in(log).states(log)
    assert isinstance(made, list)
    assert games.fold(log).table == fold(log).table


@few
@given(SEEDS, st.data())
def test_a_rewind_gives_the_table_of_the_prefix(seed: int, data: st.DataObject) -> None:
    log = played(seed)
    to = data.draw(st.integers(1, len(log) - 1))
    back = fold([*log, rewound(to)])
    assert back.table == fold(log[:to]).table
    assert evolve(back, rewound(len(log))).table == fold(log).table
    duel, more = bot.play(back, random.Random(seed), most=20)
    in_force = [[*log, rewound(to), *more][seq - 1] for seq in duel.trail.effective()]
    assert duel.table == fold(in_force).table
    assert rewind.effective([*log, rewound(to)]) == list(range(1, to + 1))


@few
@given(SEEDS, st.sampled_from(VIEWERS[:3]), st.data())
def test_a_view_tells_nothing_of_what_its_viewer_may_not_know(
    seed: int, viewer: str, data: st.DataObject
) -> None:
    """Two duels that differ only in cards the viewer has not seen look the same, table and log;
    the viewer's own seat has the same acts and gets the same answers."""
    log = at_random(seed, most=70)
    knower = {"p1": "P1", "p2": "P2", "public": knowledge.PUBLIC}[viewer]
    seen: set[int] = set()
    duel = NEW
    for event in log:
        duel = evolve(duel, event)
        for card in range(1, len(duel.table.owners)):
            if knowledge.sees(duel.table, duel.knowledge, knower, card):
                seen.add(card)
    table = duel.table
    hidden = [card for card in range(1, len(table.owners)) if card not in seen]
    assert hidden
    order = data.draw(st.permutations(hidden))
    identities = list(table.identities)
    for card, other in zip(hidden, order, strict=True):
        identities[card] = table.identities[other]
    first = log[0]
    assert isinstance(first, DuelOpened)
    swapped = msgspec.structs.replace(first, main={"P1": identities[1:41], "P2": identities[41:81]})
    other_log: list[DomainEvent] = [swapped, *log[1:]]
    other_duel = fold(other_log)
    assert view(other_duel, viewer) == view(duel, viewer)
    assert lines(other_log, viewer) == lines(log, viewer)
    if viewer != "public":
        assert legal_acts(other_duel, knower) == legal_acts(duel, knower)
        for act in probes(duel, knower, hidden):
            assert answer(other_duel, act) == answer(duel, act)


def probes(duel: Duel, player: str, hidden: list[int]) -> Iterator[a.AnyAct]:
    """Acts with which a player might try to learn what a hidden card is."""
    who: Any = player
    rival = "P2" if player == "P1" else "P1"
    places: list[int | str] = [f"{rival}.hand.1", f"{rival}.shields.1", f"{player}.shields.1"]
    for ref in [*places, f"{player}.deck.1", *hidden[:6]]:
        yield a.Charge(who, ref)
        yield a.Summon(who, ref)
        yield a.Cast(who, ref)
        yield a.Evolve(who, ref)
        yield a.Block(who, ref)
        yield a.UseShieldTrigger(who, ref)
        yield a.TapAbility(who, ref)
        yield a.Activate(who, ref)
        yield a.Attack(who, ref, rival)
        yield a.ResolveEffect(who, "Bolt", [{"op": "special_summon", "target": ref}])
        for card in duel.table.side(player).battle[:1]:
            yield a.Attack(who, card, ref)


def answer(duel: Duel, act: a.AnyAct) -> object:
    """What a player sees of the answer, as the service makes it."""
    decided = guessed(duel, act) or held_up(duel, act) or engine.decide(duel, act)
    return decided if isinstance(decided, Refusal) else "accepted"


def test_shields_are_seen_by_nobody_and_not_by_a_judge_while_the_duel_goes_on() -> None:
    log = opening(3)
    duel = fold(log)
    for viewer in VIEWERS:
        shown = view(duel, viewer)
        for player in PLAYERS:
            assert [one["card"] for one in shown[player]["shields"]] == [None] * 5
            assert shown[player]["counts"]["shields"] == 5
        assert not any("order" in line.params for line in lines(log, viewer))
    for knower in ("P1", "P2", knowledge.PUBLIC):
        for player in PLAYERS:
            for card in duel.table.side(player).shields:
                assert not knowledge.sees(duel.table, duel.knowledge, knower, card)
    known = knowing.who_knew(walk(log)[-1])
    assert {row.card.place.split(".")[1] for row in known} == {"hand"}


def wild(duel: Duel, player: Any, rng: random.Random) -> a.AnyAct:
    """Any act at all."""
    table = duel.table
    card = rng.randint(1, len(table.owners) - 1)
    near = rng.choice([card, *table.lying, *table.side(player).hand])
    other = rng.choice([card, *table.lying])
    acts: list[a.AnyAct] = [
        a.Untap(player),
        a.Draw(player),
        a.EnterStep(player, rng.choice(STEPS)),  # type: ignore[arg-type]
        a.EndTurn(player),
        a.Charge(player, near),
        a.Summon(player, near),
        a.Evolve(player, near, rng.choice([None, other])),
        a.Cast(player, near, None, rng.choice([[], [other]])),
        a.Attack(player, near, rng.choice(["P1", "P2", other])),
        a.Block(player, near),
        a.ChooseShields(player, [rng.randint(1, 6)]),
        a.UseShieldTrigger(player, near, rng.choice([[], [other]])),
        a.TapAbility(player, near),
        a.Activate(player, near, rng.choice([[], [other]])),
        a.Pass(player),
        a.Resume(player),
        a.Claim(player, "win"),
        a.ResolveEffect(player, "Bolt", [{"op": "destroy", "target": other}]),
        a.ResolveEffect(player, "Rain", [{"op": "return_to_hand", "target": other}]),
    ]
    return rng.choice(acts)


@few
@given(SEEDS)
def test_recorded_mode_takes_in_what_happened_and_notes_it(seed: int) -> None:
    """Any act at all, lawful or not: recorded or refused, never a crash, the table sound."""
    rng = random.Random(seed)
    log = opening(seed, mode="recorded")
    duel = fold(log)
    for number in range(120):
        player = rng.choice(PLAYERS)
        act = wild(duel, player, rng)
        if number % 3 == 0 and legal_acts(duel, duel.table.active)[:-1]:
            act = rng.choice(legal_acts(duel, duel.table.active)[:-1])
        found = engine.explain(duel, act)
        decided = engine.decide(duel, act)
        if isinstance(decided, Refusal):
            assert found
            continue
        noted = [event for event in decided if isinstance(event, InfractionRecorded)]
        assert [event.rule for event in noted] == [one.code for one in found[:1]]
        for event in decided:
            canonical.encode(msgspec.to_builtins(event))
            duel = evolve(duel, event)
        assert misplaced(duel.table) == []
        log += decided
        if duel.table.result is not None:
            break
    assert not isinstance(states(log), Refusal)
    assert lines(log, "public")
    tallies(walk(log))


def test_the_shuffles_are_committed_to_and_can_be_checked() -> None:
    log = played(8)
    committed = next(event for event in log if isinstance(event, SeedCommitted))
    assert chance.commitment(committed.secret) == committed.commitment
    assert fairness.fairness(walk(log)).state == fairness.SEALED
    swapped = [
        msgspec.structs.replace(event, order=[*event.order[1:], event.order[0]])
        if isinstance(event, ev.DeckShuffled)
        else event
        for event in log[:6]
    ]
    assert fairness.fairness(walk(swapped)).state == fairness.BROKEN
    for viewer in VIEWERS:
        assert committed.secret not in str(lines(log, viewer))
        assert committed.secret not in str(view(fold(log[:20]), viewer))


def recorded(*acts: dict[str, Any], seed: int = 5) -> tuple[list[DomainEvent], Duel]:
    """A duel on paper with these acts, lawful or not."""
    log = opening(seed, mode="recorded")
    duel = fold(log)
    for plain in acts:
        read = a.read(plain)
        assert not isinstance(read, Refusal), read
        decided = engine.decide(duel, read)
        assert not isinstance(decided, Refusal), decided
        for event in decided:
            duel = evolve(duel, event)
        log += decided
    return log, duel


def test_the_audits_flag_what_was_wrong_at_its_line() -> None:
    charge = [{"act": "charge", "player": "P1", "card": f"P1.hand.{n}"} for n in (1, 1, 1)]
    log, duel = recorded(
        {"act": "draw", "player": "P1"},
        charge[0],
        charge[1],
        {"act": "summon", "player": "P1", "card": "P1.hand.1", "mana": []},
        seed=7,
    )
    steps = walk(log)
    rules = [one.rule for one in duel.infractions]
    assert rules[:2] == ["DM-3.3", "DM-3.5"]
    flagged = [flag for row in draws(steps) for flag in row.flags]
    assert flagged == ["DRAW_ON_THE_FIRST_TURN"]
    mana = next(tally for tally in tallies(steps) if tally.zone == "mana")
    assert [row.flags for row in mana.rows][:2] == [(), ("SECOND_CHARGE",)]
    assert {"PAID_TOO_LITTLE", "NO_MANA_OF_THE_CIVILIZATION"} <= set(mana.rows[-1].flags)
    declared = CountDeclared("P1", "P1", "hand", 9)
    audit = counts.audit(walk([*log, declared]))
    assert audit.first_wrong == len(log) + 1


def test_an_extra_shield_and_a_broken_one_too_many_are_flagged() -> None:
    log = opening(2)
    deck = fold(log[:4]).table.side("P1").deck
    wrong = [*log[:4], ev.ShieldsLaid("P1", list(deck[:6]))]
    row = tallies(walk(wrong))[0].rows[-1]
    assert row.flags == ("WRONG_NUMBER_OF_SHIELDS",)
    table = fold(log).table
    broken = ev.ShieldsBroken("P2", list(table.side("P2").shields[:2]), 0)
    assert tallies(walk([*log, broken]))[0].rows[-1].flags == ("SHIELD_BROKEN_WITHOUT_ATTACK",)


def test_a_rewind_is_planned_and_says_what_was_learned() -> None:
    log = played(11)
    steps = walk(log)
    at = next(step.seq for step in steps if isinstance(step.event, ev.ShieldsBroken))
    before = max(step.seq for step in steps[:at] if isinstance(step.event, ev.AttackBegun))
    judged = repair.repairable(steps[:at], before)
    assert not isinstance(judged, Refusal)
    assert judged.answer == repair.LEAKED
    planned = repair.plan(steps[:at], at - 1)
    assert not isinstance(planned, Refusal)
    event = steps[at - 1].event
    assert isinstance(event, ev.ShieldsBroken)
    back = {one.card.card: one.back_to for one in planned.returns}
    assert set(back) >= set(event.cards)
    assert all(".shields." in back[card] for card in event.cards)


def test_legal_acts_leave_out_nothing_that_is_lawful() -> None:
    """Every act of every kind over every card, tried one by one against the list."""
    tried = 0
    for seed in range(3):
        log = at_random(seed, most=90)
        duel = NEW
        for place, event in enumerate(log):
            duel = evolve(duel, event)
            if place % 25 or duel.table.turn == 0:
                continue
            for player in PLAYERS:
                listed = {plain(act) for act in legal_acts(duel, player)}
                for act in every(duel.table, player):
                    tried += 1
                    if held_up(duel, act) or guessed(duel, act) or engine.explain(duel, act):
                        continue
                    assert plain(act) in listed, act
    assert tried > 300


def plain(act: a.AnyAct) -> str:
    return str(a.plain(act))


def every(table: Table, player: Any) -> Iterator[a.AnyAct]:
    cards = range(1, len(table.owners))
    yield a.Untap(player)
    yield a.Draw(player)
    yield a.EndTurn(player)
    for step in STEPS:
        yield a.EnterStep(player, step)  # type: ignore[arg-type]
    for card in cards:
        yield a.Charge(player, card)
        yield a.Summon(player, card)
        yield a.Block(player, card)
        for rival in PLAYERS:
            yield a.Attack(player, card, rival)
    lying = [card for side in table.sides.values() for card in side.battle]
    for card in lying:
        for other in lying:
            yield a.Attack(player, card, other)


def test_the_buttons_of_a_recorder_lead_to_exactly_the_lawful_acts() -> None:
    recorder = games.recorder_of("duel-masters")
    seen, asked = 0, set()
    for seed in (1, 2):
        duel = NEW
        for place, event in enumerate(at_random(seed, most=120)):
            duel = evolve(duel, event)
            if place % 9:
                continue
            for player in PLAYERS:
                lawful = {bare(act) for act in legal_acts(duel, player)}
                assert {str(dict(one.act)) for one in reach(recorder, duel, player)} == lawful
                for offer in recorder.offers(duel, player):
                    asked |= {pick.ask for pick in offer.picks}
                    asked |= {one.word for pick in offer.picks for one in pick.answers if one.word}
                assert not [one for one in recorder.beyond(duel, player) if not one.refusal]
                seen += len(lawful)
    assert seen > 100
    assert asked <= set(words.QUESTIONS) | set(words.ANSWERS)


def bare(act: a.AnyAct) -> str:
    return str({key: value for key, value in a.plain(act).items() if key != "player"})


def test_a_duel_on_paper_is_recorded_card_by_card() -> None:
    """Nobody knows the cards: they are charged unseen, named when they are played."""
    recorder = games.recorder_of("duel-masters")
    unknown: dict[str, list[str | None]] = {seat: [None] * 40 for seat in PLAYERS}
    log = opening(4, main=unknown, facts=[], mode="recorded")
    duel = fold(log)
    assert {one.group for one in recorder.offers(duel, "P1")} >= {"charge", "phase", "concede"}
    facts = msgspec.to_builtins(FACTS["Mole"])
    for plain_act in (
        {"act": "charge", "card": "P1.hand.1"},
        {"act": "enter_step", "step": "main"},
        {"act": "identify", "card": "P1.mana.1", "key": "Mole", "facts": facts},
        {"act": "identify", "card": "P1.hand.1", "key": "Mole"},
        {"act": "summon", "card": "P1.hand.1"},
        {"act": "end_turn"},
    ):
        if plain_act["act"] == "summon":
            assert "summon" in {one.group for one in recorder.offers(duel, "P1")}
            assert not recorder.unnamed(duel)
        read = a.read({**plain_act, "player": "P1"})
        assert not isinstance(read, Refusal), read
        decided = engine.decide(duel, read)
        assert not isinstance(decided, Refusal), decided
        for event in decided:
            duel = evolve(duel, event)
    assert not duel.infractions
    assert duel.table.active == "P2"
    assert len(duel.table.side("P1").battle) == 1
    assert recorder.waits_for(duel) == "P2"
    declared = recorder.declare(
        "destroy", player="P2", by="Mole", amount=None, card="P1.battle.1", whose=""
    )
    read = a.read({**declared, "player": "P2"})
    assert not isinstance(read, Refusal)
    assert not isinstance(engine.decide(duel, read), Refusal)


def test_an_opening_that_cannot_be_is_refused() -> None:
    given: dict[str, Any] = {
        "duel_id": "d",
        "starter": "P1",
        "seats": {},
        "main": {"P1": ["Mole"] * 40, "P2": ["Mole"] * 40},
        "facts": list(FACTS.values()),
    }
    for values, code in (
        ({"starter": "P3"}, "duels.opening_malformed"),
        ({"mode": "loose"}, "duels.opening_malformed"),
        ({"options": {"deck.size": 40}}, "duels.option_value"),
        ({"options": {"deck.colour": True}}, "duels.option_unknown"),
        ({"main": {"P1": ["Mole"] * 40, "P2": ["Mole"] * 4}}, "DM-1.2"),
        ({"main": {"P1": ["Mole"] * 40, "P2": ["Mole"] * 9}}, "DM-1.3"),
        ({"main": {"P1": ["Mole"] * 1001, "P2": ["Mole"] * 40}}, "duels.opening_malformed"),
    ):
        made = setup.open_duel(setup.Opening(**given | values), "s")
        assert isinstance(made, Refusal)
        assert made.code == code
    four = {seat: ["Mole"] * 40 for seat in ("P1", "P2", "P3", "P4")}
    made = setup.open_duel(
        setup.Opening(**given | {"main": four, "options": {"players.more_than_two": True}}), "s"
    )
    assert not isinstance(made, Refusal)
    duel, _ = bot.play(fold(made), random.Random(2))
    assert duel.table.result is not None
    assert duel.table.result.winner in four


def test_on_paper_a_card_of_unknown_text_may_have_any_ability() -> None:
    """What nobody wrote down is no infraction; online only what the facts tell counts."""
    silent = msgspec.structs.replace(FACTS["Mole"], silent=True)
    for mode, rule in (("recorded", None), ("refereed", "DM-9.1")):
        main = {seat: ["Mole"] * 40 for seat in PLAYERS}
        duel = fold(opening(1, main=main, facts=[silent], mode=mode))
        mine, theirs = duel.table.side("P1").hand[0], duel.table.side("P2").hand[0]
        for event in (
            ev.CreatureSummoned("P1", mine, "summoned", [], "hand"),
            ev.CreatureSummoned("P2", theirs, "summoned", [], "hand"),
            ev.TurnBegun(2, "P2"),
            ev.TurnBegun(3, "P1"),
            ev.StepBegun("P1", "attack"),
            ev.AttackBegun("P1", mine, "P2", 0),
        ):
            duel = evolve(duel, event)
        found = engine.explain(duel, a.Block("P2", theirs))
        assert [one.code for one in found[:1]] == ([rule] if rule else [])
        assert (a.Block("P2", theirs) in legal_acts(duel, "P2")) is (rule is None)
