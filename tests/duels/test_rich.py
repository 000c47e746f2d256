"""Whole duels with chains, Fusion, Ritual, control, tokens and every option, played at random:
invariants, fold, rewinds, and what a viewer may not learn."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.domain import text
from duels.domain.events import DuelOpened, InfractionRecorded, Seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine, soundness
from duels.rules.yugioh.duel import NEW, Duel, evolve, fold
from duels.rules.yugioh.legal import legal_acts
from duels.rules.yugioh.lines import lines
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.status import misplaced, status
from duels.rules.yugioh.view import VIEWERS, view
from eventstore.domain import canonical, registry
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent, name_of
from tests.duels.rich import choices, rich_log, rich_opening
from tests.duels.test_properties import SEEDS, answer, ever_seen, probes, rewound, sound
from tests.sizes import SIZES

slow = settings(max_examples=SIZES.examples_slow)


@slow
@given(SEEDS, st.booleans())
def test_random_rich_duels_keep_the_table_sound(seed: int, random_options: bool) -> None:
    log = rich_log(seed, 120, random_options=random_options)
    duel = NEW
    for event in log:
        duel = evolve(duel, event)
        sound(duel.table)
    assert not [flag for flag in status(duel) if flag.code != "HAND_LIMIT_OWED"]
    assert no_card_is_lost(duel)


def no_card_is_lost(duel: Duel) -> bool:
    """Every card of a deck is somewhere; only tokens can be gone."""
    first = duel.opening
    assert first is not None
    cards = sum(len(one) for lists in (first.main, first.fusion) for one in lists.values())
    return all(duel.table.where(card)[1] for card in range(1, cards + 1))


def test_everything_occurs_in_rich_duels() -> None:
    seen: Counter[str] = Counter()
    for seed in range(12):
        seen.update(name_of(event)[0] for event in rich_log(seed, random_options=seed % 2 == 1))
    assert {
        "duels.passed",
        "duels.window_closed",
        "duels.effects_triggered",
        "duels.activation_negated",
        "duels.control_changed",
        "duels.token_created",
        "duels.payment_decided",
    } <= set(seen)


@slow
@given(SEEDS)
def test_rich_events_survive_their_stored_form(seed: int) -> None:
    log = rich_log(seed, 80)
    again = []
    for event in log:
        name, schema = registry.name_of(event)
        again.append(registry.decode(name, schema, canonical.encode(msgspec.to_builtins(event))))
    assert again == log
    assert fold(again).table == fold(log).table
    told = soundness.states(log)
    assert isinstance(told, list)
    assert told[-1].table == fold(log).table
    assert [one.event for one in text.read(text.write([text.Entry(one) for one in log]))] == log


@slow
@given(SEEDS, st.data())
def test_a_rewind_into_the_middle_of_a_chain_can_be_played_on(
    seed: int, data: st.DataObject
) -> None:
    log = rich_log(seed, 80)
    to = data.draw(st.integers(1, len(log) - 1))
    back = fold([*log, rewound(to)])
    assert back.table == fold(log[:to]).table
    assert evolve(back, rewound(len(log))).table == fold(log).table
    rng = random.Random(seed)
    for _ in range(15):
        if back.table.result is not None:
            break
        found = choices(back)
        assert found
        decided = engine.decide(back, rng.choice(found))
        assert isinstance(decided, list)
        for event in decided:
            back = evolve(back, event)
            sound(back.table)


@slow
@given(SEEDS, st.sampled_from(VIEWERS[:3]), st.data())
def test_a_view_and_its_lawful_acts_tell_nothing_hidden(
    seed: int, viewer: str, data: st.DataObject
) -> None:
    """Two duels that differ only in cards the viewer has not seen: same view, same log, same
    lawful acts, also while the other player could answer with one of those cards."""
    log = rich_log(seed, data.draw(st.integers(20, 90)))
    duel = fold(log)
    knower = {"p1": "P1", "p2": "P2", "public": "public"}[viewer]
    hidden = [card for card in range(1, len(duel.table.owners)) if not ever_seen(log, knower, card)]
    order = data.draw(st.permutations(hidden))
    identities = list(duel.table.identities)
    for card, other in zip(hidden, order, strict=True):
        identities[card] = duel.table.identities[other]
    other_log = [relisted(log[0], identities), *log[1:]]
    other_duel = fold(other_log)
    assert view(other_duel, viewer) == view(duel, viewer)
    assert lines(other_log, viewer) == lines(log, viewer)
    if knower != "public":
        assert legal_acts(other_duel, knower) == legal_acts(duel, knower)
        for act in probes(duel, knower, hidden):
            assert answer(other_duel, act) == answer(duel, act), act


def relisted(first: DomainEvent, identities: list[str | None]) -> DuelOpened:
    """The opening event with other cards behind the instances."""
    assert isinstance(first, DuelOpened)
    main: dict[str, list[str | None]] = {}
    fusion: dict[str, list[str | None]] = {}
    start = 1
    for player in PLAYERS:
        for lists, old in ((main, first.main), (fusion, first.fusion)):
            size = len(old[player])
            lists[player] = identities[start : start + size]
            start += size
    return msgspec.structs.replace(first, main=main, fusion=fusion)


def test_a_window_opens_whether_or_not_it_can_be_answered() -> None:
    """The chance to answer is there also for a player who has nothing to answer with."""
    for seed in range(3):
        log = rich_log(seed, 60)
        for end in range(1, len(log)):
            duel = fold(log[:end])
            if duel.table.windows and duel.table.chance and duel.table.result is None:
                acts = legal_acts(duel, duel.table.chance)
                assert any(isinstance(act, a.Pass) for act in acts) or duel.table.waiting
                return
    raise AssertionError("no window in three duels")


@slow
@given(SEEDS, st.booleans())
def test_recorded_play_takes_in_any_act_on_a_rich_table(seed: int, random_options: bool) -> None:
    """Whatever happened at the table is taken in or refused: never a crash, no card lost."""
    rng = random.Random(seed)
    duel = fold(rich_opening(seed, mode="recorded", random_options=random_options))
    for _ in range(60):
        act = wild_act(duel, rng.choice(PLAYERS), rng)
        found = engine.explain(duel, act)
        decided = engine.decide(duel, act)
        if isinstance(decided, Refusal):
            assert found
            continue
        noted = [event.rule for event in decided if isinstance(event, InfractionRecorded)]
        if not isinstance(act, a.Observe):
            assert noted == [one.code for one in found[:1]]
        for event in decided:
            canonical.encode(msgspec.to_builtins(event))
            duel = evolve(duel, event)
        assert misplaced(duel.table) == []
        if duel.table.result is not None:
            break
    for player in PLAYERS:
        assert duel.table.result is not None or legal_acts(duel, player)


def wild_act(duel: Duel, player: str, rng: random.Random) -> a.AnyAct:
    """Any act at all, with cards from anywhere."""
    who: Seat = "P1" if player == "P1" else "P2"
    side = duel.table.side(player)
    lying = list(duel.table.placed) or [1]
    near = rng.choice([*lying, *side.hand[:3], rng.randint(1, len(duel.table.owners) - 1)])
    pool: list[a.Ref] = [*lying, *side.hand]
    some = rng.sample(pool, rng.randint(0, min(2, len(pool))))
    op = rng.choice(["destroy", "banish", "take_control", "flip_face_down", "negate_attack"])
    ops = [{"op": op, "target": rng.choice(lying)}]
    return rng.choice(
        [
            a.Draw(who),
            a.EnterPhase(who, rng.choice(["standby", "main1", "battle", "main2", "end"])),
            a.EndTurn(who),
            a.NormalSummon(who, near, some),
            a.FlipSummon(who, near),
            a.SetSpellTrap(who, near),
            a.Activate(who, near, some, some),
            a.Activate(who, near, some),
            a.Respond(who, near, some),
            a.Pass(who),
            a.Resume(who),
            a.Decide(who, near, rng.random() < 0.5, some),
            a.FusionSummon(who, rng.choice(side.fusion_deck or (1,)), some, near),
            a.RitualSummon(who, near, some, rng.choice(side.hand or (1,))),
            a.DeclareAttack(who, near, rng.choice(lying)),
            a.DeclareAttack(who, near, None, True),
            a.Observe(who, "went_on_without_asking"),
            a.ResolveEffect(who, near, ops, rng.random() < 0.5),
            a.ResolveEffect(who, near, [{"op": "create_token", "card": "Sheep", "n": 2}]),
        ]
    )
