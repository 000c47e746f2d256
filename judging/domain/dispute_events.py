"""Events of replay disputes: stream `dispute-<id>`; the window of an event: `disputes-<event>`."""

from __future__ import annotations

from typing import Any

from eventstore.domain.registry import DomainEvent, event


@event("judging.dispute_raised")
class DisputeRaised(DomainEvent, frozen=True):
    """A player does not accept line `line` of a duel that is over. `seats` and `entrants` are
    those of the match, `ruled_by` the judges who ruled there; `until` is when the window closes
    (UTC text, None while the match goes on). `mark` is the line of the duel's log that says so.
    `reason` is sealed text of `by`."""

    dispute: str
    tournament: str
    match: str
    round: int
    table: int | None
    duel: str
    line: int
    mark: int
    seats: tuple[tuple[str, ...], tuple[str, ...]]
    entrants: tuple[str, str]
    ruled_by: tuple[str, ...]
    until: str | None
    by: str
    at: str
    reason: str


@event("judging.dispute_withdrawn")
class DisputeWithdrawn(DomainEvent, frozen=True):
    """The player took the dispute back before a judge had it."""

    dispute: str
    by: str
    at: str


@event("judging.dispute_taken")
class DisputeTaken(DomainEvent, frozen=True):
    """Another judge than those who ruled reviews the dispute. `conflicts`: what speaks against
    that judge, who took it all the same."""

    dispute: str
    conflicts: tuple[str, ...]
    by: str
    at: str


@event("judging.dispute_given_back")
class DisputeGivenBack(DomainEvent, frozen=True):
    """The judge gave the review back."""

    dispute: str
    by: str
    at: str


@event("judging.dispute_ruled")
class DisputeRuled(DomainEvent, frozen=True):
    """The review is over, by the ruling `ruling` of the call `call`. `outcome`: stands (the line
    is right), no_effect (it is wrong, the result stays), or result (the result has to change).
    `proposed`, {score, reason, winner}, waits for who may correct results: what it has to change
    to, or after an appeal, with any outcome, back to."""

    dispute: str
    outcome: str
    call: str
    ruling: str
    proposed: dict[str, Any] | None
    by: str
    at: str


@event("judging.dispute_appealed")
class DisputeAppealed(DomainEvent, frozen=True):
    """A player of the match appeals the ruling of a review to the head judge; `reason` is sealed
    text of `by`."""

    dispute: str
    by: str
    at: str
    reason: str


@event("judging.dispute_appeal_ruled")
class DisputeAppealRuled(DomainEvent, frozen=True):
    """The head judge ruled on the appeal: `outcome` upheld or overturned for the ruling `first`;
    `ruling` stands now, and is final."""

    dispute: str
    first: str
    ruling: str
    outcome: str
    by: str
    at: str


@event("judging.dispute_settled")
class DisputeSettled(DomainEvent, frozen=True):
    """Who may correct results decided on the proposal: `corrected`, or the result is left as it is
    for the reason in `note` (sealed text of `by`)."""

    dispute: str
    corrected: bool
    by: str
    at: str
    note: str


@event("judging.dispute_window_set")
class DisputeWindowSet(DomainEvent, frozen=True):
    """The organiser chose for how many minutes after a match its duels can be disputed."""

    tournament: str
    minutes: int
    by: str
    at: str
