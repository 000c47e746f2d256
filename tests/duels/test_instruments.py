"""The judge's instruments: an altered log is flagged at that very event, an honest one is not."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.domain import chance
from duels.domain import events as log
from duels.domain.divergence import CODES, explain, transposed
from duels.domain.instruments.counts import audit
from duels.domain.instruments.deck import seen_cards, unlisted
from duels.domain.instruments.fairness import fairness
from duels.domain.instruments.knowing import who_knew
from duels.domain.instruments.pace import pace
from duels.domain.instruments.repair import plan, repairable
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import bot, engine, knowledge
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.duel import fold
from duels.rules.yugioh.instruments.draws import draws
from duels.rules.yugioh.instruments.life_points import changes, life_points
from duels.rules.yugioh.instruments.walk import walk
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.rewinding import decide_rewind
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tests.altered import altered
from tests.duels.made import FACTS, opening, played
from tests.sizes import SIZES

SEEDS = st.integers(0, 10**6)
slow = settings(max_examples=SIZES.examples_slow)
Log = list[DomainEvent]


def recorded(*acts: a.AnyAct, fidelity: str = "full", **changes: Any) -> Log:
    """A duel of known decks taken down at the table, after these acts."""
    raw = opening(3, mode="recorded", fidelity=fidelity, **changes)
    duel = fold(raw)
    for act in acts:
        decided = engine.decide(duel, act)
        assert not isinstance(decided, Refusal), decided
        duel = fold(decided, duel)
        raw += decided
    return raw


def flagged(raw: Sequence[DomainEvent]) -> list[tuple[int, str]]:
    """(event, flag) of the draw ledger, each once."""
    found = [(row.seq, flag) for row in draws(walk(raw)) for flag in row.flags]
    return list(dict.fromkeys(found))


# the draw ledger


@slow
@given(SEEDS)
def test_an_honest_log_has_no_flag_and_a_row_for_every_card(seed: int) -> None:
    raw = played(seed)
    steps = walk(raw)
    rows = draws(steps)
    assert not flagged(raw)
    for player in PLAYERS:
        entered = [row.card.card for row in rows if row.player == player]
        left = sum(len(step.went(player)) for step in steps)
        assert len(entered) - left == len(steps[-1].after.table.side(player).hand)
    drawn = sum(len(one.cards) for one in raw if isinstance(one, ev.CardsDrawn))
    assert sum(row.cause in ("opening", "normal", "effect") for row in rows) == drawn
    for row in rows:
        assert row.player in row.known_to


@slow
@given(SEEDS, st.data())
def test_an_extra_draw_is_flagged_at_its_event(seed: int, data: st.DataObject) -> None:
    """A draw put in anywhere after the draw of a turn: as a second normal draw, or by no
    effect. Everything up to it stays unmarked."""
    raw = played(seed)
    after = [at for at, one in enumerate(raw, 1) if isinstance(one, ev.PhaseEntered)]
    if not after:
        return
    at = data.draw(st.sampled_from(after))
    table = fold(raw[:at]).table
    if not table.side(table.active).deck or (table.turn == 1 and not table.p1.drawn):
        return
    cause, flag = data.draw(
        st.sampled_from([("normal", "SECOND_NORMAL_DRAW"), ("effect", "DRAW_WITHOUT_CAUSE")])
    )
    top = list(table.side(table.active).deck[:1])
    altered = [*raw[:at], ev.CardsDrawn(table.active, top, cause)]
    assert flagged(altered) == [(at + 1, flag)]


def test_an_effect_that_lets_draw_two_does_not_let_draw_three() -> None:
    keys = {player: ["Well"] * 40 for player in PLAYERS}
    raw = opening(3, main=keys, facts=list(FACTS.values()))
    duel = fold(raw)
    for act in (a.Draw("P1"), a.EnterPhase("P1", "standby"), a.EnterPhase("P1", "main1")):
        decided = engine.decide(duel, act)
        assert not isinstance(decided, Refusal)
        raw += decided
        duel = fold(decided, duel)
    well = duel.table.p1.hand[0]
    used = ev.CardActivated("P1", well, "spells_traps", 0, "hand", [])
    for n, found in ((1, []), (2, []), (3, ["MORE_THAN_THE_EFFECT"])):
        drawn = ev.CardsDrawn("P1", list(duel.table.p1.deck[:n]), "effect", well)
        assert [flag for _, flag in flagged([*raw, used, drawn])] == found
    lone = ev.CardsDrawn("P1", list(duel.table.p1.deck[:1]), "effect", well)
    assert [flag for _, flag in flagged([*raw, lone])] == ["DRAW_WITHOUT_CAUSE"]


def test_a_declared_effect_is_a_cause_and_says_how_many() -> None:
    raw = recorded(a.Draw("P1"), a.EnterPhase("P1", "standby"), a.EnterPhase("P1", "main1"))
    more = engine.decide(fold(raw), a.ResolveEffect("P1", "Well", [{"op": "draw", "n": 2}]))
    assert not isinstance(more, Refusal)
    assert flagged([*raw, *more]) == []
    place, drawn = next((p, one) for p, one in enumerate(more) if isinstance(one, ev.CardsDrawn))
    deck = fold(raw).table.p1.deck
    more[place] = msgspec.structs.replace(drawn, cards=list(deck[:3]))
    assert flagged([*raw, *more]) == [(len(raw) + place + 1, "MORE_THAN_THE_EFFECT")]


@pytest.mark.parametrize(
    ("event", "flag"),
    [
        (lambda deck: ev.CardsDrawn("P1", deck[:3], "opening"), "WRONG_OPENING_HAND"),
        (lambda deck: ev.CardsDrawn("P1", deck[1:2], "normal"), "NOT_FROM_THE_TOP"),
        (lambda deck: ev.CardsDrawn("P1", deck[:2], "normal"), "SECOND_NORMAL_DRAW"),
    ],
)
def test_other_wrong_draws(event: Any, flag: str) -> None:
    raw = opening(5)
    deck = list(fold(raw).table.p1.deck)
    assert flagged([*raw, event(deck)]) == [(len(raw) + 1, flag)]


def test_the_first_turn_and_the_other_player() -> None:
    raw = opening(5, options={"first_turn.draw": False}, mode="recorded")
    deck = fold(raw).table
    assert flagged([*raw, ev.CardsDrawn("P1", list(deck.p1.deck[:1]), "normal")]) == [
        (len(raw) + 1, "DRAW_ON_THE_FIRST_TURN")
    ]
    raw = opening(5)
    assert flagged([*raw, ev.CardsDrawn("P2", list(deck.p2.deck[:1]), "normal")]) == [
        (len(raw) + 1, "DRAW_AT_A_WRONG_MOMENT")
    ]


def test_a_draw_taken_back_is_not_held_against_the_next() -> None:
    raw = opening(5)
    drawn = engine.decide(fold(raw), a.Draw("P1"))
    assert not isinstance(drawn, Refusal)
    back = decide_rewind(fold([*raw, *drawn]), len(raw), authorised_by="j")
    assert not isinstance(back, Refusal)
    assert flagged([*raw, *drawn, back, *drawn]) == []
    rows = draws(walk([*raw, *drawn, back, *drawn]))
    assert [row.struck for row in rows[-2:]] == [True, False]


# the hand-count audit


@slow
@given(SEEDS, st.data())
def test_a_wrong_count_is_marked_and_a_right_one_is_not(seed: int, data: st.DataObject) -> None:
    raw: Log = []
    played_on = played(seed)
    right_line = wrong_line = 0
    about = data.draw(st.sampled_from(PLAYERS))
    first, second = sorted(
        data.draw(st.lists(st.integers(7, len(played_on)), min_size=2, max_size=2))
    )
    for at, event in enumerate(played_on, 1):
        raw.append(event)
        held = len(fold(raw).table.side(about).hand) if at in (first, second) else 0
        if at == first:
            raw.append(log.CountDeclared("P1", about, "hand", held))
            right_line = len(raw)
        if at == second:
            slip = data.draw(st.sampled_from([-1, 1, 2]))
            raw.append(log.CountDeclared("P2", about, "hand", max(0, held + slip) if held else 1))
            wrong_line = len(raw)
    steps = walk(raw)
    found = audit(steps)
    assert (found.first_wrong, found.last_right) == (wrong_line, right_line)
    assert len(found.between) <= 6
    assert all(right_line < seq < wrong_line for seq in found.between)
    touched = [
        step.seq
        for step in steps[right_line : wrong_line - 1]
        if step.came(about) or step.went(about)
    ]
    assert set(touched[-6:]) <= set(found.between)
    for row in found.rows:
        assert row.hands == {
            player: len(steps[row.seq - 1].after.table.side(player).hand) for player in PLAYERS
        }
    assert audit(walk([one for one in raw if not isinstance(one, log.CountDeclared)])).rows


def test_without_a_table_declared_stands_against_declared() -> None:
    raw: Log = opening(1, fidelity="pad")
    raw += [
        log.CountDeclared("P1", "P2", "hand", 4),
        log.CountDeclared("P2", "P2", "hand", 4),
        log.TurnMarked("P1", 2, "P2"),
        log.CountDeclared("P1", "P2", "hand", 5),
        log.CountDeclared("P2", "P2", "hand", 4),
    ]
    found = audit(walk(raw))
    assert (found.first_wrong, found.last_right) == (6, 5)
    assert all(row.hands is None for row in found.rows)


# the Life Point ledger


def with_pads(raw: Log, slip: Any = None) -> tuple[Log, int | None]:
    """The log with both pads keeping up; `slip` (rank of the change, function of the value and
    the delta) is what P2's pad does wrong. Returns the log and the line of the slip."""
    made: Log = []
    lines, line = 0, None
    pads = {(by, about): 8000 for by in PLAYERS for about in PLAYERS}
    for event in raw:
        made.append(event)
        if not isinstance(event, ev.LpChanged):
            continue
        for one in event.changes:
            had = pads["P1", one.player]
            delta = one.life_points - had
            for by in PLAYERS:
                told = pads[by, one.player] + delta
                if by == "P2" and slip is not None and slip[0] == lines:
                    told = slip[1](had, delta)
                    line = len(made) + 1
                pads[by, one.player] = told
                made.append(log.LpDeclared(by, one.player, told, None, lines + 1, None))
            lines += 1
    return made, line


@slow
@given(SEEDS)
def test_pads_that_keep_up_never_diverge(seed: int) -> None:
    made, _ = with_pads(played(seed))
    found = life_points(walk(made))
    assert found.ledger.first_divergence is None
    assert found.candidates == ()


SLIPS = {
    "doubled_damage": lambda had, delta: had + 2 * delta,
    "sign": lambda had, delta: had - delta,
    "transposed_digits": lambda had, delta: int(swapped(str(had + delta))),
}


def swapped(digits: str) -> str:
    """Two neighbouring digits that differ change places."""
    for place in range(len(digits) - 1):
        if digits[place] != digits[place + 1]:
            a, b = digits[place], digits[place + 1]
            return digits[:place] + b + a + digits[place + 2 :]
    return altered(digits)


@slow
@given(SEEDS, st.sampled_from(sorted(SLIPS)), st.integers(0, 4))
def test_a_slip_is_found_at_its_line_and_explained(seed: int, kind: str, rank: int) -> None:
    raw = played(seed)
    deltas = [
        one
        for event in raw
        if isinstance(event, ev.LpChanged)
        for one in event.changes
        if one.life_points > 100
    ]
    if len(deltas) <= rank:
        return
    made, line = with_pads(raw, (rank, SLIPS[kind]))
    if line is None:
        return
    slipped = made[line - 1]
    honest = made[line - 2]
    assert isinstance(slipped, log.LpDeclared)
    assert isinstance(honest, log.LpDeclared)
    if slipped.value == honest.value or slipped.value < 0:
        return
    found = life_points(walk(made))
    assert found.ledger.first_divergence == line
    assert found.ledger.divergence is not None
    assert (found.ledger.divergence.value, found.ledger.divergence.whose) == (slipped.value, "P2")
    if len(str(slipped.value)) == len(str(honest.value)) or kind != "transposed_digits":
        assert (kind, "P2") in {(one.code, one.whose) for one in found.candidates}


def test_scenario_s1_printed_atk_is_among_the_candidates() -> None:
    """A's pad 3200, B's 4000; the last agreement A 6500 / B 5400; a direct attack of 2200 by a
    monster that prints 1400."""
    facts = {**FACTS, "Kite": msgspec.structs.replace(FACTS["Heron"], key="Kite", atk=1400)}
    keys = {player: ["Kite"] * 40 for player in PLAYERS}
    raw = opening(1, main=keys, facts=list(facts.values()), mode="recorded")
    duel = fold(raw)

    def take(*acts: a.AnyAct) -> None:
        nonlocal duel
        for act in acts:
            decided = engine.decide(duel, act)
            assert not isinstance(decided, Refusal), decided
            duel = fold(decided, duel)
            raw.extend(decided)

    take(a.EndTurn("P1"), a.Draw("P2"), a.EndTurn("P2"), a.Draw("P1"))
    take(a.LpChange("P1", "P1", -1500, "Spark"), a.LpChange("P1", "P2", -2600, "Spark"))
    raw.append(log.LpAgreed({"P1": 6500, "P2": 5400}))
    take(a.EnterPhase("P1", "standby"), a.EnterPhase("P1", "main1"))
    take(a.NormalSummon("P1", "P1.hand.1"))
    ops = [{"op": "modify_atk", "target": "P1.monsters.1", "amount": 800}]
    take(a.ResolveEffect("P1", "Axe", ops))
    take(a.EnterPhase("P1", "battle"), a.DeclareAttack("P1", "P1.monsters.1", None, True))
    take(a.Resume("P1"))
    duel = fold(raw)
    assert duel.table.p2.life_points == 3200
    raw += [
        log.LpDeclared("P1", "P2", 3200, None, 1, None),
        log.LpDeclared("P2", "P2", 4000, None, 1, None),
    ]
    found = life_points(walk(raw))
    assert found.ledger.first_divergence == len(raw)
    assert [(one.code, one.whose) for one in found.candidates] == [("original_atk", "P2")]
    assert found.candidates[0].seq is not None
    assert isinstance(raw[found.candidates[0].seq - 1], ev.LpChanged)


def lp(seat: str, delta: int, left: int, cause: str = "effect") -> ev.LpChanged:
    return ev.LpChanged([ev.LpChange(seat, delta, left)], cause, 0, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "told", "code"),
    [
        # the cost of 1000 was not written down; the damage after it was
        ([lp("P1", -1000, 7000, "cost"), lp("P1", -500, 6500)], [("P1", 7500)], "missed_cost"),
        # damage to P2 was written to P1
        ([lp("P2", -700, 7300), lp("P1", -400, 7600)], [("P1", 7300)], "wrong_player"),
        # the same damage was written twice
        (
            [lp("P1", -600, 7400), lp("P1", -300, 7100)],
            [("P1", 7400), ("P1", 6800)],
            "applied_twice",
        ),
    ],
)
def test_other_slips(changed: list[Any], told: list[tuple[str, int]], code: str) -> None:
    raw: Log = [*opening(1), *changed]
    for number, (about, value) in enumerate(told, 1):
        raw.append(log.LpDeclared("P2", about, value, None, number, None))  # type: ignore[arg-type]
    found = life_points(walk(raw))
    assert found.ledger.first_divergence == len(raw)
    assert (code, "P2") in {(one.code, one.whose) for one in found.candidates}


def test_pads_alone_may_both_be_wrong() -> None:
    raw: Log = opening(1, fidelity="pad")
    raw += [
        log.LpDeclared("P1", "P2", 7200, -800, 1, None),
        log.LpDeclared("P2", "P2", 8800, 800, 1, None),
    ]
    found = life_points(walk(raw))
    assert found.ledger.first_divergence == 3
    assert {(one.code, one.whose) for one in found.candidates} == {("sign", "P1"), ("sign", "P2")}


def test_every_code_of_a_candidate_is_known() -> None:
    assert transposed(4500, 5400)
    assert not transposed(4500, 4500)
    assert not transposed(450, 4500)
    assert not transposed(4501, 1504)
    made, line = with_pads(played(4), (0, SLIPS["sign"]))
    found = life_points(walk(made)).ledger.divergence
    assert found is not None
    assert line is not None
    assert {one.code for one in explain(found, changes(walk(made), line))} <= set(CODES)


# repairable, rewind plan


def draw_of_three(mode: str = "recorded") -> tuple[Log, int]:
    """Scenario S2: a declared 2-card draw was resolved by taking three; (log, that event)."""
    raw = opening(3, mode=mode)
    duel = fold(raw)
    for act in (a.Draw("P1"), a.EnterPhase("P1", "standby"), a.EnterPhase("P1", "main1")):
        decided = engine.decide(duel, act)
        assert not isinstance(decided, Refusal)
        raw += decided
        duel = fold(decided, duel)
    more = engine.decide(duel, a.ResolveEffect("P1", "Well", [{"op": "draw", "n": 2}]))
    assert not isinstance(more, Refusal)
    place = next(p for p, one in enumerate(more) if isinstance(one, ev.CardsDrawn))
    more[place] = msgspec.structs.replace(more[place], cards=list(duel.table.p1.deck[:3]))
    return [*raw, *more], len(raw) + place + 1


def answer(raw: Log, at: int) -> Any:
    found = repairable(walk(raw), at)
    assert not isinstance(found, Refusal)
    return found


def test_scenario_s2_places_prove_which_card() -> None:
    raw, at = draw_of_three()
    assert flagged(raw) == [(at, "MORE_THAN_THE_EFFECT")]
    found = answer(raw, at)
    assert found.answer == "simple"
    assert [one.code for one in found.reasons] == ["nothing_since"]


def test_scenario_s2_shuffled_into_the_hand() -> None:
    raw, at = draw_of_three()
    raw.append(log.HandShuffled("P1"))
    found = answer(raw, at)
    assert found.answer == "not_restorable"
    assert found.reasons[0].code == "not_identifiable"
    assert found.reasons[0].params["n"] == 3
    online, there = draw_of_three("refereed")
    online.append(log.HandShuffled("P1"))
    assert answer(online, there).answer == "simple", "online the log tells every card apart"


def test_what_was_done_and_learned_since_weighs() -> None:
    raw, at = draw_of_three()
    duel = fold(raw)
    summon = next(act for act in legal(duel, "P1") if isinstance(act, a.NormalSummon))
    decided = engine.decide(duel, summon)
    assert not isinstance(decided, Refusal)
    found = answer([*raw, *decided], at)
    assert found.answer == "information_leaked", "the opponent saw a card of the hand"
    told = {(one.params.get("viewer"), one.code) for one in found.reasons}
    assert {("P2", "learned"), ("public", "learned")} <= told
    setting = next(act for act in legal(duel, "P1") if isinstance(act, a.SetMonster))
    decided = engine.decide(duel, setting)
    assert not isinstance(decided, Refusal)
    found = answer([*raw, *decided], at)
    assert found.answer == "possible"
    assert ("decisions", "P1", 1) in {
        (one.code, one.params.get("player"), one.params.get("n")) for one in found.reasons
    }
    shuffle = ev.DeckShuffled("P1", list(duel.table.p1.deck[::-1]), "x")
    assert answer([*raw, shuffle], at).answer == "not_restorable"
    online, there = draw_of_three("refereed")
    found = answer([*online, shuffle], there)
    assert found.answer == "possible"
    assert "order_on_record" in {one.code for one in found.reasons}
    revealed = answer([*raw, log.SeedRevealed("x")], at)
    assert revealed.answer == "information_leaked"
    for bad in (0, -1, len(raw) + 1):
        assert isinstance(repairable(walk(raw), bad), Refusal)


def legal(duel: Any, player: str) -> Any:
    from duels.rules.yugioh.legal import legal_acts

    return legal_acts(duel, player)


@slow
@given(SEEDS, st.data())
def test_a_plan_lists_what_its_rewind_strikes(seed: int, data: st.DataObject) -> None:
    raw = played(seed)
    to = data.draw(st.integers(1, len(raw) - 1))
    steps = walk(raw)
    made = plan(steps, to)
    assert not isinstance(made, Refusal)
    back = decide_rewind(steps[-1].after, to, authorised_by="j")
    assert not isinstance(back, Refusal)
    assert [one.seq for one in made.events] == sorted(back.reversed, reverse=True)
    assert made.since.turns == sum(isinstance(one, ev.TurnBegun) for one in raw[to:])
    now, then = fold(raw).table, fold(raw[:to]).table
    moved = [card for card in range(1, len(now.owners)) if now.where(card) != then.where(card)]
    assert [one.card.card for one in made.returns] == moved
    for fact in made.since.learned:
        assert fact.seq > to
        assert not knowledge.sees(then, fold(raw[:to]).knowledge, fact.viewer, fact.card.card)
        assert knowledge.sees(now, fold(raw).knowledge, fact.viewer, fact.card.card)
    again = plan(walk([*raw, back]), to)
    assert not isinstance(again, Refusal)
    assert again.events == (), "what is taken back already is not taken back twice"
    assert again.returns == ()
    heads = [
        [(one.viewer, one.card.card, one.seq) for one in planned.since.learned]
        for planned in (made, again)
    ]
    assert heads[0] == heads[1], "a rewind takes nothing out of a head"


def test_a_plan_says_random_of_n_for_a_card_nobody_can_tell() -> None:
    unknown = {player: [None] * 40 for player in PLAYERS}
    raw = opening(2, main=unknown, facts=[], mode="recorded")
    drawn = engine.decide(fold(raw), a.Draw("P1"))
    assert not isinstance(drawn, Refusal)
    made = plan(walk([*raw, *drawn]), len(raw))
    assert not isinstance(made, Refusal)
    assert [(one.back_to, one.random_of) for one in made.returns] == [("P1.deck.1", None)]
    mixed = plan(walk([*raw, *drawn, log.HandShuffled("P1")]), len(raw))
    assert not isinstance(mixed, Refusal)
    assert [(one.back_to, one.random_of) for one in mixed.returns] == [("P1.deck.1", 6)]
    assert isinstance(plan(walk(raw), 0), Refusal)


# pace


def test_seconds_per_turn_from_the_times_of_events() -> None:
    raw = opening(1)
    begun = len(raw)
    duel = fold(raw)
    rows = [(one, "2026-05-02T12:00:00.000000Z") for one in raw]
    minute = 0
    for player in (*PLAYERS, "P1"):
        for act in (a.Draw(player), a.EnterPhase(player, "standby"), a.EnterPhase(player, "main1")):
            decided = engine.decide(duel, act)
            assert not isinstance(decided, Refusal)
            duel = fold(decided, duel)
            rows += [(one, f"2026-05-02T12:{minute:02}:30.000000Z") for one in decided]
        if minute == 0:
            minute += 1
        decided = engine.decide(duel, a.EndTurn(player))
        assert not isinstance(decided, Refusal)
        duel = fold(decided, duel)
        minute += 1
        rows += [(one, f"2026-05-02T12:{minute:02}:00.000000Z") for one in decided]
    found = pace(rows)
    assert [(one.turn, one.active, one.seconds, one.open) for one in found.turns] == [
        (1, "P1", 120.0, False),
        (2, "P2", 60.0, False),
        (3, "P1", 60.0, True),  # a card is still to be discarded
    ]
    assert found.turns[0].seq == begun
    assert found.turns[0].taken == {"P1": 120.0, "P2": 0.0}
    assert found.medians == {"P1": 120.0, "P2": 60.0}


def test_pads_time_turns_by_their_marks_and_a_struck_turn_is_left_out() -> None:
    raw = opening(1, fidelity="pad")
    marks: Log = [
        *raw,
        log.TurnMarked("P1", 1, "P1"),
        log.TurnMarked("P2", 1, "P1"),
        log.TurnMarked("P1", 2, "P2"),
    ]
    found = pace([(one, f"2026-05-02T12:0{at}:00.000000Z") for at, one in enumerate(marks)])
    assert [(one.turn, one.seconds, one.open) for one in found.turns] == [
        (1, 120.0, False),
        (2, 0.0, True),
    ]
    log_ = played(3)
    ends = [at for at, one in enumerate(log_, 1) if isinstance(one, ev.TurnBegun)]
    back = decide_rewind(fold(log_), ends[0], authorised_by="j")
    assert not isinstance(back, Refusal)
    timed = [(one, "2026-05-02T12:00:00.000000Z") for one in [*log_, back]]
    assert [one.turn for one in pace(timed).turns] == [1]
    assert pace([]).turns == ()


# who knew what


@slow
@given(SEEDS, st.data())
def test_who_knew_what_agrees_with_what_each_may_see(seed: int, data: st.DataObject) -> None:
    raw = played(seed)
    at = data.draw(st.integers(1, len(raw)))
    step = walk(raw[:at])[-1]
    duel = step.after
    listed = who_knew(step)
    hidden = set(range(1, len(duel.table.owners))) - {row.card.card for row in listed}
    for card in hidden:
        assert duel.table.where(card)[1] == "deck", "the order of a Deck is nobody's to know"
        for knower in knowledge.KNOWERS:
            assert not knowledge.sees(duel.table, duel.knowledge, knower, card)
    for row in listed:
        for knower in knowledge.KNOWERS:
            told = knower in row.knowers
            assert told == knowledge.sees(duel.table, duel.knowledge, knower, row.card.card)
        assert "judge" in row.knowers
        for seen in row.knowers.values():
            assert 1 <= seen.since <= at
            assert type_of(raw[seen.since - 1]) == seen.by


def type_of(event: DomainEvent) -> str:
    from eventstore.domain.registry import name_of

    return name_of(event)[0]


def test_an_unknown_card_is_known_to_nobody() -> None:
    unknown = {player: [None] * 40 for player in PLAYERS}
    rows = who_knew(walk(opening(2, main=unknown, facts=[], mode="recorded"))[-1])
    assert len(rows) == 10, "the two hands"
    assert not any(row.knowers for row in rows)


# chance


def committed_log(seed: int) -> Log:
    raw = played(seed)
    committed = next(one for one in raw if isinstance(one, log.SeedCommitted))
    return [*raw, log.SeedRevealed(committed.secret)]


def told(found: Any) -> list[tuple[int, str]]:
    """The faults of the chance of a log."""
    return [(one.seq, one.code) for one in found.faults]


@slow
@given(SEEDS)
def test_honest_shuffles_keep_their_commitment(seed: int) -> None:
    raw = committed_log(seed)
    assert fairness(walk(raw[:-1])).state == "sealed"
    assert fairness(walk(raw[:-1])).secret is None
    found = fairness(walk(raw))
    assert (found.state, found.faults, found.shuffles) == ("kept", (), (3, 4))
    assert found.commitment == chance.commitment(found.secret or "")


@pytest.mark.parametrize(
    ("at", "change", "fault"),
    [
        (2, lambda one: msgspec.structs.replace(one, commitment="0" * 64), (2, "secret_differs")),
        (3, lambda one: msgspec.structs.replace(one, order=one.order[::-1]), (3, "order_differs")),
        (3, lambda one: msgspec.structs.replace(one, seed="lucky"), (3, "seed_differs")),
        (-1, lambda one: log.SeedRevealed("another"), (0, "secret_differs")),
    ],
)
def test_a_shuffle_that_was_meddled_with_is_named(at: int, change: Any, fault: Any) -> None:
    raw = committed_log(4)
    place = at - 1 if at > 0 else len(raw) - 1
    raw[place] = change(raw[place])
    found = fairness(walk(raw))
    assert found.state == "broken"
    assert (fault[0] or len(raw), fault[1]) in told(found)


def test_a_commitment_after_the_shuffle_is_none() -> None:
    raw = committed_log(4)
    raw[1], raw[2] = raw[2], raw[1]
    assert (3, "committed_late") in told(fairness(walk(raw)))
    twice = [*raw[:3], raw[2], *raw[3:]]
    assert (4, "committed_twice") in told(fairness(walk(twice)))
    paper = opening(1, mode="recorded")
    assert fairness(walk(paper)).state == "not_committed"


def test_a_random_discard_follows_from_the_secret() -> None:
    """The same table and hand: another secret takes another card sooner or later, and the same
    secret always the same one."""
    facts = {
        **FACTS,
        "Robber": log.CardFacts(
            "Robber",
            "Robber",
            "spell",
            effects=[
                {"kind": "spell", "effect": [{"op": "discard", "player": "opponent", "n": 1}]}
            ],
        ),
    }
    keys = {"P1": ["Robber"] * 40, "P2": ["Heron"] * 40}
    raw = opening(3, main=keys, facts=list(facts.values()))
    duel = fold(raw)
    for act in (a.Draw("P1"), a.EnterPhase("P1", "standby"), a.EnterPhase("P1", "main1")):
        decided = engine.decide(duel, act)
        assert not isinstance(decided, Refusal)
        raw += decided
        duel = fold(decided, duel)
    taken: dict[str, int] = {}
    for secret in [*map(str, range(12)), "0"]:
        changed = [
            log.SeedCommitted("", secret) if isinstance(one, log.SeedCommitted) else one
            for one in raw
        ]
        here = fold(changed)
        more = engine.decide(here, a.Activate("P1", "P1.hand.1"))
        assert not isinstance(more, Refusal)
        more += engine.passes(fold(more, here))
        after = fold(more, here).table
        (gone,) = after.p2.graveyard
        assert taken.setdefault(secret, gone) == gone
    assert len(set(taken.values())) > 1


# the registered deck


def test_a_card_that_is_not_on_the_list_is_named_with_its_event() -> None:
    raw = played(6)
    steps = walk(raw)
    opened = raw[0]
    assert isinstance(opened, log.DuelOpened)
    lists = {player: [key or "" for key in opened.main[player]] for player in PLAYERS}
    assert unlisted(steps, lists) == []
    seen = seen_cards(steps, "P2")
    assert seen
    key = next(iter(seen))
    short = {**lists, "P2": [one for one in lists["P2"] if one != key]}
    found = unlisted(steps, short)
    assert [(one.player, one.key, one.listed, one.since) for one in found] == [
        ("P2", key, 0, seen[key][0])
    ]
    assert unlisted(steps, {}) == []


def test_a_card_named_on_paper_is_seen() -> None:
    unknown = {player: [None] * 40 for player in PLAYERS}
    raw = opening(2, main=unknown, facts=[], mode="recorded")
    named = engine.decide(fold(raw), a.Identify("P1", "P1.hand.1", "Heron", FACTS["Heron"]))
    assert not isinstance(named, Refusal)
    found = unlisted(walk([*raw, *named]), {"P1": ["Otter"], "P2": []})
    assert [(one.key, one.name, one.seen, one.since) for one in found] == [
        ("Heron", "Heron", 1, len(raw) + 1)
    ]


def test_instruments_take_a_log_that_was_rewound_often() -> None:
    rng = random.Random(5)
    raw = opening(5)
    duel = fold(raw)
    for _ in range(4):
        duel, more = bot.play(duel, rng, most=30)
        raw += more
        back = decide_rewind(duel, rng.randint(6, len(raw) - 1), authorised_by="j")
        assert not isinstance(back, Refusal)
        raw.append(back)
        duel = fold([back], duel)
    steps = walk(raw)
    assert flagged(raw) == []
    assert audit(steps).first_wrong is None
    assert life_points(steps).ledger.first_divergence is None
    for at in range(1, len(raw), 9):
        assert not isinstance(repairable(steps, at), Refusal)
        assert not isinstance(plan(steps, at), Refusal)
