"""The state of a call and how its events change it (stream `call-<id>`).

raised -> claimed -> at_table -> ruled -> closed
                                 ruled -> appealed -> hj_claimed -> hj_ruled -> closed
an open state -> escalated -> hj_claimed;  raised -> merged;  before a ruling -> withdrawn
within seconds the author takes back: a start, a ruling, a handing over, a close
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from eventstore.domain.registry import DomainEvent
from judging.domain.rewind_events import RewindChecked
from judging.domain.sheet_events import (
    CallReopened,
    ConflictOverridden,
    EscalationUndone,
    MomentClaimed,
    RulingUndone,
    StartUndone,
)
from judging.domain.words import RESULT_CHANGING, Approval, Outcome, Penalty, Status
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

NO_EFFECT = (Approval.PENDING, Approval.DECLINED, Approval.SUPERSEDED, Approval.WITHDRAWN)
"""Approvals with which a penalty costs nothing."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the state machine keeps of a ruling; the whole of it stands in its event."""

    ruling_id: str
    by: str
    final: bool
    rule: str | None
    kind: str
    penalty: Penalty | None
    target: str | None
    target_entrant: str | None
    approval: Approval
    in_force: bool = False

    @property
    def changes_result(self) -> bool:
        """Whether its penalty, once in force, changes a result."""
        return self.penalty in RESULT_CHANGING

    @property
    def costs_a_game(self) -> bool:
        """Whether a game or more is lost by it: in force, or on its way to be."""
        return self.changes_result and self.approval not in NO_EFFECT


@dataclass(frozen=True, slots=True)
class Call:
    """A call. Times are UTC texts; `queue` is the state that a claim was made from. `ended_at`
    is the end as its judge gave it; `closed_from` and `handed_from` are what a close and a
    handing over go back to."""

    status: Status = Status.NONE
    call_id: str = ""
    tournament: str = ""
    match: str = ""
    kind: str = ""
    pack: str = ""
    pack_version: str = ""
    raised_by: frozenset[str] = frozenset()
    seats: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    entrants: tuple[str, str] = ("", "")
    languages: tuple[str, ...] = ()
    queue: Status = Status.RAISED
    claimed_by: str | None = None
    claimed_at: str | None = None
    arrived_at: str | None = None
    table_end: str | None = None
    judges: frozenset[str] = frozenset()
    rulings: tuple[Ruling, ...] = ()
    accepted: frozenset[str] = frozenset()
    extension_s: int = 0
    ended_at: str | None = None
    closed_from: Status = Status.NONE
    handed_from: tuple[Status, str | None] = (Status.NONE, None)

    def seat_of(self, person: str) -> str | None:
        """Return the seat (P1 or P2) of a person, None when the person does not play here."""
        for seat, persons in zip(("P1", "P2"), self.seats, strict=True):
            if person in persons:
                return seat
        return None

    @property
    def ruling(self) -> Ruling | None:
        """The newest ruling that was not taken back."""
        standing = (one for one in reversed(self.rulings) if one.approval != Approval.WITHDRAWN)
        return next(standing, None)

    def ruling_by_id(self, ruling_id: str) -> Ruling | None:
        """Return a ruling of this call by its id."""
        return next((one for one in self.rulings if one.ruling_id == ruling_id), None)


NEW = Call()
"""The state before the first event."""

_on: dict[type[DomainEvent], Callable[[Call, Any], Call]] = {}


def _handles(
    cls: type[DomainEvent],
) -> Callable[[Callable[[Call, Any], Call]], Callable[[Call, Any], Call]]:
    def register(step: Callable[[Call, Any], Call]) -> Callable[[Call, Any], Call]:
        _on[cls] = step
        return step

    return register


def evolve(state: Call, event: DomainEvent) -> Call:
    """Apply one event; raises KeyError for an event that is none of a call."""
    return _on[type(event)](state, event)


def _with_ruling(state: Call, ruling_id: str, **changes: Any) -> tuple[Ruling, ...]:
    return tuple(
        replace(one, **changes) if one.ruling_id == ruling_id else one for one in state.rulings
    )


@_handles(CallRaised)
def _raised(state: Call, event: CallRaised) -> Call:
    return replace(
        state,
        status=Status.RAISED,
        call_id=event.call,
        tournament=event.tournament,
        match=event.match,
        kind=event.kind,
        pack=event.pack,
        pack_version=event.pack_version,
        raised_by=frozenset({event.by}),
        seats=event.seats,
        entrants=event.entrants,
        languages=event.languages,
    )


@_handles(CallMerged)
def _merged(state: Call, event: CallMerged) -> Call:
    return replace(state, status=Status.MERGED)


@_handles(CallJoined)
def _joined(state: Call, event: CallJoined) -> Call:
    return replace(state, raised_by=state.raised_by | {event.by})


@_handles(CallClaimed)
def _claimed(state: Call, event: CallClaimed) -> Call:
    plain = state.status is Status.RAISED
    return replace(
        state,
        status=Status.CLAIMED if plain else Status.HJ_CLAIMED,
        queue=state.status,
        claimed_by=event.by,
        # the clock of a call runs from the first claim to its end, through an appeal too
        claimed_at=state.claimed_at or event.at,
        judges=state.judges | {event.by},
    )


@_handles(JudgeArrived)
def _arrived(state: Call, event: JudgeArrived) -> Call:
    return replace(
        state,
        status=Status.AT_TABLE if state.status is Status.CLAIMED else state.status,
        arrived_at=state.arrived_at or event.at,
        table_end=event.table_end if state.arrived_at is None else state.table_end,
    )


@_handles(CallGivenBack)
def _given_back(state: Call, event: CallGivenBack) -> Call:
    # A judge who never came cost the table no time yet; one who came did.
    kept = state.claimed_at if state.arrived_at or state.rulings else None
    return replace(state, status=state.queue, claimed_by=None, claimed_at=kept)


@_handles(CallEscalated)
def _escalated(state: Call, event: CallEscalated) -> Call:
    return replace(
        state,
        status=Status.ESCALATED,
        claimed_by=None,
        handed_from=(state.status, state.claimed_by),
    )


@_handles(CallWithdrawn)
def _withdrawn(state: Call, event: CallWithdrawn) -> Call:
    return replace(state, status=Status.WITHDRAWN)


@_handles(RulingMade)
def _ruled(state: Call, event: RulingMade) -> Call:
    rulings = state.rulings
    if event.replaces is not None:
        rulings = _with_ruling(state, event.replaces, approval=Approval.SUPERSEDED)
    by_head_judge = state.status in (Status.HJ_CLAIMED, Status.HJ_RULED)
    return replace(
        state,
        status=Status.HJ_RULED if by_head_judge else Status.RULED,
        rulings=(
            *rulings,
            Ruling(
                event.ruling,
                event.by,
                event.final,
                event.infraction or event.rule_id,
                event.infraction_kind or "",
                Penalty(event.penalty) if event.penalty else None,
                event.target,
                event.target_entrant,
                Approval(event.approval),
            ),
        ),
        accepted=frozenset(),
    )


@_handles(RewindChecked)
def _rewind_checked(state: Call, event: RewindChecked) -> Call:
    return state


@_handles(PenaltyApproved)
def _approved(state: Call, event: PenaltyApproved) -> Call:
    return replace(
        state,
        rulings=_with_ruling(state, event.ruling, approval=Approval.APPROVED, final=True),
        extension_s=state.extension_s if event.extension_s is None else event.extension_s,
    )


@_handles(PenaltyDeclined)
def _declined(state: Call, event: PenaltyDeclined) -> Call:
    return replace(state, rulings=_with_ruling(state, event.ruling, approval=Approval.DECLINED))


@_handles(PenaltyEnforced)
def _enforced(state: Call, event: PenaltyEnforced) -> Call:
    return replace(state, rulings=_with_ruling(state, event.ruling, in_force=True))


@_handles(RulingAccepted)
def _accepted(state: Call, event: RulingAccepted) -> Call:
    return replace(state, accepted=state.accepted | {event.seat})


@_handles(CallAppealed)
def _appealed(state: Call, event: CallAppealed) -> Call:
    return replace(state, status=Status.APPEALED, claimed_by=None)


@_handles(AppealRuled)
def _appeal_ruled(state: Call, event: AppealRuled) -> Call:
    changes: dict[str, Any] = {"final": True}
    known = state.ruling_by_id(event.ruling)
    if event.outcome == Outcome.UPHELD and known and known.approval is Approval.PENDING:
        changes["approval"] = Approval.APPROVED
    return replace(
        state, status=Status.HJ_RULED, rulings=_with_ruling(state, event.ruling, **changes)
    )


@_handles(LengthStated)
def _length_stated(state: Call, event: LengthStated) -> Call:
    return state


@_handles(CallClosed)
def _closed(state: Call, event: CallClosed) -> Call:
    return replace(
        state, status=Status.CLOSED, extension_s=event.extension_s, closed_from=state.status
    )


@_handles(MomentClaimed)
def _moment_claimed(state: Call, event: MomentClaimed) -> Call:
    if event.what == "end":
        return replace(state, ended_at=event.claimed)
    begun = min(event.claimed, state.claimed_at or event.claimed)
    arrived = min(event.claimed, state.arrived_at or event.claimed)
    return replace(state, claimed_at=begun, arrived_at=arrived)


@_handles(ConflictOverridden)
def _conflict_overridden(state: Call, event: ConflictOverridden) -> Call:
    return state


@_handles(StartUndone)
def _start_undone(state: Call, event: StartUndone) -> Call:
    return replace(
        state,
        status=Status(event.state),
        claimed_by=None,
        claimed_at=event.claimed_at,
        arrived_at=event.arrived_at,
        table_end=event.table_end,
        judges=state.judges - {event.by},
    )


@_handles(RulingUndone)
def _ruling_undone(state: Call, event: RulingUndone) -> Call:
    return replace(
        state,
        status=Status(event.state),
        rulings=_with_ruling(state, event.ruling, approval=Approval.WITHDRAWN, in_force=False),
        accepted=frozenset(),
    )


@_handles(EscalationUndone)
def _escalation_undone(state: Call, event: EscalationUndone) -> Call:
    return replace(state, status=Status(event.state), claimed_by=event.judge)


@_handles(CallReopened)
def _reopened(state: Call, event: CallReopened) -> Call:
    """Penalties that the close itself brought into force are those that needed no approval."""
    rulings = tuple(
        replace(one, in_force=False) if one.approval is Approval.NOT_NEEDED else one
        for one in state.rulings
    )
    return replace(state, status=Status(event.state), extension_s=0, ended_at=None, rulings=rulings)
