"""Decisions on a call: an act in a state gives events or a refusal, and changes nothing.

When a penalty comes into force: at once when the head judge ruled, approved it or upheld it;
otherwise when the call closes, because until then the other side may still appeal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from judging.domain import acts
from judging.domain.call import Call, Ruling, evolve
from judging.domain.extension import Extension, compute
from judging.domain.forgotten import begun_at, closes_at, is_forgotten
from judging.domain.policy import Pack
from judging.domain.rewind_events import RewindChecked
from judging.domain.rewinding import answer_of
from judging.domain.ruling import settle
from judging.domain.sheet_events import (
    CallReopened,
    EscalationUndone,
    MomentClaimed,
    RulingUndone,
    StartUndone,
)
from judging.domain.words import (
    BEFORE_RULING,
    SEATS,
    Approval,
    Category,
    Kind,
    Outcome,
    Remedy,
    Status,
    values,
)
from judging.events import (
    AppealRuled,
    CallAppealed,
    CallClaimed,
    CallClosed,
    CallEscalated,
    CallGivenBack,
    CallJoined,
    CallMerged,
    CallRaised,
    CallWithdrawn,
    JudgeArrived,
    LengthStated,
    PenaltyApproved,
    PenaltyDeclined,
    PenaltyEnforced,
    RulingAccepted,
    RulingMade,
)
from tournaments.domain.away import Span

Decision: TypeAlias = list[DomainEvent] | Refusal
MAX_EXTENSION_S = 7200
"""Longest extension a judge may enter by hand: two hours, above any round."""
UNDO_S = 20
"""Seconds within which an act is taken back: the page offers ten, the rest is for the way."""


def decide(state: Call, act: acts.Act) -> Decision:
    """Decide an act on a call; the codes of its refusals are listed in docs/judging.md."""
    step: Callable[[Call, Any], Decision] = _STEPS[type(act)]
    return step(state, act)


def _wrong_state(state: Call, *allowed: Status) -> Refusal | None:
    if state.status in allowed:
        return None
    return Refusal(
        "judging.wrong_state", {"found": state.status.value, "allowed": sorted(values(allowed))}
    )


def _own_match(state: Call, by: acts.By) -> Refusal | None:
    seat = state.seat_of(by.person)
    return Refusal("judging.own_match", {"seat": seat}) if seat else None


def _not_yours(state: Call, by: acts.By) -> Refusal | None:
    if state.claimed_by == by.person:
        return None
    return Refusal("judging.not_your_call", {"by": state.claimed_by})


def _first(*checks: Refusal | None) -> Refusal | None:
    """Return the first refusal: the checks stand in the order of what a judge must know first."""
    return next((one for one in checks if one is not None), None)


def _one_of(code: str, found: str, allowed: Iterable[str]) -> Refusal | None:
    words = values(allowed)
    return None if found in words else Refusal(code, {"found": found, "allowed": words})


def _raise(state: Call, act: acts.RaiseCall) -> Decision:
    if state.status is not Status.NONE:
        return Refusal("judging.call_exists", {"found": act.call_id})
    wrong = _first(
        _one_of("judging.unknown_call_kind", act.kind, Kind),
        _one_of("judging.unknown_category", act.category, Category),
    )
    if wrong:
        return wrong
    raised: list[DomainEvent] = [
        CallRaised(
            call=act.call_id,
            tournament=act.match.event_id,
            match=act.match.match_id,
            table=act.match.table,
            round=act.match.round,
            kind=act.kind,
            category=act.category,
            by=act.by.person,
            at=act.by.at,
            languages=act.languages,
            seats=act.match.seats,
            entrants=act.match.entrants,
            pack=act.pack.pack,
            pack_version=act.pack.version,
            head_judge_wanted=act.head_judge_wanted,
        )
    ]
    if act.open_call is not None:
        raised.append(CallMerged(act.call_id, act.open_call, act.by.person, act.by.at))
    return raised


def _join(state: Call, act: acts.JoinCall) -> Decision:
    if state.status is Status.NONE or state.status in (
        Status.CLOSED,
        Status.WITHDRAWN,
        Status.MERGED,
    ):
        return Refusal("judging.call_over", {"found": state.status.value})
    return [CallJoined(state.call_id, act.joined, act.kind, act.category, act.by.person, act.by.at)]


def _claim(state: Call, act: acts.ClaimCall) -> Decision:
    wrong = _own_match(state, act.by)
    if wrong:
        return wrong
    if state.claimed_by is not None and state.status in (
        Status.CLAIMED,
        Status.AT_TABLE,
        Status.HJ_CLAIMED,
    ):
        return Refusal("judging.already_claimed", {"by": state.claimed_by})
    wrong = _wrong_state(state, Status.RAISED, Status.APPEALED, Status.ESCALATED)
    if wrong:
        return wrong
    if state.status is not Status.RAISED:
        if not act.by.head_judge:
            return Refusal("judging.head_judge_only", {"act": "claim", "found": state.status.value})
        ruling = state.ruling
        if ruling is not None and ruling.by == act.by.person:
            return Refusal("judging.own_ruling", {"ruling": ruling.ruling_id})
    return [CallClaimed(state.call_id, act.by.person, act.by.at, act.by.head_judge)]


def _arrive(state: Call, act: acts.Arrive) -> Decision:
    wrong = _first(
        _wrong_state(state, Status.CLAIMED, Status.HJ_CLAIMED), _not_yours(state, act.by)
    )
    return wrong or [JudgeArrived(state.call_id, act.by.person, act.by.at, act.table_end)]


def _give_back(state: Call, act: acts.GiveBack) -> Decision:
    wrong = _first(
        _wrong_state(state, Status.CLAIMED, Status.AT_TABLE, Status.HJ_CLAIMED),
        _not_yours(state, act.by),
    )
    return wrong or [CallGivenBack(state.call_id, act.by.person, act.by.at)]


def _escalate(state: Call, act: acts.Escalate) -> Decision:
    wrong = _first(
        _own_match(state, act.by),
        _wrong_state(state, Status.RAISED, Status.CLAIMED, Status.AT_TABLE, Status.RULED),
    )
    if wrong:
        return wrong
    if state.claimed_by is not None and not act.by.head_judge:
        wrong = _not_yours(state, act.by)
        if wrong:
            return wrong
    if state.ruling is not None and state.ruling.final:
        return Refusal("judging.ruling_final", {"ruling": state.ruling.ruling_id})
    return [CallEscalated(state.call_id, act.by.person, act.by.at, act.note)]


def _withdraw(state: Call, act: acts.Withdraw) -> Decision:
    wrong = _wrong_state(state, *BEFORE_RULING)
    if wrong:
        return wrong
    if state.ruling is not None:
        return Refusal("judging.already_ruled", {"ruling": state.ruling.ruling_id})
    if act.by.person not in state.raised_by:
        return Refusal("judging.not_your_call", {"by": min(state.raised_by)})
    if state.raised_by != {act.by.person}:
        return Refusal("judging.call_shared", {"found": len(state.raised_by), "allowed": 1})
    return [CallWithdrawn(state.call_id, act.by.person, act.by.at)]


def _ruling(state: Call, act: acts.MakeRuling, replaces: str | None) -> RulingMade | Refusal:
    settled = settle(
        act.ask, pack=act.pack, table=act.table, head_judge=act.by.head_judge, rules=act.rules
    )
    if isinstance(settled, Refusal):
        return settled
    if state.ruling_by_id(act.ruling_id) is not None:
        return Refusal("judging.ruling_exists", {"found": act.ruling_id})
    return RulingMade(
        call=state.call_id,
        ruling=act.ruling_id,
        by=act.by.person,
        at=act.by.at,
        final=act.by.head_judge,
        rule_id=settled.rule_id,
        infraction=settled.infraction,
        infraction_kind=settled.infraction_kind,
        remedy=settled.remedy.value,
        penalty=settled.penalty.value if settled.penalty else None,
        target=settled.target.value if settled.target else None,
        target_entrant=settled.target_entrant,
        duel=settled.duel_id,
        rewind_to=settled.rewind_to,
        approval=settled.approval.value,
        approved_by=act.by.person if settled.approval is Approval.APPROVED else None,
        pack=act.pack.pack,
        pack_version=act.pack.version,
        cites=act.cites,
        self_reported=act.ask.self_reported,
        replaces=replaces,
        languages=state.languages,
        note=act.texts.note,
        facts_agreed=act.texts.facts_agreed,
        facts_disputed=act.texts.facts_disputed,
    )


def _checked(act: acts.MakeRuling, made: RulingMade) -> list[DomainEvent]:
    """The four questions of a rewind without a full log, beside their ruling."""
    if act.ask.checklist is None or made.remedy != Remedy.REWIND:
        return []
    checklist = dict(act.ask.checklist)
    answer = answer_of(checklist)
    return [RewindChecked(made.call, made.ruling, checklist, answer, made.by, made.at)]


def _enforced(state: Call, ruling: Ruling | None, at: str) -> list[DomainEvent]:
    """Bring a penalty into force, if it is one that may be and is not yet."""
    if (
        ruling is None
        or ruling.penalty is None
        or ruling.in_force
        or ruling.approval not in (Approval.NOT_NEEDED, Approval.APPROVED)
    ):
        return []
    return [PenaltyEnforced(state.call_id, ruling.ruling_id, at)]


def _after(state: Call, events: Iterable[DomainEvent]) -> Call:
    for one in events:
        state = evolve(state, one)
    return state


def _make_ruling(state: Call, act: acts.MakeRuling) -> Decision:
    wrong = _first(
        _own_match(state, act.by),
        _wrong_state(state, Status.AT_TABLE, Status.HJ_CLAIMED),
        _not_yours(state, act.by),
    )
    if wrong:
        return wrong
    if state.queue is Status.APPEALED and state.status is Status.HJ_CLAIMED:
        return Refusal("judging.appeal_open", {"found": state.status.value})
    if state.arrived_at is None:
        return Refusal("judging.not_at_table", {"found": state.status.value})
    replaced = state.ruling.ruling_id if state.ruling else None
    made = _ruling(state, act, replaced)
    if isinstance(made, Refusal):
        return made
    after = evolve(state, made)
    enforced = _enforced(state, after.ruling, act.by.at) if made.final else []
    return [made, *_checked(act, made), *enforced]


def _pending(state: Call, by: acts.By, ruling_id: str, act: str) -> Refusal | None:
    if not by.head_judge:
        return Refusal("judging.head_judge_only", {"act": act})
    wrong = _own_match(state, by)
    if wrong:
        return wrong
    ruling = state.ruling_by_id(ruling_id)
    if ruling is None or ruling.approval is not Approval.PENDING:
        found = ruling.approval.value if ruling else None
        return Refusal("judging.nothing_pending", {"ruling": ruling_id, "found": found})
    if state.status in (Status.APPEALED, Status.ESCALATED, Status.HJ_CLAIMED):
        return Refusal("judging.under_appeal", {"found": state.status.value})
    if ruling.by == by.person:
        return Refusal("judging.own_ruling", {"ruling": ruling_id})
    return None


def _approve(state: Call, act: acts.Approve) -> Decision:
    wrong = _pending(state, act.by, act.ruling_id, "approve")
    if wrong:
        return wrong
    extension: int | None = None
    ruling = state.ruling_by_id(act.ruling_id)
    if state.status is Status.CLOSED:
        lost = ruling is not None and ruling.changes_result
        extension = 0 if lost and not act.pack.time.with_game_loss else state.extension_s
    approved = PenaltyApproved(state.call_id, act.ruling_id, act.by.person, act.by.at, extension)
    after = evolve(state, approved)
    return [approved, *_enforced(state, after.ruling_by_id(act.ruling_id), act.by.at)]


def _decline(state: Call, act: acts.Decline) -> Decision:
    wrong = _pending(state, act.by, act.ruling_id, "decline")
    return wrong or [
        PenaltyDeclined(state.call_id, act.ruling_id, act.by.person, act.by.at, act.reason)
    ]


def _seat(state: Call, by: acts.By, named: str | None) -> str | Refusal:
    own = state.seat_of(by.person)
    if own is not None:
        if named not in (None, own):
            return Refusal("judging.not_your_seat", {"found": named, "allowed": own})
        return own
    if named not in SEATS:
        return Refusal("judging.unknown_seat", {"found": named, "allowed": list(SEATS)})
    return str(named)


def _accept(state: Call, act: acts.Accept) -> Decision:
    wrong = _wrong_state(state, Status.RULED, Status.HJ_RULED)
    if wrong:
        return wrong
    seat = _seat(state, act.by, act.seat)
    if isinstance(seat, Refusal):
        return seat
    if seat in state.accepted:
        return Refusal("judging.already_accepted", {"seat": seat})
    accepted: list[DomainEvent] = [RulingAccepted(state.call_id, act.by.person, seat, act.by.at)]
    begun = begun_at(act.pack.time, claimed_at=state.claimed_at, arrived_at=state.arrived_at)
    # the players cannot state the real length of a call that was left open: staff close it
    left_open = is_forgotten(act.pack.time, begun=begun, at=act.by.at, away=act.by.away)
    if state.accepted | {seat} == set(SEATS) and not left_open:
        after = _after(state, accepted)
        accepted += _closing(after, act.by, act.pack, how="accepted")
    return accepted


def _appeal(state: Call, act: acts.Appeal) -> Decision:
    ruling = state.ruling
    if state.status is Status.HJ_RULED and ruling is not None:
        return Refusal("judging.ruling_final", {"ruling": ruling.ruling_id})
    wrong = _wrong_state(state, Status.RULED)
    if wrong:
        return wrong
    seat = _seat(state, act.by, act.seat)
    if isinstance(seat, Refusal):
        return seat
    if ruling is None or ruling.final:
        return Refusal("judging.ruling_final", {"ruling": ruling.ruling_id if ruling else None})
    if seat in state.accepted:
        return Refusal("judging.already_accepted", {"seat": seat})
    return [
        CallAppealed(state.call_id, ruling.ruling_id, act.by.person, seat, act.by.at, act.reason)
    ]


def _rule_appeal(state: Call, act: acts.RuleAppeal) -> Decision:
    wrong = _first(
        None if act.by.head_judge else Refusal("judging.head_judge_only", {"act": "appeal"}),
        _own_match(state, act.by),
        _wrong_state(state, Status.HJ_CLAIMED),
        _not_yours(state, act.by),
        _one_of("judging.unknown_outcome", act.outcome, Outcome),
    )
    if wrong:
        return wrong
    ruling = state.ruling
    if state.queue is not Status.APPEALED or ruling is None:
        return Refusal("judging.no_appeal", {"found": state.queue.value})
    upheld = act.outcome == Outcome.UPHELD
    if upheld != (act.instead is None):
        return Refusal("judging.appeal_ruling_missing" if not upheld else "judging.appeal_upheld",
                       {"outcome": act.outcome})  # fmt: skip
    ruled: list[DomainEvent] = [
        AppealRuled(
            state.call_id,
            ruling.ruling_id,
            act.outcome,
            act.by.person,
            act.by.at,
            act.note,
            act.cites,
        )
    ]
    if act.instead is not None:
        made = _ruling(state, act.instead, ruling.ruling_id)
        if isinstance(made, Refusal):
            return made
        ruled += [made, *_checked(act.instead, made)]
    after = _after(state, ruled)
    return [*ruled, *_enforced(state, after.ruling, act.by.at)]


def extension_of(state: Call, pack: Pack, closed_at: str, away: Sequence[Span] = ()) -> Extension:
    """Compute what the call's extension is, or would be if it closed at `closed_at`; `away`: when
    the server was away."""
    return compute(
        kind=state.kind,
        claimed_at=state.claimed_at,
        arrived_at=state.arrived_at,
        closed_at=closed_at,
        table_end=state.table_end,
        loses_game=any(one.costs_a_game for one in state.rulings),
        policy=pack.time,
        away=away,
    )


def _closing(
    state: Call,
    by: acts.By,
    pack: Pack,
    *,
    how: str,
    extension_s: int | None = None,
    reason: str = "",
    ended_at: str | None = None,
    counts_to: str | None = None,
) -> list[DomainEvent]:
    before: list[DomainEvent] = []
    if ended_at is not None and (state.arrived_at or "") <= ended_at < by.at:
        before.append(MomentClaimed(state.call_id, "end", ended_at, by.person, by.at, "queued"))
    end = counts_to or (ended_at if before and ended_at else by.at)
    # a stated length is what it is: the server's absence is not taken from it again
    computed = extension_of(state, pack, end, () if counts_to else by.away)
    closed = CallClosed(
        call=state.call_id,
        by=by.person,
        at=by.at,
        how=how,
        took_s=computed.took_s,
        computed_s=computed.seconds,
        extension_s=computed.seconds if extension_s is None else extension_s,
        why=computed.why if extension_s is None else "override",
        override_reason=reason,
    )
    return [*before, closed, *_enforced(state, state.ruling, by.at)]


def _close(state: Call, act: acts.Close) -> Decision:
    wrong = _first(_own_match(state, act.by), _wrong_state(state, Status.RULED, Status.HJ_RULED))
    if wrong:
        return wrong
    if act.by.person not in state.judges and not act.by.head_judge:
        return Refusal("judging.not_your_call", {"by": state.claimed_by})
    if act.extension_s is not None:
        if not 0 <= act.extension_s <= MAX_EXTENSION_S:
            return Refusal(
                "judging.extension_range", {"found": act.extension_s, "allowed": MAX_EXTENSION_S}
            )
        if not act.reason:
            return Refusal("judging.reason_missing", {"act": "extension"})
    at = min(act.by.at, act.ended_at or act.by.at)
    ended = closes_at(state, act.pack.time, at=at, real_s=act.real_s, away=act.by.away)
    if isinstance(ended, Refusal):
        return ended
    closing = _closing(
        state,
        act.by,
        act.pack,
        how="play_resumed",
        extension_s=act.extension_s,
        reason=act.reason,
        ended_at=act.ended_at,
        counts_to=None if act.real_s is None else ended,
    )
    if act.real_s is None:
        return closing
    open_s = extension_of(state, act.pack, at, act.by.away).took_s
    stated = LengthStated(state.call_id, act.by.person, act.by.at, open_s, act.real_s)
    return [stated, *closing]


def _set_back(state: Call, act: acts.SetBack) -> Decision:
    wrong = _first(
        _wrong_state(state, Status.AT_TABLE, Status.HJ_CLAIMED), _not_yours(state, act.by)
    )
    if wrong:
        return wrong
    return [MomentClaimed(state.call_id, "start", act.claimed, act.by.person, act.by.at, act.why)]


def _undo(state: Call, act: acts.Undo) -> Decision:
    if act.age_s > UNDO_S:
        return Refusal("judging.undo_late", {"found": act.age_s, "allowed": UNDO_S})
    call, by = state.call_id, act.by
    if act.what == "start" and state.status in (Status.AT_TABLE, Status.HJ_CLAIMED):
        times = (state.claimed_at, state.arrived_at, state.table_end)
        kept = times if state.judges - {by.person} else (None, None, None)
        return _not_yours(state, by) or [
            StartUndone(call, state.queue.value, *kept, by.person, by.at)
        ]
    if act.what == "ruling" and state.status in (Status.RULED, Status.HJ_RULED):
        return _undo_ruling(state, act)
    if act.what == "escalation" and state.status is Status.ESCALATED:
        before, judge = state.handed_from
        return [EscalationUndone(call, before.value, judge, by.person, by.at)]
    if act.what == "close" and state.status is Status.CLOSED:
        took = [
            one for one in state.rulings if one.in_force and one.approval is Approval.NOT_NEEDED
        ]
        lost = next((one for one in took if one.changes_result), None)
        if lost is not None:
            return Refusal("judging.undo_in_force", {"ruling": lost.ruling_id})
        return [CallReopened(call, state.closed_from.value, by.person, by.at)]
    return Refusal("judging.undo_moved_on", {"found": state.status.value})


def _undo_ruling(state: Call, act: acts.Undo) -> Decision:
    ruling = state.ruling
    if ruling is None or ruling.ruling_id != act.ruling_id or ruling.by != act.by.person:
        return Refusal("judging.undo_moved_on", {"found": state.status.value})
    if ruling.in_force and ruling.changes_result:
        return Refusal("judging.undo_in_force", {"ruling": ruling.ruling_id})
    if any(one.approval is Approval.SUPERSEDED for one in state.rulings):
        # the ruling before would have to stand again, with what it brought: rule anew instead
        return Refusal("judging.undo_replaced", {"ruling": ruling.ruling_id})
    back = Status.AT_TABLE if state.status is Status.RULED else Status.HJ_CLAIMED
    return [RulingUndone(state.call_id, ruling.ruling_id, back.value, act.by.person, act.by.at)]


_STEPS: dict[type, Callable[[Call, Any], Decision]] = {
    acts.RaiseCall: _raise,
    acts.JoinCall: _join,
    acts.ClaimCall: _claim,
    acts.Arrive: _arrive,
    acts.GiveBack: _give_back,
    acts.Escalate: _escalate,
    acts.Withdraw: _withdraw,
    acts.MakeRuling: _make_ruling,
    acts.Approve: _approve,
    acts.Decline: _decline,
    acts.Accept: _accept,
    acts.Appeal: _appeal,
    acts.RuleAppeal: _rule_appeal,
    acts.Close: _close,
    acts.SetBack: _set_back,
    acts.Undo: _undo,
}
