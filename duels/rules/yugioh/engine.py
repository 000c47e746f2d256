"""decide, explain and legal_acts: every act by its checks, in the order of precedence.

A handler is a pair: `check` yields every refusal, the most telling first; `carry` writes the
events and does not ask whether they were lawful, so that a duel in `recorded` mode can take
in what happened at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from duels.domain.events import InfractionRecorded, seat
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import (
    battle,
    common,
    conduct,
    declared,
    setup,
    spells_traps,
    summons,
    turn,
    unfinished,
)
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.state import Table
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

Check = Callable[[Table, Any], Iterator[Refusal]]
Carry = Callable[[Draft, Any], None]


def _free(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    return iter(())


def _nothing(draft: Draft, act: a.AnyAct) -> None:
    return None


def _check_resume(table: Table, act: a.Resume) -> Iterator[Refusal]:
    draft = Draft(table)
    unfinished.finish(draft)
    if not draft.events:
        yield Refusal("duels.nothing_open", {})


def _carry_resume(draft: Draft, act: a.Resume) -> None:
    unfinished.finish(draft)


HANDLERS: dict[type[a.Act], tuple[Check, Carry]] = {
    a.DrawOpeningHand: (setup.check_hand, setup.carry_hand),
    a.RedrawHand: (setup.check_redraw, _nothing),
    a.Draw: (turn.check_draw, turn.carry_draw),
    a.EnterPhase: (turn.check_phase, turn.carry_phase),
    a.EnterStep: (turn.check_step, turn.carry_step),
    a.EndTurn: (turn.check_end, turn.carry_end),
    a.Discard: (turn.check_discard, turn.carry_discard),
    a.NormalSummon: (summons.check_summon, summons.carry_summon),
    a.SetMonster: (summons.check_set, summons.carry_set),
    a.FlipSummon: (summons.check_flip, summons.carry_flip),
    a.ChangePosition: (summons.check_position, summons.carry_position),
    a.SetSpellTrap: (spells_traps.check_set, spells_traps.carry_set),
    a.Activate: (spells_traps.check_activate, spells_traps.carry_activate),
    a.DeclareAttack: (battle.check, battle.carry),
    a.Resume: (_check_resume, _carry_resume),
    a.ResolveEffect: (declared.check_effect, declared.carry_effect),
    a.LpChange: (declared.check_lp, declared.carry_lp),
    a.Identify: (declared.check_identify, declared.carry_identify),
    a.Claim: (conduct.check_claim, _nothing),
    a.Observe: (_free, conduct.carry_observe),
    a.Concede: (_free, conduct.carry_concede),
}


def refusals(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    """Yield every reason against an act, the primary one first."""
    impossible = common.impossible(table, act)
    if impossible is not None:
        yield impossible
        return
    yield from common.before_the_rule(table, act)
    yield from HANDLERS[type(act)][0](table, act)


def lawful(table: Table, act: a.AnyAct) -> bool:
    """Say whether an act breaks no rule."""
    return next(refusals(table, act), None) is None


def met_by(table: Table, act: a.AnyAct) -> Draft:
    """Return the draft on whose table an act is judged: what was open is finished first."""
    draft = Draft(table)
    unfinished.before(draft, act)
    return draft


def explain(duel: Duel, act: a.AnyAct) -> list[Refusal]:
    """Return every reason against an act, the primary one first; empty when it is lawful."""
    return list(refusals(met_by(duel.table, act).table, act))


def decide(duel: Duel, act: a.AnyAct) -> list[DomainEvent] | Refusal:
    """Decide an act: its events, or the refusal with the primary rule id and further ids.

    In `recorded` mode a broken rule of the game does not stop what happened at the table: the
    infraction is recorded beside the events. Refused in both modes: an act after the duel's
    end (YGO-2.7), a claim or redraw, and what has no meaning on this table (codes `duels.*`).
    """
    draft = met_by(duel.table, act)
    found = list(refusals(draft.table, act))
    if found:
        refusal = _joined(found)
        if duel.table.mode == "refereed" or not _happened(act, found):
            return refusal
        draft.events.append(
            InfractionRecorded(
                seat(act.player), refusal.code, list(refusal.also), refusal.params, a.plain(act)
            )
        )
    HANDLERS[type(act)][1](draft, act)
    return draft.events


def _joined(found: list[Refusal]) -> Refusal:
    first = found[0]
    also = [one.code for one in found[1:]] + list(first.also)
    further = tuple(code for code in dict.fromkeys(also) if code != first.code)
    return Refusal(first.code, first.params, further)


def _happened(act: a.AnyAct, found: list[Refusal]) -> bool:
    """Say whether an unlawful act can have happened on this table."""
    if isinstance(act, a.Claim | a.RedrawHand):
        return False
    return all(one.code.startswith("YGO-") and one.code != "YGO-2.7" for one in found)
