"""Decisions about the entry fee: paid, comped, refunded. Amounts are whole minor units."""

from __future__ import annotations

from eventstore.domain.refusal import Refusal
from tournaments.domain import door_events as ev
from tournaments.domain import event as state_of
from tournaments.domain.enrolment import find
from tournaments.domain.event import CANCELLED, Decision, Tournament

METHODS = ("cash", "card", "transfer", "voucher", "other")
SEEN = ("eligible", "guardian_consent")


def _method(method: str) -> Refusal | None:
    if method not in METHODS:
        return Refusal("tournaments.method_unknown", {"found": method[:20], "allowed": METHODS})
    return None


def pay(state: Tournament, *, entrant_id: str, amount: int | None, method: str) -> Decision:
    """Take money from an entrant; `amount` None: all it owes.

    Refused with `tournaments.fee_none` (the event is free), `tournaments.fee_settled` (nothing is
    owed: so that two desks never take it twice), `tournaments.fee_amount` (more than is owed),
    `tournaments.method_unknown`, `tournaments.entrant_unknown`, `tournaments.wrong_state`.
    """
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    wrong = _method(method)
    if wrong is not None:
        return wrong
    if state.status == CANCELLED:
        return Refusal("tournaments.wrong_state", {"found": state.status, "allowed": []})
    policy = state.door.policy
    if not policy.fee:
        return Refusal("tournaments.fee_none")
    owed = state.door.owes(entrant_id)
    if owed == 0:
        return Refusal("tournaments.fee_settled", {"found": state.door.fee_of(entrant_id).paid})
    given = owed if amount is None else amount
    if not 1 <= given <= owed:
        return Refusal("tournaments.fee_amount", {"found": given, "allowed": [1, owed]})
    return [ev.FeePaid(state.event_id, entrant_id, given, policy.currency, method)]


def comp(state: Tournament, *, entrant_id: str, note: str | None) -> Decision:
    """Let an entrant in without paying. Refused with `tournaments.fee_none`,
    `tournaments.fee_settled` (comped already, or money has to be given back first)."""
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    missing = state_of.known(state)
    if missing is not None:
        return missing
    if not state.door.policy.fee:
        return Refusal("tournaments.fee_none")
    held = state.door.fee_of(entrant_id)
    if held.comped or held.paid:
        return Refusal("tournaments.fee_settled", {"found": held.paid})
    return [ev.FeeComped(state.event_id, entrant_id, note)]


def refund(state: Tournament, *, entrant_id: str, amount: int | None, method: str) -> Decision:
    """Give money back, also after the event; `amount` None: all that was paid.

    Refused with `tournaments.fee_unpaid`, `tournaments.fee_amount`, `tournaments.method_unknown`.
    """
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    wrong = _method(method)
    if wrong is not None:
        return wrong
    paid = state.door.fee_of(entrant_id).paid
    if not paid:
        return Refusal("tournaments.fee_unpaid", {"entrant": entrant_id})
    given = paid if amount is None else amount
    if not 1 <= given <= paid:
        return Refusal("tournaments.fee_amount", {"found": given, "allowed": [1, paid]})
    return [ev.FeeRefunded(state.event_id, entrant_id, given, state.door.policy.currency, method)]


def eligible(state: Tournament, *, entrant_id: str, seen: str) -> Decision:
    """Note that staff have seen that an entrant may play. Refused with
    `tournaments.eligibility_unknown`, `tournaments.nothing_changed`."""
    one = find(state, entrant_id)
    if isinstance(one, Refusal):
        return one
    if seen not in SEEN:
        return Refusal("tournaments.eligibility_unknown", {"found": seen[:20], "allowed": SEEN})
    if state.door.eligible.get(entrant_id) == seen:
        return Refusal("tournaments.nothing_changed")
    return [ev.EligibilitySeen(state.event_id, entrant_id, seen)]


def accept_notice(state: Tournament, *, person_id: str, version: str, by_staff: bool) -> Decision:
    """Keep which version of the privacy notice a person accepted; the same again adds nothing.

    Refused with `tournaments.notice_other` for a version that is not the one in force.
    """
    policy = state.door.policy
    if not policy.notice_version or version != policy.notice_version:
        return Refusal(
            "tournaments.notice_other", {"found": version[:20], "allowed": policy.notice_version}
        )
    if state.door.notices.get(person_id) == version:
        return []
    return [ev.NoticeAccepted(state.event_id, person_id, version, by_staff)]
