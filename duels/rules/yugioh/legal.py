"""legal_acts: what a player may do now. Declared effects, claims and what a judge notes are
open-ended and are not listed; a concession always is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal, get_args

from duels.domain.events import CardFacts, Seat, seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import engine, unfinished
from duels.rules.yugioh.cards import effects_of, is_monster, tributes_for
from duels.rules.yugioh.common import MAIN_PHASES
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.events import Phase
from duels.rules.yugioh.match import PLAYERS, other
from duels.rules.yugioh.sight import by_sight
from duels.rules.yugioh.state import HAND_LIMIT, Table

DEFENCES: tuple[Literal["attack", "defence"], ...] = ("attack", "defence")


def legal_acts(duel: Duel, player: str) -> list[a.AnyAct]:
    """Return every lawful act of a player, in a fixed order."""
    draft = Draft(duel.table)
    unfinished.finish(draft)
    table = draft.table
    found = [
        by_sight(duel, act) for act in _candidates(table, seat(player)) if engine.lawful(table, act)
    ]
    if draft.events:
        found.append(a.Resume(seat(player)))
    return found


def _candidates(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    if table.result is not None or not table.opened:
        return
    yield a.Concede(player)
    if table.turn == 0:
        yield a.DrawOpeningHand(player, 5)
        return
    if table.active == player:
        yield a.Draw(player)
        for phase in get_args(Phase):
            yield a.EnterPhase(player, phase)
        yield a.EnterStep(player, "end")
        yield a.EndTurn(player)
        if table.end_announced:
            hand = table.side(player).hand
            for chosen in combinations(hand, max(0, len(hand) - HAND_LIMIT)):
                yield a.Discard(player, list(chosen))
            return
        if table.phase in MAIN_PHASES:
            yield from _main_phase(table, player)
        yield from _attacks(table, player)
    yield from _activations(table, player)


def _main_phase(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    monsters = table.controlled(player)
    for card in table.side(player).hand:
        facts = table.facts_of(card)
        if facts is None or is_monster(facts):
            needed = tributes_for((facts.level or 0) if facts is not None else 0)
            for tributes in combinations(monsters, needed):
                yield a.NormalSummon(player, card, list(tributes))
                yield a.SetMonster(player, card, list(tributes))
        if facts is None or not is_monster(facts):
            yield a.SetSpellTrap(player, card)
    for card in monsters:
        yield a.FlipSummon(player, card)
        for position in DEFENCES:
            yield a.ChangePosition(player, card, position)


def _attacks(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    if table.phase != "battle":
        return
    targets = table.controlled(other(player))
    for card in table.controlled(player):
        for target in targets:
            yield a.DeclareAttack(player, card, target)
        yield a.DeclareAttack(player, card, None, True)


def _activations(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    side = table.side(player)
    for card in (*side.hand, *side.spells_traps, side.field, *side.monsters):
        facts = table.facts_of(card) if card else None
        if facts is None:
            continue
        if is_monster(facts) and card not in table.placed:
            continue
        for targets in _target_choices(table, facts):
            for cost in _cost_choices(table, player, facts, card):
                yield a.Activate(player, card, list(targets), list(cost))


def _ops(facts: CardFacts, part: str) -> list[dict[str, object]]:
    found = effects_of(facts, "spell", "trap", "ignition", "multi_trigger")
    return found[0].get(part, []) if found else []


def _target_choices(table: Table, facts: CardFacts) -> Iterator[tuple[int, ...]]:
    if facts.kind == "equip":
        for player in PLAYERS:
            for card in table.controlled(player):
                yield (card,)
        return
    chosen = [op for op in _ops(facts, "effect") if op.get("target") == "chosen"]
    if not chosen:
        yield ()
        return
    op = chosen[0]
    n = op.get("n", 1)
    pool = [
        card
        for player in PLAYERS
        for zone in ("hand", "graveyard", "monsters", "spells_traps")
        for card in getattr(table.side(player), zone)
        if card and zone in (op.get("zone"), "field")
    ]
    yield from combinations(pool, n if isinstance(n, int) else 1)


def _cost_choices(
    table: Table, player: Seat, facts: CardFacts, card: int
) -> Iterator[tuple[int, ...]]:
    discards = sum(
        n if isinstance(n := op.get("n", 1), int) else 1
        for part in ("cost", "effect")
        for op in _ops(facts, part)
        if op.get("op") == "discard" and op.get("player", "self") == "self"
    )
    hand = [one for one in table.side(player).hand if one != card]
    yield from combinations(hand, discards)
