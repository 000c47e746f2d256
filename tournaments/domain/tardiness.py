"""Players who are not at their table, as a fold of the match's stream of its own, and what staff
may confirm by the policy: a game loss first, a match loss later, never by itself.

The minutes count from the start of the round's clock, or from the publication without one. A
seat at the wrong table is missing too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain import play, results, scores
from tournaments.domain.match import Match
from tournaments.domain.play import Decision
from tournaments.domain.round_events import PlayerArrived, PlayerMissed, Policy, TardinessConfirmed

KINDS = (results.GAME_LOSS, results.MATCH_LOSS)


@dataclass(frozen=True, slots=True)
class Tardiness:
    """`missing` seats with the time they were marked (UTC text); `confirmed` losses by seat."""

    missing: Mapping[str, str] = field(default_factory=dict)
    confirmed: frozenset[tuple[str, str]] = frozenset()


def evolve(state: Tardiness, event: DomainEvent) -> Tardiness:
    """Apply one event of the stream; others leave the state as it is."""
    match event:
        case PlayerMissed():
            return replace(state, missing={**state.missing, event.seat: event.at})
        case PlayerArrived():
            left = {seat: at for seat, at in state.missing.items() if seat != event.seat}
            return replace(state, missing=left)
        case TardinessConfirmed():
            return replace(state, confirmed=state.confirmed | {(event.seat, event.kind)})
        case ev.MatchWithdrawn():
            return Tardiness()
        case _:
            return state


def miss(state: Tardiness, match: Match, *, seat: str, at: str) -> Decision:
    """Mark a seat as empty. Refused with `tournaments.seat_unknown`, `tournaments.player_missed`,
    `tournaments.match_decided`."""
    wrong = play.over(match) or _unknown(seat)
    if wrong is not None:
        return wrong
    if seat in state.missing:
        return Refusal("tournaments.player_missed", {"found": seat, "at": state.missing[seat]})
    return [PlayerMissed(match.match_id, match.event_id, match.round, seat, at)]


def arrive(state: Tardiness, match: Match, *, seat: str, at: str) -> Decision:
    """Take the mark of a seat away. Refused with `tournaments.player_not_missed`."""
    wrong = _unknown(seat)
    if wrong is not None:
        return wrong
    if seat not in state.missing:
        return Refusal("tournaments.player_not_missed", {"found": seat})
    return [PlayerArrived(match.match_id, match.event_id, seat, at)]


def minutes_between(start: str, now: str) -> int:
    """Return the whole minutes from one UTC text to another, 0 at least.

    >>> minutes_between("2026-01-01T10:00:00.000000Z", "2026-01-01T10:03:59.000000Z")
    3
    """
    gone = datetime.fromisoformat(now) - datetime.fromisoformat(start)
    return max(0, int(gone.total_seconds()) // 60)


def due_min(policy: Policy, kind: str) -> int:
    """Return after how many minutes the policy allows a loss."""
    return policy.game_loss_min if kind == results.GAME_LOSS else policy.match_loss_min


def confirm(
    state: Tardiness,
    match: Match,
    *,
    seat: str,
    kind: str,
    start: str,
    now: str,
    policy: Policy,
) -> Decision:
    """Confirm the loss that the tardiness of a seat costs; of both seats where both are empty.

    `start` and `now` are UTC texts. Refused with `tournaments.penalty_unknown`,
    `tournaments.player_not_missed`, `tournaments.tardy_early{found, allowed}` before the minutes
    of the policy, `tournaments.tardy_confirmed` the second time.
    """
    wrong = play.over(match) or _unknown(seat)
    if wrong is not None:
        return wrong
    if kind not in KINDS:
        return Refusal("tournaments.penalty_unknown", {"found": kind, "allowed": [*KINDS]})
    if seat not in state.missing:
        return Refusal("tournaments.player_not_missed", {"found": seat})
    if (seat, kind) in state.confirmed:
        return Refusal("tournaments.tardy_confirmed", {"found": kind})
    minutes, due = minutes_between(start, now), due_min(policy, kind)
    if minutes < due:
        return Refusal("tournaments.tardy_early", {"found": minutes, "allowed": due})
    seats = tuple(
        one for one in scores.SEATS if one in state.missing and (one, kind) not in state.confirmed
    )
    if kind == results.GAME_LOSS:
        lost = play.apply_game_loss(match, seats=seats, rule=None, note=None)
    else:
        lost = play.apply_match_loss(
            match, seats=seats, reason=results.NO_SHOW, rule=None, note=None
        )
    if isinstance(lost, Refusal):
        return lost
    confirmed = [
        TardinessConfirmed(match.match_id, match.event_id, one, kind, minutes, due) for one in seats
    ]
    return [*confirmed, *lost]


def _unknown(seat: str) -> Refusal | None:
    if seat in scores.SEATS:
        return None
    return Refusal("tournaments.seat_unknown", {"found": seat, "allowed": list(scores.SEATS)})
