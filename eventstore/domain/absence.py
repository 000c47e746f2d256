"""Whether the server was away, told from when it was last alive: pure, times are UTC texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

LIMIT_S = 30
"""Seconds that nobody calls an outage: a restart, a database that answers late."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The last sign of life: when, and the newest event of the log then (position and hash)."""

    at: str
    position: int
    hash: str


@dataclass(frozen=True, slots=True)
class Absence:
    """The server was away from `since` to `until` by its clock.

    `seconds` is the true length, None where the clock cannot say: it stands before `since`. It is
    0 where only the clock was set while the server served. `copy`: the log is not the one that was
    served here last, so whatever came after its newest event may be missing.
    """

    since: str
    until: str
    seconds: int | None
    copy: bool


def absence(
    mark: Mark | None,
    newest: Mark,
    *,
    ours: bool,
    now: str,
    elapsed_s: float | None,
) -> Absence | None:
    """Say whether the server was away before `now`, and from when; None: it was not.

    `mark` is the last sign of life, None where nothing was ever served here; `newest` the newest
    event of the log, whose `at` is a lower bound; `ours`: the event that the mark names is in
    the log. `elapsed_s`: seconds since this process gave its own last sign, by a clock that nobody
    sets and that counts while the machine sleeps; None: it has just started.
    """
    known = mark is not None and ours
    since = newest.at
    if mark is not None and ours:
        # a process that runs may have seen its clock set back: then only the mark counts
        since = max(mark.at, newest.at) if elapsed_s is None else mark.at
    gone = (datetime.fromisoformat(now) - datetime.fromisoformat(since)).total_seconds()
    other_log = mark is not None and not ours
    if abs(gone) <= LIMIT_S and not other_log:
        return None
    if elapsed_s is not None and abs(gone - elapsed_s) > LIMIT_S:
        return Absence(since, now, 0 if elapsed_s <= LIMIT_S else round(elapsed_s), not known)
    return Absence(since, now, round(gone) if gone >= 0 else None, not known)
