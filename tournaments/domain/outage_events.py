"""Events of a server that was away while a round was running."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("tournaments.outage_noticed")
class OutageNoticed(DomainEvent, frozen=True):
    """The server was away from `since` to `until` (UTC text, by its clock); the same `outage`
    again replaces what was noticed before, once the clock is right.

    `seconds` is the true length, None where the clock cannot say. `round` was on, 0: none, only
    seats were offered. `ran`: its clock ran. `copy`: the log is a copy, and whatever came after
    `since` may be missing from it.
    """

    event_id: str
    outage: str
    round: int
    since: str
    until: str
    seconds: int | None
    ran: bool
    copy: bool


@event("tournaments.outage_settled")
class OutageSettled(DomainEvent, frozen=True):
    """The desk gave `given_s` seconds for an outage of `length_s`: to the matches `tables`, to all
    of the round where that is empty; 0: nothing. The clock of the round was moved by `by_s`, which
    is more or less where the server's own clock was set meanwhile."""

    event_id: str
    outage: str
    round: int
    length_s: int
    given_s: int
    by_s: int
    tables: tuple[str, ...]
    at: str


@event("tournaments.outage_reopened")
class OutageReopened(DomainEvent, frozen=True):
    """What was given for an outage was taken back; it waits for the desk again."""

    event_id: str
    outage: str
    round: int
    at: str
