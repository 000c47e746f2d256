"""decide, explain and legal_acts: every act by its checks, in the order of precedence.

A handler is a pair: `check` yields every refusal, the most telling first; `carry` writes the
events and does not ask whether they were lawful, so that a duel in `recorded` mode can take
in what happened at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from duels.domain.events import InfractionRecorded, seat
from duels.rules.yugioh import (
    activation,
    battle,
    chain,
    common,
    conduct,
    declared,
    flow,
    refs,
    setup,
    spaces,
    spells_traps,
    summons,
    turn,
    values,
)
from duels.rules.yugioh import acts as a
from duels.rules.yugioh import events as ev
from duels.rules.yugioh.draft import Draft
from duels.rules.yugioh.duel import Duel
from duels.rules.yugioh.state import Table
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent

Check = Callable[[Table, Any], Iterator[Refusal]]
Carry = Callable[[Draft, Any], None]


LEAVES_OPEN = (a.Respond, a.Pass, a.Claim, a.Observe, a.LpChange, a.Identify, a.Concede, a.Discard)
"""Acts that leave open windows open. Every other act first lets both players pass."""


def _free(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    return iter(())


def _nothing(draft: Draft, act: a.AnyAct) -> None:
    return None


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
    a.Activate: (activation.check, activation.carry),
    a.Respond: (activation.check, activation.carry),
    a.Pass: (activation.check_pass, activation.carry_pass),
    a.Decide: (activation.check_decide, activation.carry_decide),
    a.FusionSummon: (activation.check_fusion, activation.carry_fusion),
    a.RitualSummon: (activation.check_ritual, activation.carry_ritual),
    a.DeclareAttack: (battle.check, battle.carry),
    a.Resume: (_free, _nothing),
    a.ResolveEffect: (declared.check_effect, declared.carry_effect),
    a.LpChange: (declared.check_lp, declared.carry_lp),
    a.Identify: (declared.check_identify, declared.carry_identify),
    a.Claim: (conduct.check_claim, _nothing),
    a.Observe: (_free, conduct.carry_observe),
    a.Concede: (_free, conduct.carry_concede),
}


def refusals(table: Table, act: a.AnyAct) -> Iterator[Refusal]:
    """Yield every reason against an act, the primary one first. What a card's text sets aside
    is no reason against an act with that card (YGO-0.1)."""
    impossible = common.impossible(table, act)
    if impossible is not None:
        yield impossible
        return
    yield from spaces.faults(table, act)
    yield from common.before_the_rule(table, act)
    if goes_on(act):
        barred = flow.blocked(table)
        if barred is not None and not _answers(table, act, barred[1]):
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


def _set_aside(table: Table, act: a.AnyAct) -> frozenset[str]:
    ref = getattr(act, "spell", None) or getattr(act, "card", None)
    card = refs.find(table, ref) if ref is not None and not isinstance(act, a.Claim) else None
    return values.overridden(table, card) if card is not None else frozenset()


def goes_on(act: a.AnyAct) -> bool:
    """Say whether an act leaves behind what waits for an answer."""
    if isinstance(act, a.ResolveEffect):
        return not act.answer
    return isinstance(act, a.Respond) or not isinstance(act, (*LEAVES_OPEN, a.Decide, a.Resume))


def _answers(table: Table, act: a.AnyAct, card: int) -> bool:
    """Say whether an act is for one of the effects that wait."""
    if not isinstance(act, a.Activate):
        return False
    named = refs.find(table, act.card)
    return named == card or any(one.card == named for one in table.waiting)


def lawful(table: Table, act: a.AnyAct) -> bool:
    """Say whether an act breaks no rule."""
    return next(refusals(table, act), None) is None


def open_to(table: Table, act: a.AnyAct, aside: frozenset[str]) -> bool:
    """Say whether an act of `legal_acts` breaks no rule: its cards are on the table and seen by
    its player, nothing waits for an answer, and `aside` is what card texts set aside for it.
    The same as `lawful`, without asking for each act what is so by the way it was made."""
    if next(common.before_the_rule(table, act), None) is not None:
        return False
    return all(one.code in aside for one in HANDLERS[type(act)][0](table, act))


def met_by(table: Table, act: a.AnyAct) -> Draft:
    """Return the draft on whose table an act is judged: windows are closed as the act implies,
    and what happens by itself has happened."""
    draft = Draft(table)
    if isinstance(act, a.Claim | a.Observe):
        return draft
    if isinstance(act, a.Discard) and table.leaving:
        flow.close(draft)  # the turn has been ended from the Battle Phase
    elif isinstance(act, LEAVES_OPEN) or (isinstance(act, a.ResolveEffect) and act.answer):
        flow.go_on(draft)
        if isinstance(act, a.Respond):
            _leave_optional(draft)
    elif isinstance(act, a.Activate | a.Decide):
        flow.close(draft, until=refs.find(draft.table, act.card) or 0)
    else:
        flow.close(draft)
    return draft


def _leave_optional(draft: Draft) -> None:
    """An answer leaves optional effects behind that wait at this moment."""
    while (one := flow.choosing(draft.table)) is not None and one.optional:
        draft.add(ev.EffectDeclined(seat(one.player), one.card, one.effect))
        flow.go_on(draft)


def implied(duel: Duel, act: a.AnyAct) -> list[DomainEvent]:
    """Return what an act implies before it is itself decided: passes of both players, and what
    follows from them. `decide` writes the same events before those of the act."""
    draft = met_by(duel.table, act)
    draft.say_shut()
    return draft.events


def passes(duel: Duel) -> list[DomainEvent]:
    """Return what happens when nobody answers any more, until play waits for an act."""
    draft = Draft(duel.table)
    flow.close(draft)
    draft.say_shut()
    return draft.events


def explain(duel: Duel, act: a.AnyAct) -> list[Refusal]:
    """Return every reason against an act, the primary one first; empty when it is lawful."""
    if isinstance(act, a.Resume):
        return _resume_refused(duel.table, act)
    return list(refusals(met_by(duel.table, act).table, act))


def _resume_refused(table: Table, act: a.Resume) -> list[Refusal]:
    """Going on is judged by the table as it lies: what is open may well end the duel."""
    impossible = common.impossible(table, act)
    if impossible is not None:
        return [impossible]
    draft = met_by(table, act)
    draft.say_shut()
    return [] if draft.events else [Refusal("duels.nothing_open", {})]


def decide(duel: Duel, act: a.AnyAct) -> list[DomainEvent] | Refusal:
    """Decide an act: its events, or the refusal with the primary rule id and further ids.

    In `recorded` mode a broken rule of the game does not stop what happened at the table: the
    infraction is recorded beside the events. Refused in both modes: an act after the duel's
    end (YGO-2.7), a claim or redraw, and what has no meaning on this table (codes `duels.*`).
    """
    draft = met_by(duel.table, act)
    if isinstance(act, a.Resume):
        refused = _resume_refused(duel.table, act)
        draft.say_shut()
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
    if not isinstance(act, a.Observe) or draft.table.resolving:
        flow.go_on(draft)
    draft.say_shut()
    return draft.events


def _pass_over(draft: Draft, act: a.AnyAct) -> None:
    """At a table where play went on all the same: what waited is left behind."""
    if not goes_on(act):
        return
    for one in draft.table.waiting:
        draft.add(ev.EffectDeclined(seat(one.player), one.card, one.effect))
    price = chain.pending_price(draft.table)
    if price is not None:
        draft.add(ev.PaymentDecided(seat(price[0].player), price[0].card, False))
        flow.close(draft)


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
