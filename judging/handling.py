"""What every command on a call does: ask the permission table, seal texts, decide, append, and
do to the match what a ruling or a penalty in force means for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from eventstore import clock
from eventstore.commands import Loaded, Unit, accept
from eventstore.domain.refusal import Refusal, Refused
from eventstore.domain.registry import DomainEvent
from eventstore.ids import is_id
from judging.domain import acts
from judging.domain.call import NEW, Call, evolve
from judging.domain.decide import decide
from judging.domain.policy import Pack
from judging.domain.sheet_events import CallReopened
from judging.domain.words import (
    DISQUALIFICATIONS,
    NEXT_MATCH_TARGETS,
    RESULT_CHANGING,
    Penalty,
)
from judging.events import CallClosed, PenaltyApproved, PenaltyEnforced, RulingMade
from judging.matches import MatchNow, match_now
from judging.packs import pack
from judging.rewind_record import carry_out
from people.access import NotAllowed, require
from people.domain.actor import SYSTEM
from people.domain.permissions import Subject, Verdict, owners
from people.domain.roles import Role
from people.selectors import names
from people.vault import seal
from tournaments.selectors import spans_of
from tournaments.services import loss_give, penalty_apply, time_extend
from tournaments.services.loading import cancelled

MAX_TEXT = 4000


def subject(event_id: str, seats: Sequence[Sequence[str]]) -> Subject:
    """Return the subject of the permission table that a table is."""
    persons = [person for seat in seats for person in seat]
    return Subject(event_id=event_id, owners=owners(persons), public=False)


def load(unit: Unit, call_id: str, action: str) -> Loaded[Call]:
    """Load a call the actor may do the action to; unknown calls answer like hidden ones."""
    if not is_id(call_id):
        raise NotAllowed(action, Verdict.HIDDEN)
    loaded = unit.load(f"call-{call_id}", NEW, evolve)
    if loaded.version == 0:
        raise NotAllowed(action, Verdict.HIDDEN)
    require(unit.actor, action, subject(loaded.state.tournament, loaded.state.seats))
    return loaded


def by_of(unit: Unit, event_id: str) -> acts.By:
    """Return who acts, as what in the event, and when: one query."""
    head_judge = Role.HEAD_JUDGE in unit.actor.roles_in(event_id) or unit.actor.system
    return acts.By(unit.actor.ref, clock.as_text(unit.now), head_judge, spans_of(event_id))


def sealed(unit: Unit, text: str) -> str:
    """Seal a free text of the actor; empty stays empty. Raises Refused (judging.text_*)."""
    words = checked_text(text)
    return seal(unit.actor.ref, words) if words else ""


def checked_text(text: str) -> str:
    """Return a free text without outer blanks, as it may be kept. Raises Refused
    (judging.text_*)."""
    words = text.strip()
    if len(words) > MAX_TEXT:
        raise Refused(Refusal("judging.text_too_long", {"found": len(words), "allowed": MAX_TEXT}))
    if "\x00" in words:
        raise Refused(Refusal("judging.text_signs"))
    return words


def pack_in(call: Call) -> Pack:
    """Return the policy pack a call was frozen with."""
    return pack(call.pack, call.pack_version)


def match_in(call: Call) -> MatchNow:
    """Return the match of a call as it stands; raises Refused (judging.match_gone)."""
    match = match_now(call.match)
    if match is None:
        raise Refused(Refusal("judging.match_gone", {"found": call.match}))
    return match


def decided(loaded: Loaded[Call], act: acts.Act) -> list[DomainEvent]:
    """Decide; a refusal that names a judge by id also says the name, for the other judge."""
    made = decide(loaded.state, act)
    if isinstance(made, Refusal) and made.params.get("by"):
        known = names([made.params["by"]])
        made = replace(made, params={**made.params, "name": known.get(made.params["by"])})
    return accept(made)


def append(unit: Unit, loaded: Loaded[Call], events: list[DomainEvent]) -> Call:
    """Append to the call, then do what a ruling or a penalty in force means for the match."""
    unit.append(loaded.stream, loaded.version, events)
    state = loaded.state
    for one in events:
        state = evolve(state, one)
    closes = any(isinstance(one, CallClosed) for one in events)
    for one in events:
        if isinstance(one, RulingMade) and one.rewind_to is not None:
            carry_out(unit, state, one)
        elif isinstance(one, PenaltyEnforced):
            if closes and cancelled(state.tournament) is not None:
                continue  # the table of a cancelled event stays as it is; its call ends
            _enforce(unit, state, one.ruling)
        elif isinstance(one, CallReopened):
            _extend(unit, state, 0)
        elif isinstance(one, CallClosed | PenaltyApproved) and one.extension_s is not None:
            _extend(unit, state, one.extension_s)
    return state


def _extend(unit: Unit, call: Call, seconds: int) -> None:
    """Tell the table what the call gives it; players may close a call by accepting, so the house
    itself does it."""
    if match_now(call.match) is not None:
        house = Unit(replace(unit.context, actor=SYSTEM, source="system"))
        time_extend(house, match_id=call.match, seconds=seconds, source=f"call:{call.call_id}")


def _enforce(unit: Unit, call: Call, ruling_id: str) -> None:
    ruling = call.ruling_by_id(ruling_id)
    if ruling is None or ruling.penalty not in RESULT_CHANGING:
        return
    head_judge = by_of(unit, call.tournament).head_judge
    # The pack lets a floor judge's ruling stand without approval for a few infractions; the
    # match then loses by the pack, so the house itself carries it out. The ruling says who.
    acting = unit if head_judge else Unit(replace(unit.context, actor=SYSTEM, source="system"))
    kind = Penalty(ruling.penalty)
    if ruling.target in NEXT_MATCH_TARGETS:
        loss_give(
            acting,
            match_id=call.match,
            loss_id=ruling.ruling_id,
            entrant_id=ruling.target_entrant or "",
            kind=kind.value,
            infraction=ruling.rule or "",
            infraction_kind=ruling.kind,
        )
        return
    out = kind in DISQUALIFICATIONS
    over = match_in(call).decided and out
    penalty_apply(
        acting,
        event_id=call.tournament,
        entrant_id=ruling.target_entrant or "",
        # whoever keeps a prize is out of the event all the same
        kind=Penalty.DISQUALIFICATION.value if out else kind.value,
        # a result that stands is not touched by a disqualification after it
        match_id=None if over else call.match,
        rule=ruling.rule,
    )
