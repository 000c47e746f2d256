"""Decisions that undo by appending: a round deleted, the cut begun again, an event reopened, the
final places after a correction. Published rounds stand unless one of these takes them back.
"""

from __future__ import annotations

from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import ending
from tournaments.domain import event as state_of
from tournaments.domain.event import CUT, CUT_STAGE, FINISHED, RUNNING, Decision, Tournament
from tournaments.domain.match import Match
from tournaments.domain.round_events import EventReopened
from tournaments.domain.rounds import Facts


def delete_round(state: Tournament, *, number: int) -> Decision:
    """Take the newest published round back with whatever was played in it.

    Refused with `tournaments.round_older{found, newest}`: the rounds after it were paired by its
    results, so they have to be taken back first, newest first, or its results corrected.
    """
    wrong = state_of.in_status(state, RUNNING, CUT)
    if wrong is not None:
        return wrong
    if not 1 <= number <= state.current:
        return Refusal("tournaments.round_none", {"found": number, "allowed": state.current})
    if number < state.current:
        return Refusal("tournaments.round_older", {"found": number, "newest": state.current})
    return [ev.RoundWithdrawn(state.event_id, number)]


def restart_cut(state: Tournament) -> Decision:
    """Take the cut back with all its rounds, newest first; the Swiss rounds stand."""
    wrong = state_of.in_status(state, CUT)
    if wrong is not None:
        return wrong
    numbers = [one.number for one in reversed(state.published) if one.stage == CUT_STAGE]
    return [
        *(ev.RoundWithdrawn(state.event_id, number) for number in numbers),
        ev.CutUndone(state.event_id),
    ]


def reopen(state: Tournament, *, note: str) -> Decision:
    """Let a finished event go on where it stood; `note` is sealed text."""
    wrong = state_of.in_status(state, FINISHED)
    return wrong or [EventReopened(state.event_id, note)]


def placed_anew(state: Tournament, facts: Facts) -> list[ev.EventFinished]:
    """Return the final places once more where a correction changed them in a finished event."""
    if state.status != FINISHED:
        return []
    places = tuple(ending.placings(state, facts))
    return [ev.EventFinished(state.event_id, places)] if places != state.placings else []


def correctable(state: Tournament, match: Match, winner: str) -> Refusal | None:
    """Say whether a result may get this winner: in the cut, once the next round is published,
    who went on stays. Refused with `tournaments.cut_moved_on{found, allowed, round}`."""
    if match.stage != CUT_STAGE or match.round >= state.current:
        return None
    if match.result is not None and match.result.winner == winner:
        return None
    return Refusal(
        "tournaments.cut_moved_on",
        {"found": state.current, "allowed": match.round, "round": match.round},
    )


def matches_of(state: Tournament, numbers: list[int]) -> list[str]:
    """Return the ids of the matches of some rounds."""
    return [pair.match_id for made in state.rounds if made.number in numbers for pair in made.pairs]
