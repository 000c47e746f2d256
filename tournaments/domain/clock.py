"""Decisions about the clock of the round that is on."""

from __future__ import annotations

from eventstore.domain.refusal import Refusal
from tournaments import events as ev
from tournaments.domain import event as state_of
from tournaments.domain.event import CUT, RUNNING, Decision, Tournament
from tournaments.domain.round_clock import RoundClock

LEAST_SECONDS, MOST_SECONDS = 60, 6 * 3600
MOST_CHANGE = 3 * 3600


def _round(state: Tournament) -> Refusal | None:
    wrong = state_of.in_status(state, RUNNING, CUT)
    if wrong is not None:
        return wrong
    return None if state.current else Refusal("tournaments.clock_no_round")


def _known(state: Tournament, *, running: bool) -> RoundClock | Refusal:
    """Return the clock of the round that is on, in the state it must be in."""
    wrong = _round(state)
    if wrong is not None:
        return wrong
    clock = state.clocks.get(state.current)
    if clock is None:
        return Refusal("tournaments.clock_not_started", {"round": state.current})
    if running and not clock.running:
        return Refusal("tournaments.clock_paused", {"round": state.current})
    if not running and clock.running:
        return Refusal("tournaments.clock_running", {"round": state.current})
    return clock


def start(state: Tournament, *, seconds: int, now: str) -> Decision:
    """Start the clock of the round that is on.

    Refused with `tournaments.clock_no_round`, `tournaments.clock_started` (put it right
    instead), `tournaments.clock_length{found, allowed}`.
    """
    wrong = _round(state)
    if wrong is not None:
        return wrong
    if state.current in state.clocks:
        return Refusal("tournaments.clock_started", {"round": state.current})
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        allowed = [LEAST_SECONDS // 60, MOST_SECONDS // 60]
        return Refusal("tournaments.clock_length", {"found": seconds // 60, "allowed": allowed})
    return [ev.ClockStarted(state.event_id, state.current, seconds, now)]


def pause(state: Tournament, *, now: str) -> Decision:
    """Pause the running clock. Refused with `tournaments.clock_not_started`, `clock_paused`."""
    clock = _known(state, running=True)
    if isinstance(clock, Refusal):
        return clock
    return [ev.ClockPaused(state.event_id, state.current, now)]


def resume(state: Tournament, *, now: str) -> Decision:
    """Let a paused clock go on. Refused with `tournaments.clock_not_started`, `clock_running`."""
    clock = _known(state, running=False)
    if isinstance(clock, Refusal):
        return clock
    return [ev.ClockResumed(state.event_id, state.current, now)]


def adjust(state: Tournament, *, by_s: int, now: str) -> Decision:
    """Give the round more time, or take some away: after an outage, or a clock set wrongly.

    Refused with `tournaments.clock_not_started`, `tournaments.clock_change{found, allowed}`.
    """
    wrong = _round(state)
    if wrong is not None:
        return wrong
    if state.current not in state.clocks:
        return Refusal("tournaments.clock_not_started", {"round": state.current})
    if not by_s or abs(by_s) > MOST_CHANGE:
        return Refusal(
            "tournaments.clock_change", {"found": by_s // 60, "allowed": MOST_CHANGE // 60}
        )
    return [ev.ClockAdjusted(state.event_id, state.current, by_s, now)]
