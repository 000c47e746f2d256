"""legal_acts: what a player may do now. Declared effects, claims and what a judge notes are
open-ended and are not listed; a concession always is.

While something is asked (a choice, a block, shields, a trigger) only its answers are listed, for
the player who is asked; while a blocked attack stands only `resume` is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product

from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import effects, engine, evolution, flow, shields, spells
from duels.rules.duelmasters.cards import BLOCKER, SPELL, has, places_of
from duels.rules.duelmasters.duel import Duel
from duels.rules.duelmasters.seats import Player
from duels.rules.duelmasters.seats import player as seat_of
from duels.rules.duelmasters.selectors import Op, Use, choices, chooses, needed, players_of
from duels.rules.duelmasters.sight import by_sight
from duels.rules.duelmasters.state import STEPS, Table
from duels.rules.duelmasters.values import may_have
from duels.rules.duelmasters.view import settle
from eventstore.domain.refusal import Refusal

MOST = 300
"""Most ways that are listed to choose for one effect, or shields for one attack."""


def legal_acts(duel: Duel, player: str) -> list[a.AnyAct]:
    """Return every lawful act of a player, in a fixed order."""
    who = seat_of(player)
    table = settle(duel.table)
    if table.result is not None or not table.opened or player not in table.alive:
        return []
    if table.fidelity == "pad":
        return []
    asked = flow.asked(table)
    found: list[a.AnyAct] = []
    if asked is not None:
        if asked == player:
            found = [act for act in answers(table, who) if engine.lawful(table, act)]
    elif table.attack is not None:
        found.append(a.Resume(who))
    elif player == table.active:
        found = [act for act in _candidates(table, who) if engine.lawful(table, act)]
    found.append(a.Concede(who))
    return [by_sight(duel, act) for act in found]


def held_up(duel: Duel, act: a.AnyAct) -> Refusal | None:
    """Return `duels.window_open` when in refereed play an act would go past something that
    another player is asked, or would make this player's own answer without saying so."""
    table = duel.table
    if table.mode != "refereed" or isinstance(act, (a.Claim, a.Observe, a.Identify, a.Concede)):
        return None
    table = settle(table)
    if table.result is not None:
        return None
    asked = flow.asked(table)
    if asked is None:
        waits = table.attack is not None
        late = (a.Resume, a.Block, a.Pass)
        return _open(act) if waits and not isinstance(act, late) else None
    if act.player == asked and isinstance(act, _ways(table)):
        return None
    return _open(act)


def _open(act: a.AnyAct) -> Refusal:
    return Refusal("duels.window_open", {"found": act.__struct_config__.tag})


def _ways(table: Table) -> tuple[type[a.Act], ...]:
    """Return the kinds of act that answer what is asked now."""
    if flow.choosing(table) is not None:
        return (a.Activate, a.Pass)
    stage = table.attack.stage if table.attack is not None else ""
    match stage:
        case "declared":
            return (a.Block, a.Pass)
        case "unblocked":
            return (a.ChooseShields, a.Pass)
        case "broken":
            return (a.UseShieldTrigger, a.Pass, a.Identify)
    return (a.Pass,)


def answers(table: Table, player: Player) -> Iterator[a.AnyAct]:
    """Yield what a player could answer now; not all of it need be lawful."""
    one = flow.choosing(table)
    if one is not None:
        for targets in _targets(table, player):
            yield a.Activate(player, one.card, list(targets))
        yield a.Pass(player)
        return
    attack = table.attack
    if attack is None:
        return
    match attack.stage:
        case "declared":
            for card in table.side(player).battle:
                if has(table.facts_of(card), BLOCKER) or may_have(table, card):
                    yield a.Block(player, card)
        case "unblocked":
            row = table.side(attack.defender).shields
            ways = combinations(range(1, len(row) + 1), shields.to_break(table, attack))
            for places in islice(ways, MOST):
                yield a.ChooseShields(player, list(places))
        case "broken":
            for card in attack.broken:
                if shields.may_use(table, card):
                    yield from _trigger(table, player, card)
    yield a.Pass(player)


def _trigger(table: Table, player: Player, card: int) -> Iterator[a.AnyAct]:
    facts = table.facts_of(card)
    if facts is not None and facts.evolves is not None:
        for onto in evolution.bases(table, player, facts):
            yield a.UseShieldTrigger(player, card, [onto])
        return
    for targets in ways_to_choose(table, spells.script(table, card, SPELL), Use(player, card)):
        yield a.UseShieldTrigger(player, card, list(targets))


def _targets(table: Table, player: Player) -> Iterator[Sequence[int]]:
    """Yield the ways to choose for the effect that waits."""
    one = table.waiting[0]
    ops = effects.ops_waiting(table, one)
    if effects.chooser(table, one) in (None, one.player) and any(chooses(op) for op in ops):
        yield from ways_to_choose(table, ops, effects.use_of(one))
        return
    for op in ops:
        if op.get("op") == "discard" and player in players_of(table, op, one.player):
            ways = combinations(table.side(player).hand, needed(op))
            yield from islice(ways, MOST)
            return
    yield ()


def ways_to_choose(table: Table, ops: Sequence[Op], use: Use) -> Iterator[tuple[int, ...]]:
    """Yield the ways to choose cards for operations, at most MOST of them."""
    each: list[list[tuple[int, ...]]] = []
    for op in ops:
        if not chooses(op):
            continue
        possible = choices(table, op, use)
        most = min(needed(op), len(possible))
        least = 0 if op.get("up_to") else most
        ways = [
            way
            for n in range(most, least - 1, -1)
            for way in islice(combinations(possible, n), MOST)
        ]
        each.append(ways[:MOST])
    for chosen in islice(product(*each), MOST):
        cards = tuple(card for way in chosen for card in way)
        if len(set(cards)) == len(cards):
            yield cards


def _candidates(table: Table, player: Player) -> Iterator[a.AnyAct]:
    side = table.side(player)
    match table.step:
        case "start":
            yield a.Untap(player)
            yield a.Draw(player)
        case "draw":
            yield a.Draw(player)
        case "main":
            for card in side.hand:
                yield from _plays(table, player, card)
        case "attack":
            yield from _attacks(table, player)
    if not side.charged and table.step in ("start", "draw", "charge"):
        yield from (a.Charge(player, card) for card in side.hand)
    for step in STEPS[1:]:
        yield a.EnterStep(player, step)  # type: ignore[arg-type]
    yield a.EndTurn(player)


def _plays(table: Table, player: Player, card: int) -> Iterator[a.AnyAct]:
    facts = table.facts_of(card)
    if facts is None:
        return
    if facts.type == SPELL:
        ops = spells.script(table, card, SPELL)
        for targets in ways_to_choose(table, ops, Use(player, card)):
            yield a.Cast(player, card, None, list(targets))
    elif facts.evolves is None:
        yield a.Summon(player, card)
    else:
        for onto in evolution.bases(table, player, facts):
            yield a.Evolve(player, card, onto)


def _attacks(table: Table, player: Player) -> Iterator[a.AnyAct]:
    for card in table.side(player).battle:
        if table.lying[card].tapped:
            continue
        for rival in table.alive:
            if rival == player:
                continue
            yield a.Attack(player, card, rival)
            for target in table.side(rival).battle:
                yield a.Attack(player, card, target)
        if places_of(table.facts_of(card), "tap"):
            ops = spells.script(table, card, "tap")
            for targets in ways_to_choose(table, ops, Use(player, card)):
                yield a.TapAbility(player, card, list(targets))
