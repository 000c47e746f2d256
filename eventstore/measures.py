"""What happened, noted for whoever counts it.

A command takes some eighty microseconds and must not pay for its own measuring: it appends one
tuple here, and the end of the request (config.metrics) makes counters and histograms of them.
Where nobody takes the notes, as in a management command, the oldest fall out.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

NOTES_AT_MOST = 10_000


CommandNote = tuple[str, str, str, float, int]
"""One command that ended: its name, how (see `outcome_of`), the code of its refusal, the seconds
from asking for the turn to write to the end of the commit, how many events it appended. A bare
tuple, as it is made on the way of every command."""


class JobNote(NamedTuple):
    """One try of a piece of background work: its topic, how it ended, seconds."""

    topic: str
    outcome: str
    seconds: float


class FaultNote(NamedTuple):
    """A help that did not answer, and what it was asked for: ("redis", "wakeup")."""

    what: str
    use: str


class SlowNote(NamedTuple):
    """A statement that took longer than SLOW_QUERY_MS."""

    seconds: float


Note = CommandNote | JobNote | FaultNote | SlowNote

_notes: deque[Note] = deque(maxlen=NOTES_AT_MOST)

slow_seconds = math.inf
"""A command that takes longer is logged (SLOW_QUERY_MS, set by config.slow)."""
note = _notes.append
"""Note what happened."""


def taken() -> list[Note]:
    """Take the notes away, oldest first."""
    found: list[Note] = []
    while _notes:
        try:
            found.append(_notes.popleft())
        except IndexError:  # another thread took the last
            break
    return found


DONE, REPEATED, ERROR = "done", "repeated", "error"
"""Outcomes of a command; the others are said by its exception."""


def outcome_of(fault: BaseException) -> str:
    """Return the outcome that an exception stands for: what its class says of itself in
    `measured_as`, else "error"."""
    return str(getattr(fault, "measured_as", ERROR))
