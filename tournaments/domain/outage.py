"""The server was away while a round was running: what is noticed, and what the desk makes of it.

Nothing is given by itself. Where the clock of the machine was set meanwhile (a dead battery of its
board), the round's clock jumped with it; settling the outage puts that right too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from eventstore.domain.absence import LIMIT_S
from eventstore.domain.refusal import Refusal
from eventstore.domain.registry import DomainEvent
from tournaments import events as ev
from tournaments.domain.clock import MOST_CHANGE
from tournaments.domain.event import UNDER_WAY, Decision, Tournament
from tournaments.domain.outage_events import OutageNoticed, OutageReopened, OutageSettled
from tournaments.domain.outage_state import Outage
from tournaments.domain.round_clock import moment

LONGEST_S = 7 * 24 * 3600
"""Longest outage that the desk can state."""


@dataclass(frozen=True, slots=True)
class Away:
    """What is told of an absence of the server; as eventstore.domain.absence.Absence."""

    since: str
    until: str
    seconds: int | None
    copy: bool


def jump_s(since: str, until: str) -> int:
    """Return by how many whole seconds the clock of the server moved; below zero: back."""
    return round((moment(until) - moment(since)).total_seconds())


def notice(state: Tournament, away: Away, *, outage_id: str, open_tables: int) -> Decision:
    """Note that the server was away. No event where that is known already, or of no matter:
    nothing was played and no seat was offered. `open_tables` of the newest published round."""
    playing = state.status in UNDER_WAY and state.current > 0 and open_tables > 0
    if any(one.since == away.since for one in state.outages):
        return []  # another process of the server was first
    clock = state.clocks.get(state.current) if playing else None
    found = OutageNoticed(
        state.event_id,
        outage_id,
        state.current if playing else 0,
        away.since,
        away.until,
        away.seconds,
        clock is not None and clock.running,
        away.copy,
    )
    last = state.outages[-1] if state.outages else None
    if playing and last is not None and _can_say_now(last, state.current, away.until):
        # the clock could not say; it is right again, so it can
        return [
            replace(
                found,
                outage=last.outage_id,
                since=last.since,
                seconds=jump_s(last.since, away.until),
                ran=last.ran,
                copy=last.copy or away.copy,
            )
        ]
    offered = any(one.until and one.until > away.since for one in state.door.waiting)
    return [found] if playing or (offered and away.until > away.since) else []


def _can_say_now(last: Outage, current: int, until: str) -> bool:
    doubtful = last.waits and last.seconds is None and last.round == current
    return doubtful and jump_s(last.since, until) > LIMIT_S


def _held(state: Tournament, outage_id: str) -> Outage | Refusal:
    """Find an outage of the round that is on."""
    held = next((one for one in state.outages if one.outage_id == outage_id), None)
    if held is None:
        return Refusal("tournaments.outage_unknown", {"found": outage_id[:40]})
    if state.status not in UNDER_WAY or held.round != state.current or not held.round:
        return Refusal("tournaments.outage_past", {"found": held.round, "allowed": state.current})
    return held


def settle(
    state: Tournament,
    *,
    outage_id: str,
    given_s: int,
    length_s: int | None,
    tables: Sequence[str],
    now: str,
) -> Decision:
    """Give `given_s` seconds for an outage: to all tables of the round, or to the matches
    `tables` alone; 0: nothing. `length_s` states a length that the clock cannot say.

    Refused with `tournaments.outage_unknown`, `tournaments.outage_past{found, allowed}` (its round
    is over), `tournaments.outage_settled`, `tournaments.outage_length` where the length is missing
    or impossible, `tournaments.outage_time{found, allowed}`, `tournaments.clock_not_started`.
    """
    held = _held(state, outage_id)
    if isinstance(held, Refusal):
        return held
    if held.settled is not None:
        return Refusal("tournaments.outage_settled", {"minutes": held.settled.given_s // 60})
    length = held.seconds if held.seconds is not None else length_s
    if length is None or not 0 <= length <= LONGEST_S:
        return Refusal("tournaments.outage_length", {"found": length, "allowed": LONGEST_S // 3600})
    if not 0 <= given_s <= MOST_CHANGE:
        return Refusal(
            "tournaments.outage_time", {"found": given_s // 60, "allowed": MOST_CHANGE // 60}
        )
    clock = state.clocks.get(held.round)
    by_s = 0 if tables else given_s
    if by_s and clock is None:
        return Refusal("tournaments.clock_not_started", {"round": held.round})
    if clock is not None and held.ran:
        by_s += jump_s(held.since, held.until) - length
    made: list[DomainEvent] = [
        OutageSettled(
            state.event_id,
            outage_id,
            held.round,
            length,
            given_s,
            by_s,
            tuple(tables) if given_s else (),
            now,
        )
    ]
    if by_s:
        made.append(ev.ClockAdjusted(state.event_id, held.round, by_s, now))
    return made


def reopen(state: Tournament, *, outage_id: str, now: str) -> Decision:
    """Take back what was given for an outage. Refused with `tournaments.outage_unknown`,
    `tournaments.outage_past{found, allowed}`, `tournaments.outage_waits` where nothing was
    decided."""
    held = _held(state, outage_id)
    if isinstance(held, Refusal):
        return held
    if held.settled is None:
        return Refusal("tournaments.outage_waits")
    made: list[DomainEvent] = [OutageReopened(state.event_id, outage_id, held.round, now)]
    if held.settled.by_s:
        by_s = -held.settled.by_s
        made.append(ev.ClockAdjusted(state.event_id, held.round, by_s, now))
    return made


def minutes_offered(seconds: int) -> int:
    """Return the minutes that are offered for an outage: the nearest, 1 at least, never more than
    can be given at once.

    >>> minutes_offered(540), minutes_offered(555), minutes_offered(40)
    (9, 9, 1)
    """
    return min(max(1, (seconds + 30) // 60), MOST_CHANGE // 60)
