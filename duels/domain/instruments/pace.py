"""Seconds per turn and player, from the times of the events; pads will do (their turn marks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from duels.domain.events import DuelEnded, TurnMarked
from duels.domain.ledger import SEATS
from duels.domain.play import TurnBegun
from duels.domain.rewind import struck
from eventstore.domain.registry import DomainEvent

Begun = tuple[int, str]


@dataclass(frozen=True, slots=True)
class TurnTime:
    """One turn: its number, whose, the event it began with, its length in seconds, and how
    long each player took: the time before each of the player's events. `open`: it has not
    ended, and is counted to the newest event."""

    turn: int
    active: str
    seq: int
    seconds: float
    taken: Mapping[str, float]
    open: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """All turns; the median of each player's own ended turns in seconds (None: none ended)."""

    turns: tuple[TurnTime, ...]
    medians: Mapping[str, float | None]


def _seconds(earlier: str, later: str) -> float:
    span = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return max(0.0, span.total_seconds())


def begun(event: DomainEvent) -> Begun | None:
    """Return (turn, active player) of an event that begins a turn, on a table or on a pad."""
    if isinstance(event, TurnMarked):
        return event.turn, event.active
    if isinstance(event, TurnBegun):
        return event.turn, event.player
    return None


def pace(rows: Sequence[tuple[DomainEvent, str]]) -> Pace:
    """Return the pace of a log: its raw events with the UTC time at which each was recorded.

    Where a table marks the turns, marks of pads are passed over; the second pad's mark of the
    same turn is too. Struck turns are left out: the time up to a rewind belongs to the turn
    that went on.
    """
    raw = [event for event, _ in rows]
    marks = struck(raw)
    table = any(isinstance(event, TurnBegun) for event in raw)
    turns: list[TurnTime] = []
    open_: tuple[int, int, str] | None = None
    taken: dict[str, float] = {}
    for place, (event, at) in enumerate(rows):
        if place and open_ is not None:
            who = getattr(event, "player", None)
            who = who if who in SEATS else open_[2]
            taken[who] = taken.get(who, 0.0) + _seconds(rows[place - 1][1], at)
        found = None if marks[place] else begun(event)
        if found is not None and table and isinstance(event, TurnMarked):
            found = None
        if found is not None and open_ is not None and found == (open_[1], open_[2]):
            found = None
        ended = isinstance(event, DuelEnded) and not marks[place]
        if (found is not None or ended) and open_ is not None:
            turns.append(_turn(open_, rows, at, taken))
            open_ = None
        if found is not None:
            open_, taken = (place, *found), dict.fromkeys(SEATS, 0.0)
    if open_ is not None:
        turns.append(_turn(open_, rows, rows[-1][1], taken, unfinished=True))
    return Pace(
        tuple(turns),
        {player: typical([one for one in turns if one.active == player]) for player in SEATS},
    )


def _turn(
    open_: tuple[int, int, str],
    rows: Sequence[tuple[DomainEvent, str]],
    upto: str,
    taken: Mapping[str, float],
    *,
    unfinished: bool = False,
) -> TurnTime:
    place, turn, active = open_
    rounded = {player: round(taken.get(player, 0.0), 3) for player in SEATS}
    seconds = round(_seconds(rows[place][1], upto), 3)
    return TurnTime(turn, active, place + 1, seconds, rounded, unfinished)


def typical(turns: Sequence[TurnTime]) -> float | None:
    """Return the median length of ended turns in seconds, None without any."""
    ended = [one.seconds for one in turns if not one.open]
    return round(median(ended), 3) if ended else None
