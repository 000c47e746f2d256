"""Decisions about the result of a match: claims of the players, entry and correction by staff.

Equal claims confirm each other. A loss that its own player admits counts at once. Claims that
differ wait for staff, side by side. A win that only its winner reports never counts alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import results, scores
from tournaments.domain.match import Claim, Match
from tournaments.domain.play import Decision, decided, over
from tournaments.domain.results import Result


def claim(
    state: Match,
    *,
    seat: str,
    score: Sequence[int] | None,
    reason: str,
    winner: str | None = None,
) -> Decision:
    """One player reports the result.

    Refused with the codes of `results.judge`, and with `tournaments.match_decided` once there
    is a result: players cannot change it.
    """
    closed = over(state)
    if closed is not None:
        return closed
    if seat not in scores.SEATS:
        return Refusal("tournaments.seat_unknown", {"found": seat, "allowed": list(scores.SEATS)})
    if reason not in results.CLAIMABLE:
        return Refusal(
            "tournaments.reason_unknown", {"found": reason, "allowed": list(results.CLAIMABLE)}
        )
    result = results.judge(
        state.form,
        cut=state.in_cut,
        played=state.results,
        score=score,
        reason=reason,
        winner=winner,
    )
    if isinstance(result, Refusal):
        return result
    made: list[DomainEvent] = [
        ev.ResultClaimed(
            state.match_id, state.event_id, seat, result.score, result.winner, result.reason
        )
    ]
    if result.winner == scores.other(seat):
        made.append(decided(state, Result(result.winner, result.score, reason, "admitted")))
        return made
    facing = state.claims.get(scores.other(seat))
    if facing == Claim(result.score, result.winner, result.reason):
        made.append(decided(state, Result(result.winner, result.score, reason, "players")))
    return made


def said(
    state: Match, *, score: Sequence[int] | None, reason: str, winner: str | None
) -> Result | Refusal:
    """Read what a player reports after there is a result. Refused as `claim`, but for
    `tournaments.match_decided`."""
    if reason not in results.CLAIMABLE:
        return Refusal(
            "tournaments.reason_unknown", {"found": reason, "allowed": list(results.CLAIMABLE)}
        )
    return results.judge(
        state.form, cut=state.in_cut, played=(), score=score, reason=reason, winner=winner
    )


def enter(
    state: Match, *, score: Sequence[int] | None, reason: str, winner: str | None
) -> Decision:
    """Staff enter the result. Duels scored one by one bind the score of a played match; the log
    of a duel that is still open keeps what it holds, no score is invented for it.

    Refused with the codes of `results.judge`, with `tournaments.match_decided` (correct it
    instead).
    """
    closed = over(state)
    if closed is not None:
        return closed
    result = results.judge(
        state.form,
        cut=state.in_cut,
        played=state.results,
        score=score,
        reason=reason,
        winner=winner,
    )
    if isinstance(result, Refusal):
        return result
    return [decided(state, Result(result.winner, result.score, reason, "staff"))]


def correct(
    state: Match,
    *,
    score: Sequence[int] | None,
    reason: str,
    winner: str | None,
    note: str | None,
) -> Decision:
    """Staff replace a standing result; the old one stays readable in the log.

    Duels scored before do not bind the correction. Refused with `tournaments.result_missing`
    when there is none, `tournaments.nothing_changed` when it says the same.
    """
    if not state.match_id:
        return Refusal("tournaments.match_unknown")
    if state.result is None:
        return Refusal("tournaments.result_missing", {"table": state.table, "round": state.round})
    result = results.judge(
        state.form, cut=state.in_cut, played=(), score=score, reason=reason, winner=winner
    )
    if isinstance(result, Refusal):
        return result
    before = state.result
    if (before.winner, before.score, before.reason) == (
        result.winner,
        result.score,
        result.reason,
    ):
        return Refusal(
            "tournaments.nothing_changed",
            {"winner": before.winner, "score": list(before.score), "reason": before.reason},
        )
    return [
        ev.MatchCorrected(
            state.match_id,
            state.event_id,
            state.round,
            result.winner,
            result.score,
            result.reason,
            before.winner,
            note,
        )
    ]
