"""The events of the door: seats, the waiting list, the entry fee, who stands behind an entrant.

All in the stream `tournament-<id>`, so that a seat is decided where the entrants are. Times are
UTC text, amounts whole minor units of a currency (cents). People stand in them by id only; who
acted and when is in the envelope of each.
"""

from __future__ import annotations

import msgspec

from eventstore.domain.registry import DomainEvent, event


class Prize(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the prize table: places `first` to `last` get `text` (public text) once at
    least `least` players take part. A line with a higher `least` goes before a lower one."""

    least: int
    first: int
    last: int
    text: str


class DoorPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds at the door of an event.

    Players enrol from `opens_at` to `closes_at` and check in from `check_in_opens` to
    `check_in_closes`; None: no limit. `capacity` None: no limit. An offer of a seat stands for
    `offer_minutes`. `fee` 0: free. `notice_version` names the privacy notice `notice` (public
    text) that players accept; empty: none. `eligibility`: staff have to see that somebody may
    play before the check-in.
    """

    opens_at: str | None = None
    closes_at: str | None = None
    check_in_opens: str | None = None
    check_in_closes: str | None = None
    capacity: int | None = None
    offer_minutes: int = 15
    fee: int = 0
    currency: str = "EUR"
    notice_version: str = ""
    notice: str = ""
    eligibility: bool = False
    prizes: tuple[Prize, ...] = ()


@event("tournaments.door_set")
class DoorSet(DomainEvent, frozen=True):
    """The policy of the door as it stands after the change."""

    event_id: str
    policy: DoorPolicy


@event("tournaments.waiting_joined")
class WaitingJoined(DomainEvent, frozen=True):
    """All seats were taken: `place` counts those who ever waited from 1, the lower comes first.
    `entrant_id` is the entrant they will be, or were before a drop."""

    event_id: str
    entrant_id: str
    place: int
    persons: tuple[str, ...]
    by_staff: bool


@event("tournaments.waiting_left")
class WaitingLeft(DomainEvent, frozen=True):
    """Off the waiting list without a seat: `reason` own, staff or merged."""

    event_id: str
    entrant_id: str
    reason: str


@event("tournaments.seat_offered")
class SeatOffered(DomainEvent, frozen=True):
    """A free seat is kept for the first who waits, until a moment."""

    event_id: str
    entrant_id: str
    until: str


@event("tournaments.offer_declined")
class OfferDeclined(DomainEvent, frozen=True):
    event_id: str
    entrant_id: str


@event("tournaments.offer_expired")
class OfferExpired(DomainEvent, frozen=True):
    """Nobody took the seat in time; it goes on to the next."""

    event_id: str
    entrant_id: str


@event("tournaments.offer_taken")
class OfferTaken(DomainEvent, frozen=True):
    """The offer was accepted; the enrolment, or the reinstatement, follows at once."""

    event_id: str
    entrant_id: str


@event("tournaments.fee_paid")
class FeePaid(DomainEvent, frozen=True):
    """`method` is cash, card, transfer, voucher or other."""

    event_id: str
    entrant_id: str
    amount: int
    currency: str
    method: str


@event("tournaments.fee_comped")
class FeeComped(DomainEvent, frozen=True):
    """Nothing is to be paid. `note` is sealed text: why."""

    event_id: str
    entrant_id: str
    note: str | None


@event("tournaments.fee_refunded")
class FeeRefunded(DomainEvent, frozen=True):
    event_id: str
    entrant_id: str
    amount: int
    currency: str
    method: str


@event("tournaments.eligibility_seen")
class EligibilitySeen(DomainEvent, frozen=True):
    """Staff have seen that somebody may play: `seen` is eligible or guardian_consent. Nothing
    else is kept: no date of birth, no document."""

    event_id: str
    entrant_id: str
    seen: str


@event("tournaments.notice_accepted")
class NoticeAccepted(DomainEvent, frozen=True):
    """A person accepted a version of the privacy notice; `by_staff`: said so at the desk."""

    event_id: str
    person_id: str
    version: str
    by_staff: bool


@event("tournaments.entrant_persons_set")
class EntrantPersonsSet(DomainEvent, frozen=True):
    """Who stands behind an entrant after a merge of persons or its undo: all ids of one human
    count, those that are kept first."""

    event_id: str
    entrant_id: str
    persons: tuple[str, ...]


@event("tournaments.entrants_merged")
class EntrantsMerged(DomainEvent, frozen=True):
    """`gone` was the same human as `entrant_id` and gives its seat back. What the kept entrant
    is afterwards: its persons, whether it is checked in, what it paid (minor units)."""

    event_id: str
    entrant_id: str
    gone: str
    persons: tuple[str, ...]
    ready: bool
    paid: int
    comped: bool


@event("tournaments.entrants_unmerged")
class EntrantsUnmerged(DomainEvent, frozen=True):
    """The merge was wrong: both are as they were. `gone_status` enrolled, checked_in or dropped
    (a round was published meanwhile); `paid` of each, minor units."""

    event_id: str
    entrant_id: str
    gone: str
    persons: tuple[str, ...]
    status: str
    paid: int
    comped: bool
    gone_status: str
    gone_paid: int
    gone_comped: bool


@event("tournaments.suspensions_imported")
class SuspensionsImported(DomainEvent, frozen=True):
    """The list of suspended ids was replaced (stream `suspensions`). The ids and reasons stand
    in a reference table; here only how many, and the hex SHA-256 of what was taken in."""

    total: int
    added: int
    removed: int
    source_hash: str
