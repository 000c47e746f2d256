"""Events of the table sheet: moments a judge sets back, acts taken back, notes and copied totals.

What concerns a call stands in its stream `call-<id>`, what concerns the table alone in
`sheet-<match>`. People by id, free text sealed under its author's key.
"""

from __future__ import annotations

from eventstore.domain.registry import DomainEvent, event


@event("judging.moment_claimed")
class MomentClaimed(DomainEvent, frozen=True):
    """A judge says when something at the table really was. `what` is start or end; `claimed` is
    that moment, `at` the one of the record. `why`: set_back (a chip such as '2 minutes ago') or
    queued (the phone had no server then)."""

    call: str
    what: str
    claimed: str
    by: str
    at: str
    why: str


@event("judging.conflict_overridden")
class ConflictOverridden(DomainEvent, frozen=True):
    """A judge took a call although something speaks against it; `kinds` say what (club)."""

    call: str
    kinds: tuple[str, ...]
    by: str
    at: str


@event("judging.start_undone")
class StartUndone(DomainEvent, frozen=True):
    """The judge was at the wrong table: the call is in the queue `state` again. The other three
    are its times from now on: None, unless another judge had been there before."""

    call: str
    state: str
    claimed_at: str | None
    arrived_at: str | None
    table_end: str | None
    by: str
    at: str


@event("judging.ruling_undone")
class RulingUndone(DomainEvent, frozen=True):
    """A ruling was taken back by its author within seconds; it stays readable. `state` is that
    of the call from now on."""

    call: str
    ruling: str
    state: str
    by: str
    at: str


@event("judging.escalation_undone")
class EscalationUndone(DomainEvent, frozen=True):
    """The call did not go to the head judge after all: `state` and `judge` as before."""

    call: str
    state: str
    judge: str | None
    by: str
    at: str


@event("judging.call_reopened")
class CallReopened(DomainEvent, frozen=True):
    """The close was taken back within seconds: `state` as before, no extension, and penalties
    that came into force by the close wait for the next one."""

    call: str
    state: str
    by: str
    at: str


@event("judging.sheet_noted")
class SheetNoted(DomainEvent, frozen=True):
    """A note of a judge at a table, with or without a call; `note` is sealed text of `by`."""

    match: str
    tournament: str
    entry: str
    call: str | None
    note: str
    by: str
    at: str


@event("judging.lp_copied")
class LpCopied(DomainEvent, frozen=True):
    """A judge copied running totals of the Life Points of one seat from both pads, oldest
    first: `first` from the pad of P1, `second` from that of P2."""

    match: str
    tournament: str
    entry: str
    call: str | None
    about: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    by: str
    at: str


@event("judging.entry_struck")
class EntryStruck(DomainEvent, frozen=True):
    """A note or copied totals were taken back by their author; they stay readable."""

    match: str
    tournament: str
    entry: str
    by: str
    at: str


@event("judging.precedent_marked")
class PrecedentMarked(DomainEvent, frozen=True):
    """The head judge marks a ruling of the own event for those who look for one like it. Stream
    `precedent-<ruling>`. `mark` is leading, do_not_follow, or empty: no mark any more."""

    ruling: str
    tournament: str
    mark: str
    by: str
    at: str
