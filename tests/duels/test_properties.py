"""Properties of whole duels: invariants, fold, rewind, and what a viewer may not learn."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from duels.domain import rewind
from duels.domain.events import DuelOpened, InfractionRecorded, Rewound
from duels.domain.rewind import Trail
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import bot, engine, knowledge
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.acts import Concede, ResolveEffect, Resume
from duels.rules.yugioh.duel import NEW, Duel, evolve, fold
from duels.rules.yugioh.legal import held_up, legal_acts
from duels.rules.yugioh.lines import lines
from duels.rules.yugioh.match import PLAYERS
from duels.rules.yugioh.sight import guessed
from duels.rules.yugioh.state import SPACES, Table
from duels.rules.yugioh.status import misplaced, status
from duels.rules.yugioh.view import VIEWERS, view
from eventstore.domain import canonical, registry
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tests.duels.made import opening, played
from tests.sizes import SIZES

SEEDS = st.integers(0, 10**9)
slow = settings(max_examples=SIZES.examples_slow)


def sound(table: Table) -> None:
    """Every card in one place, no zone too full, Life Points from 0 up."""
    assert misplaced(table) == []
    for player in PLAYERS:
        side = table.side(player)
        assert side.life_points >= 0
        assert len(side.monsters) == len(side.spells_traps) == SPACES
        for zone in ("monsters", "spells_traps"):
            for place, card in enumerate(getattr(side, zone)):
                if card:
                    placed = table.placed[card]
                    assert (placed.controller, placed.zone, placed.place) == (player, zone, place)
    lying = sum(1 for player in PLAYERS for card in table.controlled(player))
    lying += sum(1 for player in PLAYERS for card in table.side(player).spells_traps if card)
    lying += sum(1 for player in PLAYERS if table.side(player).field)
    assert lying == len(table.placed)


def random_log(seed: int, most: int = 250, mode: str = "refereed") -> list[DomainEvent]:
    """A log of lawful acts chosen at random, concessions left out."""
    rng = random.Random(seed)
    log = opening(seed, mode=mode)
    duel = fold(log)
    for _ in range(most):
        if duel.table.result is not None:
            break
        choices = [
            act
            for player in PLAYERS
            for act in legal_acts(duel, player)
            if not isinstance(act, Concede)
        ]
        decided = engine.decide(duel, rng.choice(choices))
        assert not isinstance(decided, Refusal)
        for event in decided:
            duel = evolve(duel, event)
            sound(duel.table)
        log += decided
    return log


@slow
@given(SEEDS)
def test_random_lawful_duels_keep_the_table_sound(seed: int) -> None:
    log = random_log(seed)
    duel = fold(log)
    assert not [flag for flag in status(duel) if flag.code != "HAND_LIMIT_OWED"]


@slow
@given(SEEDS)
def test_the_policy_plays_to_a_real_end(seed: int) -> None:
    log = played(seed)
    duel = fold(log)
    assert duel.table.result is not None
    assert len(log) >= 20
    assert duel.table.turn < 80
    sound(duel.table)


def test_ends_are_of_several_kinds_and_usually_early() -> None:
    tables = [fold(played(seed)).table for seed in range(60)]
    ways = {table.result.how for table in tables if table.result is not None}
    assert {"life_points", "concession"} <= ways
    turns = sorted(table.turn for table in tables)
    assert turns[len(turns) // 2] <= 25


def test_the_policy_plays_decks_of_cards_without_facts() -> None:
    keys = {player: [f"unknown{number}" for number in range(40)] for player in PLAYERS}
    log = opening(1, main=keys, facts=[])
    duel, _ = bot.play(fold(log), random.Random(1))
    assert duel.table.result is not None
    assert duel.table.result.how in ("deck_out", "concession")


@slow
@given(SEEDS)
def test_events_survive_their_stored_form(seed: int) -> None:
    """Folding what was stored and read back gives the live table."""
    log = played(seed)
    again = []
    for event in log:
        name, schema = registry.name_of(event)
        body = canonical.encode(msgspec.to_builtins(event))
        again.append(registry.decode(name, schema, body))
    assert again == log
    assert fold(again).table == fold(log).table


def rewound(to: int) -> Rewound:
    return Rewound(to, [], "judge", None, None, 0, "", "", "", {"P1": 0, "P2": 0}, False)


@slow
@given(SEEDS, st.data())
def test_a_rewind_gives_the_table_of_the_prefix(seed: int, data: st.DataObject) -> None:
    log = played(seed)
    to = data.draw(st.integers(1, len(log) - 1))
    back = fold([*log, rewound(to)])
    assert back.table == fold(log[:to]).table
    undone = evolve(back, rewound(len(log)))
    assert undone.table == fold(log).table
    assert rewind.effective([*log, rewound(to)]) == list(range(1, to + 1))
    assert rewind.effective([*log, rewound(to), rewound(len(log))]) == list(range(1, len(log) + 1))


@slow
@given(SEEDS, st.data())
def test_play_after_rewinds_equals_play_without_them(seed: int, data: st.DataObject) -> None:
    """The table is the fold of the effective log, however often play was taken back."""
    log = opening(seed)
    duel = fold(log)
    rng = random.Random(seed)
    for _ in range(3):
        duel, more = bot.play(duel, rng, most=25)
        log += more
        to = data.draw(st.integers(1, len(log) - 1))
        log.append(rewound(to))
        duel = evolve(duel, log[-1])
    in_force = [log[seq - 1] for seq in rewind.effective(log)]
    assert duel.table == fold(in_force).table
    marks = rewind.struck(log)
    kept = [
        seq
        for seq, mark in enumerate(marks, 1)
        if not mark and not isinstance(log[seq - 1], Rewound)
    ]
    assert kept == rewind.effective(log)


def test_rewind_refuses_what_is_no_event_before_the_newest() -> None:
    head = fold(played(3)).trail
    for to in (0, -1, head.seq, head.seq + 5):
        refused = rewind.reversed_by(head, to)
        assert isinstance(refused, Refusal)
        assert refused.code == "duels.rewind_out_of_range"
    assert rewind.reversed_by(head, head.seq - 2) == [head.seq - 1, head.seq]
    with pytest.raises(LookupError):
        head.rewound(head.seq + 1)


def test_knowledge_and_infractions_outlive_a_rewind() -> None:
    log = played(5)
    infraction = InfractionRecorded("P1", "YGO-6.1", [], {}, {})
    duel = fold([*log, infraction])
    back = evolve(duel, rewound(20))
    assert back.infractions == duel.infractions
    assert len(back.infractions) == 1
    assert back.knowledge == duel.knowledge
    shown = next(event.card for event in log if isinstance(event, ev.MonsterSummoned))
    assert back.knowledge[shown][knowledge.PUBLIC].by == "duels.monster_summoned"


@slow
@given(SEEDS, st.sampled_from(VIEWERS[:3]), st.data())
def test_a_view_tells_nothing_of_what_its_viewer_may_not_know(
    seed: int, viewer: str, data: st.DataObject
) -> None:
    """Two duels that differ only in cards the viewer has not seen look the same, table and
    log, and have the same lawful acts for that viewer's own seat."""
    log = random_log(seed, most=60)
    duel = fold(log)
    table = duel.table
    knower = {"p1": "P1", "p2": "P2", "public": knowledge.PUBLIC}[viewer]
    hidden = [card for card in range(1, len(table.owners)) if not ever_seen(log, knower, card)]
    order = data.draw(st.permutations(hidden))
    identities = list(table.identities)
    for card, other in zip(hidden, order, strict=True):
        identities[card] = table.identities[other]
    first = log[0]
    assert isinstance(first, DuelOpened)
    swapped = relisted(first, identities)
    other_log: list[DomainEvent] = [swapped, *log[1:]]
    other_duel = fold(other_log)
    assert view(other_duel, viewer) == view(duel, viewer)
    assert lines(other_log, viewer) == lines(log, viewer)
    if viewer != "public":
        for act in probes(duel, knower, hidden):
            assert answer(other_duel, act) == answer(duel, act)


def probes(duel: Duel, player: str, hidden: list[int]) -> list[a.AnyAct]:
    """Acts with which a player might try to learn what a hidden card is."""
    who = "P1" if player == "P1" else "P2"
    rival = "P2" if player == "P1" else "P1"
    places: list[int | str] = [f"{rival}.hand.1", f"{rival}.deck.1", f"{player}.deck.1"]
    places += [f"{rival}.{zone}.{n}" for zone in ("monsters", "spells_traps") for n in (1, 2)]
    made: list[a.AnyAct] = []
    for ref in [*places, *hidden[:10]]:
        made += [
            a.NormalSummon(who, ref),
            a.SetMonster(who, ref),
            a.SetSpellTrap(who, ref),
            a.Activate(who, ref),
            a.FlipSummon(who, ref),
            a.Discard(who, [ref]),
            a.Claim(who, "keep_face_up", ref),
            a.LpChange(who, who, -1, ref),
            ResolveEffect(who, "Spark", [{"op": "special_summon", "target": ref}]),
            ResolveEffect(who, "Spark", [{"op": "modify_atk", "target": ref, "amount": 1}]),
        ]
        made += [a.DeclareAttack(who, card, ref) for card in duel.table.controlled(player)[:1]]
    return made


def answer(duel: Duel, act: a.AnyAct) -> object:
    """What a player sees of the answer, as the service makes it: the refusal, or that there was
    none."""
    decided = guessed(duel, act) or held_up(duel, act) or engine.decide(duel, act)
    return decided if isinstance(decided, Refusal) else "accepted"


def ever_seen(log: list[DomainEvent], knower: str, card: int) -> bool:
    duel = NEW
    for event in log:
        duel = evolve(duel, event)
        if duel.table.is_card(card) and knowledge.sees(duel.table, duel.knowledge, knower, card):
            return True
    return False


def relisted(first: DuelOpened, identities: list[str | None]) -> DuelOpened:
    """The opening event with other cards behind the instances."""
    lists: dict[str, list[str | None]] = {}
    start = 1
    for player in PLAYERS:
        size = len(first.main[player])
        lists[player] = identities[start : start + size]
        start += size
    return msgspec.structs.replace(first, main=lists)


def test_a_card_returned_and_set_again_is_unknown_again() -> None:
    """A card seen, taken back to the hand and Set among others may be any of them."""
    log = random_log(11, most=40)
    duel = fold(log)
    table = duel.table
    card = next(iter(table.side("P1").hand))
    seen = {card: {knower: knowledge.Seen(1, "x") for knower in knowledge.KNOWERS}}
    before = replace(duel, knowledge=seen)
    event = ev.MonsterSet("P1", table.side("P1").hand[-1], 0, "hand")
    after = evolve(before, event)
    assert set(after.knowledge[card]) == {"P1"}
    shuffled = evolve(
        Duel(Trail(0, table, None, None), {table.side("P1").deck[0]: seen[card]}),
        ev.DeckShuffled("P1", list(table.side("P1").deck), "s"),
    )
    assert shuffled.knowledge == {}


@slow
@given(SEEDS)
def test_recorded_mode_takes_in_what_happened_and_notes_it(seed: int) -> None:
    """Any act at all, lawful or not: recorded or refused, never a crash, the table sound."""
    rng = random.Random(seed)
    log = opening(seed, mode="recorded")
    duel = fold(log)
    for _ in range(60):
        player = rng.choice(PLAYERS)
        act = wild_act(duel, player, rng)
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
        if duel.table.result is not None:
            break


def wild_act(duel: Duel, player: str, rng: random.Random) -> object:
    who = "P1" if player == "P1" else "P2"
    card = rng.randint(1, len(duel.table.owners) - 1)
    field = list(duel.table.placed) or [card]
    near = rng.choice([card, rng.choice(field), *duel.table.side(player).hand[:1]])
    some = rng.sample(field, min(len(field), rng.randint(0, 2)))
    return rng.choice(
        [
            a.Draw(who),
            a.EnterPhase(who, rng.choice(["standby", "main1", "battle", "main2", "end"])),
            a.EnterStep(who, "end"),
            a.EndTurn(who),
            a.Discard(who, [near]),
            a.NormalSummon(who, near, list(some), rng.choice(["attack", "defence"])),
            a.SetMonster(who, near, list(some)),
            a.FlipSummon(who, near),
            a.ChangePosition(who, near, rng.choice(["attack", "defence", "set"])),
            a.SetSpellTrap(who, near, rng.choice([None, "field", "spells_traps"])),
            a.Activate(who, near, list(some), list(some)),
            a.DeclareAttack(who, near, rng.choice(field)),
            a.DeclareAttack(who, near, None, True),
            a.LpChange(who, who, -100, near),
        ]
    )


def batches(seed: int) -> tuple[list[DomainEvent], list[tuple[int, int, str]]]:
    """A played log, and for each act (first event before it, last event of it, its tag)."""
    log = opening(seed)
    duel = fold(log)
    rng = random.Random(seed)
    made: list[tuple[int, int, str]] = []
    while (player := bot.to_act(duel)) is not None:
        act = bot.choose(duel, player, rng)
        decided = engine.decide(duel, act)
        assert not isinstance(decided, Refusal)
        made.append((len(log), len(log) + len(decided), type(act).__name__))
        log += decided
        duel = fold(decided, duel)
    return log, made


def closed(duel: Duel) -> Duel:
    """The duel once nobody answers any more."""
    return fold(engine.passes(duel), duel)


def test_play_goes_on_from_the_middle_of_any_act() -> None:
    """From every event that a rewind can lead to, resuming gives what the act gave, or at
    least a table on which play goes on to an end."""
    assert sum(resumed_in_the_middle(seed) for seed in range(3)) >= 5


def resumed_in_the_middle(seed: int) -> int:
    log, made = batches(seed)
    resumed = 0
    for start, end, tag in made:
        whole = closed(fold(log[:end])).table
        for inner in range(start + 1, end):
            duel = fold(log[:inner])
            sound(duel.table)
            if tag in ("Draw", "Resume"):
                decided = engine.decide(duel, Resume("P1"))
                if isinstance(decided, Refusal):
                    assert duel.table == whole
                    continue
                assert closed(fold(decided, duel)).table == whole
                resumed += 1
            else:
                after, _ = bot.play(duel, random.Random(seed), most=40)
                assert after.table.result is not None or after.seq >= inner + 20
    for to in range(1, 6):
        after, _ = bot.play(fold(log[:to]), random.Random(seed))
        assert after.table.result is not None
    return resumed


def test_an_answer_is_given_inside_an_attack_after_a_rewind() -> None:
    """YGO-17.9: back to the declaration, the attacker is destroyed, the attack stops."""
    log, _ = batches(4)
    seq = next(seq for seq, event in enumerate(log, 1) if isinstance(event, ev.AttackDeclared))
    duel = fold(log[:seq])
    attack = duel.table.attack
    assert attack is not None
    defender = "P2" if duel.table.active == "P1" else "P1"
    ops = [{"op": "destroy", "target": attack.attacker}]
    answer = engine.decide(duel, ResolveEffect(defender, "Snare", ops, answer=True))
    assert not isinstance(answer, Refusal)
    stopped = fold(answer, duel)
    after = stopped.table
    assert after.attack is None
    assert (after.phase, after.step) == ("battle", "battle")
    assert after.side(defender).life_points == duel.table.side(defender).life_points
    nothing = engine.decide(stopped, Resume("P1"))
    assert isinstance(nothing, Refusal)
    assert nothing.code == "duels.nothing_open"
