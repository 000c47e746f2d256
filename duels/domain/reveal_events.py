"""What is looked at beside a duel. Stream `reveal-<duel>`: apart from the duel's own log, so that
neither its lines nor their number tell anybody that a judge looked."""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("duels.hidden_revealed")
class HiddenRevealed(DomainEvent, frozen=True):
    """The hidden cards of a duel were opened to the judge `by`, up to the event `upto` of its log,
    in the case (the call) `case`. `reason` is sealed text of `by`."""

    duel: str
    tournament: str
    match: str
    case: str
    upto: int
    by: str
    at: str
    reason: str
