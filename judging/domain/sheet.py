"""The table sheet: what a judge wrote down there, and the moment at which an act really was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from eventstore.domain.registry import DomainEvent
from judging.domain.sheet_events import EntryStruck, LpCopied, SheetNoted

SET_BACK_MINUTES = (0, 1, 2, 3, 5)
"""By how much a start may be set back with one tap."""
MOST_LATE_S = 7200
"""An act that a phone held back longer than this counts from when it came in."""
NETWORK_S = 3
"""Shorter delays are those of the network and make no second moment."""
MOST_LINES = 60
MOST_LP = 999_999


@dataclass(frozen=True, slots=True)
class Entry:
    """A note or copied totals: by whom, and whether they were taken back."""

    by: str
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """The entries of one table by id (stream `sheet-<match>`)."""

    entries: Mapping[str, Entry] = field(default_factory=dict)


NEW = Sheet()


def evolve(state: Sheet, event: DomainEvent) -> Sheet:
    """Apply one event; others leave the state as it is."""
    match event:
        case SheetNoted() | LpCopied():
            return Sheet({**state.entries, event.entry: Entry(event.by)})
        case EntryStruck():
            struck = replace(state.entries[event.entry], struck=True)
            return Sheet({**state.entries, event.entry: struck})
        case _:
            return state


def real_moment(now: datetime, told: datetime | None) -> datetime:
    """Return when an act was made: the moment the phone tells, as long as it lies in the last
    MOST_LATE_S seconds; else, and for the delay of a network, `now`."""
    if told is None:
        return now
    late = now - told
    return told if timedelta(seconds=NETWORK_S) < late <= timedelta(seconds=MOST_LATE_S) else now


def first_difference(first: Sequence[int], second: Sequence[int]) -> int | None:
    """Return the line (from 0) in which two columns of running totals part, None while they
    agree as far as both go."""
    for at, (one, two) in enumerate(zip(first, second, strict=False)):
        if one != two:
            return at
    return None
