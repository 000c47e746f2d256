"""legal_acts leaves out what it does not even make; here every act is tried one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from duels.domain.events import seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine
from duels.rules.yugioh.duel import Duel, fold
from duels.rules.yugioh.events import Phase
from duels.rules.yugioh.legal import is_open, legal_acts
from duels.rules.yugioh.match import PLAYERS, other
from duels.rules.yugioh.sight import by_sight
from eventstore.domain.refusal import Refusal
from tests.duels.made import opening
from tests.sizes import SIZES

TRIED = (
    a.Draw,
    a.EnterPhase,
    a.EnterStep,
    a.EndTurn,
    a.NormalSummon,
    a.SetMonster,
    a.FlipSummon,
    a.ChangePosition,
    a.SetSpellTrap,
    a.DeclareAttack,
)


def every_act(duel: Duel, player: str) -> Iterator[a.AnyAct]:
    """Acts of the kinds TRIED, lawful or not, with every card that could be meant."""
    who, table = seat(player), duel.table
    own = table.controlled(player)
    yield a.Draw(who)
    yield a.EndTurn(who)
    yield a.EnterStep(who, "end")
    for phase in get_args(Phase):
        yield a.EnterPhase(who, phase)
    for card in table.side(player).hand:
        yield a.SetSpellTrap(who, card)
        for n in range(3):
            for tributes in combinations(own, n):
                yield a.NormalSummon(who, card, list(tributes))
                yield a.SetMonster(who, card, list(tributes))
    for card in own:
        yield a.FlipSummon(who, card)
        yield a.ChangePosition(who, card, "attack")
        yield a.ChangePosition(who, card, "defence")
        yield a.DeclareAttack(who, card, None, True)
        for target in table.controlled(other(player)):
            yield a.DeclareAttack(who, card, target)


@settings(max_examples=SIZES.examples_slow)
@given(st.integers(0, 10**9), st.sampled_from([{}, {"normal_summon.set_uses_allowance": False}]))
def test_nothing_lawful_is_left_out_and_nothing_unlawful_listed(
    seed: int, options: dict[str, object]
) -> None:
    rng = random.Random(seed)
    duel = fold(opening(seed, options=options))
    tried = 0
    for _ in range(60):
        if duel.table.result is not None:
            break
        if not is_open(duel.table):
            for player in PLAYERS:
                listed = [act for act in legal_acts(duel, player) if isinstance(act, TRIED)]
                found = [
                    by_sight(duel, act)
                    for act in every_act(duel, player)
                    if not engine.explain(duel, act)
                ]
                assert sorted(map(repr, listed)) == sorted(map(repr, found))
                tried += len(found)
        acts = [
            act
            for player in PLAYERS
            for act in legal_acts(duel, player)
            if not isinstance(act, a.Concede)
        ]
        decided = engine.decide(duel, rng.choice(acts))
        assert not isinstance(decided, Refusal)
        duel = fold(decided, duel)
    assert tried > 10
