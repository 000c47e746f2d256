"""Two statements on one table: the first result stands, what differs waits beside it for staff.

Nothing is refused because somebody was quicker, and nothing is overwritten unseen.
"""

from __future__ import annotations

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import floor_events as floor
from tournaments.domain import results, scores
from tournaments.domain.match import Contest, Match
from tournaments.domain.play import Decision, decided, over
from tournaments.domain.results import Result

STAFF = ""
"""The seat of a contest that a member of staff made."""


def same(one: Result, two: Result) -> bool:
    """Say whether two results state the same: a match played and one cut short by time do when
    the score is equal."""
    alike = one.reason == two.reason or {one.reason, two.reason} <= {results.PLAYED, results.TIME}
    return alike and (one.winner, one.score) == (two.winner, two.score)


def contest(
    state: Match, *, seat: str, result: Result, drops: tuple[str, ...] = ()
) -> list[DomainEvent]:
    """Say something against the result that stands; no event when none does, when it says the
    same, or when the same was said before. `seat` empty: a member of staff."""
    known = Contest(seat, result.winner, result.score, result.reason, drops)
    if state.result is None or same(state.result, result) or known in state.contests:
        return []
    return [
        floor.ResultContested(
            state.match_id,
            state.event_id,
            state.round,
            seat,
            result.winner,
            result.score,
            result.reason,
            drops,
        )
    ]


def slip(
    state: Match,
    *,
    result: Result,
    drops: tuple[str, ...],
    line: str,
) -> list[DomainEvent]:
    """Take a slip: its result counts when there is none, else it is compared with the one that
    stands. A report of a player that differs from it is kept as a contest too."""
    end = state.end
    entered = floor.SlipEntered(
        state.match_id,
        state.event_id,
        state.round,
        state.table,
        line,
        drops,
        end.ref if end is not None else None,
        end.answers if end is not None else (),
    )
    if state.result is not None:
        against = contest(state, seat=STAFF, result=result, drops=drops)
        return [entered, *against] if against else []
    made: list[DomainEvent] = [
        entered,
        decided(state, Result(result.winner, result.score, result.reason, "staff")),
    ]
    for seat, claim in sorted(state.claims.items()):
        if not same(result, Result(claim.winner, claim.score, claim.reason)):
            made.append(
                floor.ResultContested(
                    state.match_id,
                    state.event_id,
                    state.round,
                    seat,
                    claim.winner,
                    claim.score,
                    claim.reason,
                    (),
                )
            )
    return made


def settle(state: Match, *, choice: int | None, note: str | None) -> Decision:
    """Choose: None keeps the result, a number takes the contest with that index in its place.

    Refused with `tournaments.conflict_none`, `tournaments.choice_unknown{found, allowed}`,
    `tournaments.reason_missing` (to replace a result one says why).
    """
    if not state.match_id:
        return Refusal("tournaments.match_unknown")
    if not state.contests or state.result is None:
        return Refusal("tournaments.conflict_none", {"table": state.table})
    if choice is None:
        return [_settled(state, True, note)]
    if not 0 <= choice < len(state.contests):
        return Refusal(
            "tournaments.choice_unknown", {"found": choice, "allowed": len(state.contests) - 1}
        )
    if note is None:
        return Refusal("tournaments.reason_missing")
    taken = state.contests[choice]
    return [
        ev.MatchCorrected(
            state.match_id,
            state.event_id,
            state.round,
            taken.winner,
            taken.score,
            taken.reason,
            state.result.winner,
            note,
        ),
        _settled(state, False, note),
    ]


def _settled(state: Match, kept: bool, note: str | None) -> floor.ConflictSettled:
    return floor.ConflictSettled(state.match_id, state.event_id, state.round, kept, note)


def take_back(state: Match, *, newest: bool) -> Decision:
    """Take a result back that staff entered: the table is open again.

    `newest`: the round is the newest published one and the next is not out. Refused with
    `tournaments.result_missing`, `tournaments.conflict_open` (settle it instead),
    `tournaments.take_back_late` (correct it instead), `tournaments.take_back_staff_only{found}`
    for what players, a log or a penalty decided.
    """
    if not state.match_id:
        return Refusal("tournaments.match_unknown")
    if state.result is None:
        return Refusal("tournaments.result_missing", {"table": state.table, "round": state.round})
    if state.contests:
        return Refusal("tournaments.conflict_open", {"table": state.table})
    if not newest:
        return Refusal("tournaments.take_back_late", {"round": state.round})
    whole = scores.outcome(state.form, state.results) is not None
    if state.result.by != "staff" or whole:
        found = "log" if whole else state.result.by
        return Refusal("tournaments.take_back_staff_only", {"found": found})
    return [
        floor.ResultTakenBack(state.match_id, state.event_id, state.round, state.slip_drops),
    ]


def claim_against(state: Match, *, seat: str, result: Result) -> Decision:
    """Take a player's report that comes after the result.

    It counts as a contest when staff entered the result, or the opponent alone admitted the
    loss, and this player has not reported yet. Else refused with `tournaments.match_decided`: two
    who agree, a log and a penalty are not questioned from a phone.
    """
    closed = over(state)
    if closed is None or state.result is None or not state.match_id:
        return closed or []
    open_to_question = state.result.by == "staff" or state.result.by == "admitted"
    spoke = seat in state.claims or any(one.seat == seat for one in state.contests)
    if not open_to_question or spoke or state.corrections:
        return closed
    return contest(state, seat=seat, result=result)
