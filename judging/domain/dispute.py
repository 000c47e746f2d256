"""A dispute about a line of a duel that is over: its states, and who may do what to it.

raised -> taken -> ruled (the line stands, or is wrong without effect)
                -> waits (the result has to change) -> corrected | left
raised -> withdrawn;  taken -> raised (given back)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from judging.domain.dispute_events import (
    DisputeAppealed,
    DisputeGivenBack,
    DisputeRaised,
    DisputeRuled,
    DisputeSettled,
    DisputeTaken,
    DisputeWithdrawn,
)

NONE, RAISED, TAKEN, RULED = "none", "raised", "taken", "ruled"
WAITS, CORRECTED, LEFT, WITHDRAWN = "waits", "corrected", "left", "withdrawn"
APPEALED = "appealed"
STATES = (RAISED, TAKEN, RULED, WAITS, CORRECTED, LEFT, APPEALED, WITHDRAWN)
OPEN = (RAISED, TAKEN, WAITS, APPEALED)
REVIEWED = (RULED, WAITS, CORRECTED, LEFT)
"""States after a review, from which it may be appealed."""
UPHELD, OVERTURNED = "upheld", "overturned"
STANDS, NO_EFFECT, RESULT = "stands", "no_effect", "result"
OUTCOMES = (STANDS, NO_EFFECT, RESULT)
MOST_MINUTES = 30 * 24 * 60
"""Longest window that an organiser can choose: thirty days."""
Decision: TypeAlias = list[DomainEvent] | Refusal


@dataclass(frozen=True, slots=True)
class Dispute:
    """A dispute as it stands. `ruled_by` are judges who may not review it; `outcome` and `ruling`
    those of the newest review, `appealed` whether one went to the head judge."""

    state: str = NONE
    tournament: str = ""
    match: str = ""
    duel: str = ""
    line: int = 0
    seats: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    raised_by: str = ""
    ruled_by: tuple[str, ...] = ()
    taken_by: str = ""
    proposed: Mapping[str, Any] | None = None
    outcome: str = ""
    ruling: str = ""
    ruled_at: str = ""
    appealed: bool = False

    def plays(self, person: str) -> bool:
        """Whether a person plays in the match."""
        return any(person in persons for persons in self.seats)


NEW = Dispute()


def evolve(state: Dispute, event: DomainEvent) -> Dispute:
    """Return the dispute after one event of its stream."""
    match event:
        case DisputeRaised():
            return Dispute(
                RAISED,
                event.tournament,
                event.match,
                event.duel,
                event.line,
                event.seats,
                event.by,
                event.ruled_by,
            )
        case DisputeWithdrawn():
            return replace(state, state=WITHDRAWN)
        case DisputeTaken():
            return replace(state, state=TAKEN, taken_by=event.by)
        case DisputeGivenBack():
            return replace(state, state=APPEALED if state.appealed else RAISED, taken_by="")
        case DisputeAppealed():
            return replace(state, state=APPEALED, taken_by="", appealed=True)
        case DisputeRuled():
            return replace(
                state,
                state=RULED if event.proposed is None else WAITS,
                proposed=event.proposed,
                outcome=event.outcome,
                ruling=event.ruling,
                ruled_at=event.at,
            )
        case DisputeSettled():
            return replace(state, state=CORRECTED if event.corrected else LEFT)
        case _:
            return state


def _in(state: Dispute, *allowed: str) -> Refusal | None:
    if state.state in allowed:
        return None
    return Refusal("judging.dispute_state", {"found": state.state, "allowed": list(allowed)})


def _first(*checks: Callable[[], Refusal | None]) -> Refusal | None:
    return next((wrong for check in checks if (wrong := check()) is not None), None)


def _told(moment: str) -> str:
    return f"{moment[:16].replace('T', ' ')} UTC"


def in_window(until: str | None, at: str) -> Refusal | None:
    """Refuse a dispute after its window (UTC texts; None: the match goes on), with
    `judging.dispute_window`."""
    if until is None or at <= until:
        return None
    return Refusal("judging.dispute_window", {"found": _told(at), "allowed": _told(until)})


def withdraw(state: Dispute, *, by: str, at: str, dispute: str) -> Decision:
    """The one who raised it takes it back, before a judge has it."""
    if by != state.raised_by:
        return Refusal("judging.dispute_not_yours", {"found": state.state})
    return _in(state, RAISED) or [DisputeWithdrawn(dispute, by, at)]


def reviewer(state: Dispute, by: str) -> Refusal | None:
    """Refuse a judge who plays in the match or who ruled there."""
    if state.plays(by):
        return Refusal("judging.own_match", {})
    if by in state.ruled_by:
        return Refusal("judging.dispute_own_ruling", {"match": state.match})
    return None


def appeal(
    state: Dispute, *, by: str, at: str, dispute: str, reason: str, final: bool, until: str
) -> Decision:
    """A player of the match appeals a review to the head judge, until `until` (UTC text). `final`:
    the review is the last word already. Once only."""
    if not state.plays(by):
        return Refusal("judging.dispute_not_yours", {"found": state.state})
    late = Refusal("judging.appeal_window", {"found": _told(at), "allowed": _told(until)})
    wrong = _first(
        lambda: _in(state, *REVIEWED),
        lambda: (
            Refusal("judging.ruling_final", {"ruling": state.ruling})
            if final or state.appealed
            else None
        ),
        lambda: late if at > until else None,
        lambda: None if reason else Refusal("judging.reason_missing", {"act": "appeal"}),
    )
    return wrong or [DisputeAppealed(dispute, by, at, reason)]


def upheld(state: Dispute, *, outcome: str, proposed: Mapping[str, Any] | None) -> str:
    """Say what a head judge's ruling makes of the review that was appealed (UPHELD, OVERTURNED)."""
    same = outcome == state.outcome and (proposed or None) == (state.proposed or None)
    return UPHELD if same else OVERTURNED


def take(
    state: Dispute,
    *,
    by: str,
    at: str,
    dispute: str,
    conflicts: tuple[str, ...],
    head_judge: bool = False,
) -> Decision:
    """A judge takes the review; one who ruled at the match does not, nor one who plays there. An
    appeal is for the head judge."""
    if state.state == TAKEN:
        return Refusal("judging.dispute_taken", {"by": state.taken_by})
    wrong = _first(
        lambda: _in(state, RAISED, APPEALED),
        lambda: (
            Refusal("judging.head_judge_only", {"act": "appeal"})
            if state.state == APPEALED and not head_judge
            else None
        ),
        lambda: reviewer(state, by),
    )
    return wrong or [DisputeTaken(dispute, conflicts, by, at)]


def _mine(state: Dispute, by: str) -> Refusal | None:
    wrong = _in(state, TAKEN)
    if wrong is None and state.taken_by != by:
        return Refusal("judging.dispute_taken", {"by": state.taken_by})
    return wrong


def give_back(state: Dispute, *, by: str, at: str, dispute: str) -> Decision:
    """The judge who has the review gives it back."""
    return _mine(state, by) or [DisputeGivenBack(dispute, by, at)]


def ruleable(state: Dispute, *, by: str, outcome: str, proposed: bool) -> Refusal | None:
    """Say whether a judge may close the review with an outcome; a change of the result needs the
    result that is proposed, the others have none."""
    wrong = _mine(state, by)
    if wrong is not None:
        return wrong
    if outcome not in OUTCOMES:
        return Refusal("judging.dispute_outcome", {"found": outcome, "allowed": list(OUTCOMES)})
    if (outcome == RESULT) != proposed:
        return Refusal("judging.dispute_proposal", {"found": outcome})
    return None


def settle(
    state: Dispute, *, by: str, at: str, dispute: str, corrected: bool, note: str
) -> Decision:
    """Carry the proposal out, or leave the result as it is, with a reason."""
    wrong = _first(
        lambda: _in(state, WAITS),
        lambda: Refusal("judging.own_match", {}) if state.plays(by) else None,
        lambda: None if note else Refusal("judging.reason_missing", {"act": "dispute"}),
    )
    return wrong or [DisputeSettled(dispute, corrected, by, at, note)]
