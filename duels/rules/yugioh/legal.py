"""legal_acts: what a player may do now. Declared effects, claims and what a judge notes are
open-ended and are not listed; a concession always is.

While an attack, a chain or a waiting effect is open only answers are listed, with `resume`: what
may be done afterwards would tell how it ends. In the windows of a summon, of the Start Step and
of the End Step, which end nothing that is hidden, the acts that close them are listed too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import Any, Literal, get_args

from duels.domain.events import CardFacts, Seat, seat
from duels.rules.yugioh import activation, chain, engine, flow, pieces, refs, turn, values
from duels.rules.yugioh import acts as a
from duels.rules.yugioh.cards import effect_at, is_monster, speed_of, tributes_for
from duels.rules.yugioh.common import MAIN_PHASES
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.events import Phase
from duels.rules.yugioh.match import other
from duels.rules.yugioh.selectors import Op, Use, choices, chooses, needed
from duels.rules.yugioh.sight import by_sight
from duels.rules.yugioh.state import HAND_LIMIT, Table
from eventstore.domain.refusal import Refusal

DEFENCES: tuple[Literal["attack", "defence"], ...] = ("attack", "defence")
MOST = 300
"""Most ways that are listed to choose the targets, or the price, of one effect."""


def legal_acts(duel: Duel, player: str) -> list[a.AnyAct]:
    """Return every lawful act of a player, in a fixed order."""
    who = seat(player)
    draft = Draft(duel.table)
    flow.go_on(draft)
    table = draft.table
    moved = bool(draft.events)
    found: list[a.AnyAct] = []
    if table.result is None and table.opened and is_open(table):
        moved = True
        found += [act for act in answers(table, who) if engine.lawful(table, act)]
        if telling(table):
            found.append(a.Concede(who))
            if not engine.explain(duel, a.Resume(who)):
                found.append(a.Resume(who))
            return [by_sight(duel, act) for act in found]
        flow.close(draft)
        table = draft.table
    found += _lawful(table, _candidates(table, who))
    if moved:
        found.append(a.Resume(who))
    return [by_sight(duel, act) for act in found]


def _lawful(table: Table, acts: Iterator[a.AnyAct]) -> Iterator[a.AnyAct]:
    """Keep what breaks no rule. What card texts set aside is asked once per card."""
    if flow.blocked(table) is not None:
        yield from (act for act in acts if engine.lawful(table, act))
        return
    aside: dict[object, frozenset[str]] = {None: frozenset()}
    for act in acts:
        card = getattr(act, "spell", None) or getattr(act, "card", None)
        if isinstance(card, int) and card not in aside:
            aside[card] = values.overridden(table, card)
        if engine.open_to(table, act, aside[card]):
            yield act


def is_open(table: Table) -> bool:
    """Say whether somebody may still answer something."""
    return bool(table.windows or table.chain or table.waiting)


def telling(table: Table) -> bool:
    """Say whether the end of what is open may show what a player does not know yet."""
    return bool(table.chain or table.waiting or table.attack is not None)


def held_up(duel: Duel, act: a.AnyAct) -> Refusal | None:
    """Return `duels.window_open` when in refereed play an act would go past something whose end
    may show what its player does not know yet. Answers, and going on in so many words, do not."""
    if duel.table.mode != "refereed" or not engine.goes_on(act) or isinstance(act, a.Respond):
        return None
    draft = Draft(duel.table)
    flow.go_on(draft)
    table = draft.table
    if table.result is not None or not telling(table) or _is_answer(table, act):
        return None
    return Refusal("duels.window_open", {"found": act.__struct_config__.tag})


def _is_answer(table: Table, act: a.AnyAct) -> bool:
    """Say whether an activation is for an effect that waits at this moment."""
    if not isinstance(act, a.Activate) or flow.choosing(table) is None:
        return False
    card = refs.find(table, act.card)
    return any(one.card == card for one in table.waiting)


def answers(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    """Yield what a player could answer now; not all of it need be lawful."""
    price = chain.pending_price(table)
    if price is not None:
        link, op = price
        if link.player == player:
            yield a.Decide(player, link.card, False)
            for named in _prices(table, Use(player, link.card), op.get("cost", [])):
                yield a.Decide(player, link.card, True, list(named))
        return
    waiting = flow.choosing(table)
    if waiting is not None:
        for one in table.waiting:
            if one.player == player:
                effect = effect_at(table.facts_of(one.card), one.effect)
                for targets, cost in _ways(table, Use(player, one.card), effect):
                    yield a.Activate(player, one.card, list(targets), list(cost))
        if waiting.player == player and waiting.optional:
            yield a.Pass(player)
        return
    if table.windows or table.chain:
        if table.chance == player:
            yield a.Pass(player)
        yield from _responses(table, player)


def _responses(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    """Cards that are fast enough to be answers at all, in every way they could be used."""
    least = max(2, table.chain[-1].speed if table.chain else 0)
    side = table.side(player)
    for card in (*side.hand, *side.spells_traps, *side.monsters, side.field):
        facts = table.facts_of(card) if card else None
        if facts is None or not (facts.effects or facts.type != "monster"):
            continue
        if is_monster(facts) and card not in table.placed:
            continue
        place = activation.effect_of(table, player, card, facts)
        effect = effect_at(facts, place)
        if speed_of(facts, effect) < least or (is_monster(facts) and place < 0):
            continue
        for targets, cost in _ways(table, Use(player, card), effect):
            yield a.Respond(player, card, list(targets), list(cost))


def _candidates(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    if table.result is not None or not table.opened:
        return
    yield a.Concede(player)
    if table.turn == 0:
        yield a.DrawOpeningHand(player, 5)
        return
    if table.active == player:
        if turn.draw_owed(table):
            yield a.Draw(player)
        for phase in get_args(Phase):
            if phase in turn.NEXT.get(table.phase, ()):
                yield a.EnterPhase(player, phase)
        if table.phase == "battle":
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
    """What the most common rule forbids is not even made, where no text could set it aside."""
    monsters = table.controlled(player)
    spent = table.side(player).summoned
    may_set = not spent or not table.options["normal_summon.set_uses_allowance"]
    for card in table.side(player).hand:
        facts = table.facts_of(card)
        if facts is None or is_monster(facts):
            texts = facts is None or bool(facts.effects)
            needed = tributes_for((facts.level or 0) if facts is not None else 0)
            for tributes in combinations(monsters, needed) if may_set or texts else ():
                if texts or not spent:
                    yield a.NormalSummon(player, card, list(tributes))
                yield a.SetMonster(player, card, list(tributes))
        if facts is None or not is_monster(facts):
            yield a.SetSpellTrap(player, card)
    for card in monsters:
        lies = table.placed[card].position
        if lies == "set":
            yield a.FlipSummon(player, card)
            continue
        for position in DEFENCES:
            if position != lies:
                yield a.ChangePosition(player, card, position)


def _attacks(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    if table.phase != "battle":
        return
    targets = table.controlled(other(player))
    for card in table.controlled(player):
        placed = table.placed[card]
        if placed.position == "set":
            continue
        if (spent := placed.attacked_turn == table.turn) or placed.position != "attack":
            rule = "YGO-15.4" if spent else "YGO-15.3"
            if rule not in values.overridden(table, card):
                continue
        for target in targets:
            yield a.DeclareAttack(player, card, target)
        yield a.DeclareAttack(player, card, None, True)


def _activations(table: Table, player: Seat) -> Iterator[a.AnyAct]:
    side = table.side(player)
    for card in (*side.hand, *side.spells_traps, side.field, *side.monsters):
        facts = table.facts_of(card) if card else None
        if facts is None:
            continue
        if is_monster(facts) and (card not in table.placed or not facts.effects):
            continue
        if not is_monster(facts) and not _in_time(table, player, card, facts):
            continue
        fusion = pieces.summons(facts, "fusion_summon")
        if fusion or pieces.summons(facts, "ritual_summon"):
            yield from _specials(table, player, card, facts, fusion=fusion)
            continue
        effect = effect_at(facts, activation.effect_of(table, player, card, facts))
        if facts.kind == "equip":
            for monster in (*table.controlled("P1"), *table.controlled("P2")):
                yield a.Activate(player, card, [monster])
            continue
        for targets, cost in _ways(table, Use(player, card), effect):
            yield a.Activate(player, card, list(targets), list(cost))


def _in_time(table: Table, player: Seat, card: int, facts: CardFacts) -> bool:
    """Say whether the card's own timing rule lets it be turned up now: asked first, for it rules
    most cards out before any choice is tried. A card's text may set the rule aside."""
    placed = table.placed.get(card)
    if placed is not None and placed.position == "up":
        return bool(facts.effects)
    late = next(activation.timing(table, player, facts, placed), None)
    return late is None or late.code in values.overridden(table, card)


def _ways(
    table: Table, use: Use, effect: Mapping[str, Any]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield (targets, price) of the ways in which an effect could be used."""
    for cost in islice(_prices(table, use, effect.get("cost", [])), MOST):
        for targets in islice(_targets(table, use, effect.get("effect", [])), MOST):
            yield targets, cost


def _targets(table: Table, use: Use, ops: Sequence[Op]) -> Iterator[tuple[int, ...]]:
    asking = [op for op in ops if chooses(op)]
    for dealt in product(*(_sets(choices(table, op, use), op) for op in asking)):
        yield tuple(card for one in dealt for card in one)


def _sets(pool: Sequence[int], op: Op) -> list[tuple[int, ...]]:
    least = 1 if op.get("up_to") else needed(op)
    sets = (
        chosen
        for size in range(least, needed(op) + 1)
        for chosen in combinations(dict.fromkeys(pool), size)
    )
    return list(islice(sets, MOST))


def _prices(table: Table, use: Use, cost: Sequence[Op]) -> Iterator[tuple[int, ...]]:
    owed = sum(needed(op) for op in cost if op.get("op") == "discard")
    hand = [card for card in table.side(use.player).hand if card != use.by]
    for discarded in combinations(hand, owed):
        for chosen in _targets(table, use, cost):
            yield (*discarded, *chosen)


def _specials(
    table: Table, player: Seat, spell: int, facts: CardFacts, *, fusion: bool
) -> Iterator[a.AnyAct]:
    """Fusions and Rituals by this Spell, in both positions."""
    side = table.side(player)
    at_hand = [card for card in (*side.monsters, *side.hand) if card and card != spell]
    if fusion:
        for monster in side.fusion_deck:
            one = table.facts_of(monster)
            for given in _materials(table, one, at_hand) if one is not None else ():
                for position in DEFENCES:
                    yield a.FusionSummon(player, monster, list(given), spell, position)
        return
    for monster in side.hand:
        one = table.facts_of(monster)
        if (
            one is None
            or one.kind != "ritual"
            or facts.ritual.get("monster")
            not in (
                one.name,
                one.key,
            )
        ):
            continue
        for given in _tributes(table, facts.ritual.get("levels", 0), at_hand, monster):
            for position in DEFENCES:
                yield a.RitualSummon(player, monster, list(given), spell, position)


def _materials(table: Table, facts: CardFacts, at_hand: Sequence[int]) -> Iterator[tuple[int, ...]]:
    pools = [
        [
            card
            for card in at_hand
            if (one := table.facts_of(card)) is not None and name in (one.name, one.key)
        ]
        for name in facts.materials
    ]
    seen: set[tuple[int, ...]] = set()
    for given in islice(product(*pools), MOST):
        if given and len(set(given)) == len(given) and tuple(sorted(given)) not in seen:
            seen.add(tuple(sorted(given)))
            yield given


def _tributes(
    table: Table, levels: int, at_hand: Sequence[int], monster: int
) -> Iterator[tuple[int, ...]]:
    """Sets of monsters whose Levels are enough, none of them superfluous."""
    level = {
        card: one.level or 0
        for card in at_hand
        if card != monster and (one := table.facts_of(card)) is not None and is_monster(one)
    }
    for size in range(1, 6):
        for given in islice(combinations(level, size), MOST):
            total = sum(level[card] for card in given)
            if total >= levels and all(total - level[card] < levels for card in given):
                yield given
