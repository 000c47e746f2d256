"""decide and explain: every act by its checks, in the order of precedence of the rule file.

A handler is a pair: `check` yields every refusal, the most telling first; `carry` writes the
events and does not ask whether they were lawful, so that a duel in `recorded` mode can take in
what happened at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from duels.domain.events import InfractionRecorded
from duels.rules.duelmasters import acts as a
from duels.rules.duelmasters import (
    attack,
    common,
    conduct,
    declared,
    effects,
    evolution,
    flow,
    mana,
    refs,
    shields,
    spells,
    summoning,
    turn,
    values,
)
from duels.rules.duelmasters.draft import Draft
from duels.rules.duelmasters.duel import Duel
from duels.rules.duelmasters.seats import seat
from duels.rules.duelmasters.state import Table
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

Check = Callable[[Table, Any], Iterator[Refusal]]
Carry = Callable[[Draft, Any], None]
LEAVES_OPEN = (a.Pass, a.Claim, a.Observe, a.Identify, a.Concede)
"""Acts that leave open what is open. Every other act first lets everybody pass, up to the point
to which it belongs."""
ANSWERS = (a.Block, a.ChooseShields, a.UseShieldTrigger, a.Activate, a.Pass)


def _free(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    return iter(())


def _nothing(draft: Draft, act: a.AnyAct) -> None:
    return None


HANDLERS: dict[type[a.Act], tuple[Check, Carry]] = {
    a.Untap: (turn.check_untap, turn.carry_untap),
    a.Draw: (turn.check_draw, turn.carry_draw),
    a.EnterStep: (turn.check_step, turn.carry_step),
    a.EndTurn: (turn.check_end, turn.carry_end),
    a.Charge: (mana.check_charge, mana.carry_charge),
    a.Summon: (summoning.check, summoning.carry),
    a.Evolve: (evolution.check, evolution.carry),
    a.Cast: (spells.check, spells.carry),
    a.Attack: (attack.check, attack.carry),
    a.Block: (attack.check_block, attack.carry_block),
    a.ChooseShields: (shields.check_choice, shields.carry_choice),
    a.UseShieldTrigger: (shields.check_trigger, shields.carry_trigger),
    a.TapAbility: (attack.check_tap, attack.carry_tap),
    a.Activate: (spells.check_activate, spells.carry_activate),
    a.Pass: (attack.check_pass, attack.carry_pass),
    a.Resume: (_free, _nothing),
    a.ResolveEffect: (declared.check_effect, declared.carry_effect),
    a.Identify: (declared.check_identify, declared.carry_identify),
    a.Claim: (conduct.check_claim, _nothing),
    a.Observe: (_free, conduct.carry_observe),
    a.Concede: (_free, conduct.carry_concede),
}


def refusals(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    """Yield every reason against an act, the primary one first. What a card's text sets aside
    is no reason against an act with that card (DM-0.2)."""
    impossible = common.impossible(table, act)
    if impossible is not None:
        yield impossible
        return
    if not isinstance(act, (*LEAVES_OPEN, a.Resume)):
        barred = flow.blocked(table)
        if barred is not None and not _answers(table, act):
            yield Refusal(barred[0], {"card": barred[1], "found": "open"})
    hidden = list(common.unseen(table, act))
    if hidden:
        yield from hidden
        return
    aside: frozenset[str] | None = None
    for one in HANDLERS[type(act)][0](table, act):
        if aside is None:
            aside = _set_aside(table, act)
        if one.code not in aside:
            yield one


def _answers(table: Table, act: a.AnyAct) -> bool:
    return isinstance(act, a.Activate) and refs.find(table, act.card) == table.waiting[0].card


def _set_aside(table: Table, act: a.AnyAct) -> frozenset[str]:
    if isinstance(act, a.Claim):
        return frozenset()
    ref = getattr(act, "card", None)
    card = refs.find(table, ref) if ref is not None else None
    return values.overridden(table, act.player, card or 0)


def lawful(table: Table, act: a.AnyAct) -> bool:
    """Say whether an act breaks no rule."""
    return next(refusals(table, act), None) is None


def met_by(table: Table, act: a.AnyAct) -> Draft:
    """Return the draft on whose table an act is judged: what is open is passed as the act
    implies, and what happens by itself has happened."""
    draft = Draft(table)
    match act:
        case a.Claim() | a.Observe():
            pass
        case a.Pass() | a.Identify() | a.Concede():
            flow.go_on(draft)
            if isinstance(act, a.Pass):
                _leave_optional(draft, act.player)
        case a.Block():
            flow.close(draft, until=lambda one: flow.choosing(one) is None)
        case a.ChooseShields():
            flow.close(draft, until=flow.at_stage("unblocked"))
        case a.UseShieldTrigger():
            flow.close(draft, until=flow.at_stage("broken"))
        case a.Activate():
            card = refs.find(table, act.card)
            flow.close(draft, until=lambda one: bool(one.waiting) and one.waiting[0].card == card)
        case a.ResolveEffect(answer=True):
            flow.go_on(draft)
        case a.Resume() if table.mode == "refereed":
            flow.go_on(draft)
            if flow.asked(draft.table) is None:
                flow.pass_once(draft)
                flow.go_on(draft)
        case _:
            flow.close(draft)
    return draft


def _leave_optional(draft: Draft, player: str) -> None:
    """Who passes at a later point leaves optional effects of others behind."""
    while (one := flow.choosing(draft.table)) is not None:
        if effects.bars_the_way(draft.table, one) or flow.asked(draft.table) == player:
            return
        flow.give_up(draft, one)
        flow.go_on(draft)


def implied(duel: Duel, act: a.AnyAct) -> list[DomainEvent]:
    """Return what an act implies before it is itself decided. `decide` writes the same events
    before those of the act."""
    return met_by(duel.table, act).events


def passes(duel: Duel) -> list[DomainEvent]:
    """Return what happens when nobody answers any more, until play waits for an act."""
    draft = Draft(duel.table)
    flow.close(draft)
    return draft.events


def explain(duel: Duel, act: a.AnyAct) -> list[Refusal]:
    """Return every reason against an act, the primary one first; empty when it is lawful."""
    if isinstance(act, a.Resume):
        return _resume_refused(duel.table, act)
    return list(refusals(met_by(duel.table, act).table, act))


def _resume_refused(table: Table, act: a.Resume) -> list[Refusal]:
    impossible = common.impossible(table, act)
    if impossible is not None:
        return [impossible]
    return [] if met_by(table, act).events else [Refusal("duels.nothing_open", {})]


def decide(duel: Duel, act: a.AnyAct) -> list[DomainEvent] | Refusal:
    """Decide an act: its events, or the refusal with the primary rule id and further ids.

    In `recorded` mode a broken rule of the game does not stop what happened at the table: the
    infraction is recorded beside the events. Refused in both modes: an act after the duel's end
    (DM-2.4), a claim, and what has no meaning on this table (codes `duels.*`).
    """
    draft = met_by(duel.table, act)
    if isinstance(act, a.Resume):
        refused = _resume_refused(duel.table, act)
        return refused[0] if refused else draft.events
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
        _pass_over(draft, act)
    HANDLERS[type(act)][1](draft, act)
    if not isinstance(act, a.Observe):
        flow.go_on(draft)
    return draft.events


def _pass_over(draft: Draft, act: a.AnyAct) -> None:
    """At a table where play went on all the same, what waited is left behind."""
    if isinstance(act, (*LEAVES_OPEN, a.Activate)) and not isinstance(act, a.Pass):
        return
    while flow.blocked(draft.table) is not None:
        one = draft.table.waiting[0]
        effects.begin(draft, one)
        flow.go_on(draft)


def _joined(found: list[Refusal]) -> Refusal:
    first = found[0]
    also = [one.code for one in found[1:]] + list(first.also)
    further = tuple(code for code in dict.fromkeys(also) if code != first.code)
    return Refusal(first.code, first.params, further)


def _happened(act: a.AnyAct, found: list[Refusal]) -> bool:
    """Say whether an unlawful act can have happened on this table."""
    if isinstance(act, a.Claim):
        return False
    return all(one.code.startswith("DM-") and one.code != "DM-2.4" for one in found)
